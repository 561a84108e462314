"""Attention against SciPy, torch and the worked example."""

import numpy as np
import pytest
import scipy.special
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from tests import worked_example as fact
from transformer_book.by_hand import (
    causal_mask,
    merge_heads,
    multi_head_attention,
    scaled_dot_product_attention,
    softmax,
    split_heads,
)
from transformer_book.shapes import ShapeError

sizes = st.integers(1, 6)
seeds = st.integers(0, 2**32 - 1)


def arrays(seed, *shapes):
    rng = np.random.default_rng(seed)
    return [rng.normal(size=shape) * 3 for shape in shapes]


@given(seeds, st.lists(sizes, min_size=1, max_size=3), st.sampled_from([0, -1]))
def test_softmax_is_scipys(seed, shape, axis):
    (x,) = arrays(seed, shape)
    np.testing.assert_allclose(
        softmax(x, axis), scipy.special.softmax(x, axis), rtol=1e-12
    )


def test_softmax_of_huge_scores_does_not_overflow():
    np.testing.assert_array_equal(softmax(np.array([1e300, 0.0, -1e300])), [1, 0, 0])


def test_softmax_of_nothing_allowed_is_zero_and_silent():
    with np.errstate(all="raise"):
        np.testing.assert_array_equal(
            softmax(np.full((2, 3), -np.inf)), np.zeros((2, 3))
        )


@given(seeds, sizes, sizes, sizes, sizes, st.booleans())
@settings(max_examples=200)
def test_attention_equals_torch(seed, batch, m, n, d_k, masked):
    Q, K, V = arrays(seed, (batch, m, d_k), (batch, n, d_k), (batch, n, d_k + 1))
    mask = None
    if masked:
        mask = np.random.default_rng(seed).random((batch, m, n)) < 0.6
        mask[..., 0] = True  # what torch does with a fully masked row is its own affair
    output, weights = scaled_dot_product_attention(Q, K, V, mask)
    reference = torch.nn.functional.scaled_dot_product_attention(
        *(torch.tensor(a) for a in (Q, K, V)),
        attn_mask=None if mask is None else torch.tensor(mask),
    )
    np.testing.assert_allclose(output, reference, atol=1e-12)
    np.testing.assert_allclose(weights.sum(-1), 1)
    if masked:
        assert (weights[~mask] == 0).all()


def test_a_query_that_may_attend_to_nothing_gets_zeros():
    Q, K, V = arrays(0, (2, 3), (4, 3), (4, 3))
    mask = np.array([[True, True, False, True], [False] * 4])
    output, weights = scaled_dot_product_attention(Q, K, V, mask)
    assert np.isfinite(output).all() and output[0].any()
    assert not weights[1].any() and not output[1].any()


def test_the_worked_example_step_by_step():
    for W_Q, W_K, W_V, weights, Z in (
        (fact.W_Q1, fact.W_K1, fact.W_V1, fact.WEIGHTS_1, fact.Z_1),
        (fact.W_Q2, fact.W_K2, fact.W_V2, fact.WEIGHTS_2, fact.Z_2),
    ):
        output, computed = scaled_dot_product_attention(
            fact.X @ W_Q, fact.X @ W_K, fact.X @ W_V
        )
        np.testing.assert_allclose(computed, weights, atol=5e-9)
        np.testing.assert_allclose(output, Z, atol=5e-9)


def test_the_worked_example_whole():
    projections = (fact.W_Q, fact.W_K, fact.W_V, fact.W_O)
    output, weights = multi_head_attention(fact.X, fact.X, fact.X, *projections, h=2)
    np.testing.assert_allclose(output, fact.H, atol=1e-8)
    np.testing.assert_allclose(weights, [fact.WEIGHTS_1, fact.WEIGHTS_2], atol=5e-9)


def test_the_worked_example_with_a_causal_mask():
    projections = (fact.W_Q, fact.W_K, fact.W_V, fact.W_O)
    _, weights = multi_head_attention(
        fact.X, fact.X, fact.X, *projections, h=2, mask=causal_mask(3)
    )
    np.testing.assert_allclose(weights, [fact.CAUSAL_1, fact.CAUSAL_2], atol=5e-9)


@given(
    seeds, st.integers(1, 3), sizes, sizes, st.sampled_from([1, 2, 4]), st.booleans()
)
@settings(max_examples=100)
def test_multi_head_attention_equals_torch(seed, batch, m, n, h, masked):
    d_model = 8
    x, y, *W = arrays(
        seed, (batch, m, d_model), (batch, n, d_model), *[(d_model, d_model)] * 4
    )
    mask = (
        np.random.default_rng(seed).random((m, n)) < 0.6
        if masked
        else np.ones((m, n), bool)
    )
    mask[:, 0] = True
    output, weights = multi_head_attention(x, y, y, *W, h=h, mask=mask)
    reference = torch.nn.MultiheadAttention(
        d_model, h, bias=False, batch_first=True
    ).double()
    with torch.no_grad():
        reference.in_proj_weight.copy_(
            torch.tensor(np.concatenate([w.T for w in W[:3]]))
        )
        reference.out_proj.weight.copy_(torch.tensor(W[3].T))
        expected, expected_weights = reference(
            *(torch.tensor(a) for a in (x, y, y)),
            attn_mask=torch.tensor(~mask),  # torch's True hides; ours lets see
            average_attn_weights=False,
        )
    np.testing.assert_allclose(output, expected, atol=1e-9)
    np.testing.assert_allclose(weights, expected_weights, atol=1e-10)


@given(seeds, st.lists(sizes, max_size=2), sizes, sizes, sizes)
def test_merging_undoes_splitting(seed, batch, n, h, d):
    (x,) = arrays(seed, (*batch, n, h * d))
    heads = split_heads(x, h)
    assert heads.shape == (*batch, h, n, d)
    np.testing.assert_array_equal(heads[..., h - 1, :, :], x[..., (h - 1) * d :])
    np.testing.assert_array_equal(merge_heads(heads), x)


@pytest.mark.parametrize("h", [0, -1, 1.0, "2"])
def test_h_must_be_a_positive_whole_number(h):
    with pytest.raises(ShapeError, match=f"h is {h!r}"):
        split_heads(fact.X, h)
