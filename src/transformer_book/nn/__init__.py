"""The Transformer in PyTorch: the names of ``by_hand``, with gradients, and fast.

Masks are boolean, True where a query may attend. Arrays are batch first.
"""

from .additive import AdditiveAttention, additive_attention
from .attention import scaled_dot_product_attention, softmax
from .heads import (
    MultiHeadAttention,
    merge_heads,
    multi_head_attention,
    split_heads,
)
from .masks import causal_mask, padding_mask

__all__ = [
    "AdditiveAttention",
    "MultiHeadAttention",
    "additive_attention",
    "causal_mask",
    "merge_heads",
    "multi_head_attention",
    "padding_mask",
    "scaled_dot_product_attention",
    "softmax",
    "split_heads",
]
