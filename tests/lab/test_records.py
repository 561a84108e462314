"""Recorded runs are well formed, repeatable, and say nothing about whose machine it was."""

import json
import shlex
import socket
from importlib import resources

import pytest

from transformer_book import data
from transformer_lab import records
from transformer_lab.__main__ import COMMANDS, import_command_module
from transformer_lab.translator import training_run
from transformer_lab.translator.run_settings import RunSettings
from transformer_lab.words import word_vectors


@pytest.fixture(params=records.names())
def record(request):
    return records.load(request.param)


@pytest.fixture
def vectors():
    return records.load("text8_prefix_word_vectors")


def test_there_is_a_record():
    assert "text8_prefix_word_vectors" in records.names()


def test_an_unknown_record_lists_the_known_ones():
    with pytest.raises(
        ValueError, match="named 'text9'. Known: .*text8_prefix_word_vectors"
    ):
        records.load("text9")


def test_every_record_says_how_it_was_made(record):
    assert record["command"].startswith("python -m transformer_lab ")
    assert {"python", "numpy"} <= record["versions"].keys()
    assert record["hardware"]["cpu"] and record["hardware"]["cores"] >= 1
    assert isinstance(record["parameters"]["seed"], int)
    assert record["seconds"] > 0


@pytest.mark.parametrize("name", records.names())
def test_no_record_names_a_machine_or_a_path(name):
    text = resources.files(records).joinpath(f"{name}.json").read_text("utf-8")
    assert socket.gethostname() not in text
    assert "/home" not in text and "/work" not in text and "/tmp" not in text


def test_the_command_gives_the_recorded_parameters(vectors):
    words = shlex.split(vectors["command"])
    assert words[:4] == ["python", "-m", "transformer_lab", "word-vectors"]
    given = word_vectors.argument_parser().parse_args(words[4:])
    assert given.corpus == vectors["corpus"]["name"]
    for name in ("vector_size", "window", "min_count", "seed"):
        assert getattr(given, name) == vectors["parameters"][name]
    # Without a choice, the command does the same.
    short = word_vectors.argument_parser().parse_args(
        ["--corpus", given.corpus, "--out", "FILE"]
    )
    assert short == given
    assert [(run["method"], run["epochs"]) for run in vectors["runs"]] == [
        (method, epochs) for epochs in given.epochs for method in ("skip-gram", "CBOW")
    ]


def trainings(record):
    """Return what a record says of each training run behind it."""
    rows = record.get("runs", [])
    return [r["training"] for r in [record, *rows] if "training" in r]


@pytest.mark.parametrize("name", records.names())
def test_the_commands_are_of_the_one_command_line_and_give_what_was_recorded(name):
    record = records.load(name)
    name, *options = record["command"].split(" transformer_lab ")[1].split()
    command = import_command_module(name)
    assert name in COMMANDS and command.argument_parser().parse_args(options)
    assert command.argument_parser().prog == f"python -m transformer_lab {name}"
    for training in trainings(record):
        name, *options = training["command"].split(" transformer_lab ")[1].split()
        values = training_run.option_values(
            training_run.argument_parser().parse_args(options)
        )
        known = RunSettings().as_dict()
        made = RunSettings(**{k: v for k, v in values.items() if k in known})
        assert name == "train"
        if "settings" in training:
            assert made == RunSettings(**training["settings"])
            sizes = training_run.model_choices(values)
            del sizes["preset"]
            assert sizes.items() <= training["config"].items()


def test_the_recorded_corpus_is_the_registrys(vectors):
    corpus = data.CORPORA[vectors["corpus"]["name"]]
    assert vectors["corpus"]["hash"] == corpus.hash
    assert vectors["corpus"]["words"] == corpus.words
    assert vectors["corpus"]["pieces"] == -(-corpus.words // 1_000)


def test_the_recorded_figures_agree_with_each_other(vectors):
    for run in vectors["runs"]:
        analogies = run["analogies"]
        sections = analogies["sections"].values()
        for count in ("correct", "answerable", "asked"):
            assert analogies[count] == sum(section[count] for section in sections)
        assert analogies["accuracy"] == analogies["correct"] / analogies["answerable"]
        assert run["fusion"]["plain"] == pytest.approx(run["black_brown"], abs=1e-5)
        assert run["fusion"]["encoding_norm"] == pytest.approx(16)
        assert list(run["neighbours"]) == ["black", "brown", "cat", "king"]
        for neighbours in run["neighbours"].values():
            cosines = [cosine for _, cosine in neighbours]
            assert len(cosines) == 10 and cosines == sorted(cosines, reverse=True)
    assert vectors["seconds"] == pytest.approx(
        sum(run["seconds"] for run in vectors["runs"])
    )


def test_a_record_is_written_whole_or_not_at_all(tmp_path):
    path = tmp_path / "record.json"
    records.write(path, {"a": [1, "é"]})
    assert json.loads(path.read_text("utf-8")) == {"a": [1, "é"]}
    with pytest.raises(ValueError):
        records.write(path, {"a": float("nan")})
    with pytest.raises(TypeError):
        records.write(path, {"a": object()})
    assert json.loads(path.read_text("utf-8")) == {"a": [1, "é"]}
    assert [file.name for file in tmp_path.iterdir()] == ["record.json"]


def test_a_full_disk_leaves_the_old_record(tmp_path, monkeypatch):
    path = tmp_path / "record.json"
    records.write(path, {"a": 1})

    def refuse(*args):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(records.os, "replace", refuse)
    with pytest.raises(OSError, match="No space"):
        records.write(path, {"a": 2})
    assert json.loads(path.read_text("utf-8")) == {"a": 1}
    assert [file.name for file in tmp_path.iterdir()] == ["record.json"]
