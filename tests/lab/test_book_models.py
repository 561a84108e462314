"""The models of the book: trained once, kept, found again, replaced when their makings change."""

import json

import numpy as np
import pytest
import torch
from safetensors.torch import load_file

from tests.lab.conftest import WORDS
from tests.train import cases
from transformer_book import by_hand, data, decode, nn, train
from transformer_lab import book_models
from transformer_lab.book_models import grammar_translator, wikipedia_model
from transformer_lab.book_models.files import MODEL_FOLDER_VARIABLE


@pytest.fixture
def few_steps(tmp_path, monkeypatch):
    monkeypatch.setenv(MODEL_FOLDER_VARIABLE, str(tmp_path / "model"))
    monkeypatch.setattr(
        grammar_translator,
        "SETTINGS",
        train.Settings(steps=2, tokens=300, validate_every=2),
    )
    monkeypatch.setattr(
        grammar_translator,
        "BOOK_CHOICES",
        {"preset": "tiny", "N": 1, "d_model": 8, "d_ff": 8},
    )
    monkeypatch.setattr(
        grammar_translator.data, "load_parallel", {"grammar": cases.copying()}.get
    )
    monkeypatch.setattr(data.parallel_corpus, "FOLLOWED_PAIR", ("a b c d", "abcd"))
    return tmp_path / "model"


def weights_file(corpus):
    return grammar_translator.translator_files(corpus).weights


def weights(model):
    return torch.cat([p.flatten() for p in model.parameters()])


def test_it_is_trained_once_and_found_again(few_steps, monkeypatch):
    first, corpus = book_models.translator()
    names = sorted(path.name for path in few_steps.iterdir())
    stem = weights_file(corpus).stem
    assert names == [f"{stem}.json", f"{stem}.safetensors", "vocabulary.json"]
    monkeypatch.setattr(
        grammar_translator, "train_and_write_translator", None
    )  # a second training would fail
    again, _ = book_models.translator()
    assert not again.training and torch.equal(weights(first), weights(again))
    words = json.loads((few_steps / "vocabulary.json").read_text("utf-8"))
    assert words["source"] == list(corpus.source_vocabulary)
    assert words["target"] == list(corpus.target_vocabulary)


def test_the_file_has_half_the_bytes_and_everybody_computes_with_the_same_weights(
    few_steps,
):
    model, corpus = book_models.translator()
    path = weights_file(corpus)
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
        ("FILE_DTYPE", torch.float32),
    ],
)
def test_other_makings_make_another_file_and_the_old_one_goes(
    few_steps, monkeypatch, name, other
):
    _, corpus = book_models.translator()
    old = weights_file(corpus)
    monkeypatch.setattr(grammar_translator, name, other)
    assert weights_file(corpus) != old
    book_models.translator()
    assert weights_file(corpus).exists() and not old.exists()
    assert not old.with_suffix(".json").exists()


def test_a_damaged_file_is_made_anew(few_steps):
    first, corpus = book_models.translator()
    weights_file(corpus).write_bytes(weights_file(corpus).read_bytes()[:1000])
    again, _ = book_models.translator()
    assert torch.equal(weights(first), weights(again))
    assert torch.equal(weights(nn.load_weights(weights_file(corpus))), weights(first))


def test_what_it_answered_on_the_way_is_kept_with_its_losses(few_steps, monkeypatch):
    monkeypatch.setattr(grammar_translator, "ASK_EVERY", 1)
    history, answers = book_models.translator_training()
    model, corpus = book_models.translator()
    assert history.step_count == 2 and [step for step, _ in history.validation] == [
        1,
        2,
    ]
    assert answers.keys() == {0, 1, 2}
    english, chinese = data.parallel_corpus.FOLLOWED_PAIR
    source = data.collate([(corpus.source_ids(english), [])]).source
    right = corpus.target_vocabulary.ids(list(chinese))
    (log_p,) = decode.log_probability(model, source, [right])
    # The kept weights are rounded.
    assert answers[2]["right"] == pytest.approx(log_p.exp().tolist(), rel=0.02)
    assert answers[0]["right"] != answers[1]["right"]
    monkeypatch.setattr(
        grammar_translator, "train_and_write_translator", None
    )  # a second training would fail
    assert book_models.translator_training() == (history, answers)


@pytest.mark.parametrize("damaged", ["weights", "record"])
def test_without_its_record_or_its_weights_it_is_trained_again(few_steps, damaged):
    first = book_models.translator_training()
    path = weights_file(cases.copying())
    (path if damaged == "weights" else path.with_suffix(".json")).write_text(
        "{", "utf-8"
    )
    assert book_models.translator_training() == first


def test_the_book_s_model_is_small_and_its_run_short(grammar_corpus):
    model = train.translator(grammar_corpus, seed=0, **grammar_translator.BOOK_CHOICES)
    assert sum(p.numel() for p in model.parameters()) < 1_000_000
    assert model.config.norm == "post"  # as in the paper


LANGUAGE_SETTINGS = train.Settings(
    steps=3, tokens=32, warmup=2, clip=1.0, smoothing=0.0, validate_every=2
)


@pytest.fixture(scope="session")
def article():
    return data.Text.from_articles([WORDS] * 4, [WORDS[:9]], n_merges=30)


def test_without_a_trained_model_one_is_made_and_then_found(
    article, tmp_path, monkeypatch
):
    monkeypatch.setenv(MODEL_FOLDER_VARIABLE, str(tmp_path))
    monkeypatch.setattr(wikipedia_model, "LANGUAGE_SETTINGS", LANGUAGE_SETTINGS)
    monkeypatch.setattr(wikipedia_model, "CONTEXTS", (8,))
    sizes = {"N": 1, "d_model": 8, "d_ff": 8, "h": 2, "norm": "pre"}
    monkeypatch.setattr(wikipedia_model, "LANGUAGE_MODEL_CHOICES", sizes)
    monkeypatch.setattr(wikipedia_model, "wikipedia_text", lambda: article)
    first, _ = book_models.language_model()
    path = wikipedia_model.language_model_files().weights
    files = {path.name, f"{path.stem}.json", f"{path.stem}.training.json"}
    assert {p.name for p in tmp_path.iterdir()} == files
    monkeypatch.setattr(wikipedia_model, "wikipedia_text", None)  # would fail
    history, wrote = book_models.language_model_training()
    assert history.step_count == LANGUAGE_SETTINGS.steps and history.validation
    assert wrote.keys() == {0, *(step for step, _ in history.validation)}
    again, its_text = book_models.language_model()
    assert isinstance(again, nn.LanguageModel) and not again.training
    ids = torch.from_numpy(its_text.train[None, :20])
    assert torch.equal(again(ids)[0], first(ids)[0])
    np.testing.assert_array_equal(its_text.validation, article.validation)
    monkeypatch.setattr(
        wikipedia_model, "LANGUAGE_SETTINGS", LANGUAGE_SETTINGS.changed(seed=1)
    )
    monkeypatch.setattr(wikipedia_model, "wikipedia_text", lambda: article)
    book_models.language_model()
    assert not path.exists() and len([*tmp_path.iterdir()]) == 3
    new = wikipedia_model.language_model_files().weights
    new.write_bytes(new.read_bytes()[:500])
    book_models.language_model()  # a damaged one is made anew
    assert nn.load_language_model(new)
    new.with_suffix(".training.json").unlink()
    assert (
        book_models.language_model_training()[0].step_count == LANGUAGE_SETTINGS.steps
    )
