"""The position-wise feed-forward network, equation (2) of the paper."""

import torch
from jaxtyping import Float
from torch import Tensor

from ..shapes import check_count, checked
from .linear import linear


@checked
def feed_forward(
    x: Float[Tensor, "*batch d_model"],
    W_1: Float[Tensor, "d_model d_ff"],
    b_1: Float[Tensor, "d_ff"],
    W_2: Float[Tensor, "d_ff d_model"],
    b_2: Float[Tensor, "d_model"],
    activation=torch.relu,
) -> Float[Tensor, "*batch d_model"]:
    """As ``by_hand.feed_forward``, with gradients."""
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

    Raises
    ------
    ShapeError
        If a width is not a positive whole number.
    """

    def __init__(self, d_model: int, d_ff: int, activation=torch.relu):
        for name, width in (("d_model", d_model), ("d_ff", d_ff)):
            check_count("FeedForward", name, width, "a width")
        super().__init__()
        self.activation = activation
        self.W_1 = torch.nn.Parameter(torch.empty(d_model, d_ff))
        self.b_1 = torch.nn.Parameter(torch.zeros(d_ff))
        self.W_2 = torch.nn.Parameter(torch.empty(d_ff, d_model))
        self.b_2 = torch.nn.Parameter(torch.zeros(d_model))
        for W in (self.W_1, self.W_2):
            torch.nn.init.xavier_uniform_(W)

    def forward(self, x):
        """Apply ``feed_forward`` with this module's weights."""
        return feed_forward(x, self.W_1, self.b_1, self.W_2, self.b_2, self.activation)
