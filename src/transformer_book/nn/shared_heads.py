"""Heads of queries that share heads of keys and values: a cache h/g times smaller."""

from jaxtyping import Bool, Float
from torch import Tensor

from ..by_hand.shared_heads import check_groups, check_head_widths
from ..shapes import checked
from .attention import scaled_dot_product_attention
from .heads import mask_for_all_heads, merge_heads, split_heads
from .linear import linear


@checked
def grouped_query_attention(
    queries: Float[Tensor, "*batch m d_model"],
    keys: Float[Tensor, "*batch n d_model"],
    values: Float[Tensor, "*batch n d_model"],
    W_Q: Float[Tensor, "d_model h_d_k"],
    W_K: Float[Tensor, "d_model g_d_k"],
    W_V: Float[Tensor, "d_model g_d_v"],
    W_O: Float[Tensor, "h_d_v d_model"],
    h: int,
    g: int,
    mask: Bool[Tensor, "*batch #m #n"] | None = None,
    *,
    causal: bool = False,
    dropout: float = 0.0,
    need_weights: bool = True,
) -> tuple[Float[Tensor, "*batch m d_model"], Float[Tensor, "*batch h m n"] | None]:
    """As ``by_hand.grouped_query_attention``, with gradients.

    Parameters
    ----------
    queries, keys, values
        What W_Q, W_K and W_V make the queries, keys and values of: as in the paper, before the products.
    causal, dropout, need_weights
        As in :func:`scaled_dot_product_attention`.
    """
    name = "grouped_query_attention"
    check_groups(name, h, g)
    check_head_widths(name, "W_Q", W_Q.shape[-1], "W_K", W_K.shape[-1], h, g)
    check_head_widths(name, "W_O", W_O.shape[-2], "W_V", W_V.shape[-1], h, g)
    Q = split_heads(linear(queries, W_Q), h)  # (..., h, m, d_k)
    K = split_heads(linear(keys, W_K), g)  # (..., g, n, d_k)
    V = split_heads(linear(values, W_V), g)  # (..., g, n, d_v)
    Z, weights = attend_in_groups(
        Q, K, V, mask, causal=causal, dropout=dropout, need_weights=need_weights
    )
    return linear(merge_heads(Z), W_O), weights  # (..., m, d_model)


def attend_in_groups(
    Q: Float[Tensor, "*batch h m d_k"],
    K: Float[Tensor, "*batch g n d_k"],
    V: Float[Tensor, "*batch g n d_v"],
    mask: Bool[Tensor, "*batch #m #n"] | None = None,
    bias: Float[Tensor, "*batch h m n"] | None = None,
    *,
    causal: bool = False,
    dropout: float = 0.0,
    need_weights: bool = True,
) -> tuple[Float[Tensor, "*batch h m d_v"], Float[Tensor, "*batch h m n"] | None]:
    """As :func:`scaled_dot_product_attention`, where head i of Q reads head i // (h // g) of K and V."""
    h, m, g = Q.shape[-3], Q.shape[-2], K.shape[-3]
    grouped = g < h and m == 1 and not causal
    if grouped:
        # Decoding: the queries of a group are rows that look at the same keys, which stay where they are.
        Q = Q.reshape(*Q.shape[:-3], g, h // g, -1)
        if bias is not None:
            bias = bias.reshape(*bias.shape[:-3], g, h // g, -1)
    elif g < h:
        K, V = (x.repeat_interleave(h // g, dim=-3) for x in (K, V))  # (..., h, n, d)
    Z, weights = scaled_dot_product_attention(
        Q,
        K,
        V,
        mask_for_all_heads(mask),
        bias,
        causal=causal,
        dropout=dropout,
        need_weights=need_weights,
    )
    if grouped:
        Z = Z.reshape(*Z.shape[:-3], h, m, -1)
        weights = None if weights is None else weights.reshape(*Z.shape[:-1], -1)
    return Z, weights
