"""The book's translator: trained once, kept, found again, replaced when its makings change."""

import json

import numpy as np
import pytest
import torch
from safetensors.torch import load_file

from tests.train import cases
from transformer_book import by_hand, data, decode, nn, train
from transformer_book.train import book
from transformer_book.train.book import book_file, book_model, book_training
from transformer_lab.translations import ablations


@pytest.fixture
def few_steps(tmp_path, monkeypatch):
    monkeypatch.setenv(book.FOLDER_SETTING, str(tmp_path / "model"))
    monkeypatch.setattr(
        book, "SETTINGS", train.Settings(steps=2, tokens=300, validate_every=2)
    )
    monkeypatch.setattr(
        book, "BOOK", {"preset": "tiny", "N": 1, "d_model": 8, "d_ff": 8}
    )
    monkeypatch.setattr(book.data, "load_parallel", {"grammar": cases.copying()}.get)
    monkeypatch.setattr(data.parallel, "FOLLOWED", ("a b c d", "abcd"))
    return tmp_path / "model"


def weights(model):
    return torch.cat([p.flatten() for p in model.parameters()])


def test_it_is_trained_once_and_found_again(few_steps, monkeypatch):
    first, corpus = book_model()
    names = sorted(path.name for path in few_steps.iterdir())
    stem = book_file(corpus).stem
    assert names == [f"{stem}.json", f"{stem}.safetensors", "vocabulary.json"]
    monkeypatch.setattr(book, "train", None)  # a second training would fail
    again, _ = book_model()
    assert not again.training and torch.equal(weights(first), weights(again))
    words = json.loads((few_steps / "vocabulary.json").read_text("utf-8"))
    assert words["source"] == list(corpus.source_vocabulary)
    assert words["target"] == list(corpus.target_vocabulary)


def test_the_file_has_half_the_bytes_and_everybody_computes_with_the_same_weights(
    few_steps,
):
    model, corpus = book_model()
    path = book_file(corpus)
    assert {tensor.dtype for tensor in load_file(path).values()} == {torch.float16}
    _, W = by_hand.load_weights(path)
    for name, parameter in model.named_parameters():
        trained = parameter.detach().numpy()
        assert trained.dtype == W[name].dtype == np.float32
        assert np.array_equal(trained, W[name]), name
        assert np.array_equal(trained, trained.astype(np.float16).astype(np.float32)), (
            name
        )
    source, target = torch.tensor([[4, 5, 3]]), torch.tensor([[2, 6]])
    with torch.no_grad():
        assert torch.equal(
            model(source, target)[0], nn.load_weights(path)(source, target)[0]
        )


@pytest.mark.parametrize(
    "name, other",
    [
        ("SETTINGS", train.Settings(steps=2, tokens=300, validate_every=2, seed=1)),
        ("KEPT", torch.float32),
    ],
)
def test_other_makings_make_another_file_and_the_old_one_goes(
    few_steps, monkeypatch, name, other
):
    _, corpus = book_model()
    old = book_file(corpus)
    monkeypatch.setattr(book, name, other)
    assert book_file(corpus) != old
    book_model()
    assert book_file(corpus).exists() and not old.exists()
    assert not old.with_suffix(".json").exists()


def test_a_damaged_file_is_made_anew(few_steps):
    first, corpus = book_model()
    book_file(corpus).write_bytes(book_file(corpus).read_bytes()[:1000])
    again, _ = book_model()
    assert torch.equal(weights(first), weights(again))
    assert torch.equal(weights(nn.load_weights(book_file(corpus))), weights(first))


def test_what_it_answered_on_the_way_is_kept_with_its_losses(few_steps, monkeypatch):
    monkeypatch.setattr(book, "ASK_EVERY", 1)
    history, answers = book_training()
    model, corpus = book_model()
    assert history.step == 2 and [step for step, _ in history.validation] == [1, 2]
    assert answers.keys() == {0, 1, 2}
    english, chinese = data.parallel.FOLLOWED
    source = data.collate([(corpus.source_ids(english), [])]).source
    right = corpus.target_vocabulary.ids(list(chinese))
    (log_p,) = decode.log_probability(model, source, [right])
    # The kept weights are rounded.
    assert answers[2]["right"] == pytest.approx(log_p.exp().tolist(), rel=0.02)
    assert answers[0]["right"] != answers[1]["right"]
    monkeypatch.setattr(book, "train", None)  # a second training would fail
    assert book_training() == (history, answers)


@pytest.mark.parametrize("damaged", ["weights", "record"])
def test_without_its_record_or_its_weights_it_is_trained_again(few_steps, damaged):
    first = book_training()
    path = book_file(cases.copying())
    (path if damaged == "weights" else path.with_suffix(".json")).write_text(
        "{", "utf-8"
    )
    assert book_training() == first


def test_the_book_s_model_is_small_and_its_run_short(grammar_corpus):
    model = train.translator(grammar_corpus, seed=0, **book.BOOK)
    assert sum(p.numel() for p in model.parameters()) < 1_000_000
    assert model.config.norm == "post"  # as in the paper


def test_without_warm_up_the_rate_starts_at_its_peak():
    settings = book.SETTINGS
    without = ablations.InverseSquareRoot(**settings.as_dict())
    peak = settings.learning_rate(settings.warmup, 128)
    assert (
        without.learning_rate(1, 128)
        == peak
        == without.learning_rate(settings.warmup, 128)
    )
    later = settings.warmup + 100
    assert (
        without.learning_rate(later, 128) == settings.learning_rate(later, 128) < peak
    )


def test_ablations_leave_out_what_they_say(monkeypatch, tmp_path, grammar_corpus):
    corpus = grammar_corpus
    small = data.ParallelCorpus.of(
        corpus.train[:60],
        corpus.train[:5],
        corpus.train[:5],
        name="grammar",
        title="",
        terms="",
        source_language="en",
        target_language="zh",
    )
    seen = {}

    def watch(model, corpus, settings):
        seen[name] = (model.config, settings, float(model.PE.abs().sum()))
        return train.train(model, corpus, settings)

    monkeypatch.setattr(ablations, "train", watch)
    monkeypatch.setattr(
        ablations, "BOOK", {"preset": "tiny", "N": 1, "d_model": 8, "d_ff": 8}
    )
    for name in ablations.ABLATIONS:
        run = ablations.without(name, small, steps=2, seed=0)
        assert run["without"] == name
        assert 0 <= run["exact"] <= 1 and 0 <= run["exact_sampled"] <= 1
    config, settings, positions = seen["nothing"]
    assert seen["dropout"][0] == config.changed(dropout=0.0)
    assert seen["Post-LN, for Pre-LN"][0] == config.changed(norm="pre")
    assert settings.smoothing == 0
    smoothed = seen["plain labels, for smoothed"][1]
    assert smoothed == settings.changed(smoothing=0.1)
    assert seen["cool-down"][1] == settings.changed(cooldown=0) != settings
    assert seen["positions"][2] == 0 < positions
    assert isinstance(seen["warm-up"][1], ablations.InverseSquareRoot)
