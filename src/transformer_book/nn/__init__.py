"""The Transformer in PyTorch: the names of ``by_hand``, with gradients, and fast.

Masks are boolean, True where a query may attend. Arrays are batch first.
"""

from ..config import Rotation, TransformerConfig
from .additive import AdditiveAttention, additive_attention
from .attention import scaled_dot_product_attention, softmax
from .cache import (
    DecoderCache,
    KeyValueCache,
    LanguageModelCache,
    PreallocatedCache,
    SlidingWindowCache,
)
from .encoder import Encoder
from .experts import (
    MixtureOfExperts,
    balancing_loss,
    mixture_of_experts,
    record_routes,
    route,
)
from .feed_forward import (
    FeedForward,
    GatedFeedForward,
    feed_forward,
    gated_feed_forward,
)
from .flash import flash_attention
from .general_attention import GeneralAttention
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
from .mean_pooling import mean_pool, with_shared_heads
from .models import model_from_config
from .norm import AddAndNorm, LayerNorm, RMSNorm, layer_norm, rms_norm
from .positions import positional_encoding
from .relative import (
    BucketBiases,
    LinearBiases,
    RelativeKeys,
    RelativePositions,
    RotaryPositions,
    alibi_slopes,
    t5_buckets,
)
from .rotary import (
    linear_frequencies,
    ntk_frequencies,
    rope_frequencies,
    rotate,
    yarn_frequencies,
)
from .shared_heads import grouped_query_attention
from .transformer import Transformer
from .weights import (
    load_language_model,
    load_weights,
    quantise,
    save_weights,
    set_weights,
)

__all__ = [
    "AddAndNorm",
    "AdditiveAttention",
    "BucketBiases",
    "DecoderCache",
    "DecoderLayer",
    "Encoder",
    "EncoderLayer",
    "FeedForward",
    "GatedFeedForward",
    "GeneralAttention",
    "KeyValueCache",
    "LanguageModel",
    "LanguageModelCache",
    "LatentAttention",
    "LayerNorm",
    "LinearBiases",
    "LoRA",
    "MixtureOfExperts",
    "MultiHeadAttention",
    "PreallocatedCache",
    "RMSNorm",
    "RelativeKeys",
    "RelativePositions",
    "RotaryPositions",
    "Rotation",
    "SlidingWindowCache",
    "Transformer",
    "TransformerConfig",
    "adapt",
    "additive_attention",
    "alibi_slopes",
    "balancing_loss",
    "causal_mask",
    "feed_forward",
    "flash_attention",
    "gated_feed_forward",
    "grouped_query_attention",
    "layer_norm",
    "linear_frequencies",
    "load_language_model",
    "load_weights",
    "mean_pool",
    "merge",
    "merge_heads",
    "mixture_of_experts",
    "model_from_config",
    "multi_head_attention",
    "ntk_frequencies",
    "padding_mask",
    "positional_encoding",
    "quantise",
    "record_routes",
    "rms_norm",
    "rope_frequencies",
    "rotate",
    "route",
    "save_weights",
    "scaled_dot_product_attention",
    "set_weights",
    "softmax",
    "split_heads",
    "t5_buckets",
    "with_shared_heads",
    "yarn_frequencies",
]
