"""The Transformer in NumPy, forward only: what you can follow with a pencil.

Masks are boolean, True where a query may attend. Arrays are batch first.
"""

from ..config import TransformerConfig
from .attention import scaled_dot_product_attention, softmax
from .experts import balancing_loss, mixture_of_experts, route
from .feed_forward import (
    feed_forward,
    gated_feed_forward,
    gelu,
    gelu_tanh,
    relu,
    sigmoid,
    silu,
)
from .flash import flash_attention
from .heads import merge_heads, multi_head_attention, split_heads
from .layers import decoder_layer, encoder_layer
from .masks import causal_mask, padding_mask
from .norm import layer_norm, rms_norm
from .parallel import feed_forward_in_parts, pipeline_timetable, ring_all_reduce
from .positions import positional_encoding
from .relative import alibi_slopes, t5_buckets
from .rotary import (
    linear_frequencies,
    ntk_frequencies,
    rope_frequencies,
    rotate,
    yarn_frequencies,
)
from .shared_heads import grouped_query_attention
from .transformer import decode, embed, encode, load_weights, transformer

__all__ = [
    "TransformerConfig",
    "alibi_slopes",
    "balancing_loss",
    "causal_mask",
    "decode",
    "decoder_layer",
    "embed",
    "encode",
    "encoder_layer",
    "feed_forward",
    "feed_forward_in_parts",
    "flash_attention",
    "gated_feed_forward",
    "gelu",
    "gelu_tanh",
    "grouped_query_attention",
    "layer_norm",
    "linear_frequencies",
    "load_weights",
    "merge_heads",
    "mixture_of_experts",
    "multi_head_attention",
    "ntk_frequencies",
    "padding_mask",
    "pipeline_timetable",
    "positional_encoding",
    "relu",
    "ring_all_reduce",
    "rms_norm",
    "rope_frequencies",
    "rotate",
    "route",
    "scaled_dot_product_attention",
    "sigmoid",
    "silu",
    "softmax",
    "split_heads",
    "t5_buckets",
    "transformer",
    "yarn_frequencies",
]
