"""Scaled dot-product attention, equation (1) of the paper, with gradients."""

import math

import torch
from jaxtyping import Bool, Float
from torch import Tensor

from ..shapes import ShapeError, check_axis, checked
from .masks import causal_mask


@checked
def softmax(x: Float[Tensor, "*shape"], axis: int = -1) -> Float[Tensor, "*shape"]:
    r"""Turn scores into weights that are positive and sum to 1 along ``axis``.

    .. math:: \mathrm{softmax}(x)_j = e^{x_j} / \sum_k e^{x_k}

    Parameters
    ----------
    x : tensor, any shape
        Scores. A score of minus infinity gets weight 0.
    axis : int
        The axis along which the weights sum to 1.

    Returns
    -------
    tensor, shape of ``x``
        Weights. Where every score is minus infinity they are all 0, where torch's own are NaN.

    Raises
    ------
    ShapeError
        If ``x`` is not a tensor of floats, or has no such axis.
    """
    check_axis("softmax", axis, x.shape)
    largest = x.detach().amax(axis, keepdim=True)
    # Shifting all scores alike changes no weight, and keeps exp from overflowing.
    e = torch.exp(x - largest.masked_fill(largest == -math.inf, 0.0))
    total = e.sum(axis, keepdim=True)
    return e / total.masked_fill(total == 0.0, 1.0)


@checked
def scaled_dot_product_attention(
    Q: Float[Tensor, "*batch m d_k"],
    K: Float[Tensor, "*batch n d_k"],
    V: Float[Tensor, "*batch n d_v"],
    mask: Bool[Tensor, "*batch #m #n"] | None = None,
    *,
    causal: bool = False,
    dropout: float = 0.0,
    need_weights: bool = True,
) -> tuple[Float[Tensor, "*batch m d_v"], Float[Tensor, "*batch m n"] | None]:
    r"""Average the values, each weighted by how well its key matches the query.

    .. math:: \mathrm{Attention}(Q, K, V) = \mathrm{softmax}\!\left(\frac{QK^T}{\sqrt{d_k}}\right)V

    Equation (1) of Vaswani et al. (2017).

    Parameters
    ----------
    Q : tensor, (..., m, d_k)
        One query per row.
    K : tensor, (..., n, d_k)
        One key per row.
    V : tensor, (..., n, d_v)
        One value per row, in the order of the keys.
    mask : boolean tensor, broadcastable to (..., m, n), optional
        True where the query of that row may attend to the key of that column.
    causal : bool
        The same as a further ``causal_mask(n)``; torch's kernel then skips the future.
    dropout : float
        Probability with which a weight is set to 0, the others growing to make up for it.
    need_weights : bool
        If not, torch's own kernel does the work. Without dropout, and where d_v = d_k, it never
        holds all weights at once.

    Returns
    -------
    output : tensor, (..., m, d_v)
    weights : tensor, (..., m, n), or None where they were not needed
        Before dropout. Each row sums to 1; a query that may attend to nothing has weights and
        output 0.

    Raises
    ------
    ShapeError
        Naming the argument, the shape expected and the shape given; also if ``causal`` and m is
        not n.
    """
    if causal and Q.shape[-2] != K.shape[-2]:
        raise ShapeError(
            f"scaled_dot_product_attention: causal with {Q.shape[-2]} queries and {K.shape[-2]} "
            "keys; expected as many queries as keys. Give the mask that you mean."
        )
    if causal and (need_weights or mask is not None):
        future = causal_mask(K.shape[-2], device=Q.device)
        mask, causal = future if mask is None else mask & future, False
    if not need_weights:
        return _by_torch(Q, K, V, mask, causal, dropout), None
    d_k = Q.shape[-1]
    scores = Q @ K.transpose(-1, -2) / math.sqrt(d_k)  # (..., m, n)
    if mask is not None:
        scores = scores.masked_fill(~mask, -math.inf)
    weights = softmax(scores)  # (..., m, n)
    kept = torch.nn.functional.dropout(weights, dropout)
    return kept @ V, weights  # (..., m, d_v)


def _by_torch(Q, K, V, mask, causal, dropout):
    if mask is not None and mask.ndim > 2:  # the kernel broadcasts all but this
        Q = Q.expand(
            *torch.broadcast_shapes(Q.shape[:-2], mask.shape[:-2]), *Q.shape[-2:]
        )
        mask = mask[(None,) * (Q.ndim - mask.ndim)]  # three axes do not fuse
    kernel = torch.nn.functional.scaled_dot_product_attention
    if Q.device.type == "cpu" and torch.is_autocast_enabled("cpu"):
        # Its gradient in bf16 takes ten times as long there as in float32.
        with torch.autocast("cpu", enabled=False):
            Q, K, V = Q.float(), K.float(), V.float()
            return kernel(Q, K, V, attn_mask=mask, dropout_p=dropout, is_causal=causal)
    return kernel(Q, K, V, attn_mask=mask, dropout_p=dropout, is_causal=causal)
