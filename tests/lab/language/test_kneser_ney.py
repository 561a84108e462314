"""The counting model, against the one of nltk."""

import nltk.lm
import numpy as np
import pytest
from nltk.lm.preprocessing import everygrams

from transformer_book.options import ConfigError
from transformer_book.shapes import ShapeError
from transformer_lab.language.kneser_ney import KneserNey

WORDS = 6


def text(tokens, seed=0):
    draw = np.random.default_rng(seed)
    ids = draw.integers(WORDS, size=tokens)
    ids[::3] = 2
    return np.concatenate([ids, ids])  # each gram but the first stands behind another


@pytest.mark.parametrize("order", [1, 2, 3, 4])
def test_it_is_nltk_s(order):
    ids, unseen = text(60), np.random.default_rng(1).integers(WORDS, size=40)
    theirs = nltk.lm.KneserNeyInterpolated(order, discount=0.75)
    if order == 1:  # nltk's counts contexts, and has none here
        theirs = nltk.lm.MLE(1)
    tokens = [str(i) for i in ids]
    theirs.fit([list(everygrams(tokens, max_len=order))], tokens)
    found = KneserNey(ids, order, WORDS).losses(unseen)
    asked = [str(i) for i in unseen]
    for t in range(order, len(unseen)):
        p = theirs.score(asked[t], asked[t - order + 1 : t])
        assert found[t] == pytest.approx(-np.log(p), abs=0.02), t


@pytest.mark.parametrize("order", [1, 2, 3])
def test_its_probabilities_sum_to_one(order):
    model = KneserNey(text(60), order, WORDS)
    for context in ([1, 2], [5, 5], [2, 4]):
        p = [np.exp(-model.losses(np.array([*context, w]))[-1]) for w in range(WORDS)]
        assert sum(p) == pytest.approx(1)


def test_a_token_that_was_never_seen_costs_infinitely_much():
    assert KneserNey(np.array([1, 2, 1, 2]), 2, 9).losses(np.array([1, 7]))[1] == np.inf


@pytest.mark.parametrize(
    "order, words, error, said",
    [
        (0, 5, ConfigError, "order is 0; expected tokens of a gram"),
        (
            20,
            5,
            ShapeError,
            "the number of tokens is 10; expected a text, a whole number of at least 21",
        ),
        (7, 5000, ConfigError, "order is 7 with 5000 words"),
    ],
)
def test_bad_input_is_one_clear_error(order, words, error, said):
    with pytest.raises(error, match=said):
        KneserNey(np.arange(10) % 5, order, words)
