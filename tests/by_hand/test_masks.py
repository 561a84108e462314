import numpy as np
import pytest
import torch

from transformer_book.by_hand import causal_mask, padding_mask
from transformer_book.shapes import ShapeError


@pytest.mark.parametrize("n", [1, 2, 7])
def test_causal_mask_is_the_negation_of_torch(n):
    hides = torch.nn.Transformer.generate_square_subsequent_mask(n) == -torch.inf
    np.testing.assert_array_equal(causal_mask(n), ~hides.numpy())


def test_padding_mask_hides_keys_and_broadcasts_over_queries():
    mask = padding_mask(np.array([[5, 6, 0], [7, 0, 0]]), pad_id=0)
    assert mask.shape == (2, 1, 3)
    np.testing.assert_array_equal(
        mask[:, 0], [[True, True, False], [True, False, False]]
    )
    both = mask & causal_mask(3)
    np.testing.assert_array_equal(both[1], [[True, False, False]] * 3)


@pytest.mark.parametrize("n", [0, -2, 2.5, "3"])
def test_causal_mask_of_no_length(n):
    with pytest.raises(ShapeError, match=f"n is {n!r}; expected a length"):
        causal_mask(n)


def test_padding_mask_wants_ids():
    with pytest.raises(ShapeError, match="ids holds float64; expected int"):
        padding_mask(np.zeros((2, 3)), 0)
