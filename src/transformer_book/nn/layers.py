"""One layer of the encoder and one of the decoder, section 3.1 of the paper."""

import torch
from jaxtyping import Bool, Float
from torch import Tensor

from ..shapes import checked
from .feed_forward import FeedForward
from .heads import MultiHeadAttention
from .norm import AddAndNorm


class EncoderLayer(torch.nn.Module):
    """Self-attention, then the feed-forward network, each with "Add & Norm" around it.

    Parameters
    ----------
    d_model, h, d_ff : int
        Width, number of heads, width inside the feed-forward network.
    dropout : float
        Probability with which an entry of a sub-layer's output is set to 0 while training.
    norm : "post" or "pre"
        As in :class:`AddAndNorm`.
    """

    def __init__(
        self,
        d_model: int,
        h: int,
        d_ff: int,
        dropout: float = 0.0,
        norm: str = "post",
    ):
        super().__init__()
        self.self_attention = MultiHeadAttention(d_model, h)
        self.add_and_norm_1 = AddAndNorm(d_model, dropout, norm)
        self.feed_forward = FeedForward(d_model, d_ff)
        self.add_and_norm_2 = AddAndNorm(d_model, dropout, norm)

    @checked
    def forward(
        self,
        x: Float[Tensor, "batch n d_model"],
        mask: Bool[Tensor, "#batch #n #n"] | None = None,
        *,
        need_weights: bool = False,
    ) -> tuple[Float[Tensor, "batch n d_model"], dict]:
        """Return x after the layer, and its attention weights by name if they are needed.

        Parameters
        ----------
        x : tensor, (batch, n, d_model)
        mask : boolean tensor, broadcastable to (batch, n, n), optional
            True where a query may attend.
        need_weights : bool
            Whether to hold the weights.

        Returns
        -------
        x : tensor, (batch, n, d_model)
        weights : dict
            ``self_attention``: (batch, h, n, n), or None where weights were not needed.
        """
        y = self.add_and_norm_1.before(x)
        Z, A = self.self_attention(y, y, y, mask, need_weights=need_weights)
        x = self.add_and_norm_1.after(x, Z)  # (batch, n, d_model)
        y = self.add_and_norm_2.before(x)
        x = self.add_and_norm_2.after(x, self.feed_forward(y))
        return x, {"self_attention": A}


class DecoderLayer(torch.nn.Module):
    """Masked self-attention, cross-attention to the encoder's output, feed-forward network.

    Parameters
    ----------
    d_model, h, d_ff, dropout, norm
        As in :class:`EncoderLayer`.
    """

    def __init__(
        self,
        d_model: int,
        h: int,
        d_ff: int,
        dropout: float = 0.0,
        norm: str = "post",
    ):
        super().__init__()
        self.self_attention = MultiHeadAttention(d_model, h)
        self.add_and_norm_1 = AddAndNorm(d_model, dropout, norm)
        self.cross_attention = MultiHeadAttention(d_model, h)
        self.add_and_norm_2 = AddAndNorm(d_model, dropout, norm)
        self.feed_forward = FeedForward(d_model, d_ff)
        self.add_and_norm_3 = AddAndNorm(d_model, dropout, norm)

    @checked
    def forward(
        self,
        x: Float[Tensor, "batch m d_model"],
        memory: Float[Tensor, "batch n d_model"],
        memory_mask: Bool[Tensor, "#batch #m #n"] | None = None,
        *,
        cache=None,
        need_weights: bool = False,
    ) -> tuple[Float[Tensor, "batch m d_model"], dict]:
        """Return x after the layer, and its attention weights by name if they are needed.

        Parameters
        ----------
        x : tensor, (batch, m, d_model)
            The target so far; with a cache only its new positions. No position sees a later one.
        memory : tensor, (batch, n, d_model)
            What the encoder made of the source.
        memory_mask : boolean tensor, broadcastable to (batch, m, n), optional
            True where the source has a word.
        cache : pair of KeyValueCache, optional
            For the self-attention and the cross-attention; they are extended.
        need_weights : bool
            Whether to hold the weights.

        Returns
        -------
        x : tensor, (batch, m, d_model)
        weights : dict
            ``self_attention`` (batch, h, m, m), with a cache (batch, h, m, all so far), and
            ``cross_attention`` (batch, h, m, n); None where weights were not needed.
        """
        own, crossed = cache or (None, None)
        y = self.add_and_norm_1.before(x)
        Z, A = self.self_attention(
            y, y, y, causal=True, cache=own, need_weights=need_weights
        )
        x = self.add_and_norm_1.after(x, Z)  # (batch, m, d_model)
        y = self.add_and_norm_2.before(x)
        Z, B = self.cross_attention(
            y, memory, memory, memory_mask, cache=crossed, need_weights=need_weights
        )
        x = self.add_and_norm_2.after(x, Z)
        y = self.add_and_norm_3.before(x)
        x = self.add_and_norm_3.after(x, self.feed_forward(y))
        return x, {"self_attention": A, "cross_attention": B}
