"""The feed-forward network: as the book's and PyTorch's, and other right and wrong ones."""

import numpy as np
import pytest
import torch

from transformer_book import by_hand
from transformer_workshop.judge import judge
from transformer_workshop.tasks.feed_forward import ACTIVATIONS_BY_SLIP, TASK


def test_the_reference_is_the_books():
    for arguments in TASK.trial_arguments(np.random.default_rng(1)):
        ours = TASK.reference(*arguments)
        assert np.allclose(ours, by_hand.feed_forward(*arguments), atol=1e-5)


@pytest.mark.parametrize("name, theirs", [("gelu", "none"), ("gelu tanh", "tanh")])
def test_the_other_activations_are_pytorchs(name, theirs):
    x = torch.linspace(-3, 3, 13)
    wanted = torch.nn.functional.gelu(x, approximate=theirs)
    assert np.allclose(ACTIVATIONS_BY_SLIP[name](x.numpy()), wanted, atol=1e-6)


def with_pytorch(x, W_1, b_1, W_2, b_2):
    hidden = torch.nn.functional.linear(x, W_1.T, b_1).relu()
    return torch.nn.functional.linear(hidden, W_2.T, b_2)


def unit_by_unit(x, W_1, b_1, W_2, b_2):
    y = np.zeros_like(x) + b_2
    for i in range(len(b_1)):
        y = y + np.clip(x @ W_1[:, i] + b_1[i], 0, None)[..., None] * W_2[i]
    return y


def with_einsum(x, W_1, b_1, W_2, b_2):
    hidden = np.einsum("...i,ij->...j", x, W_1) + b_1
    return np.einsum("...j,jk->...k", (abs(hidden) + hidden) / 2, W_2) + b_2


@pytest.mark.parametrize(
    "function", [with_pytorch, unit_by_unit, with_einsum], ids=lambda f: f.__name__
)
def test_other_right_functions_are_right(function):
    assert judge(TASK, function).state == "right"


def test_relu_at_the_end_instead_of_between_is_two_mistakes():
    def late(x, W_1, b_1, W_2, b_2):
        return np.maximum(0, (x @ W_1 + b_1) @ W_2 + b_2)

    slips = judge(TASK, late).slips
    assert {slip.name for slip in slips} == {"no relu", "relu twice"}


def test_another_activation_is_told_by_a_property():
    def elu(x, W_1, b_1, W_2, b_2):
        hidden = x @ W_1 + b_1
        hidden = np.where(hidden > 0, hidden, np.exp(np.minimum(hidden, 0)) - 1)
        return hidden @ W_2 + b_2

    assert "negative, the result is not b_2" in judge(TASK, elu).says[0]
