"""Multi-head latent attention: cached is one narrow vector of each word, not its keys and values."""

import math

import torch
from jaxtyping import Bool, Float
from torch import Tensor

from ..by_hand.heads import check_heads
from ..expect import expect_integer
from ..shapes import ShapeError, checked
from .cache import restores_cache_on_error
from .general_attention import check_no_mask_with_cached_words
from .heads import merge_heads, split_heads
from .linear import linear
from .masks import combine_masks
from .shared_heads import attend_in_groups


class LatentAttention(torch.nn.Module):
    r"""Self-attention whose keys and values are computed from one narrow vector c of each word.

    .. math:: c = xW_{DKV}, \qquad K = cW_{UK}, \qquad V = cW_{UV}

    A :class:`KeyValueCache` keeps c alone. As :math:`q\,(cW_{UK})^T = (qW_{UK}^T)\,c^T`, a query can be
    brought into the space of c instead of all keys out of it, and the values likewise after they have
    been averaged. DeepSeek-AI (2024), section 2.1, without its keys that carry positions and without
    the compression of its queries. It equals ``by_hand.multi_head_attention`` with
    :math:`W_K = W_{DKV}W_{UK}` and :math:`W_V = W_{DKV}W_{UV}`.

    Parameters
    ----------
    d_model, h : int
        As in :class:`MultiHeadAttention`.
    d_c : int
        Width of c, all that is cached of a word.
    dropout : float
        Probability with which a weight is set to 0 while training.

    Raises
    ------
    ShapeError
        If ``h`` does not divide ``d_model``, or ``d_c`` is no width.
    """

    W_Q: Float[Tensor, "d_model d_model"]
    W_DKV: Float[Tensor, "d_model d_c"]
    W_UK: Float[Tensor, "d_c d_model"]
    W_UV: Float[Tensor, "d_c d_model"]
    W_O: Float[Tensor, "d_model d_model"]

    def __init__(self, d_model: int, h: int, d_c: int, *, dropout: float = 0.0):
        check_heads("LatentAttention", h, d_model, f"d_model is {d_model}")
        who, remedy = "LatentAttention", "Below 2 * d_model the cache gets smaller."
        expect_integer(ShapeError, who, "d_c", d_c, "a width", remedy=remedy)
        super().__init__()
        self.h, self.dropout = h, dropout
        shapes = {
            "W_Q": (d_model, d_model),
            "W_DKV": (d_model, d_c),
            "W_UK": (d_c, d_model),
            "W_UV": (d_c, d_model),
            "W_O": (d_model, d_model),
        }
        for name, shape in shapes.items():
            W = torch.nn.Parameter(torch.empty(shape))
            self.register_parameter(name, W)
            torch.nn.init.xavier_uniform_(W)

    @checked
    @restores_cache_on_error
    def forward(
        self,
        x: Float[Tensor, "*batch m d_model"],
        memory: None = None,
        mask: Bool[Tensor, "*batch #m #m"] | None = None,
        *,
        causal: bool = False,
        cache=None,
        need_weights: bool = True,
        absorb: bool | None = None,
    ) -> tuple[Float[Tensor, "*batch m d_model"], Float[Tensor, "*batch h m n"] | None]:
        """As :class:`GeneralAttention` in self-attention, with or without a cache.

        Parameters
        ----------
        x : tensor, (..., m, d_model)
        memory : None
            There is no cross-attention.
        mask, causal, cache, need_weights
            As there; the cache holds c, as the keys of one head.
        absorb : bool, optional
            Whether to attend in the space of c. The output is the same. By default where words came
            before: there it saves computing all their keys and values again.

        Raises
        ------
        ShapeError
            Also if there is a memory, or a mask comes with words in the cache.
        """
        if memory is not None:
            raise ShapeError(
                "LatentAttention: a memory; expected none, as it is self-attention. "
                "Use GeneralAttention for cross-attention."
            )
        check_no_mask_with_cached_words("LatentAttention", mask, cache)
        Q, c = split_heads(linear(x, self.W_Q), self.h), linear(x, self.W_DKV)
        if cache is not None:
            c = c.unsqueeze(-3)  # (..., 1, m, d_c)
            c, _ = cache.extend(c, c[..., :0])  # it has a place for values: width 0
            c = c.squeeze(-3)
            if causal:
                visible, causal = cache.mask_and_causal(x.shape[-2])
                mask = combine_masks(mask, visible)
        if absorb is None:
            absorb = c.shape[-2] > x.shape[-2]
        attend = self._attend_to_latents if absorb else self._attend_to_keys
        Z, weights = attend(
            Q,
            c,
            mask=mask,
            causal=causal,
            dropout=self.dropout if self.training else 0.0,
            need_weights=need_weights,
        )
        return linear(merge_heads(Z), self.W_O), weights  # Z: (..., h, m, d_v)

    def _attend_to_keys(self, Q, c, **options) -> tuple[Tensor, Tensor | None]:
        K = split_heads(linear(c, self.W_UK), self.h)  # (..., h, n, d_k)
        V = split_heads(linear(c, self.W_UV), self.h)
        return attend_in_groups(Q, K, V, **options)

    def _attend_to_latents(self, Q, c, **options) -> tuple[Tensor, Tensor | None]:
        W_UK, W_UV = (split_heads(W, self.h) for W in (self.W_UK, self.W_UV))
        d_c, d_k = W_UK.shape[-2:]  # W_UK: (h, d_c, d_k)
        Q = Q @ W_UK.mT  # (..., h, m, d_c): each head's query in the space of c
        Q = Q * math.sqrt(d_c / d_k)  # attention divides by the root of the new width
        c = c.unsqueeze(-3)  # (..., 1, n, d_c): one head, of keys that are values too
        Z, weights = attend_in_groups(Q, c, c, **options)
        return Z @ W_UV, weights  # (..., h, m, d_v)
