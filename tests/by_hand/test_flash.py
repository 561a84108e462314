"""Attention in tiles, by hand, against torch's own kernel and against the explicit one."""

import numpy as np
import pytest
import scipy.special
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from transformer_book.by_hand import flash_attention, scaled_dot_product_attention
from transformer_book.shapes import ShapeError

sizes, tile = st.integers(1, 9), st.integers(1, 10)
seeds = st.integers(0, 2**32 - 1)
batches = st.lists(st.integers(1, 3), max_size=2)


def arrays(seed, *shapes):
    rng = np.random.default_rng(seed)
    return [rng.normal(size=shape) * 3 for shape in shapes]


@given(seeds, batches, sizes, sizes, sizes, sizes, tile, tile, st.booleans())
@settings(max_examples=300)
def test_it_is_attention_of_any_shape_in_tiles_of_any_size(
    seed, batch, m, n, d_k, d_v, rows, columns, causal
):
    m = n if causal else m
    Q, K, V = arrays(seed, (*batch, m, d_k), (*batch, n, d_k), (*batch, n, d_v))
    Z, L = flash_attention(Q, K, V, causal=causal, rows=rows, columns=columns)
    expected = torch.nn.functional.scaled_dot_product_attention(
        *map(torch.tensor, (Q, K, V)), is_causal=causal
    )
    np.testing.assert_allclose(Z, expected.numpy(), rtol=0, atol=1e-12)
    S = Q @ K.swapaxes(-1, -2) / d_k**0.5
    S = np.where(np.tri(m, n, dtype=bool), S, -np.inf) if causal else S
    np.testing.assert_allclose(L, scipy.special.logsumexp(S, axis=-1), atol=1e-12)


@given(seeds, tile, tile)
def test_heads_may_share_keys_and_values(seed, rows, columns):
    Q, K, V = arrays(seed, (2, 3, 5, 4), (2, 1, 5, 4), (2, 1, 5, 4))
    Z, _ = flash_attention(Q, K, V, rows=rows, columns=columns)
    np.testing.assert_allclose(Z, scaled_dot_product_attention(Q, K, V)[0], atol=1e-12)


@pytest.mark.parametrize("order", [1, -1])
def test_huge_scores_do_not_overflow_whichever_comes_first(order):
    K = np.array([[1000.0], [0.0], [-1000.0]], np.float32)[::order]
    Q, V = np.full((1, 1), 100, np.float32), np.arange(3, dtype=np.float32)[:, None]
    with np.errstate(over="raise", invalid="raise"):
        Z, L = flash_attention(Q, K, V, rows=1, columns=1)
    assert Z.dtype == np.float32
    np.testing.assert_array_equal(Z[0], V[K.argmax()])
    np.testing.assert_array_equal(L, [np.float32(1e5)])


def test_the_future_is_never_read():
    Q, K, V = arrays(0, (6, 2), (6, 2), (6, 2))
    for x in (K, V):
        x[4:] = np.nan  # two words of the future, for the first two tiles of rows
    Z, L = flash_attention(Q, K, V, causal=True, rows=2, columns=2)
    assert np.isfinite(Z[:4]).all() and np.isfinite(L[:4]).all()


@pytest.mark.parametrize(
    "m, n, options, said",
    [
        (2, 3, {"causal": True}, "causal with 2 queries and 3 keys; expected as many"),
        (2, 0, {}, "n is 0; expected a number of keys, a whole number of at least 1"),
        (
            0,
            2,
            {},
            "m is 0; expected a number of queries, a whole number of at least 1",
        ),
        (2, 2, {"rows": 0}, "rows is 0; expected a number of queries in a tile"),
        (2, 2, {"columns": 1.5}, "columns is 1.5; expected a number of keys in a tile"),
    ],
)
def test_what_cannot_be_cut_into_tiles_is_refused(m, n, options, said):
    Q, K, V = arrays(0, (m, 2), (n, 2), (n, 2))
    with pytest.raises(ShapeError, match=said):
        flash_attention(Q, K, V, **options)
