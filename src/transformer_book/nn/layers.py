"""One layer of the encoder and one of the decoder, section 3.1 of the paper."""

import torch
from jaxtyping import Bool, Float
from torch import Tensor

from ..shapes import checked
from .cache import restores_cache_on_error
from .feed_forward import FeedForward
from .general_attention import GeneralAttention
from .norm import AddAndNorm


class EncoderLayer(torch.nn.Module):
    """A layer of the encoder, ``by_hand.encoder_layer``, with learned weights.

    Parameters
    ----------
    d_model, h, d_ff : int
        Width, number of heads, width inside the feed-forward network.
    dropout : float
        Probability with which an entry of a sub-layer's output is set to 0 while training.
    norm
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
        self.self_attention = GeneralAttention(d_model, h)
        self.add_and_norm_1 = AddAndNorm(d_model, dropout, norm)
        self.feed_forward = FeedForward(d_model, d_ff)
        self.add_and_norm_2 = AddAndNorm(d_model, dropout, norm)

    @checked
    @restores_cache_on_error
    def forward(
        self,
        x: Float[Tensor, "batch n d_model"],
        mask: Bool[Tensor, "#batch #n #n"] | None = None,
        *,
        causal: bool = False,
        cache=None,
        need_weights: bool = False,
    ) -> tuple[Float[Tensor, "batch n d_model"], dict]:
        """As ``by_hand.encoder_layer``, with this module's weights.

        Parameters
        ----------
        causal : bool
            Whether to hide from each position what comes after it: a layer of a language model.
        cache : KeyValueCache, optional
            For a causal layer; it is extended. ``x`` is then only the new positions, and the weights
            are (batch, h, n, all so far).
        need_weights : bool
            Whether to hold the attention weights; None stands for them if not.
        """
        y = self.add_and_norm_1.sub_layer_input(x)
        Z, A = self.self_attention(
            y, mask=mask, causal=causal, cache=cache, need_weights=need_weights
        )
        x = self.add_and_norm_1.add_output(x, Z)  # (batch, n, d_model)
        y = self.add_and_norm_2.sub_layer_input(x)
        x = self.add_and_norm_2.add_output(x, self.feed_forward(y))
        return x, {"self_attention": A}


class DecoderLayer(torch.nn.Module):
    """A layer of the decoder, ``by_hand.decoder_layer``, with learned weights.

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
        self.self_attention = GeneralAttention(d_model, h)
        self.add_and_norm_1 = AddAndNorm(d_model, dropout, norm)
        self.cross_attention = GeneralAttention(d_model, h)
        self.add_and_norm_2 = AddAndNorm(d_model, dropout, norm)
        self.feed_forward = FeedForward(d_model, d_ff)
        self.add_and_norm_3 = AddAndNorm(d_model, dropout, norm)

    @checked
    @restores_cache_on_error
    def forward(
        self,
        x: Float[Tensor, "batch m d_model"],
        memory: Float[Tensor, "batch n d_model"],
        memory_mask: Bool[Tensor, "#batch #m #n"] | None = None,
        *,
        cache: tuple | None = None,
        need_weights: bool = False,
    ) -> tuple[Float[Tensor, "batch m d_model"], dict]:
        """As ``by_hand.decoder_layer``, with this module's weights.

        Parameters
        ----------
        cache : pair of KeyValueCache, optional
            For the self-attention and the cross-attention; they are extended. ``x`` is then only the new
            positions, and the weights of ``self_attention`` are (batch, h, m, all so far).
        need_weights : bool
            Whether to hold the attention weights; None stands for them if not.
        """
        self_cache, cross_cache = cache or (None, None)
        y = self.add_and_norm_1.sub_layer_input(x)
        Z, A = self.self_attention(
            y, causal=True, cache=self_cache, need_weights=need_weights
        )
        x = self.add_and_norm_1.add_output(x, Z)  # (batch, m, d_model)
        y = self.add_and_norm_2.sub_layer_input(x)
        Z, B = self.cross_attention(
            y, memory, memory_mask, cache=cross_cache, need_weights=need_weights
        )
        x = self.add_and_norm_2.add_output(x, Z)
        y = self.add_and_norm_3.sub_layer_input(x)
        x = self.add_and_norm_3.add_output(x, self.feed_forward(y))
        return x, {"self_attention": A, "cross_attention": B}
