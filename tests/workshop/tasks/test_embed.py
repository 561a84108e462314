"""Embeddings and positions: as the book's, and other right and wrong ones."""

import math

import numpy as np
import pytest
import torch

from transformer_book import by_hand
from transformer_workshop.judge import judge
from transformer_workshop.tasks.embed import TASK
from transformer_workshop.tasks.positional_encoding import positional_encoding


def test_the_reference_is_the_books():
    for ids, E in TASK.trial_arguments(np.random.default_rng(1)):
        config = by_hand.TransformerConfig.tiny(
            len(E), d_model=E.shape[1], h=1, max_length=16
        )
        ours = TASK.reference(ids, E)
        assert np.allclose(ours, by_hand.embed(ids, E, config), atol=1e-6)


def with_pytorch(ids, E):
    n, d_model = ids.shape[1], E.shape[1]
    frequency = torch.exp(torch.arange(0, d_model, 2) * (-math.log(10000.0) / d_model))
    angle = torch.arange(n)[:, None] * frequency
    PE = torch.stack([angle.sin(), angle.cos()], dim=-1).reshape(n, d_model)
    return torch.nn.functional.embedding(ids, E) * math.sqrt(d_model) + PE


def with_one_hot(ids, E):
    words, d_model = E.shape
    x = np.einsum("bnw,wd->bnd", np.eye(words)[ids], E)
    return d_model**0.5 * x + positional_encoding(ids.shape[1], d_model)[None]


def in_loops(ids, E):
    d_model = E.shape[1]
    rows = []
    for sentence in ids:
        PE = positional_encoding(len(sentence), d_model)
        rows.append(
            [E[i] * d_model**0.5 + p for i, p in zip(sentence, PE, strict=True)]
        )
    return np.array(rows)


@pytest.mark.parametrize(
    "function", [with_pytorch, with_one_hot, in_loops], ids=lambda f: f.__name__
)
def test_other_right_functions_are_right(function):
    assert judge(TASK, function).state == "right"


def test_positions_counted_by_the_batch_are_named():
    def by_batch(ids, E):
        d_model = E.shape[1]
        return E[ids] * d_model**0.5 + positional_encoding(len(ids), d_model)

    assert [slip.name for slip in judge(TASK, by_batch).slips] == ["batch"]


def test_a_table_that_is_scaled_in_place_is_told():
    def in_place(ids, E):
        assert isinstance(E, np.ndarray)
        E *= E.shape[1] ** 0.5
        return E[ids] + positional_encoding(ids.shape[1], E.shape[1])

    verdict = judge(TASK, in_place)
    assert verdict.says == ["it changes its argument E in place; work on a copy"]
