"""Softmax as people write it, right and wrong."""

import numpy as np
import pytest
import scipy.special
import torch

from transformer_book import by_hand
from transformer_workshop.judge import SEED, judge
from transformer_workshop.tasks.softmax import TASK, softmax


def exp(x, axis=-1, keepdims=True):
    """Return the exponentials of scores from which the largest is subtracted."""
    return np.exp(x - x.max(axis=axis, keepdims=keepdims))


def divided(e, axis=-1, keepdims=True):
    return e / e.sum(axis=axis, keepdims=keepdims)


def by_loops(x):
    if x.ndim > 1:
        return np.stack([by_loops(row) for row in x])
    e = [2.718281828459045 ** (score - max(x)) for score in x]
    return [each / sum(e) for each in e]


def of_tensors(x):
    e = (x - x.amax(-1, keepdim=True)).exp()
    return e / e.sum(-1, keepdim=True)


def test_the_solution_agrees_with_scipy_and_the_book():
    for (x,) in TASK.trial_arguments(np.random.default_rng(SEED)):
        expected = scipy.special.softmax(x, axis=-1)
        np.testing.assert_allclose(softmax(x), expected, rtol=1e-5)
        np.testing.assert_allclose(by_hand.softmax(x), expected, rtol=1e-5)


@pytest.mark.parametrize(
    "function",
    [
        by_loops,
        of_tensors,
        lambda x: divided(exp(x.T, 0), 0).T,
        lambda x: scipy.special.softmax(x.astype(np.float32), axis=-1),
        lambda x: torch.log_softmax(x, -1).exp(),
    ],
)
def test_other_ways_are_right(function):
    assert judge(TASK, function).state == "right"


@pytest.mark.parametrize(
    "function, names",
    [
        (lambda x: scipy.special.softmax(x), ["whole"]),  # M4 as in the book
        (lambda x: np.exp(x) / np.exp(x).sum(), ["whole", "overflow"]),
        (lambda x: exp(x) / exp(x).sum(), ["whole sum"]),
        (lambda x: exp(x, None) / exp(x, None).sum(), ["whole"]),
        (lambda x: scipy.special.softmax(x, axis=0), ["axis 0"]),
        (lambda x: divided(exp(x, 1), 1), ["axis 1"]),  # an error for a row alone
        (lambda x: torch.softmax(x, 1 if x.ndim == 2 else 0), ["no dim"]),
        (lambda x: divided(exp(x), keepdims=False), ["no keepdims"]),
        (lambda x: divided(exp(x, keepdims=False)), ["no keepdims in max"]),
        (
            lambda x: divided(exp(x, keepdims=False), keepdims=False),
            ["no keepdims", "no keepdims in max"],
        ),
        (lambda x: divided(np.exp(x)), ["overflow"]),
        (lambda x: divided(exp(x, None)), ["one shift"]),
        (lambda x: divided(exp(-x)), ["sign"]),
        (lambda x: x / x.sum(axis=-1, keepdims=True), ["no exp"]),
        (lambda x: exp(x), ["no sum"]),
        (lambda x: torch.log_softmax(x, -1), ["log"]),
        (lambda x: torch.softmax(x, -1).log(), ["log, -inf"]),
    ],
)
def test_a_mistake_is_recognised(function, names):
    assert [slip.name for slip in judge(TASK, function).slips] == names


@pytest.mark.parametrize(
    "name, mistake",
    [("whole", "M4"), ("axis 0", "M4"), ("axis 1", "M4"), ("no dim", "M4")],
)
def test_a_wrong_axis_is_mistake_m4(name, mistake):
    assert [s.mistake for s in TASK.slips if s.name == name] == [mistake]


def test_powers_of_two_are_no_softmax():
    verdict = judge(TASK, lambda x: divided(2.0 ** (x - x.max(-1, keepdims=True))))
    assert verdict.state == "wrong" and not verdict.slips
