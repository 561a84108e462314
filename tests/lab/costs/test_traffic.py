"""The counted model of memory traffic, against counts of runs of the taught code."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from transformer_book.shapes import ShapeError
from transformer_lab.costs import traffic

few = st.integers(1, 12)


@given(few, few, few, few, st.booleans())
def test_the_model_is_what_a_run_reads_and_writes(n, d, rows, columns, causal):
    Q, K, V = np.random.default_rng(0).normal(size=(3, n, d))
    options = dict(rows=rows, columns=columns, causal=causal)
    model = traffic.tiled_traffic(n, d, rows, columns, causal=causal)
    assert traffic.count_traffic(Q, K, V, **options) == model


@given(few, few, few)
def test_tiles_cover_every_score_once_and_causal_ones_all_that_may_be_seen(
    n, rows, columns
):
    assert sum(r * c for r, c in traffic.tile_shapes(n, rows, columns)) == n * n
    causal = traffic.tile_shapes(n, rows, columns, causal=True)
    seen = sum(r * c for r, c in causal)
    assert n * (n + 1) / 2 <= seen <= n * n


def test_one_tile_reads_all_once():
    assert traffic.tiled_traffic(8, 4, 8, 8) == (3 * 8 * 4, 8 * 4 + 8)


def test_explicit_attention_moves_four_matrices_and_seven_backward():
    n, d = 1000, 1
    for backward, matrices in ((False, 4), (True, 7)):
        moved = sum(
            map(sum, traffic.explicit_traffic(n, d, backward=backward).values())
        )
        assert moved // n**2 == matrices
    masked = sum(map(sum, traffic.explicit_traffic(n, d, causal=True).values()))
    assert masked // n**2 == 6


def test_backward_tiles_have_a_known_count():
    # One tile: D from Z and dZ; K and V; Q, dZ, dQ, L and D. Written: D, dQ twice, dK and dV.
    n, d = 8, 4
    reads, writes = traffic.tiled_traffic(n, d, n, n, backward=True)
    assert reads == (2 + 2 + 3) * n * d + 2 * n
    assert writes == n + (1 + 2 + 1) * n * d


@pytest.mark.parametrize("rows, columns", [(0, 1), (1, 0), (1, 1.5)])
def test_a_tile_without_rows_is_refused(rows, columns):
    with pytest.raises(ShapeError, match="in a tile, a whole number of at least 1"):
        traffic.tile_shapes(4, rows, columns)
