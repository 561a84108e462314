"""A function called on one input: its arguments as arrays or tensors, what it changes, how it fails."""

import numpy as np
import pytest
import torch

from transformer_workshop.tasks import tasks_by_name
from transformer_workshop.trial import (
    choose_library,
    describe_error,
    stand_in_for,
    to_arrays,
    to_tensors,
    try_once,
)

SOFTMAX = tasks_by_name()["softmax"]
X = np.array([[1.0, 2.0]])


def softmax(x):
    e = np.exp(x - x.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)


def test_a_changed_argument_is_named():
    def in_place(x):
        x -= x.max(axis=-1, keepdims=True)
        return softmax(x)

    before = X.copy()
    changed = try_once(SOFTMAX, in_place, (before,), np).changed
    assert "changes its argument x" in changed and np.array_equal(before, X)


@pytest.mark.parametrize(
    "function, kind",
    [
        (softmax, np),
        (lambda x: torch.softmax(x, -1), torch),
        (lambda x: x.softmax(-1).unknown, torch),
    ],
)
def test_a_function_that_takes_only_tensors_is_given_tensors(function, kind):
    assert choose_library(SOFTMAX, function, (X,)) is kind


def test_where_both_fail_the_error_is_that_of_the_library_that_is_used():
    def of_tensors(x):
        return torch.relu(x.transpose(-1, -2)) @ x.unknown(np)

    def of_arrays(x):
        return np.exp(x.unknown)

    assert choose_library(SOFTMAX, of_tensors, (X,)) is torch
    assert choose_library(SOFTMAX, of_arrays, (X,)) is np


def test_a_solution_that_stands_in_gives_what_its_caller_was_given():
    seen = []

    def calls(x):
        seen.append(stand_in_for(SOFTMAX.solution)(x))
        return seen[-1]

    for kind in (np, torch):
        assert not try_once(SOFTMAX, calls, (X,), kind).has_failed
    assert isinstance(seen[0], np.ndarray) and isinstance(seen[1], torch.Tensor)


def test_arrays_become_tensors_and_arrays_again_wherever_they_stand():
    given = [X, {"W": (X, None)}, "word", 3]
    tensors = to_tensors(given, torch)
    assert isinstance(tensors[0], torch.Tensor) and tensors[2:] == ["word", 3]
    assert isinstance(tensors[1]["W"][0], torch.Tensor)
    again = to_arrays(tensors)
    assert isinstance(again[0], np.ndarray) and np.array_equal(again[1]["W"][0], X)
    assert to_tensors(given, np) == given


def test_a_function_among_the_arguments_takes_and_gives_tensors():
    def double(x):
        assert isinstance(x, np.ndarray)
        return 2 * x

    result = to_tensors(double, torch)(torch.from_numpy(X))
    assert torch.equal(result, torch.from_numpy(2 * X))


def test_an_error_is_told_with_the_line_of_the_function():
    def fails(x):
        return x + np.ones(3)

    trial = try_once(SOFTMAX, fails, (X,), np)
    assert trial.has_failed and trial.raised == "ValueError"
    assert ", `return x + np.ones(3)`: ValueError: operands" in trial.error
    assert describe_error(KeyError()) == "KeyError"
