"""Causal masks as people write them, of this convention and of others."""

import numpy as np
import pytest
import torch

from transformer_book import by_hand, nn
from transformer_workshop.judge import judge
from transformer_workshop.tasks.causal_mask import TASK, causal_mask


def above(n, number):
    """Return a number above the diagonal, and 0 elsewhere."""
    return np.triu(np.full((n, n), number), k=1)


@pytest.mark.parametrize("n", [1, 2, 5])
def test_the_solution_is_the_books_mask(n):
    assert np.array_equal(causal_mask(n), by_hand.causal_mask(n))
    assert np.array_equal(causal_mask(n), nn.causal_mask(n).numpy())


@pytest.mark.parametrize(
    "mask",
    [
        lambda n: np.tri(n, dtype=bool),
        lambda n: torch.ones(n, n).tril().bool(),
        lambda n: np.triu(np.ones((n, n)), k=1) == 0,
        lambda n: [[j <= i for j in range(n)] for i in range(n)],
    ],
)
def test_other_ways_are_right(mask):
    assert judge(TASK, mask).state == "right"


@pytest.mark.parametrize(
    "mask, names",
    [
        (lambda n: np.triu(np.ones((n, n), bool)), ["past"]),
        (lambda n: torch.ones(n, n).triu(1).bool(), ["hides"]),
        (lambda n: np.tri(n, k=-1, dtype=bool), ["no self"]),
        (lambda n: np.tri(n, k=1, dtype=bool), ["next"]),
        (lambda n: np.ones((n, n), bool), ["all"]),
        (lambda n: np.eye(n, dtype=bool), ["self only"]),
        (lambda n: np.tril(np.ones((n, n))), ["ones"]),
        (lambda n: np.triu(np.ones((n, n)), k=1), ["hides", "ones"]),
        (lambda n: above(n, -np.inf), ["numbers"]),
        (lambda n: torch.full((n, n), -torch.inf).triu(1), ["numbers"]),
        (lambda n: np.triu(np.full((n, n), -np.inf)), ["no self", "numbers"]),
        (lambda n: above(n, -1e9), ["-1e9"]),
        (lambda n: above(n, -1e4), ["-10,000"]),
        (lambda n: above(n, 1.0) * -np.inf, ["0 times ∞"]),
        (lambda n: (1 - np.tri(n)) * 10_000, ["sign 10,000"]),  # M5 as in the book
        (lambda n: above(n, 1e9), ["sign 1e9"]),
        (lambda n: above(n, np.inf), ["sign"]),
        (lambda n: np.tri(n, dtype=bool)[None], ["batch"]),
        (lambda n: torch.ones(1, 1, n, n).tril().bool(), ["heads"]),
    ],
)
def test_masks_of_other_conventions_are_recognised(mask, names):
    assert [slip.name for slip in judge(TASK, mask).slips] == names


def test_the_formula_of_m6_is_two_slips():
    def published(n):
        i, j = np.indices((n, n))
        return np.where(i <= j, 0.0, -np.inf)

    assert [slip.mistake for slip in judge(TASK, published).slips] == ["M6", ""]
