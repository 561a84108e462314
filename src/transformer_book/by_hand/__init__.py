"""The Transformer in NumPy, forward only: what you can follow with a pencil.

Masks are boolean, True where a query may attend. Arrays are batch first.
"""

from .attention import scaled_dot_product_attention, softmax
from .heads import merge_heads, multi_head_attention, split_heads
from .masks import causal_mask, padding_mask
from .positions import positional_encoding

__all__ = [
    "causal_mask",
    "merge_heads",
    "multi_head_attention",
    "padding_mask",
    "positional_encoding",
    "scaled_dot_product_attention",
    "softmax",
    "split_heads",
]
