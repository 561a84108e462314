"""The site gets the translator's files as they are, and PyTorch's numbers of the recorded sentences."""

import json
import shutil

import pytest
import torch
from safetensors.numpy import load_file

from tests.conftest import ROOT
from tools.cache.store import Store
from tools.models import tatoeba_translator
from transformer_book import by_hand, data, decode, nn
from transformer_lab import records
from transformer_lab.translator import site_translator

SENTENCES = 3


@pytest.fixture
def root(tmp_path, monkeypatch):
    """A project that ships the book's translator, and whose record has few sentences."""
    shutil.copytree(
        site_translator.FOLDER,
        tmp_path.joinpath(*tatoeba_translator.TRANSLATOR_FOLDER_PARTS),
    )
    record = records.load(tatoeba_translator.RECORD_NAME)
    record["sentences"] = record["sentences"][:SENTENCES]
    monkeypatch.setattr(records, "load", {tatoeba_translator.RECORD_NAME: record}.get)
    return tmp_path


@pytest.fixture
def build(root):
    tatoeba_translator.publish_translator(root, root / "_build", "code", Store(None))
    return root / "_build"


def test_the_files_are_copied_as_they_are(build):
    site = build / "html" / "_static" / "tatoeba"
    assert {path.name for path in site.iterdir()} == {
        path.name for path in site_translator.FOLDER.iterdir()
    }
    for path in site.iterdir():
        assert path.read_bytes() == (site_translator.FOLDER / path.name).read_bytes()


def test_the_numbers_are_those_of_each_sentence_alone(build):
    folder = build / "numbers" / "tatoeba"
    translations = json.loads((folder / "translations.json").read_text("utf-8"))
    logits = load_file(folder / "logits.safetensors")
    record = records.load(tatoeba_translator.RECORD_NAME)
    assert [one["text"] for one in translations] == [
        one["source"] for one in record["sentences"]
    ]
    model, corpus = site_translator.load()
    config, W = by_hand.load_weights(site_translator.FOLDER / site_translator.WEIGHTS)
    for i, said in enumerate(translations):
        source = torch.tensor([[*corpus.source_ids(said["text"]), data.EOS]])
        assert said["source"] == source[0].tolist()
        assert [said["greedy"]] == decode.greedy(model, source)
        ((best, *_),) = decode.beam_search(model, source, 4, 0.6)
        assert said["beam"] == best.ids
        target = torch.tensor([[data.BOS, *said["greedy"]]]).numpy()
        expected, _ = by_hand.transformer(source.numpy(), target, W, config)
        assert logits[str(i)] == pytest.approx(expected[0], abs=1e-4)


def test_numbers_are_made_anew_only_when_they_would_differ(root, build, monkeypatch):
    made, right = [], tatoeba_translator.write_translation_numbers
    monkeypatch.setattr(
        tatoeba_translator,
        "write_translation_numbers",
        lambda *a: made.append(right(*a)),
    )
    tatoeba_translator.publish_translator(root, build, "code", Store(None))
    assert not made
    tatoeba_translator.publish_translator(root, build, "other code", Store(None))
    assert len(made) == 1
    nn.save_weights(
        root.joinpath(
            *tatoeba_translator.TRANSLATOR_FOLDER_PARTS, site_translator.WEIGHTS
        ),
        nn.load_weights(site_translator.FOLDER / site_translator.WEIGHTS),
    )
    tatoeba_translator.publish_translator(root, build, "other code", Store(None))
    assert len(made) == 2
    shutil.rmtree(build / "numbers")  # as the book's own model does when it has changed
    tatoeba_translator.publish_translator(root, build, "other code", Store(None))
    assert (
        len(made) == 3
        and (build / "numbers" / "tatoeba" / "logits.safetensors").exists()
    )


def test_a_book_without_a_translator_gets_none_nor_an_earlier_one(root, build):
    shutil.rmtree(root.joinpath(*tatoeba_translator.TRANSLATOR_FOLDER_PARTS))
    tatoeba_translator.publish_translator(root, build, "code", Store(None))
    assert not (build / "html" / "_static" / "tatoeba").exists()
    assert not (build / "numbers" / "tatoeba").exists()


def test_damaged_weights_are_one_error(root):
    root.joinpath(
        *tatoeba_translator.TRANSLATOR_FOLDER_PARTS, site_translator.WEIGHTS
    ).write_bytes(b"half")
    with pytest.raises(RuntimeError, match="is not a whole safetensors file"):
        tatoeba_translator.publish_translator(
            root, root / "_build", "code", Store(None)
        )


def test_it_is_the_project_s_own_folder():
    assert (
        ROOT.joinpath(*tatoeba_translator.TRANSLATOR_FOLDER_PARTS)
        == site_translator.FOLDER
    )
