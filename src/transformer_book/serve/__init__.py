"""Serving: the memory that many requests share, block by block, and the engine that answers them."""

from .blocks import BlockAllocator, OutOfBlocks, PagingError, block_key
from .engine import Engine
from .paged import PagedCache
from .request import Request
from .scheduler import Scheduler
from .view import PagedView

__all__ = [
    "BlockAllocator",
    "Engine",
    "OutOfBlocks",
    "PagedCache",
    "PagedView",
    "PagingError",
    "Request",
    "Scheduler",
    "block_key",
]
