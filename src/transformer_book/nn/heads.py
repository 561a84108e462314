"""Multi-head attention, section 3.2.2 of the paper, as functions and as a trainable module."""

import torch
from jaxtyping import Bool, Float
from torch import Tensor

from ..by_hand.heads import check_heads
from ..shapes import checked
from .attention import scaled_dot_product_attention
from .linear import linear


@checked
def split_heads(
    x: Float[Tensor, "*batch n width"], h: int
) -> Float[Tensor, "*batch h n d"]:
    """As ``by_hand.split_heads``, as a view: nothing is copied."""
    check_heads("split_heads", h, x.shape[-1], f"x has shape {tuple(x.shape)}")
    return x.unflatten(-1, (h, -1)).transpose(-2, -3)  # (..., h, n, d)


@checked
def merge_heads(
    x: Float[Tensor, "*batch h n d"],
) -> Float[Tensor, "*batch n width"]:
    """As ``by_hand.merge_heads``, with gradients."""
    return x.transpose(-2, -3).flatten(-2)  # (..., n, h * d)


@checked
def multi_head_attention(
    queries: Float[Tensor, "*batch m d_model"],
    keys: Float[Tensor, "*batch n d_model"],
    values: Float[Tensor, "*batch n d_model"],
    W_Q: Float[Tensor, "d_model h_d_k"],
    W_K: Float[Tensor, "d_model h_d_k"],
    W_V: Float[Tensor, "d_model h_d_v"],
    W_O: Float[Tensor, "h_d_v d_model"],
    h: int,
    mask: Bool[Tensor, "*batch #m #n"] | None = None,
    *,
    causal: bool = False,
    dropout: float = 0.0,
    need_weights: bool = True,
) -> tuple[Float[Tensor, "*batch m d_model"], Float[Tensor, "*batch h m n"] | None]:
    """As ``by_hand.multi_head_attention``, with gradients.

    Parameters
    ----------
    causal, dropout, need_weights
        As in :func:`scaled_dot_product_attention`.
    """
    Q = split_heads(linear(queries, W_Q), h)  # (..., h, m, d_k)
    K = split_heads(linear(keys, W_K), h)  # (..., h, n, d_k)
    V = split_heads(linear(values, W_V), h)  # (..., h, n, d_v)
    Z, weights = scaled_dot_product_attention(
        Q,
        K,
        V,
        mask_for_all_heads(mask),
        causal=causal,
        dropout=dropout,
        need_weights=need_weights,
    )  # Z: (..., h, m, d_v)
    return linear(merge_heads(Z), W_O), weights  # (..., m, d_model)


def mask_for_all_heads(
    mask: Bool[Tensor, "*batch m n"] | None,
) -> Bool[Tensor, "*batch 1 m n"] | None:
    """Return a mask, (..., m, n), as one that is the same for every head, (..., 1, m, n)."""
    return None if mask is None else mask.unsqueeze(-3)


class MultiHeadAttention(torch.nn.Module):
    """Multi-head attention whose projections are learned, d_k = d_v = d_model / h.

    The three projections of the input stand side by side in one matrix, so that self-attention
    needs one product for all of them, and cross-attention two.

    Parameters
    ----------
    d_model : int
        Width of the input and of the output.
    h : int
        Number of heads; divides ``d_model``.
    dropout : float
        Probability with which a weight is set to 0 while training.

    Raises
    ------
    ShapeError
        If ``h`` is not a positive integer that divides ``d_model``.
    """

    W_QKV: Float[Tensor, "d_model three_d_model"]
    W_O: Float[Tensor, "d_model d_model"]

    def __init__(self, d_model: int, h: int, *, dropout: float = 0.0):
        check_heads("MultiHeadAttention", h, d_model, f"d_model is {d_model}")
        super().__init__()
        self.h, self.dropout = h, dropout
        self.W_QKV = torch.nn.Parameter(torch.empty(d_model, 3 * d_model))
        self.W_O = torch.nn.Parameter(torch.empty(d_model, d_model))
        for W in (*self.W_QKV.chunk(3, dim=-1), self.W_O):
            torch.nn.init.xavier_uniform_(W)

    @property
    def W_Q(self) -> Float[Tensor, "d_model d_model"]:
        return self.W_QKV.chunk(3, dim=-1)[0]

    @property
    def W_K(self) -> Float[Tensor, "d_model d_model"]:
        return self.W_QKV.chunk(3, dim=-1)[1]

    @property
    def W_V(self) -> Float[Tensor, "d_model d_model"]:
        return self.W_QKV.chunk(3, dim=-1)[2]

    @checked
    def forward(
        self,
        queries: Float[Tensor, "*batch m d_model"],
        keys: Float[Tensor, "*batch n d_model"],
        values: Float[Tensor, "*batch n d_model"],
        mask: Bool[Tensor, "*batch #m #n"] | None = None,
        *,
        causal: bool = False,
        need_weights: bool = True,
    ) -> tuple[Float[Tensor, "*batch m d_model"], Float[Tensor, "*batch h m n"] | None]:
        """Attend as ``multi_head_attention`` does, with this module's weights."""
        Q, K, V = (
            split_heads(x, self.h) for x in self._project_to_QKV(queries, keys, values)
        )
        Z, weights = scaled_dot_product_attention(
            Q,
            K,
            V,
            mask_for_all_heads(mask),
            causal=causal,
            dropout=self.dropout if self.training else 0.0,
            need_weights=need_weights,
        )
        return linear(merge_heads(Z), self.W_O), weights

    def _project_to_QKV(self, queries, keys, values) -> tuple[Tensor, ...]:
        """Multiply by W_Q, W_K and W_V, at once those that read the same."""
        if queries is keys is values:
            return linear(queries, self.W_QKV).chunk(3, dim=-1)
        if keys is values:
            d_model = len(self.W_O)
            W_Q, W_KV = self.W_QKV.tensor_split([d_model], dim=-1)
            return linear(queries, W_Q), *linear(keys, W_KV).chunk(2, dim=-1)
        return (
            linear(queries, self.W_Q),
            linear(keys, self.W_K),
            linear(values, self.W_V),
        )
