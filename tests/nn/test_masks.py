import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from transformer_book import by_hand, nn
from transformer_book.shapes import ShapeError


@given(st.integers(1, 8), st.lists(st.integers(0, 3), min_size=1, max_size=8))
def test_masks_are_by_hands(n, ids):
    np.testing.assert_array_equal(nn.causal_mask(n), by_hand.causal_mask(n))
    np.testing.assert_array_equal(
        nn.padding_mask(torch.tensor([ids]), 0),
        by_hand.padding_mask(np.array([ids]), 0),
    )


def test_a_mask_is_made_where_it_is_wanted():
    assert nn.causal_mask(3, device="meta").device.type == "meta"


@pytest.mark.parametrize("n", [0, -2, 2.5, "3"])
def test_causal_mask_of_no_length(n):
    with pytest.raises(ShapeError, match=f"n is {n!r}; expected a length"):
        nn.causal_mask(n)


def test_padding_mask_wants_ids():
    with pytest.raises(ShapeError, match="ids holds float32; expected int"):
        nn.padding_mask(torch.zeros(2, 3), 0)
