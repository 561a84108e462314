"""The Transformer in NumPy, forward only: what you can follow with a pencil.

Masks are boolean, True where a query may attend. Arrays are batch first.
"""

from ..config import TransformerConfig
from .attention import scaled_dot_product_attention, softmax
from .experts import balancing_loss, mixture_of_experts, route
from .feed_forward import feed_forward, relu
from .flash import flash_attention
from .heads import merge_heads, multi_head_attention, split_heads
from .layers import decoder_layer, encoder_layer
from .masks import causal_mask, padding_mask
from .norm import layer_norm
from .positions import positional_encoding
from .shared_heads import grouped_query_attention
from .transformer import decode, embed, encode, load_weights, transformer

__all__ = [
    "TransformerConfig",
    "balancing_loss",
    "causal_mask",
    "decode",
    "decoder_layer",
    "embed",
    "encode",
    "encoder_layer",
    "feed_forward",
    "flash_attention",
    "grouped_query_attention",
    "layer_norm",
    "load_weights",
    "merge_heads",
    "mixture_of_experts",
    "multi_head_attention",
    "padding_mask",
    "positional_encoding",
    "relu",
    "route",
    "scaled_dot_product_attention",
    "softmax",
    "split_heads",
    "transformer",
]
