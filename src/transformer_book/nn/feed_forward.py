"""The position-wise feed-forward network, equation (2) of the paper, and its gated form."""

import torch
from jaxtyping import Float
from torch import Tensor
from torch.nn import functional as F

from ..expect import expect_integer
from ..shapes import ShapeError, checked
from .linear import linear


@checked
def feed_forward(
    x: Float[Tensor, "*batch d_model"],
    W_1: Float[Tensor, "d_model d_ff"],
    b_1: Float[Tensor, "d_ff"] | None,
    W_2: Float[Tensor, "d_ff d_model"],
    b_2: Float[Tensor, "d_model"] | None,
    activation=torch.relu,
) -> Float[Tensor, "*batch d_model"]:
    """As ``by_hand.feed_forward``, with gradients; a bias that is None is not added."""
    return linear(activation(linear(x, W_1, b_1)), W_2, b_2)


class FeedForward(torch.nn.Module):
    """The feed-forward network with learned weights.

    Parameters
    ----------
    d_model : int
        Width of the input and of the output.
    d_ff : int
        Width between the two layers.
    activation : callable
        As in :func:`feed_forward`.
    bias : bool
        Whether the two layers add their biases.

    Raises
    ------
    ShapeError
        If a width is not a positive integer.
    """

    def __init__(
        self, d_model: int, d_ff: int, activation=torch.relu, bias: bool = True
    ):
        _check_widths("FeedForward", d_model, d_ff)
        super().__init__()
        self.activation = activation
        self.W_1 = torch.nn.Parameter(torch.empty(d_model, d_ff))
        self.b_1 = torch.nn.Parameter(torch.zeros(d_ff)) if bias else None
        self.W_2 = torch.nn.Parameter(torch.empty(d_ff, d_model))
        self.b_2 = torch.nn.Parameter(torch.zeros(d_model)) if bias else None
        for W in (self.W_1, self.W_2):
            torch.nn.init.xavier_uniform_(W)

    def forward(self, x):
        """Apply ``feed_forward`` with this module's weights."""
        return feed_forward(x, self.W_1, self.b_1, self.W_2, self.b_2, self.activation)


@checked
def gated_feed_forward(
    x: Float[Tensor, "*batch d_model"],
    W_gate: Float[Tensor, "d_model d_ff"],
    W_1: Float[Tensor, "d_model d_ff"],
    W_2: Float[Tensor, "d_ff d_model"],
    activation=F.silu,
) -> Float[Tensor, "*batch d_model"]:
    """As ``by_hand.gated_feed_forward``, with gradients."""
    return linear(activation(linear(x, W_gate)) * linear(x, W_1), W_2)


class GatedFeedForward(torch.nn.Module):
    """The gated feed-forward network with learned weights, without biases.

    With two thirds of the ``d_ff`` of a :class:`FeedForward` its three matrices are as large as
    the other's two.

    Parameters
    ----------
    d_model : int
        Width of the input and of the output.
    d_ff : int
        Number of hidden units, each with a gate.
    activation : callable
        Of the gate, as in :func:`gated_feed_forward`.

    Raises
    ------
    ShapeError
        If a width is not a positive integer.
    """

    def __init__(self, d_model: int, d_ff: int, activation=F.silu):
        _check_widths("GatedFeedForward", d_model, d_ff)
        super().__init__()
        self.activation = activation
        self.W_gate = torch.nn.Parameter(torch.empty(d_model, d_ff))
        self.W_1 = torch.nn.Parameter(torch.empty(d_model, d_ff))
        self.W_2 = torch.nn.Parameter(torch.empty(d_ff, d_model))
        for W in (self.W_gate, self.W_1, self.W_2):
            torch.nn.init.xavier_uniform_(W)

    def forward(self, x):
        """Apply ``gated_feed_forward`` with this module's weights."""
        return gated_feed_forward(x, self.W_gate, self.W_1, self.W_2, self.activation)


def _check_widths(class_name: str, d_model: int, d_ff: int) -> None:
    for name, width, remedy in (
        ("d_model", d_model, "Give the width of the vectors, x.shape[-1]."),
        ("d_ff", d_ff, "Choose how many hidden units there are."),
    ):
        expect_integer(ShapeError, class_name, name, width, "a width", remedy=remedy)
