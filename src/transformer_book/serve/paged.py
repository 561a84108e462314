"""Keys and values of many texts in one pool of blocks: PagedAttention's memory.

Kwon et al. (2023). Their kernel reads the blocks where they lie; here they are gathered first.
"""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field

import torch

from ..expect import refusal
from ..ids import ids_or_none
from .blocks import BlockAllocator, OutOfBlocks, PagingError, block_key
from .view import LayerPool, PagedView


def _refusal(method_name: str, actual: str, expected: str, remedy: str) -> Exception:
    return refusal(PagingError, f"PagedCache.{method_name}", actual, expected, remedy)


def _checked_ids(method_name: str, request: Hashable, ids: Sequence[int]) -> list[int]:
    listed = ids_or_none(ids)
    if listed is None:
        raise _refusal(
            method_name,
            f"request {request!r} with the tokens {repr(ids)[:60]}",
            "ids, whole numbers",
            "Use those of the model's vocabulary.",
        )
    return listed


@dataclass
class _TextInBlocks:
    """A request's tokens, the blocks for their rows, and how many have gone through the model."""

    ids: list[int]
    table: list[int]
    read: int = 0
    keys: list[bytes] = field(default_factory=list)  # of the full blocks that are read


class PagedCache:
    """Keys and values of many requests, in blocks that are taken when they are needed.

    They are of the weights that a model had when it read the texts: when these have changed, make
    another cache, as :class:`Engine` does.

    Parameters
    ----------
    N : int
        The number of the model's layers. All layers use the same tables; each has separate pools,
        allocated at its first rows.
    blocks, block_size : int
        How many blocks there are, and how many tokens fit into one.
    share_prefixes : bool
        Whether a request takes over full blocks that hold the beginning of its text.
    device : torch.device
        Where the model is.
    """

    def __init__(
        self,
        N: int,
        blocks: int,
        block_size: int,
        *,
        share_prefixes: bool = True,
        device: torch.device | str = "cpu",
    ):
        self.allocator = BlockAllocator(blocks, block_size)
        sizes = self.allocator.blocks, self.allocator.block_size
        self.pools = [LayerPool(*sizes) for _ in range(N)]
        self.share_prefixes, self.device = share_prefixes, torch.device(device)
        self.room: tuple[torch.Tensor, torch.Tensor] | None = None  # for gathered rows
        self._texts: dict[Hashable, _TextInBlocks] = {}

    def __contains__(self, request: Hashable) -> bool:
        return request in self._texts

    def __len__(self) -> int:
        return len(self._texts)

    def table(self, request: Hashable) -> list[int]:
        """Return the numbers of a request's blocks, in the order of its tokens."""
        return list(self._text("table", request).table)

    def ids(self, request: Hashable) -> list[int]:
        """Return a request's tokens, read or not."""
        return list(self._text("ids", request).ids)

    def length(self, request: Hashable) -> int:
        """Return how many tokens of a request there is room for, read or not."""
        return len(self._text("length", request).ids)

    def add(self, request: Hashable, ids: Sequence[int]) -> int:
        """Take blocks for a new request; return how many of its tokens need not be read again.

        Parameters
        ----------
        request : hashable
            What the request is called; no other may be called so.
        ids : sequence of int
            Its tokens, one or more. The last is always read: its logits are what is wanted.

        Raises
        ------
        OutOfBlocks
            If too few blocks are free; then nothing has changed.
        """
        self._check_new("add", request)
        ids = _checked_ids("add", request, ids)
        if not ids:
            raise _refusal(
                "add",
                f"request {request!r} has no tokens",
                "one or more",
                "Give it a first token.",
            )
        text = self._text_with_shared_prefix(ids)
        blocks = -(-len(ids) // self.allocator.block_size)  # rounded up
        try:
            text.table += self.allocator.allocate(blocks - len(text.table))
        except OutOfBlocks:
            self._free_blocks(text)
            raise
        self._texts[request] = text
        return text.read

    def append(self, request: Hashable, token: int) -> None:
        """Make room for one more token; a last block that others hold too is copied first.

        Raises
        ------
        OutOfBlocks
            If a block is needed and none is free; then nothing has changed.
        """
        text = self._text("append", request)
        (token,) = _checked_ids("append", request, [token])
        if len(text.ids) % self.allocator.block_size == 0:
            text.table += self.allocator.allocate()
        elif self.allocator.counts[text.table[-1]] > 1:  # copy on write
            (copy,) = self.allocator.allocate()
            for pool in self.pools:
                pool.copy(text.table[-1], copy)
            self.allocator.free(text.table[-1])
            text.table[-1] = copy
        text.ids.append(token)

    def fork(self, request: Hashable, new_request: Hashable) -> None:
        """Let a new request continue a text from here; until they differ they share all blocks."""
        text = self._text("fork", request)
        self._check_new("fork", new_request)
        if text.read < len(text.ids):
            raise _refusal(
                "fork",
                f"the model has read {text.read} of the {len(text.ids)} tokens of request "
                f"{request!r}",
                "all",
                "Fork it after the pass.",
            )
        for block in text.table:
            self.allocator.share(block)
        self._texts[new_request] = _TextInBlocks(
            list(text.ids), list(text.table), text.read, list(text.keys)
        )

    def free(self, request: Hashable) -> None:
        """Give back a request's blocks; what others hold too stays theirs."""
        self._free_blocks(self._text("free", request))
        del self._texts[request]

    def view(self, requests: Sequence[Hashable]) -> PagedView:
        """Return these requests as a model's cache, for one pass over the tokens not yet read."""
        if not requests or len(set(requests)) < len(requests):
            raise _refusal(
                "view",
                f"requests {list(requests)!r}",
                "one or more, each once",
                "Name each that is to be read.",
            )
        return PagedView(self, [self._text("view", r) for r in requests])

    def _text(self, method_name: str, request: Hashable) -> _TextInBlocks:
        if request not in self._texts:
            known = ", ".join(repr(r) for r in list(self._texts)[:8]) or "none"
            raise _refusal(
                method_name,
                f"no request {request!r}",
                f"one of those there are: {known}",
                "Add it first; freed, it is gone.",
            )
        return self._texts[request]

    def _check_new(self, method_name: str, request: Hashable) -> None:
        if request in self._texts:
            raise _refusal(
                method_name,
                f"there is a request {request!r} already",
                "a name that none has",
                "Free it first.",
            )

    def _text_with_shared_prefix(self, ids: list[int]) -> _TextInBlocks:
        """Return a text of these ids with the blocks that hold its beginning already."""
        text, size = _TextInBlocks(ids, []), self.allocator.block_size
        while self.share_prefixes and text.read + size < len(ids):
            before = text.keys[-1] if text.keys else b""
            key = block_key(before, ids[text.read : text.read + size])
            block = self.allocator.find_and_hold(key)
            if block is None:
                break
            text.table.append(block)
            text.keys.append(key)
            text.read += size
        return text

    def _free_blocks(self, text: _TextInBlocks) -> None:
        for block in reversed(
            text.table
        ):  # beginnings, which others may want, come last
            self.allocator.free(block)

    def mark_read(self, text: _TextInBlocks, read_count: int) -> None:
        """Count the first tokens of a text as read, and publish its full blocks."""
        text.read, size = read_count, self.allocator.block_size
        while self.share_prefixes and (len(text.keys) + 1) * size <= read_count:
            i, before = len(text.keys), text.keys[-1] if text.keys else b""
            text.keys.append(block_key(before, text.ids[i * size : (i + 1) * size]))
            self.allocator.publish(text.table[i], text.keys[-1])
