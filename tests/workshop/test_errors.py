"""An exception in one sentence: where it was raised, and what it usually means."""

import numpy as np
import pytest
import torch
from torch.nn.functional import cross_entropy, linear

from transformer_workshop.errors import MEMORY_MESSAGE, ResultError, describe_error

LABELS = torch.ones(2, 3, dtype=torch.long)


def told(function, *arguments):
    with pytest.raises(Exception) as caught:
        function(*arguments)
    return describe_error(caught.value, function)


def helper(x):
    return x @ np.ones((3, 3))


def calls_a_helper(x):
    y = 2 * x
    return helper(y)


def test_the_line_of_a_helper_is_told_with_the_line_that_called_it():
    said = told(calls_a_helper, np.ones((2, 2)))
    first = calls_a_helper.__code__.co_firstlineno
    assert f", `return x @ np.ones((3, 3))`, called from line {first + 2}: " in said
    assert said.endswith("In A @ B, A must have as many columns as B has rows.")


@pytest.mark.parametrize(
    "function, means",
    [
        (lambda: torch.ones(2).add((torch.ones(2), 1)), "take it apart first"),
        (
            lambda: np.add(1.0, (np.ones(2), np.ones((2, 2)))),
            "take it apart first",
        ),
        (lambda: torch.softmax((torch.ones(2), 1), 0), "take it apart first"),
        (lambda both=(torch.ones(2), 1): both[..., 0], "take it apart first"),
        (lambda: torch.ones(2, 3, 4).transpose((0, 2, 1)), "is for permute"),
        (lambda: torch.ones(2, 3, 4).transpose(0, 2, 1), "is for permute"),
        (lambda: torch.softmax(np.ones(2), 0), "do not mix"),
        (lambda: 1 - torch.ones(2, 3).max(dim=-1), "use amax"),
        (lambda: torch.sqrt(2), "the module math"),
        (lambda: cross_entropy(torch.ones(2, 3, 4), LABELS), "along axis 1"),
        (lambda: torch.ones(2, 3).transpose(1, 2), "from the end"),
        (lambda: linear(torch.ones(1, 2), torch.ones(2, 3)), "is x @ W.T"),
        (lambda: torch.nn.Linear(2, 2)(torch.ones(2).double()), "in float32"),
        (lambda: np.ones(10**15), MEMORY_MESSAGE),
        (lambda: torch.ones(10**15), MEMORY_MESSAGE),
    ],
)
def test_what_an_exception_usually_means_is_told(function, means):
    assert means in told(function)


def test_what_the_workshop_says_has_no_name_of_an_exception():
    assert describe_error(ResultError("it returned None")) == "it returned None"
