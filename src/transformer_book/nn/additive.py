"""Additive attention, which scores by a small network instead of a dot product."""

import math

import torch
from jaxtyping import Bool, Float
from torch import Tensor

from ..expect import expect_integer
from ..shapes import ShapeError, checked
from .attention import softmax


@checked
def additive_attention(
    queries: Float[Tensor, "*batch m d_q"],
    keys: Float[Tensor, "*batch n d_k"],
    values: Float[Tensor, "*batch n d_v"],
    W_Q: Float[Tensor, "d_q d_a"],
    W_K: Float[Tensor, "d_k d_a"],
    v: Float[Tensor, "d_a"],
    mask: Bool[Tensor, "*batch #m #n"] | None = None,
) -> tuple[Float[Tensor, "*batch m d_v"], Float[Tensor, "*batch m n"]]:
    r"""Average the values, weighted by a small network that sees query and key.

    .. math:: e_{ij} = \tanh(q_i W_Q + k_j W_K)\, v

    Bahdanau et al. (2015), section A.1.2; here queries and keys are rows, and v is a column.

    Parameters
    ----------
    queries : tensor, (..., m, d_q)
    keys : tensor, (..., n, d_k)
        Queries and keys may be of different widths.
    values : tensor, (..., n, d_v)
    W_Q : tensor, (d_q, d_a)
    W_K : tensor, (d_k, d_a)
    v : tensor, (d_a,)
        Turns the hidden vector of a pair into its score.
    mask : boolean tensor, broadcastable to (..., m, n), optional
        True where the query of that row may attend to the key of that column.

    Returns
    -------
    output : tensor, (..., m, d_v)
    weights : tensor, (..., m, n)
        Each row sums to 1; a query that may attend to nothing has weights and output 0.

    Raises
    ------
    ShapeError
        Naming the argument, the shape expected and the shape given.
    """
    pairs = (queries @ W_Q).unsqueeze(-2) + (keys @ W_K).unsqueeze(
        -3
    )  # (..., m, n, d_a)
    scores = torch.tanh(pairs) @ v  # (..., m, n)
    if mask is not None:
        scores = scores.masked_fill(~mask, -math.inf)
    weights = softmax(scores)
    return weights @ values, weights


class AdditiveAttention(torch.nn.Module):
    """Additive attention whose scoring network is learned.

    Parameters
    ----------
    d_q, d_k : int
        Widths of queries and keys.
    d_a : int
        Width of the scoring network's hidden layer.

    Raises
    ------
    ShapeError
        If a width is not a positive integer.
    """

    def __init__(self, d_q: int, d_k: int, d_a: int):
        for name, width, remedy in (
            ("d_q", d_q, "Give the width of the queries, queries.shape[-1]."),
            ("d_k", d_k, "Give the width of the keys, keys.shape[-1]."),
            ("d_a", d_a, "Choose how many hidden units the scoring network has."),
        ):
            who = "AdditiveAttention"
            expect_integer(ShapeError, who, name, width, "a width", remedy=remedy)
        super().__init__()
        self.W_Q = torch.nn.Parameter(torch.empty(d_q, d_a))
        self.W_K = torch.nn.Parameter(torch.empty(d_k, d_a))
        self.v = torch.nn.Parameter(torch.empty(d_a, 1))
        for W in self.parameters():
            torch.nn.init.xavier_uniform_(W)

    def forward(self, queries, keys, values, mask=None) -> tuple[Tensor, Tensor]:
        """Attend as ``additive_attention`` does, with this module's weights."""
        return additive_attention(
            queries, keys, values, self.W_Q, self.W_K, self.v[:, 0], mask
        )
