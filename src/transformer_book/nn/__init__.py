"""The Transformer in PyTorch: the names of ``by_hand``, with gradients, and fast.

Masks are boolean, True where a query may attend. Arrays are batch first.
"""

from ..config import TransformerConfig
from .additive import AdditiveAttention, additive_attention
from .attention import scaled_dot_product_attention, softmax
from .cache import (
    DecoderCache,
    KeyValueCache,
    LanguageModelCache,
    PreallocatedCache,
    SlidingWindowCache,
)
from .feed_forward import FeedForward, feed_forward
from .flash import flash_attention
from .heads import (
    MultiHeadAttention,
    merge_heads,
    multi_head_attention,
    split_heads,
)
from .language_model import LanguageModel
from .latent_attention import LatentAttention
from .layers import DecoderLayer, EncoderLayer
from .lora import LoRA, adapt, merge
from .masks import causal_mask, padding_mask
from .norm import AddAndNorm, LayerNorm, layer_norm
from .positions import positional_encoding
from .shared_heads import (
    GroupedQueryAttention,
    grouped_query_attention,
    mean_pooled,
    with_shared_heads,
)
from .transformer import Transformer
from .weights import load_language_model, load_weights, save_weights, set_weights

__all__ = [
    "AddAndNorm",
    "AdditiveAttention",
    "DecoderCache",
    "DecoderLayer",
    "EncoderLayer",
    "FeedForward",
    "GroupedQueryAttention",
    "KeyValueCache",
    "LanguageModel",
    "LanguageModelCache",
    "LatentAttention",
    "LayerNorm",
    "LoRA",
    "MultiHeadAttention",
    "PreallocatedCache",
    "SlidingWindowCache",
    "Transformer",
    "TransformerConfig",
    "adapt",
    "additive_attention",
    "causal_mask",
    "feed_forward",
    "flash_attention",
    "grouped_query_attention",
    "layer_norm",
    "load_language_model",
    "load_weights",
    "mean_pooled",
    "merge",
    "merge_heads",
    "multi_head_attention",
    "padding_mask",
    "positional_encoding",
    "save_weights",
    "scaled_dot_product_attention",
    "set_weights",
    "softmax",
    "split_heads",
    "with_shared_heads",
]
