"""One error for a wrong shape, naming argument, expected and given; none for a right one."""

import numpy as np
import pytest

from transformer_book.by_hand import multi_head_attention, scaled_dot_product_attention
from transformer_book.shapes import ShapeError


def ones(*shape):
    return np.ones(shape)


@pytest.mark.parametrize("Q, K, V, mask, message", [
    (ones(3, 4), ones(3, 2), ones(3, 4), None, r"K has shape \(3, 2\); expected \(..., n, d_k=4\)"),
    (ones(3, 4), ones(3, 4), ones(2, 4), None, r"V has shape \(2, 4\); expected \(..., n=3, d_v\)"),
    (ones(4), ones(3, 4), ones(3, 4), None, r"Q has shape \(4,\); expected \(..., m, d_k\)"),
    (ones(2, 3, 4), ones(5, 3, 4), ones(3, 4), None,
     r"K has shape \(5, 3, 4\); expected \(batch=\(2,\), n, d_k=4\)"),
    (ones(2, 4), ones(3, 4), ones(3, 4), np.ones((3, 2), bool),
     r"mask has shape \(3, 2\); expected \(..., m=2 or 1, n=3 or 1\)"),
    (ones(2, 4), ones(3, 4), ones(3, 4), ones(2, 3), "mask holds float64; expected bool"),
    (ones(2, 4), ones(3, 4), ones(3, 4).astype(int), None, "V holds int64; expected float"),
    ([[1.0]], ones(3, 4), ones(3, 4), None, "Q is a list; expected an array of shape"),
])
def test_a_wrong_argument_is_named(Q, K, V, mask, message):
    with pytest.raises(ShapeError, match=message):
        scaled_dot_product_attention(Q, K, V, mask)


def test_a_projection_of_the_wrong_height():
    X, W = ones(3, 4), ones(4, 4)
    with pytest.raises(ShapeError, match=r"W_K has shape \(5, 4\); expected \(d_model=4, h_d_k=4\)"):
        multi_head_attention(X, X, X, W, ones(5, 4), W, W, h=2)


@pytest.mark.parametrize("mask_shape", [(1, 3), (2, 1), (1, 1), (2, 3), (5, 1, 3), (5, 2, 3)])
def test_masks_that_broadcast_are_welcome(mask_shape):
    output, _ = scaled_dot_product_attention(
        ones(5, 2, 4), ones(3, 4), ones(3, 4), np.ones(mask_shape, bool)
    )
    assert output.shape == (5, 2, 4)
