"""Layer norm, feed-forward and positions of both floors against torch's own."""

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from tests.nn.cases import close, gradients, tensors
from transformer_book import by_hand, nn
from transformer_book.shapes import ShapeError

sizes = st.integers(1, 6)
seeds = st.integers(0, 2**32 - 1)
batches = st.lists(sizes, max_size=2)


@given(seeds, batches, sizes)
def test_layer_norm_equals_torch_on_both_floors(seed, batch, d_model):
    x, gamma, beta = tensors(seed, (*batch, d_model), (d_model,), (d_model,))
    reference = torch.nn.LayerNorm(d_model, dtype=torch.float64)
    with torch.no_grad():
        reference.weight.copy_(gamma), reference.bias.copy_(beta)
    expected = reference(x)
    close(nn.layer_norm(x, gamma, beta), expected, 1e-12)
    close(
        by_hand.layer_norm(*(t.detach().numpy() for t in (x, gamma, beta))),
        expected,
        1e-12,
    )
    mine = gradients(nn.layer_norm(x, gamma, beta), (x, gamma, beta), seed)
    for gradient, other in zip(
        mine, gradients(expected, (x, reference.weight, reference.bias), seed)
    ):
        close(gradient, other, 1e-10)


def test_the_variance_is_the_biased_one_and_epsilon_stands_inside_the_root():
    x, one, zero = np.array([[1.0, 2.0, 3.0, 6.0]]), np.ones(4), np.zeros(4)
    sigma = np.sqrt(((x - 3) ** 2).mean() + 0.5)
    close(by_hand.layer_norm(x, one, zero, epsilon=0.5), (x - 3) / sigma, 1e-12)
    close(
        nn.layer_norm(*map(torch.from_numpy, (x, one, zero)), 0.5),
        (x - 3) / sigma,
        1e-12,
    )
    equal = np.full((1, 4), 7.0)  # no variance at all: no division by zero
    assert not by_hand.layer_norm(equal, one, zero).any()


@given(seeds, batches, sizes, sizes)
def test_feed_forward_is_two_linear_layers_and_a_relu(seed, batch, d_model, d_ff):
    shapes = (*batch, d_model), (d_model, d_ff), (d_ff,), (d_ff, d_model), (d_model,)
    arguments = tensors(seed, *shapes)
    x, W_1, b_1, W_2, b_2 = arguments
    reference = torch.nn.Sequential(
        torch.nn.Linear(d_model, d_ff), torch.nn.ReLU(), torch.nn.Linear(d_ff, d_model)
    ).double()
    with torch.no_grad():
        for p, W in zip(reference.parameters(), (W_1.T, b_1, W_2.T, b_2)):
            p.copy_(W)
    expected = reference(x)
    close(nn.feed_forward(*arguments), expected, 1e-10)
    close(
        by_hand.feed_forward(*(t.detach().numpy() for t in arguments)), expected, 1e-10
    )
    mine = gradients(nn.feed_forward(*arguments), arguments, seed)
    theirs = gradients(expected, (x, *reference.parameters()), seed)
    for gradient, other in zip(
        mine, (theirs[0], theirs[1].T, theirs[2], theirs[3].T, theirs[4])
    ):
        close(gradient, other, 1e-10)


def test_another_activation():
    shapes = (2, 3), (3, 4), (4,), (4, 3), (3,)
    arguments = tensors(0, *shapes)
    x, W_1, b_1, W_2, b_2 = arguments
    expected = torch.tanh(x @ W_1 + b_1) @ W_2 + b_2
    close(nn.feed_forward(*arguments, activation=torch.tanh), expected, 1e-12)
    arrays = [t.detach().numpy() for t in arguments]
    close(by_hand.feed_forward(*arrays, activation=np.tanh), expected, 1e-12)


def test_positions_are_those_of_by_hand():
    close(
        nn.positional_encoding(9, 6, dtype=torch.float64),
        by_hand.positional_encoding(9, 6),
        0,
    )
    assert nn.positional_encoding(9, 6).dtype == torch.get_default_dtype()


@pytest.mark.parametrize("floor, array", [(nn, torch.zeros), (by_hand, np.zeros)])
def test_wrong_shapes_are_named(floor, array):
    with pytest.raises(
        ShapeError, match=r"layer_norm: gamma has shape \(3,\); expected \(d_model=4,\)"
    ):
        floor.layer_norm(array((2, 4)), array(3), array(4))
    with pytest.raises(
        ShapeError, match=r"feed_forward: W_2 has shape \(5, 4\); expected \(d_ff=6, "
    ):
        floor.feed_forward(
            array((2, 4)), array((4, 6)), array(6), array((5, 4)), array(4)
        )


@pytest.mark.parametrize("make", [nn.LayerNorm, lambda n: nn.FeedForward(4, n)])
@pytest.mark.parametrize("width", [0, -1, 2.0])
def test_widths_are_whole_numbers(make, width):
    with pytest.raises(
        ShapeError,
        match=f"is {width!r}; expected a width, a whole number of at least 1",
    ):
        make(width)


@pytest.mark.parametrize("norm", ["post", "pre"])
def test_add_and_norm_stands_on_the_right_side(norm):
    (x, y) = tensors(0, (2, 3, 4), (2, 3, 4))
    around, reference = (
        nn.AddAndNorm(4, norm=norm).double(),
        torch.nn.LayerNorm(4).double(),
    )
    if norm == "post":
        close(around.sub_layer_input(x), x, 0)
        close(around.add_output(x, y), reference(x + y), 1e-12)
    else:
        close(around.sub_layer_input(x), reference(x), 1e-12)
        close(around.add_output(x, y), x + y, 0)


@pytest.mark.parametrize("norm", ["post", "pre"])
@pytest.mark.parametrize("shape", [(2, 3, 1), (2, 1, 4), (1, 3, 4), (3, 4)])
def test_add_and_norm_adds_no_array_of_another_shape(norm, shape):
    x, y = torch.zeros(2, 3, 4), torch.zeros(shape)
    with pytest.raises(ShapeError, match="add_output: y has shape"):
        nn.AddAndNorm(4, norm=norm).add_output(x, y)
