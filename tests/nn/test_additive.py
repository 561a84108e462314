"""Additive attention against its formula, pair by pair."""

import numpy as np
import pytest
import scipy.special
import torch
from hypothesis import given
from hypothesis import strategies as st

from tests.nn.cases import close, masks, tensors
from transformer_book import nn
from transformer_book.shapes import ShapeError

sizes = st.integers(1, 5)


@given(st.integers(0, 2**32 - 1), sizes, sizes, sizes, sizes, sizes, st.data())
def test_every_score_is_the_papers_formula(seed, m, n, d_q, d_k, d_a, data):
    queries, keys, values, W_Q, W_K, v = tensors(
        seed, (m, d_q), (n, d_k), (n, 3), (d_q, d_a), (d_k, d_a), (d_a,)
    )
    mask = data.draw(masks([], m, n))
    output, weights = nn.additive_attention(queries, keys, values, W_Q, W_K, v, mask)
    q, k, V, W_Q, W_K, v = (
        x.detach().numpy() for x in (queries, keys, values, W_Q, W_K, v)
    )
    allowed = np.broadcast_to(True if mask is None else mask, (m, n))
    for i in range(m):
        if not allowed[i].any():
            assert not weights[i].any() and not output[i].any()
            continue
        scores = [
            v @ np.tanh(W_Q.T @ q[i] + W_K.T @ k[j]) if allowed[i, j] else -np.inf
            for j in range(n)
        ]
        close(weights[i], scipy.special.softmax(scores), 1e-12)
        close(output[i], scipy.special.softmax(scores) @ V, 1e-12)


def test_gradients_are_those_of_finite_differences():
    inputs = tensors(0, (2, 3, 4), (2, 5, 2), (2, 5, 3), (4, 6), (2, 6), (6,))
    mask = torch.tensor([[True] * 5, [False] * 5, [True, False] * 2 + [True]])
    assert torch.autograd.gradcheck(
        lambda *inputs: nn.additive_attention(*inputs, mask), inputs
    )


def test_the_module_calls_the_function_with_what_it_learns():
    torch.manual_seed(0)
    module = nn.AdditiveAttention(4, 3, 5)
    queries, keys = torch.randn(2, 6, 4), torch.randn(2, 7, 3)
    mask = torch.rand(6, 7) < 0.5
    given = module(queries, keys, keys, mask)
    expected = nn.additive_attention(
        queries, keys, keys, module.W_Q, module.W_K, module.v[:, 0], mask
    )
    assert torch.equal(given[0], expected[0]) and torch.equal(given[1], expected[1])
    assert sum(p.numel() for p in module.parameters()) == 4 * 5 + 3 * 5 + 5


@pytest.mark.parametrize("name, widths", [("d_q", (0, 3, 5)), ("d_a", (4, 3, 1.5))])
def test_widths_are_whole_numbers(name, widths):
    with pytest.raises(ShapeError, match=f"{name} is .*; expected a width"):
        nn.AdditiveAttention(*widths)
