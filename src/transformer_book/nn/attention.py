"""Scaled dot-product attention, equation (1) of the paper, with gradients."""

import math

import numpy as np
import torch
from jaxtyping import Bool, Float
from torch import Tensor

from ..shapes import ShapeError, check_axis, checked
from .masks import causal_mask, combine_masks


@checked
def softmax(x: Float[Tensor, "*shape"], axis: int = -1) -> Float[Tensor, "*shape"]:
    """As ``by_hand.softmax``, with gradients; of scores all -inf that of torch is NaN."""
    check_axis("softmax", axis, x.shape)
    if not x.shape[axis]:
        return x.clone()  # of nothing there is no largest
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
    bias: Float[Tensor, "*batch #m #n"] | None = None,
    *,
    causal: bool = False,
    dropout: float = 0.0,
    need_weights: bool = True,
) -> tuple[Float[Tensor, "*batch m d_v"], Float[Tensor, "*batch m n"] | None]:
    """As ``by_hand.scaled_dot_product_attention``, with gradients.

    Parameters
    ----------
    causal : bool
        The same as ``causal_mask(n)`` besides ``mask``; torch's kernel then skips the future.
    dropout : float
        Probability with which a weight is set to 0, the others growing to make up for it.
    need_weights : bool
        If not, the weights are None and torch's kernel does the work. Without dropout, and where
        d_v = d_k, it never holds all weights at once. Returned are the weights before dropout.

    Raises
    ------
    ShapeError
        Also if ``causal`` and m is not n.
    """
    if causal and Q.shape[-2] != K.shape[-2]:
        raise ShapeError(
            f"scaled_dot_product_attention: causal with {Q.shape[-2]} queries and {K.shape[-2]} "
            "keys; expected as many queries as keys. Give the mask that you mean."
        )
    if causal and (need_weights or mask is not None or bias is not None):
        mask = combine_masks(mask, causal_mask(K.shape[-2], device=Q.device))
        causal = False
    if not need_weights:
        return _attend_with_torch(Q, K, V, mask, bias, causal, dropout), None
    d_k, dtype = Q.shape[-1], Q.dtype
    # Of halves too scores and sums are in float32, as torch's kernel has them.
    Q, K, V = (x.to(torch.promote_types(dtype, torch.float32)) for x in (Q, K, V))
    scores = Q @ K.transpose(-1, -2) / math.sqrt(d_k)  # (..., m, n)
    if bias is not None:
        scores = scores + bias
    if mask is not None:
        scores = scores.masked_fill(~mask, -math.inf)
    weights = softmax(scores)  # (..., m, n)
    Z = torch.nn.functional.dropout(weights, dropout) @ V  # (..., m, d_v)
    return Z.to(dtype), weights.to(dtype)


def _attend_with_torch(
    Q, K, V, mask, bias, causal: bool, dropout: float
) -> Float[Tensor, "*batch m d_v"]:
    if bias is not None:  # the kernel adds floats as it applies a mask
        mask = bias if mask is None else torch.where(mask, bias, -math.inf)
    if mask is not None and mask.ndim > 2:  # the kernel broadcasts all but this
        # torch's takes fifty times as long, more than the kernel for a token, and knows symbols.
        shapes = torch if torch.compiler.is_compiling() else np
        batch = shapes.broadcast_shapes(Q.shape[:-2], mask.shape[:-2])
        Q = Q.expand(*batch, *Q.shape[-2:])
        mask = mask[(None,) * (Q.ndim - mask.ndim)]  # three axes do not fuse
    kernel = torch.nn.functional.scaled_dot_product_attention
    if Q.device.type == "cpu" and torch.is_autocast_enabled("cpu"):
        # Its gradient in bf16 takes ten times as long there as in float32.
        with torch.autocast("cpu", enabled=False):
            Q, K, V = Q.float(), K.float(), V.float()
            mask = mask if bias is None else mask.float()
            return kernel(Q, K, V, attn_mask=mask, dropout_p=dropout, is_causal=causal)
    return kernel(Q, K, V, attn_mask=mask, dropout_p=dropout, is_causal=causal)
