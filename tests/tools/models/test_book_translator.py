"""The trained model goes into the site, and PyTorch's numbers beside it; without one, neither."""

import hashlib
import json
import shutil
from itertools import pairwise

import pytest
import torch
from safetensors.numpy import load_file

from tests.train import cases
from tools.cache.store import Store
from tools.models import book_translator
from transformer_book import by_hand, data, decode, nn
from transformer_book.data import grammar
from transformer_lab.translations.interventions import model_without_parts


def small_world(patch):
    """Have a small corpus take the grammar's place."""
    made = cases.copying()
    patch.setattr(data, "load_parallel", {"grammar": made}.get)
    # The sentence that the book follows is one of the corpus, as in the grammar.
    patch.setattr(data.parallel_corpus, "FOLLOWED_PAIR", ("a b c d e f g h",) * 2)
    return made


@pytest.fixture
def corpus(monkeypatch):
    return small_world(monkeypatch)


def laid(folder, corpus):
    """Lay what a build has when its site is made."""
    weights = folder / "model" / "book-1.safetensors"
    nn.save_weights(weights, cases.model(corpus), torch.float16)
    words = {
        "source": list(corpus.source_vocabulary),
        "target": list(corpus.target_vocabulary),
    }
    weights.with_name("vocabulary.json").write_text(json.dumps(words), "utf-8")
    return folder


@pytest.fixture
def build(tmp_path, corpus):
    return laid(tmp_path / "build", corpus)


@pytest.fixture(scope="session")
def once(tmp_path_factory):
    with pytest.MonkeyPatch.context() as patch:
        build = laid(tmp_path_factory.mktemp("published"), small_world(patch))
        book_translator.publish_translator(build, "code", Store(None))
    return build


@pytest.fixture
def published(once, tmp_path, corpus):
    """A build whose site has its model, in a folder of the test's own."""
    return shutil.copytree(once, tmp_path / "published")


def shipped(build):
    return {
        path.name: path.read_bytes()
        for path in (build / "html/_static/model").glob("*")
    }


def weights_of(build):
    return next((build / "model").glob("*.safetensors"))


def test_the_site_gets_the_model(published):
    words = (published / "model" / "vocabulary.json").read_bytes()
    weights = weights_of(published).read_bytes()
    site = shipped(published)
    about = json.loads(site.pop("about.json"))
    assert (
        site.pop(book_translator.EXPECTED_LOGITS_FILE_NAME)
        == (
            published / "numbers" / book_translator.EXPECTED_LOGITS_FILE_NAME
        ).read_bytes()
    )
    assert site == {"model.safetensors": weights, "vocabulary.json": words}
    assert about["bytes"] == len(weights) + len(words)
    sums = {
        name: hashlib.sha256(shipped(published)[name]).hexdigest()
        for name in book_translator.SHIPPED_FILE_NAMES
    }
    assert about["sha256"] == sums
    config = nn.load_weights(weights_of(published)).config
    assert (about["N"], about["h"]) == (config.N, config.h)


def test_every_sentence_to_choose_from_is_one_of_the_grammar_word_after_word():
    follows = book_translator.followers_by_word()
    for sentence in (
        data.parallel_corpus.FOLLOWED_PAIR[0],
        *book_translator.SUGGESTED_SENTENCES,
    ):
        first, *others = grammar.sentence_words(sentence)
        for word, following in pairwise(["", first.lower(), *others, "."]):
            assert following in follows[word], (word, following)
    assert "brown" not in follows["girl"] and "." not in follows[""]


def test_every_sentence_to_choose_from_has_several_right_translations(published):
    for sentence in book_translator.SUGGESTED_SENTENCES:
        assert len(data.translations(sentence)) > 1, sentence
    about = json.loads(shipped(published)["about.json"])
    assert about["gloss"] == data.grammar_glosses()
    assert about["sentences"] == [
        data.parallel_corpus.FOLLOWED_PAIR[0],
        *book_translator.SUGGESTED_SENTENCES,
    ]


def test_without_a_model_there_is_none_nor_that_of_an_earlier_build(
    published, monkeypatch
):
    assert shipped(published)
    weights_of(published).unlink()
    monkeypatch.setattr(
        book_translator, "write_translation_numbers", None
    )  # nothing is trained or computed
    book_translator.publish_translator(published, "code", Store(None))
    assert shipped(published) == {} and not (published / "numbers").exists()


def test_the_numbers_are_those_of_each_sentence_alone(published, corpus):
    translations = json.loads(
        (published / "numbers" / "translations.json").read_text("utf-8")
    )
    logits = load_file(published / "numbers" / "logits.safetensors")
    assert len(translations) == len(logits) == len(corpus.test)
    trained = nn.load_weights(weights_of(published))
    config, W = by_hand.load_weights(weights_of(published))
    for i, said in enumerate(translations):
        source, bos = torch.tensor([said["source"]]), [data.BOS]
        tokens, _ = corpus.test[i]
        assert said["source"] == [*corpus.source_vocabulary.ids(tokens), data.EOS]
        assert said["text"] == data.detokenize(tokens, "x")
        assert said["greedy"] == decode.greedy(trained, source)[0]
        (found,) = decode.beam_search(trained, source)
        assert said["beam"] == found[0].ids
        assert said["scores"] == pytest.approx([one.score for one in found], abs=1e-5)
        target = torch.tensor([bos + said["greedy"]])
        expected, _ = by_hand.transformer(source.numpy(), target.numpy(), W, config)
        assert logits[str(i)] == pytest.approx(expected[0], abs=1e-5)


def test_a_changed_model_s_are_those_of_each_sentence_alone(published, corpus):
    folder = published / "numbers"
    said = json.loads((folder / "changed.json").read_text("utf-8"))
    logits = load_file(folder / "changed.safetensors")
    trained = nn.load_weights(weights_of(published)).double()
    assert list(said) == list(book_translator.changes_by_name(trained.config))
    assert len({str(one["greedy"]) for one in said.values()}) > 3
    for name, one in said.items():
        for i, ids in enumerate(one["greedy"]):
            source = torch.tensor([[*corpus.ids(corpus.test)[i][0], data.EOS]])
            with model_without_parts(trained, **one["changes"]):
                most = min(
                    book_translator.MAX_CHANGED_MODEL_TRANSLATION_LENGTH,
                    source.shape[1] + 50,
                )
                expected = decode.greedy(
                    trained, source, max_length=most, use_cache=False
                )[0]
            assert ids[:most] == expected, name
            steps = logits[f"{name} {i}"].copy()
            steps[:, [data.PAD, data.BOS]] = -torch.inf
            taken = [*ids, data.EOS][: len(steps)]
            assert steps.argmax(axis=-1).tolist() == taken, name


def test_a_browser_is_told_what_to_expect_of_the_sentence_that_is_followed(
    published, corpus
):
    expected = load_file(
        published / "html/_static/model" / book_translator.EXPECTED_LOGITS_FILE_NAME
    )
    source = corpus.source_ids(data.parallel_corpus.FOLLOWED_PAIR[0])
    assert expected["source"].tolist() == [*source, data.EOS]
    config, W = by_hand.load_weights(weights_of(published))
    given = (expected[name][None].astype(int) for name in ("source", "decoder_input"))
    logits, _ = by_hand.transformer(*given, W, config)
    assert expected["logits"] == pytest.approx(logits[0], abs=1e-5)


def test_they_are_written_again_only_if_model_or_code_have_changed(build, monkeypatch):
    written, write = [], book_translator.write_translation_numbers
    monkeypatch.setattr(
        book_translator,
        "write_translation_numbers",
        lambda *given: [written.append(1), write(*given)],
    )
    book_translator.publish_translator(build, "code", Store(None))
    book_translator.publish_translator(build, "code", Store(None))
    assert len(written) == 1
    book_translator.publish_translator(build, "other code", Store(None))
    assert len(written) == 2
    nn.save_weights(
        weights_of(build), cases.model(cases.copying(), seed=1), torch.float16
    )
    book_translator.publish_translator(build, "other code", Store(None))
    assert len(written) == 3
    assert shipped(build)["model.safetensors"] == weights_of(build).read_bytes()


def test_what_was_half_written_is_not_used(build, monkeypatch):
    def fail(weights, folder):
        (folder / "translations.json").write_text("[", "utf-8")
        raise KeyboardInterrupt

    with monkeypatch.context() as patched, pytest.raises(KeyboardInterrupt):
        patched.setattr(book_translator, "write_translation_numbers", fail)
        book_translator.publish_translator(build, "code", Store(None))
    book_translator.publish_translator(build, "code", Store(None))
    assert json.loads((build / "numbers" / "translations.json").read_text("utf-8"))


def test_a_damaged_model_is_one_clear_error(build):
    path = weights_of(build)
    path.write_bytes(path.read_bytes()[:500])
    with pytest.raises(
        RuntimeError, match="book-1.safetensors .* is not a whole safetensors file"
    ):
        book_translator.publish_translator(build, "code", Store(None))
    assert shipped(build) == {}
