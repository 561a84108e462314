"""Keys and values of many texts in one pool of blocks: PagedAttention's memory.

Kwon et al. (2023). Their kernel reads the blocks where they lie; here they are gathered first.
"""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor

from .blocks import BlockAllocator, OutOfBlocks, PagingError, block_key


@dataclass
class _Text:
    """A request's tokens, the blocks for their rows, and how many have gone through the model."""

    ids: list[int]
    table: list[int]
    read: int = 0
    keys: list[bytes] = field(default_factory=list)  # of the full blocks that are read


class PagedCache:
    """Keys and values of many requests, in blocks that are taken when they are needed.

    Parameters
    ----------
    N : int
        The number of the model's layers. All layers use the same tables; each has its own pools,
        made at its first rows.
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
        self.pools = [_Pool(blocks, block_size) for _ in range(N)]
        self.share_prefixes, self.device = share_prefixes, torch.device(device)
        self._texts: dict[Hashable, _Text] = {}

    def __contains__(self, request: Hashable) -> bool:
        return request in self._texts

    def __len__(self) -> int:
        return len(self._texts)

    def table(self, request: Hashable) -> list[int]:
        """Return the numbers of a request's blocks, in the order of its tokens."""
        return list(self._text("table", request).table)

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
        ids, size = [int(i) for i in ids], self.allocator.block_size
        if request in self._texts or not ids:
            wrong = "no tokens" if not ids else "a request of this name"
            raise PagingError(
                f"PagedCache.add: request {request!r} has {wrong}"
                f"{' already' if ids else ''}; expected a new name, and a token or more."
            )
        text = self._shared(ids)
        try:
            text.table += self.allocator.allocate(
                -(-len(ids) // size) - len(text.table)
            )
        except OutOfBlocks:
            self._free(text)
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
        if len(text.ids) % self.allocator.block_size == 0:
            text.table += self.allocator.allocate()
        elif self.allocator.counts[text.table[-1]] > 1:  # copy on write
            (own,) = self.allocator.allocate()
            for pool in self.pools:
                pool.copy(text.table[-1], own)
            self.allocator.free(text.table[-1])
            text.table[-1] = own
        text.ids.append(int(token))

    def fork(self, request: Hashable, new: Hashable) -> None:
        """Let a new request continue a text from here; until they differ they share all blocks."""
        text = self._text("fork", request)
        if new in self._texts or text.read < len(text.ids):
            wrong = f"there is a request {new!r} already"
            if new not in self._texts:
                wrong = f"the model has read {text.read} of its {len(text.ids)} tokens"
            raise PagingError(
                f"PagedCache.fork: request {request!r}: {wrong}; expected a new name, and a "
                "text whose tokens have all gone through the model."
            )
        for block in text.table:
            self.allocator.share(block)
        self._texts[new] = _Text(
            list(text.ids), list(text.table), text.read, list(text.keys)
        )

    def free(self, request: Hashable) -> None:
        """Give back a request's blocks; what others hold too stays theirs."""
        self._free(self._text("free", request))
        del self._texts[request]

    def view(self, requests: Sequence[Hashable]) -> "PagedView":
        """Return these requests as a model's cache, for one pass over the tokens not yet read."""
        if not requests or len(set(requests)) < len(requests):
            raise PagingError(
                f"PagedCache.view: requests {list(requests)!r}; expected one or more, each once."
            )
        return PagedView(self, [self._text("view", r) for r in requests])

    def _text(self, function, request):
        if request not in self._texts:
            there = ", ".join(repr(r) for r in list(self._texts)[:8]) or "none"
            raise PagingError(
                f"PagedCache.{function}: no request {request!r}; there are: {there}. "
                "Add it first; once it is freed it is gone."
            )
        return self._texts[request]

    def _shared(self, ids):
        """Return a text of these ids with the blocks that hold its beginning already."""
        text, size = _Text(ids, []), self.allocator.block_size
        while self.share_prefixes and text.read + size < len(ids):
            before = text.keys[-1] if text.keys else b""
            key = block_key(before, ids[text.read : text.read + size])
            block = self.allocator.find(key)
            if block is None:
                break
            text.table.append(block)
            text.keys.append(key)
            text.read += size
        return text

    def _free(self, text):
        for block in reversed(
            text.table
        ):  # the beginning, likelier to be shared, lives longest
            self.allocator.free(block)

    def _mark_read(self, text, read):
        text.read, size = read, self.allocator.block_size
        while self.share_prefixes and (len(text.keys) + 1) * size <= read:
            i, before = len(text.keys), text.keys[-1] if text.keys else b""
            text.keys.append(block_key(before, text.ids[i * size : (i + 1) * size]))
            self.allocator.publish(text.table[i], text.keys[-1])


class PagedView:
    """A batch of requests as the cache of a model, for one pass: ``model(view.ids, cache=view)``.

    Attributes
    ----------
    ids : integer tensor, (batch, m)
        The tokens not yet read, padded on the right to the most that a request has.
    new : integer tensor, (batch,)
        How many those are in each row; what the model returns for padding means nothing.
    start : integer tensor, (batch,)
        The position of each row's first.
    layers : list
        A cache for each layer, with the methods of :class:`nn.KeyValueCache`.
    """

    def __init__(self, cache: PagedCache, texts: list[_Text]):
        self._cache, self._texts = cache, texts
        starts = [text.read for text in texts]
        self._ends = [len(text.ids) for text in texts]
        news = [end - start for start, end in zip(starts, self._ends)]
        if min(news) < 1:
            raise PagingError(
                "PagedCache.view: a request has no token to read; append one to each."
            )
        self.longest, self.m = max(self._ends), max(news)
        self.level = len(set(starts)) == 1 and len(set(news)) == 1
        device = cache.device
        self.start: Int[Tensor, "batch"] = torch.tensor(starts, device=device)
        self.new: Int[Tensor, "batch"] = torch.tensor(news, device=device)
        left = [text.ids[text.read :] for text in texts]
        self.ids: Int[Tensor, "batch m"] = _padded(left, device)
        tables = [text.table for text in texts]
        self.tables: Int[Tensor, "batch most"] = _padded(tables, device)
        self.slots, self.rows = self._destinations()
        self.mask = self._mask()
        self.layers = [_PagedLayer(self, pool) for pool in cache.pools]

    def __len__(self):
        return int(self.start.max())

    def _destinations(self):
        """Return the pool's slot for each new row, and which rows of K and V are not padding."""
        size, steps = (
            self._cache.allocator.block_size,
            torch.arange(self.m, device=self.start.device),
        )
        at = self.start[:, None] + steps  # (batch, m)
        if self.level:
            return (
                self.tables.gather(1, at // size) * size + at % size
            ).flatten(), None
        rows = (steps < self.new[:, None]).flatten().nonzero().flatten()
        at = torch.minimum(at, self.start[:, None] + self.new[:, None] - 1)
        slots = (self.tables.gather(1, at // size) * size + at % size).flatten()
        return slots[rows], rows

    def _mask(self) -> Bool[Tensor, "batch m longest"] | None:
        """Hide what follows a row, and blocks' unused ends; None where nothing is to be hidden."""
        if self.level and (self.m == 1 or not self.start[0]):
            return None
        at = self.start[:, None] + torch.arange(
            self.m, device=self.start.device
        )  # (batch, m)
        mask = torch.arange(self.longest, device=at.device) <= at[..., None]
        return mask[0] if self.level else mask

    def _ended(self, pool):
        if pool is self._cache.pools[-1]:  # the pass is over
            for text, end in zip(self._texts, self._ends):
                self._cache._mark_read(text, end)


class _PagedLayer:
    """One layer's rows of a batch of requests."""

    def __init__(self, view, pool):
        self._view, self._pool = view, pool

    def __len__(self):
        return len(self._view)

    def extend(
        self, K: Float[Tensor, "batch m width"], V: Float[Tensor, "batch m width"]
    ) -> tuple[Tensor, Tensor]:
        """Write new rows into their blocks; return all rows, (batch, longest, width)."""
        view = self._view
        both = self._pool.write(K, V, view.slots, view.rows)
        view._ended(self._pool)
        return both.read(view.tables, view.longest)

    def visible(self, m: int):
        """As :meth:`nn.KeyValueCache.visible`."""
        return self._view.mask, self._view.mask is None and m > 1


class _Pool:
    """One layer's keys and values of all blocks, (blocks, block_size, width) each."""

    def __init__(self, blocks, block_size):
        self.shape = (blocks, block_size)
        self.K: Float[Tensor, "blocks block_size width"] | None = None
        self.V: Float[Tensor, "blocks block_size width"] | None = None

    def write(self, K, V, slots, rows):
        if self.K is None or self.V is None:
            with torch.inference_mode(False):  # so that any mode may write into them
                self.K = K.new_zeros(*self.shape, K.shape[-1])
                self.V = V.new_zeros(*self.shape, V.shape[-1])
        for pool, new in ((self.K, K), (self.V, V)):
            new = new.detach().flatten(0, 1)  # (batch * m, width)
            new = new if rows is None else new[rows]
            pool.flatten(0, 1).index_copy_(0, slots, new)
        return self

    def read(self, tables, longest):
        batch = len(tables)
        blocks = tables.flatten()
        return tuple(
            pool.index_select(0, blocks).view(batch, -1, pool.shape[-1])[:, :longest]
            for pool in (self.K, self.V)
        )

    def copy(self, block, to):
        for pool in (self.K, self.V):
            if pool is not None:
                pool[to] = pool[block]


def _padded(rows: list[list[int]], device) -> Int[Tensor, "rows most"]:
    most = max(map(len, rows))
    return torch.tensor([row + [0] * (most - len(row)) for row in rows], device=device)
