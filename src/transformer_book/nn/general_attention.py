"""Multi-head attention with what came after the paper: a cache, shared heads, positions, windows."""

from typing import Any

import torch
from jaxtyping import Bool, Float
from torch import Tensor

from ..by_hand.shared_heads import check_groups
from ..shapes import ShapeError, checked
from .cache import restores_cache_on_error
from .heads import MultiHeadAttention, merge_heads, split_heads
from .linear import linear
from .masks import combine_masks
from .norm import RMSNorm
from .relative import RelativePositions, new_positions, query_key_distances
from .shared_heads import attend_in_groups


class GeneralAttention(MultiHeadAttention):
    """:class:`MultiHeadAttention` from a text to itself or to a memory, with every choice of a model.

    Without a choice it computes what :class:`MultiHeadAttention` does, on the same weights.

    Parameters
    ----------
    d_model, h, dropout
        As in :class:`MultiHeadAttention`.
    g : int, optional
        Heads of keys and values, shared by the h heads of queries; by default as many as these.
    d_k : int, optional
        Width of a head; by default d_model / h.
    bias : "none", "inputs" or "all"
        Which products have a bias: none, those of queries, keys and values, or that of the output too.
    qk_norm : bool
        Whether an :class:`RMSNorm` of width d_k normalises every head of the queries, and another
        of the keys, before their product. A cache then keeps normalised keys.

    Attributes
    ----------
    q_norm, k_norm : torch.nn.Module or None
        What normalises queries and keys: each head, or, if it is h * d_k wide, all heads of a word at once.
    positions : RelativePositions or None
        What self-attention does with the places of its words; nothing unless it is set.
    window : int or None
        How many words each sees, itself and those just before; all unless it is set.
    scale : float or None
        What products of queries and keys are multiplied by; 1 / sqrt(d_k) unless it is set.
    cap : float or None
        A bound c of the scores: each becomes c tanh(score / c). None unless it is set.

    Raises
    ------
    ShapeError
        If ``h`` does not divide ``d_model``, or ``g`` not ``h``.
    """

    W_QKV: Float[Tensor, "d_model widths"]
    W_O: Float[Tensor, "h_d_k d_model"]
    b_QKV: Tensor | None  # (widths,)
    b_O: Tensor | None  # (d_model,)

    def __init__(
        self,
        d_model: int,
        h: int,
        *,
        g: int | None = None,
        d_k: int | None = None,
        dropout: float = 0.0,
        bias: str = "none",
        qk_norm: bool = False,
    ):
        super().__init__(d_model, h, dropout=dropout)
        self.g, self.d_k = h if g is None else g, d_model // h if d_k is None else d_k
        check_groups(type(self).__name__, h, self.g)
        self.widths = [h * self.d_k, self.g * self.d_k, self.g * self.d_k]
        if g is not None or self.widths[0] != d_model:
            self.W_QKV = torch.nn.Parameter(torch.empty(d_model, sum(self.widths)))
            for W in self.W_QKV.split(self.widths, dim=-1):
                torch.nn.init.xavier_uniform_(W)
        if self.widths[0] != d_model:
            self.W_O = torch.nn.Parameter(torch.empty(self.widths[0], d_model))
            torch.nn.init.xavier_uniform_(self.W_O)
        self.add_projection_biases(bias)
        self.q_norm: Any = RMSNorm(self.d_k) if qk_norm else None
        self.k_norm: Any = RMSNorm(self.d_k) if qk_norm else None
        self.positions: RelativePositions | None = None
        self.window: int | None = None
        self.scale: float | None = None
        self.cap: float | None = None

    def add_projection_biases(self, bias: str) -> None:
        """Let products add a bias, at first 0: those that the argument of this name says."""
        b_QKV = torch.zeros(sum(self.widths)) if bias != "none" else None
        b_O = torch.zeros(self.W_O.shape[-1]) if bias == "all" else None
        for name, b in (("b_QKV", b_QKV), ("b_O", b_O)):
            self.register_parameter(name, None if b is None else torch.nn.Parameter(b))

    @property
    def W_Q(self) -> Float[Tensor, "d_model h_d_k"]:
        return self.W_QKV.split(self.widths, dim=-1)[0]

    @property
    def W_K(self) -> Float[Tensor, "d_model g_d_k"]:
        return self.W_QKV.split(self.widths, dim=-1)[1]

    @property
    def W_V(self) -> Float[Tensor, "d_model g_d_k"]:
        return self.W_QKV.split(self.widths, dim=-1)[2]

    @checked
    @restores_cache_on_error
    def forward(
        self,
        x: Float[Tensor, "*batch m d_model"],
        memory: Float[Tensor, "*batch n d_model"] | None = None,
        mask: Bool[Tensor, "*batch #m #seen"] | None = None,
        *,
        causal: bool = False,
        cache=None,
        need_weights: bool = True,
    ) -> tuple[
        Float[Tensor, "*batch m d_model"], Float[Tensor, "*batch h m seen"] | None
    ]:
        """Attend from x to itself, or to a memory.

        With a :class:`KeyValueCache`, self-attention puts the new keys and values after the cached ones
        and attends to all of them, with ``causal`` to no later one; those of a memory are computed
        once and never again. Without words in it ``causal`` wants as many queries as keys.

        Returns
        -------
        output : tensor, (..., m, d_model)
        weights : tensor, (..., h, m, seen), or None
            ``seen`` counts the words of the memory, or the cached and the new ones.
        """
        bias, start = None, 0 if cache is None else cache.next_position
        if memory is None:
            check_no_mask_with_cached_words(type(self).__name__, mask, cache)
            Q, K, V = self._self_QKV(x, start)
            if cache is not None:
                K, V = cache.extend(K, V)
                if causal:
                    visible, causal = cache.mask_and_causal(x.shape[-2])
                    mask = combine_masks(mask, visible)
            mask = combine_masks(mask, self._window_mask(Q, K, start))
            bias = self._position_bias(Q, K, start)
        else:
            Q, (K, V) = self._memory_Q(x), self._memory_KV(memory, cache)
        Z, weights = self._attend(Q, K, V, mask, bias, causal, need_weights)
        return linear(merge_heads(Z), self.W_O, self.b_O), weights

    def _self_QKV(
        self, x: Tensor, start: int | Tensor
    ) -> tuple[Tensor, Tensor, Tensor]:
        """Return Q, (..., h, m, d_k), K and V, (..., g, m, d_k), of a text, positions in them."""
        heads = split_heads(linear(x, self.W_QKV, self.b_QKV), self.h + 2 * self.g)
        Q, K, V = heads.split([self.h, self.g, self.g], dim=-3)
        Q, K = _normalise_heads(Q, self.q_norm), _normalise_heads(K, self.k_norm)
        if self.positions is not None:
            positions = new_positions(start, x.shape[-2], x.device)
            Q = self.positions.rotate(Q, positions)
            K = self.positions.rotate(K, positions)
        return Q, K, V

    def _memory_Q(self, x: Tensor) -> Float[Tensor, "*batch h m d_k"]:
        """Return Q, (..., h, m, d_k), where keys and values are of a memory."""
        if self.positions is not None:
            raise ShapeError(
                f"{type(self).__name__}: a memory, and positions are set; expected self-attention. "
                "Set attention.positions to None for cross-attention."
            )
        b = None if self.b_QKV is None else self.b_QKV[: self.widths[0]]
        Q = linear(x, self.W_QKV[:, : self.widths[0]], b)
        return _normalise_heads(split_heads(Q, self.h), self.q_norm)

    def _memory_KV(self, memory: Tensor, cache) -> tuple[Tensor, Tensor]:
        """Return K and V of a memory, (..., g, n, d_k): computed once where there is a cache."""
        if cache:
            check_memory_length(type(self).__name__, memory.shape[-2], len(cache))
            return cache.K, cache.V
        b = None if self.b_QKV is None else self.b_QKV[self.widths[0] :]
        KV = linear(memory, self.W_QKV[:, self.widths[0] :], b)
        K, V = split_heads(KV, 2 * self.g).chunk(2, dim=-3)
        K = _normalise_heads(K, self.k_norm)
        return (K, V) if cache is None else cache.extend(K, V)

    def _window_mask(
        self, Q: Tensor, K: Tensor, start: int | Tensor
    ) -> Bool[Tensor, "*batch m n"] | None:
        """Return which keys stand in the window of each query, (..., m, n), or None for all."""
        if self.window is None:
            return None
        distance = query_key_distances(start, Q.shape[-2], K.shape[-2], Q.device)
        return distance < self.window

    def _position_bias(
        self, Q: Tensor, K: Tensor, start: int | Tensor
    ) -> Float[Tensor, "*batch h m n"] | None:
        """Return what positions add to the scores, (..., h, m, n), or None for nothing."""
        if self.positions is None or not self.positions.has_bias:
            return None
        distance = query_key_distances(start, Q.shape[-2], K.shape[-2], Q.device)
        bias = self.positions.bias(Q, distance.unsqueeze(-3))
        return None if bias is None else bias.to(Q.dtype)

    def _attend(
        self, Q, K, V, mask, bias, causal: bool, need_weights: bool
    ) -> tuple[Tensor, Tensor | None]:
        if self.scale is not None:
            Q = Q * (self.scale * self.d_k**0.5)  # attention divides by the root
        if self.cap is not None:
            bias = _capping_bias(Q, K, bias, self.cap)
        return attend_in_groups(
            Q,
            K,
            V,
            mask,
            bias,
            causal=causal,
            dropout=self.dropout if self.training else 0.0,
            need_weights=need_weights,
        )  # (..., h, m, d_k)


def check_memory_length(
    class_name: str, memory_length: int, cached_length: int
) -> None:
    """Raise ShapeError where a cache has the words of another memory."""
    if memory_length != cached_length:
        raise ShapeError(
            f"{class_name}: a memory of {memory_length} words, and {cached_length} in the cache; "
            "expected the words that it was filled with. Make a new cache for other words."
        )


def check_no_mask_with_cached_words(class_name: str, mask, cache) -> None:
    """Raise ShapeError for a mask where the cache has words, which it does not cover."""
    if cache and mask is not None:
        raise ShapeError(
            f"{class_name}: a mask, and {len(cache)} words in the cache that it says nothing about; "
            "expected no mask. causal=True hides what comes later."
        )


def _capping_bias(
    Q: Tensor, K: Tensor, bias: Tensor | None, cap: float
) -> Float[Tensor, "*batch h m n"]:
    """Return the bias that turns each score S, plus its bias, into cap * tanh(score / cap)."""
    group = Q.shape[-3] // K.shape[-3]
    S = Q @ K.repeat_interleave(group, dim=-3).mT / Q.shape[-1] ** 0.5  # (..., h, m, n)
    score = S if bias is None else S + bias
    return cap * torch.tanh(score / cap) - S


def _normalise_heads(
    heads: Float[Tensor, "*batch heads n d_k"], norm: Any
) -> Float[Tensor, "*batch heads n d_k"]:
    """Normalise each head, (..., heads, n, d_k), or all heads of a word at once, as wide as the norm is."""
    if norm is None:
        return heads
    # Under autocast there are fewer digits than gamma has: too few for a sum of squares.
    x = heads.to(norm.gamma.dtype)
    if len(norm.gamma) == heads.shape[-1]:
        x = norm(x)
    else:
        x = split_heads(norm(merge_heads(x)), heads.shape[-3])
    return x.to(heads.dtype)
