"""What one layer does unless one asks otherwise; tests/nn/test_transformer.py compares stacks of them."""

import pytest
import torch

from tests.nn.cases import close, tensors
from transformer_book import nn


def encoder(*more):
    torch.manual_seed(3)
    return nn.EncoderLayer(8, 2, 16, *more).double()


def decoder(*more):
    torch.manual_seed(3)
    return nn.DecoderLayer(8, 2, 16, *more).double()


@pytest.fixture(params=[encoder, decoder])
def layer(request):
    """A function that makes a layer, and what to call it with."""
    shapes = [(2, 5, 8), (2, 3, 8)][: 1 if request.param is encoder else 2]
    return request.param, tensors(7, *shapes)


def test_nothing_is_dropped_and_norms_come_last(layer):
    make, inputs = layer
    x, _ = make()(*inputs)  # a fresh module is in training
    assert torch.equal(x, make(0.0, "post")(*inputs)[0])
    close(x.mean(-1), torch.zeros(2, 5), 1e-9)
    assert not torch.equal(x, make(0.5)(*inputs)[0])


def test_weights_are_returned_where_one_asks_for_them(layer):
    make, inputs = layer
    x, seen = make()(*inputs)
    assert seen and all(A is None for A in seen.values())
    again, weights = make()(*inputs, need_weights=True)
    close(again, x, 1e-12)
    assert weights.keys() == seen.keys()
    for A in weights.values():
        close(A.sum(-1), torch.ones(2, 2, 5), 1e-12)
