"""Multi-head attention, section 3.2.2 of the paper, as functions and as a trainable module."""

import torch
from jaxtyping import Bool, Float
from torch import Tensor

from ..shapes import ShapeError, check_heads, checked
from .attention import scaled_dot_product_attention
from .linear import linear
from .masks import causal_mask


@checked
def split_heads(
    x: Float[Tensor, "*batch n width"], h: int
) -> Float[Tensor, "*batch h n d"]:
    """Cut each row into ``h`` equal slices, one per head; heads come before rows.

    Parameters
    ----------
    x : tensor, (..., n, h * d)
    h : int
        Number of heads.

    Returns
    -------
    tensor, (..., h, n, d)
        Head ``i``, counted from 1, holds ``x[..., (i - 1) * d : i * d]``. A view:
        nothing is copied.

    Raises
    ------
    ShapeError
        If ``h`` is not a positive whole number that divides the width of ``x``.
    """
    check_heads("split_heads", h, x.shape[-1], f"x has shape {tuple(x.shape)}")
    return x.unflatten(-1, (h, -1)).transpose(-2, -3)  # (..., h, n, d)


@checked
def merge_heads(
    x: Float[Tensor, "*batch h n d"],
) -> Float[Tensor, "*batch n width"]:
    """Put the heads back side by side: the inverse of ``split_heads``.

    Parameters
    ----------
    x : tensor, (..., h, n, d)

    Returns
    -------
    tensor, (..., n, h * d)
    """
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
    r"""Attend ``h`` times in parallel, each head with its slice of the projections.

    .. math::

        \mathrm{MultiHead}(Q, K, V) &= \mathrm{Concat}(\mathrm{head}_1, \ldots, \mathrm{head}_h)W_O \\
        \mathrm{head}_i &= \mathrm{Attention}(QW_{Q,i},\; KW_{K,i},\; VW_{V,i})

    Section 3.2.2 of Vaswani et al. (2017).

    Parameters
    ----------
    queries : tensor, (..., m, d_model)
        The words that look.
    keys, values : tensor, (..., n, d_model)
        The words looked at. In self-attention all three are the same tensor.
    W_Q, W_K : tensor, (d_model, h * d_k)
        The heads' projections side by side: head ``i``, counted from 1, owns the columns
        ``(i - 1) * d_k : i * d_k``.
    W_V : tensor, (d_model, h * d_v)
    W_O : tensor, (h * d_v, d_model)
    h : int
        Number of heads.
    mask : boolean tensor, broadcastable to (..., m, n), optional
        True where a query may attend; every head gets the same mask.
    causal, dropout, need_weights
        As in :func:`scaled_dot_product_attention`.

    Returns
    -------
    output : tensor, (..., m, d_model)
    weights : tensor, (..., h, m, n), or None where they were not needed

    Raises
    ------
    ShapeError
        Naming the argument, the shape expected and the shape given; also if ``h`` does not divide
        the width of a projection.
    """
    Q, K, V = linear(queries, W_Q), linear(keys, W_K), linear(values, W_V)
    return _attend(Q, K, V, W_O, h, mask, causal, dropout, need_weights)


def _attend(Q, K, V, W_O, h, mask, causal, dropout, need_weights):
    if mask is not None:
        mask = mask.unsqueeze(-3)  # (..., 1, m, n): the same for every head
    Z, weights = scaled_dot_product_attention(
        split_heads(Q, h),
        split_heads(K, h),
        split_heads(V, h),
        mask,
        causal=causal,
        dropout=dropout,
        need_weights=need_weights,
    )  # Z: (..., h, m, d_v)
    return linear(merge_heads(Z), W_O), weights  # (..., m, d_model)


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
        If ``h`` is not a positive whole number that divides ``d_model``.
    """

    W_QKV: Float[Tensor, "d_model three_d_model"]
    W_O: Float[Tensor, "d_model d_model"]

    def __init__(self, d_model: int, h: int, *, dropout: float = 0.0):
        check_heads("MultiHeadAttention", h, d_model, f"d_model is {d_model}")
        super().__init__()
        self.h, self.dropout = h, dropout
        self.W_QKV = torch.nn.Parameter(torch.empty(d_model, 3 * d_model))
        self.W_O = torch.nn.Parameter(torch.empty(d_model, d_model))
        for W in (self.W_Q, self.W_K, self.W_V, self.W_O):
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
        cache=None,
    ) -> tuple[Float[Tensor, "*batch m d_model"], Float[Tensor, "*batch h m n"] | None]:
        """Attend as ``multi_head_attention`` does, with this module's weights.

        With a :class:`KeyValueCache`, self-attention puts the new keys and values after those kept
        and attends to all of them, with ``causal`` to no later one; cross-attention computes them
        once and never again. Without words in it ``causal`` wants as many queries as keys.
        """
        past = len(cache) if cache and keys is queries else 0
        if cache and not past:
            Q, K, V = linear(queries, self.W_Q), cache.K, cache.V
        else:
            if past and mask is not None:
                raise ShapeError(
                    f"MultiHeadAttention: a mask, and {past} words in the cache that it "
                    "says nothing about; expected no mask. causal=True hides what comes later."
                )
            Q, K, V = self._project(queries, keys, values)
            K, V = (K, V) if cache is None else cache.extend(K, V)
        if causal and past:  # the new words see all kept ones, and of the new no later
            causal, m = False, Q.shape[-2]
            if m > 1:
                mask = causal_mask(past + m, device=Q.device)[-m:]
        dropout = self.dropout if self.training else 0.0
        return _attend(Q, K, V, self.W_O, self.h, mask, causal, dropout, need_weights)

    def _project(self, queries, keys, values):
        if queries is keys is values:
            return linear(queries, self.W_QKV).chunk(3, dim=-1)
        if keys is values:
            d_model = self.W_O.shape[0]
            W_Q, W_KV = self.W_QKV.tensor_split([d_model], dim=-1)
            return linear(queries, W_Q), *linear(keys, W_KV).chunk(2, dim=-1)
        return (
            linear(queries, self.W_Q),
            linear(keys, self.W_K),
            linear(values, self.W_V),
        )
