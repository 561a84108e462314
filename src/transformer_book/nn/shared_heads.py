"""Heads of queries that share heads of keys and values: a cache h/g times smaller."""

import copy

import torch
from jaxtyping import Bool, Float
from torch import Tensor

from ..shapes import ShapeError, check_groups, check_shared, checked
from .attention import scaled_dot_product_attention
from .heads import MultiHeadAttention, merge_heads, split_heads
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
    causal, dropout, need_weights
        As in :func:`scaled_dot_product_attention`.
    """
    name = "grouped_query_attention"
    check_groups(name, h, g)
    check_shared(name, "W_Q", W_Q.shape[-1], "W_K", W_K.shape[-1], h, g)
    check_shared(name, "W_O", W_O.shape[-2], "W_V", W_V.shape[-1], h, g)
    Q = split_heads(linear(queries, W_Q), h)  # (..., h, m, d_k)
    K = split_heads(linear(keys, W_K), g)  # (..., g, n, d_k)
    V = split_heads(linear(values, W_V), g)  # (..., g, n, d_v)
    Z, weights = attend_in_groups(Q, K, V, mask, causal, dropout, need_weights)
    return linear(merge_heads(Z), W_O), weights  # (..., m, d_model)


def attend_in_groups(
    Q: Float[Tensor, "*batch h m d_k"],
    K: Float[Tensor, "*batch g n d_k"],
    V: Float[Tensor, "*batch g n d_v"],
    mask: Bool[Tensor, "*batch #m #n"] | None,
    causal: bool,
    dropout: float,
    need_weights: bool,
    bias: Float[Tensor, "*batch h m n"] | None = None,
) -> tuple[Float[Tensor, "*batch h m d_v"], Float[Tensor, "*batch h m n"] | None]:
    """As :func:`scaled_dot_product_attention`, where head i of Q reads head i // (h // g) of K and V."""
    h, m, g = Q.shape[-3], Q.shape[-2], K.shape[-3]
    if mask is not None:
        mask = mask.unsqueeze(-3)  # (..., 1, m, n): the same for every head
    if m == 1 and not causal:
        # Decoding: the queries of a group are rows that look at the same keys, which stay where they are.
        Q = Q.reshape(*Q.shape[:-3], g, h // g, -1)
        if bias is not None:
            bias = bias.reshape(*bias.shape[:-3], g, h // g, -1)
    else:
        K, V = (x.repeat_interleave(h // g, dim=-3) for x in (K, V))  # (..., h, n, d)
    Z, weights = scaled_dot_product_attention(
        Q, K, V, mask, bias, causal=causal, dropout=dropout, need_weights=need_weights
    )
    Z = Z.reshape(*Z.shape[:-3], h, m, -1)
    return Z, None if weights is None else weights.reshape(*Z.shape[:-1], -1)


class GroupedQueryAttention(MultiHeadAttention):
    """Multi-head attention whose ``h`` heads of queries share ``g`` heads of keys and values.

    With g = h it is :class:`MultiHeadAttention` on the same weights, with g = 1 multi-query attention. Keys
    and values are g * d_k wide, and so are they in a cache.

    Parameters
    ----------
    d_model, h : int
        As in :class:`MultiHeadAttention`.
    g : int
        Number of heads of keys and values; divides ``h``.
    dropout, qk_norm
        As in :class:`MultiHeadAttention`.

    Raises
    ------
    ShapeError
        If ``h`` does not divide ``d_model``, or ``g`` not ``h``.
    """

    W_QKV: Float[Tensor, "d_model widths"]
    W_O: Float[Tensor, "d_model d_model"]

    def __init__(
        self,
        d_model: int,
        h: int,
        g: int,
        *,
        dropout: float = 0.0,
        qk_norm: bool = False,
    ):
        super().__init__(d_model, h, dropout=dropout, qk_norm=qk_norm)
        check_groups("GroupedQueryAttention", h, g)
        self.g = g
        width = d_model + 2 * g * d_model // h
        self.W_QKV = torch.nn.Parameter(torch.empty(d_model, width))
        for W in (self.W_Q, self.W_K, self.W_V):
            torch.nn.init.xavier_uniform_(W)

    @property
    def W_Q(self) -> Float[Tensor, "d_model d_model"]:
        return self._split(self.W_QKV)[0]

    @property
    def W_K(self) -> Float[Tensor, "d_model g_d_k"]:
        return self._split(self.W_QKV)[1]

    @property
    def W_V(self) -> Float[Tensor, "d_model g_d_k"]:
        return self._split(self.W_QKV)[2]

    def _project(self, queries, keys, values):
        if queries is keys is values:
            return self._split(linear(queries, self.W_QKV))
        W_Q, W_K, W_V = self._split(self.W_QKV)
        return linear(queries, W_Q), linear(keys, W_K), linear(values, W_V)

    def _split(self, x):
        d_model = len(self.W_O)
        width = (x.shape[-1] - d_model) // 2  # of all keys, and of all values
        return x.split([d_model, width, width], dim=-1)

    def _attend(self, Q, K, V, *how):
        Q, K, V = split_heads(Q, self.h), split_heads(K, self.g), split_heads(V, self.g)
        Z, weights = attend_in_groups(Q, K, V, *how)
        return linear(merge_heads(Z), self.W_O), weights


def mean_pooled(attention: MultiHeadAttention, g: int) -> GroupedQueryAttention:
    """Make the mean of each group's key heads its one key head, and of its value heads likewise.

    Queries and output stay as they are. Ainslie et al. (2023), section 2.1: of the ways they tried, the
    one that keeps most of what was learned.

    Parameters
    ----------
    attention : MultiHeadAttention
        Is not changed.
    g : int
        Number of heads of keys and values that are left; divides ``attention.h``.

    Returns
    -------
    GroupedQueryAttention

    Raises
    ------
    ShapeError
        If ``g`` does not divide the heads of keys, or there are none, as in :class:`LatentAttention`.
    """
    if not isinstance(attention, MultiHeadAttention):
        raise ShapeError(
            f"mean_pooled: attention is a {type(attention).__name__}; expected a "
            "MultiHeadAttention, whose heads have keys and values to be averaged."
        )
    W_Q, W_K, W_V = (W.detach() for W in (attention.W_Q, attention.W_K, attention.W_V))
    made = GroupedQueryAttention(
        len(W_Q), attention.h, g, dropout=attention.dropout
    ).to(W_Q)
    made.q_norm, made.k_norm = map(copy.deepcopy, (attention.q_norm, attention.k_norm))
    made.positions = attention.positions
    d_k = W_Q.shape[-1] // attention.h
    check_groups("mean_pooled", W_K.shape[-1] // d_k, g)

    def pooled(W):
        return W.unflatten(-1, (g, -1, d_k)).mean(dim=-2).flatten(-2)

    with torch.no_grad():
        made.W_QKV.copy_(torch.cat([W_Q, pooled(W_K), pooled(W_V)], dim=-1))
        made.W_O.copy_(attention.W_O)
    return made.train(attention.training)


def with_shared_heads(model, g: int):
    """Return a copy of a language model whose key and value heads are mean-pooled to ``g``.

    It begins close to the model, not equal to it: training it on for a while makes up for most of that.

    Parameters
    ----------
    model : LanguageModel
        With multi-head attention; is not changed.
    g : int
        Divides the model's ``h``.

    Returns
    -------
    LanguageModel
        Its configuration says ``g``.

    Raises
    ------
    ConfigError
        If ``g`` does not divide ``h``.
    """
    made = copy.deepcopy(model)
    made.config = model.config.changed(g=g)
    for layer in made.layers:
        layer.self_attention = mean_pooled(layer.self_attention, g)
    return made
