"""Multi-head attention, section 3.2.2 of the paper, as functions and as a trainable module."""

import torch
from jaxtyping import Bool, Float
from torch import Tensor

from ..shapes import ShapeError, check_heads, check_like, checked
from .attention import scaled_dot_product_attention
from .cache import whole_passes
from .linear import linear
from .masks import joined
from .norm import RMSNorm
from .relative import RelativePositions


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
    Q, K, V = linear(queries, W_Q), linear(keys, W_K), linear(values, W_V)
    return _attend(Q, K, V, W_O, h, mask, causal, dropout, need_weights)


def _attend(Q, K, V, W_O, h, mask, causal, dropout, need_weights, bias=None):
    if mask is not None:
        mask = mask.unsqueeze(-3)  # (..., 1, m, n): the same for every head
    Z, weights = scaled_dot_product_attention(
        split_heads(Q, h),
        split_heads(K, h),
        split_heads(V, h),
        mask,
        bias,
        causal=causal,
        dropout=dropout,
        need_weights=need_weights,
    )  # Z: (..., h, m, d_v)
    return linear(merge_heads(Z), W_O), weights  # (..., m, d_model)


def _normed(x, norm):
    """Normalise each head of x, (..., n, heads * d_k), or nothing where there is no norm."""
    if norm is None:
        return x
    heads = x.unflatten(-1, (-1, len(norm.gamma)))
    # Under autocast x has fewer digits than gamma: too few for a sum of squares.
    return norm(heads.to(norm.gamma.dtype)).flatten(-2).to(x.dtype)


def _check_kept(keys, kept):
    if keys != kept:
        raise ShapeError(
            f"MultiHeadAttention: {keys} keys for cross-attention, and {kept} in the cache; expected "
            "the words that it was made of. Make a new cache for other words."
        )


def places(start, m, device):
    """Return the positions of m new words, (m,), or (batch, m) where ``start`` differs by text."""
    steps = torch.arange(m, device=device)
    return steps + (start if isinstance(start, int) else start.unsqueeze(-1))


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
    qk_norm : bool
        Whether an :class:`RMSNorm` of width d_k normalises every head of the queries, and another
        of the keys, before their product. A cache then keeps normalised keys.

    Attributes
    ----------
    positions : RelativePositions or None
        What self-attention does with the places of its words; nothing unless it is set.

    Raises
    ------
    ShapeError
        If ``h`` is not a positive whole number that divides ``d_model``.
    """

    W_QKV: Float[Tensor, "d_model three_d_model"]
    W_O: Float[Tensor, "d_model d_model"]

    def __init__(
        self, d_model: int, h: int, *, dropout: float = 0.0, qk_norm: bool = False
    ):
        check_heads("MultiHeadAttention", h, d_model, f"d_model is {d_model}")
        super().__init__()
        self.h, self.dropout = h, dropout
        d_k = d_model // h
        self.q_norm = RMSNorm(d_k) if qk_norm else None
        self.k_norm = RMSNorm(d_k) if qk_norm else None
        self.positions: RelativePositions | None = None
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
    @whole_passes
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
        crosses: bool | None = None,
    ) -> tuple[Float[Tensor, "*batch m d_model"], Float[Tensor, "*batch h m n"] | None]:
        """Attend as ``multi_head_attention`` does, with this module's weights.

        With a :class:`KeyValueCache`, self-attention puts the new keys and values after those kept
        and attends to all of them, with ``causal`` to no later one; cross-attention computes them
        once and never again. Without words in it ``causal`` wants as many queries as keys.

        ``crosses`` says whether the keys are of other words than the queries. A cache needs to know,
        unless queries and keys are one array, which is self-attention.
        """
        own = keys is queries if crosses is None else not crosses
        if cache is not None and crosses is None and not own:
            raise ShapeError(
                "MultiHeadAttention: a cache, and keys that are another array than the queries; "
                "expected to be told whether they are of other words. Pass crosses=True for "
                "cross-attention; for self-attention give one array three times."
            )
        if own:
            check_like("MultiHeadAttention", "keys", keys, "queries", queries)
        start = 0 if cache is None else cache.start
        if cache and not own:
            Q, K, V = linear(queries, self.W_Q), cache.K, cache.V
            _check_kept(keys.shape[-2], K.shape[-2])
            Q = _normed(Q, self.q_norm)
        else:
            if cache and mask is not None:
                raise ShapeError(
                    f"MultiHeadAttention: a mask, and {len(cache)} words in the cache that it "
                    "says nothing about; expected no mask. causal=True hides what comes later."
                )
            Q, K, V = self._project(queries, keys, values)
            Q, K = _normed(Q, self.q_norm), _normed(K, self.k_norm)
            if self.positions is not None:
                Q, K = self._turned(self.positions, Q, K, own, start)
            K, V = (K, V) if cache is None else cache.extend(K, V)
        if causal and own and cache is not None:
            visible, causal = cache.visible(Q.shape[-2])
            mask = joined(mask, visible)
        dropout = self.dropout if self.training else 0.0
        bias = self._bias(Q, K.shape[-2], start)
        return self._attend(Q, K, V, mask, causal, dropout, need_weights, bias)

    def _turned(self, positions, Q, K, own, start):
        if not own:
            raise ShapeError(
                "MultiHeadAttention: keys of other words than the queries, and positions are set; "
                "expected self-attention. Give one array three times, or set attention.positions "
                "to None for cross-attention."
            )
        d_k, at = Q.shape[-1] // self.h, places(start, Q.shape[-2], Q.device)
        made = []
        for x in (Q, K):
            heads = split_heads(x, x.shape[-1] // d_k)
            turned = positions.turned(heads, at)
            made.append(x if turned is heads else merge_heads(turned))
        return made

    def _bias(self, Q, n, start):
        if self.positions is None:
            return None
        m = Q.shape[-2]
        i = places(start, m, Q.device)
        # A window has let go of the first keys; where texts start at different places, none is let go.
        first = start + m - n if isinstance(start, int) else 0
        j = torch.arange(first, first + n, device=Q.device)
        distance = (i.unsqueeze(-1) - j).unsqueeze(-3)  # (..., 1, m, n)
        bias = self.positions.bias(split_heads(Q, self.h), distance)
        return bias if bias is None else bias.to(Q.dtype)

    def _attend(self, Q, K, V, *how):
        return _attend(Q, K, V, self.W_O, self.h, *how)

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
