"""Some requests of a paged cache as the cache of a model, for one pass."""

from typing import TYPE_CHECKING

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor

from .blocks import PagingError

if TYPE_CHECKING:
    from typing import NoReturn


class PagedView:
    """A batch of requests as the cache of a model, for one pass: ``model(view.ids, cache=view)``.

    Attributes
    ----------
    ids : integer tensor, (batch, m)
        The tokens not yet read, padded on the right to the most that a request has.
    new : integer tensor, (batch,)
        How many those are in each row; what the model returns for padding means nothing.
    next_position : integer tensor, (batch,)
        The position of each row's first.
    layers : list
        A cache for each layer, with the methods of :class:`nn.KeyValueCache`.
    """

    def __init__(self, cache, texts):
        self._cache, self._texts = cache, texts
        self._ends = [len(text.ids) for text in texts]
        if any(text.read == end for text, end in zip(texts, self._ends)):
            raise PagingError(
                "PagedCache.view: a request has no token to read; expected one or more. "
                "Append one to each."
            )
        device = cache.device
        self.next_position = torch.tensor([text.read for text in texts], device=device)
        self.new = torch.tensor(self._ends, device=device) - self.next_position
        self.ids = _pad_rows([text.ids[text.read :] for text in texts], device)
        # A shorter text's table goes on with its first block: in another's may stand a NaN.
        tables = [text.table for text in texts]
        self.tables = _pad_rows(tables, device, repeat_first=True)
        self.longest, self.m = max(self._ends), self.ids.shape[1]
        steps = torch.arange(self.m, device=device)
        self._at: Int[Tensor, "batch m"] = self.next_position[:, None] + steps
        reads = [(text.read, end) for text, end in zip(texts, self._ends)]
        self._level = len(set(reads)) == 1
        self.rows = self._real_row_numbers(steps)
        self.slots = self._new_row_slots()
        self.mask = self._build_mask()
        self.behind = self._gathered_padding_rows()
        self.layers = [_PagedLayerCache(self, pool) for pool in cache.pools]

    def __len__(self):
        return int(self.next_position.max())

    def longest_length_after(self, m: int) -> int:
        """Return the length of the longest text; the padding among the m new columns is none."""
        return self.longest

    def stateful_parts(self) -> list:
        """Return what a pass changes, and one that fails must not: how far each text is read."""
        return self._texts

    def buffers_for_gathered_rows(self, K: Tensor, V: Tensor) -> tuple[Tensor, Tensor]:
        """Return where gathered keys and values go: one place for all layers and all passes."""
        # Fresh memory for each is slow: the system hands it out page by page, filled with zeros.
        cache = self._cache
        if cache.room is None:
            with torch.inference_mode(False):
                cache.room = K.new_empty(0), V.new_empty(0)
        return cache.room

    def mark_read_after_last_layer(self, pool: "LayerPool") -> None:
        """Count the tokens as read, once the last layer has their rows."""
        if pool is self._cache.pools[-1]:
            for text, end in zip(self._texts, self._ends):
                self._cache.mark_read(text, end)

    def _real_row_numbers(
        self, column_numbers: Int[Tensor, "m"]
    ) -> slice | Int[Tensor, "new_rows"]:
        """Return which of the batch * m new rows are no padding."""
        if len(self.new) * self.m == sum(self.new.tolist()):
            return slice(None)
        return (column_numbers < self.new[:, None]).flatten().nonzero().flatten()

    def _new_row_slots(self) -> Int[Tensor, "new_rows"]:
        """Return the slot of the pool for each new row that is no padding."""
        size = self._cache.allocator.block_size
        block = (self._at // size).clamp(
            max=self.tables.shape[1] - 1
        )  # for the padding
        slots = self.tables.gather(1, block) * size + self._at % size
        return slots.flatten()[self.rows]

    def _gathered_padding_rows(self) -> Int[Tensor, "padding_rows"] | None:
        """Return which gathered rows stand behind a text in its last block, where any is read."""
        if self._level:
            return None
        size, wide = self._cache.allocator.block_size, self.tables.shape[1]
        rows = [
            i * wide * size + j
            for i, end in enumerate(self._ends)
            for j in range(end, -(-end // size) * size)
        ]
        return torch.tensor(rows, dtype=torch.long, device=self.tables.device)

    def _build_mask(self) -> Bool[Tensor, "batch m longest"] | None:
        """Hide what follows a row, and other requests' rows; None where neither is there."""
        if self._level and (self.m in (1, self.longest)):
            return None
        j = torch.arange(self.longest, device=self._at.device)
        mask = j <= self._at[..., None]
        return mask[0] if self._level else mask  # as KeyValueCache has it


class _PagedLayerCache:
    """One layer's rows of a batch of requests."""

    def __init__(self, view, pool):
        self._view, self._pool = view, pool

    def __len__(self):
        return len(self._view)

    @property
    def next_position(self) -> Int[Tensor, "batch"]:
        """The position of each text's next row, (batch,)."""
        return self._view.next_position

    def extend(
        self, K: Float[Tensor, "batch g m d_k"], V: Float[Tensor, "batch g m d_v"]
    ) -> tuple[Tensor, Tensor]:
        """Write new rows into their blocks; return all rows, (batch, g, longest, d_k).

        They hold until the next call, of any layer.
        """
        # In a block the heads of a word stand side by side: (batch, m, g * d_k).
        side_by_side = [x.transpose(1, 2).flatten(2) for x in (K, V)]
        view, pools = self._view, self._pool.allocated_tensors(*side_by_side)
        for pool, new in zip(pools, side_by_side):
            write_rows(pool, view.slots, new.flatten(0, 1)[view.rows])
        view.mark_read_after_last_layer(self._pool)
        room = view.buffers_for_gathered_rows(*pools)
        rows_K, rows_V = (
            gather_rows(pool, view.tables, view.longest, out)
            .unflatten(-1, (new.shape[1], new.shape[-1]))
            .transpose(1, 2)
            for pool, out, new in zip(pools, room, (K, V))
        )
        if view.behind is not None:
            # A weight of 0 hides what a text before has left there, but 0 times NaN is NaN.
            for out in room:
                out.flatten(0, 1).index_fill_(0, view.behind, 0.0)
        if torch.is_grad_enabled() and (K.requires_grad or V.requires_grad):
            return _RefuseGradient.apply(rows_K, K), _RefuseGradient.apply(rows_V, V)
        return rows_K, rows_V

    def mask_and_causal(self, m: int) -> tuple[Tensor | None, bool]:
        """As :meth:`nn.KeyValueCache.mask_and_causal`."""
        return self._view.mask, self._view.mask is None and m > 1


class _RefuseGradient(torch.autograd.Function):
    """Rows out of blocks; the gradient of the new ones, which stays behind, is an error."""

    @staticmethod
    def forward(ctx, gathered_rows, rows_refused_gradient) -> Tensor:
        return (
            gathered_rows.clone()
        )  # out of the room, which the next layer writes into

    @staticmethod
    def backward(ctx, grad_output) -> "NoReturn":
        raise PagingError(
            "PagedCache: keys and values that are read from blocks have no gradient; expected "
            "torch.no_grad(). Learn without a cache, or through a KeyValueCache."
        )


class LayerPool:
    """One layer's keys and values of all blocks, (blocks, block_size, width) each."""

    def __init__(self, blocks: int, block_size: int):
        self.shape = (blocks, block_size)
        self.K: Float[Tensor, "blocks block_size width"] | None = None
        self.V: Float[Tensor, "blocks block_size width"] | None = None

    def allocated_tensors(self, K, V) -> tuple[Tensor, Tensor]:
        """Return both tensors, allocated for rows like these if there are none yet.

        Raises
        ------
        PagingError
            If the rows have another width or dtype than these, or are on another device.
        """
        if self.K is None or self.V is None:
            with torch.inference_mode(False):  # so that any mode may write into them
                self.K = K.new_zeros(*self.shape, K.shape[-1])
                self.V = V.new_zeros(*self.shape, V.shape[-1])
        for name, pool, rows in (("keys", self.K, K), ("values", self.V, V)):
            same = pool.dtype == rows.dtype and pool.device == rows.device
            if not same or pool.shape[-1] != rows.shape[-1]:
                raise PagingError(
                    f"PagedCache: {name} are {_describe_rows(rows)}; expected {_describe_rows(pool)}, "
                    "as those that are in it. The model has changed: make a new cache, and add each "
                    "text again."
                )
        return self.K, self.V

    def copy(self, block: int, target_block: int) -> None:
        """Copy a block's rows to another."""
        for rows in (self.K, self.V):
            if rows is not None:
                rows[target_block] = rows[block]


def write_rows(
    pool: Float[Tensor, "blocks block_size width"],
    slots: Int[Tensor, "new_rows"],
    new_rows: Float[Tensor, "new_rows width"],
) -> None:
    """Put new rows into slots of a pool; slot i is row i % block_size of block i // block_size."""
    pool.flatten(0, 1).index_copy_(0, slots, new_rows.detach())


def gather_rows(
    pool: Float[Tensor, "blocks block_size width"],
    block_tables: Int[Tensor, "batch most"],
    longest: int,
    out: Tensor,
) -> Float[Tensor, "batch longest width"]:
    """Return the rows of each table's blocks, one after another; ``out`` holds them."""
    out.resize_(
        block_tables.numel(), *pool.shape[1:]
    )  # (batch * most, block_size, width)
    torch.index_select(pool, 0, block_tables.flatten(), out=out)
    return out.unflatten(0, block_tables.shape).flatten(1, 2)[:, :longest]


def _describe_rows(rows: Tensor) -> str:
    return f"{rows.shape[-1]} numbers of {rows.dtype} on {rows.device}"


def _pad_rows(
    rows: list[list[int]], device, *, repeat_first: bool = False
) -> Int[Tensor, "rows most"]:
    """Return the rows padded to one length, with 0, or each with its first number."""
    most = max(map(len, rows))
    filled = [row + [row[0] if repeat_first else 0] * (most - len(row)) for row in rows]
    return torch.tensor(filled, device=device)
