"""Serving: the memory that many requests share, block by block."""

from .blocks import BlockAllocator, OutOfBlocks, PagingError, block_key
from .paged import PagedCache
from .view import PagedView

__all__ = [
    "BlockAllocator",
    "OutOfBlocks",
    "PagedCache",
    "PagedView",
    "PagingError",
    "block_key",
]
