"""The Transformer in NumPy, forward only: what you can follow with a pencil.

Masks are boolean, True where a query may attend. Arrays are batch first.
"""

from ..config import TransformerConfig
from .attention import scaled_dot_product_attention, softmax
from .feed_forward import feed_forward, relu
from .flash import flash_attention
from .heads import merge_heads, multi_head_attention, split_heads
from .layers import decoder_layer, encoder_layer
from .masks import causal_mask, padding_mask
from .norm import layer_norm
from .parallel import feed_forward_in_parts, pipeline_timetable, ring_all_reduce
from .positions import positional_encoding
from .shared_heads import grouped_query_attention
from .transformer import decode, embed, encode, load_weights, transformer

__all__ = [
    "TransformerConfig",
    "causal_mask",
    "decode",
    "decoder_layer",
    "embed",
    "encode",
    "encoder_layer",
    "feed_forward",
    "feed_forward_in_parts",
    "flash_attention",
    "grouped_query_attention",
    "layer_norm",
    "load_weights",
    "merge_heads",
    "multi_head_attention",
    "padding_mask",
    "pipeline_timetable",
    "positional_encoding",
    "relu",
    "ring_all_reduce",
    "scaled_dot_product_attention",
    "softmax",
    "split_heads",
    "transformer",
]
