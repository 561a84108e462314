"""What cannot be trained is refused at the door, and what goes wrong stops the training."""

import math

import numpy as np
import pytest
import torch

from tests.train import cases
from tests.train.test_loop import FEW
from transformer_book.config import ConfigError
from transformer_book.data import DataError, ParallelCorpus
from transformer_book.nn import LanguageModel, Transformer
from transformer_book.train import Settings, loop, train
from transformer_book.train.settings import mix_seed


@pytest.mark.parametrize("bad", [math.nan, math.inf])
def test_a_loss_that_is_not_finite_stops_it_before_it_spoils_the_weights(
    bad, monkeypatch
):
    corpus, calls, true = cases.copying(), [], loop.output_loss

    def spoiled(*args):
        calls.append(1)
        return true(*args) * (bad if len(calls) == 3 else 1.0)

    monkeypatch.setattr(loop, "output_loss", spoiled)
    model = cases.model(corpus)
    message = f"the loss of step 3 is {bad}, at learning rate 0.14; expected a finite .* factor"
    with pytest.raises(FloatingPointError, match=message):
        train(model, corpus, FEW)
    assert all(p.isfinite().all() for p in model.parameters())


def test_a_spoiled_weight_is_noticed_after_the_last_step():
    corpus = cases.copying()
    with pytest.raises(FloatingPointError, match="validation loss is nan|loss of step"):
        train(cases.model(corpus), corpus, FEW.changed(factor=1e38, steps=1))


def test_a_corpus_without_training_sentences_is_an_error():
    full = cases.copying()
    empty = ParallelCorpus(**vars(full) | {"train": ()})
    with pytest.raises(DataError, match="letters has no training sentences"):
        train(cases.model(full), empty, FEW)


def test_a_model_of_fewer_words_is_an_error():
    corpus = cases.copying()
    small = Transformer(cases.model(corpus).config.changed(source_words=6))
    with pytest.raises(ValueError, match="source has ids from .* expected 0 to 5"):
        train(small, corpus, FEW)


@pytest.mark.parametrize(
    "name, value",
    [
        ("steps", 0),
        ("tokens", 1.5),
        ("warmup", -1),
        ("factor", 0.0),
        ("factor", math.inf),
        ("smoothing", 1.0),
        ("smoothing", "much"),
        ("clip", -1.0),
        ("clip", 0),
        ("seed", -1),
        ("precision", "fp8"),
        ("validate_every", 0),
        ("checkpoint_every", None),
        ("cooldown", -1),
        ("cooldown", 1_001),
    ],
)
def test_wrong_settings_are_named(name, value):
    with pytest.raises(ConfigError, match=f"Settings: {name} is {value!r}; expected"):
        Settings(**{name: value})


@pytest.mark.parametrize("where", ["a step", "a report", "the validation"])
def test_a_model_that_is_interrupted_is_in_evaluation_mode(where, monkeypatch):
    corpus = cases.copying()
    model = cases.model(corpus, dropout=0.5)

    def interrupted(*_):
        raise KeyboardInterrupt

    if where == "a step":
        monkeypatch.setattr(torch.nn.utils, "clip_grad_norm_", interrupted)
    if where == "the validation":
        monkeypatch.setattr(loop, "validation_loss", interrupted)
    report = interrupted if where == "a report" else None
    with pytest.raises(KeyboardInterrupt):
        train(model, corpus, FEW.changed(clip=1.0), report=report)
    assert not any(module.training for module in model.modules())


def test_a_model_that_cannot_translate_is_refused_at_the_door():
    corpus = cases.copying()
    config = cases.model(corpus).config.changed(source_words=12, target_words=12)
    for wrong in (LanguageModel(config), torch.nn.Linear(2, 2)):
        with pytest.raises(ConfigError, match="train: model is of .*expected an nn.Tr"):
            train(wrong, corpus, FEW)


def test_a_model_in_which_nothing_learns_is_refused_at_the_door():
    corpus = cases.copying()
    with pytest.raises(ConfigError, match="no parameter of the model requires a grad"):
        train(cases.model(corpus).requires_grad_(False), corpus, FEW)


@pytest.mark.parametrize("seed", [-1, 1.5, True, None, "a"])
def test_a_seed_of_anything_else_is_an_error(seed):
    with pytest.raises(ConfigError, match="mix_seed: a number is .*; expected a whole"):
        mix_seed(seed)
    assert mix_seed(np.int64(3), 4) == mix_seed(3, 4)
