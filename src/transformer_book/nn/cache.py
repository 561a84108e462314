"""What a decoder keeps from step to step, so that no key or value is computed twice."""

import functools
from contextlib import contextmanager
from typing import TYPE_CHECKING, NoReturn

import torch
from jaxtyping import Bool, Float
from torch import Tensor

from ..expect import expect_integer
from ..nesting import InsideCallFlag
from ..shapes import ShapeError
from .masks import causal_mask

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence


@contextmanager
def unchanged_on_error(cache_or_caches) -> "Iterator[None]":
    """Leave a cache as it was where what is done with it fails, or is interrupted.

    Otherwise some layers would have rows that others lack, and the next token be a wrong one.
    """
    parts = _stateful_parts(cache_or_caches)
    before = [dict(vars(part)) for part in parts]
    try:
        yield
    except BaseException:  # Ctrl+C is no Exception
        for part, attributes in zip(parts, before):
            part.__dict__ = attributes
        raise


def _stateful_parts(cache_or_caches) -> "Sequence":
    """Return what has rows: the caches of a model, the two of a decoder's layer, the one of another."""
    cache = cache_or_caches
    if cache is None or isinstance(cache, tuple):
        return cache or ()
    return cache.stateful_parts() if hasattr(cache, "stateful_parts") else [cache]


_forward_nesting = InsideCallFlag()  # of a model, which calls those of its layers


def restores_cache_on_error(forward):
    """Let ``forward(..., cache=cache)`` extend its cache completely, or where it fails not at all."""

    @functools.wraps(forward)
    def forward_or_restore(*args, cache=None, **options):
        if cache is None or _forward_nesting.inside:
            return forward(*args, cache=cache, **options)
        _forward_nesting.inside = True
        try:
            with unchanged_on_error(cache):
                return forward(*args, cache=cache, **options)
        finally:
            _forward_nesting.inside = False

    return forward_or_restore


class KeyValueCache:
    """Keys and values of one attention, (batch, heads, n, d_k) each."""

    def __init__(self):
        self.K: Float[Tensor, "batch g n d_k"] | None = None
        self.V: Float[Tensor, "batch g n d_k"] | None = None

    def __len__(self):
        return 0 if self.K is None else self.K.shape[-2]

    @property
    def next_position(self) -> int:
        """The position of the next row."""
        return len(self)

    @property
    def nbytes(self) -> int:
        """Bytes that the keys and values take in memory."""
        return sum(x.nbytes for x in (self.K, self.V) if x is not None)

    def extend(self, K, V) -> tuple[Tensor, Tensor]:
        """Put new rows after the cached ones, and return all of them."""
        if self.K is not None and self.V is not None:
            K, V = torch.cat([self.K, K], dim=-2), torch.cat([self.V, V], dim=-2)
        self.K, self.V = K, V
        return K, V

    def mask_and_causal(self, m: int) -> tuple[Bool[Tensor, "m n"] | None, bool]:
        """Return what the m newest rows may attend to: all before them and themselves.

        Returns
        -------
        mask : boolean tensor, (m, n) or (batch, m, n) with n rows in all, or None
        causal : bool
            Whether each row sees itself and those before it, which needs no mask.
        """
        if self.K is None or m in (1, len(self)):
            return None, m > 1
        return causal_mask(len(self), device=self.K.device)[-m:], False

    def select(self, batch_rows: Tensor) -> None:
        """Keep only these sentences of the batch, in this order; a row may be taken twice."""
        if self.K is not None and self.V is not None:
            self.K, self.V = self.K[batch_rows], self.V[batch_rows]

    def crop(self, n: int) -> None:
        """Keep only the first n rows: what came after them is taken back."""
        if self.K is not None and self.V is not None:
            self.K, self.V = self.K[..., :n, :], self.V[..., :n, :]


class PreallocatedCache(KeyValueCache):
    """A cache that takes all its room at the first rows, and writes the later ones in place.

    Parameters
    ----------
    longest : int
        Rows that it has room for.

    Raises
    ------
    ShapeError
        If ``longest`` is not a positive integer; when extended, if the rows do not fit.
    """

    def __init__(self, longest: int):
        who, remedy = "PreallocatedCache", "Give the length of prompt and continuation."
        expect_integer(ShapeError, who, "longest", longest, "a length", remedy=remedy)
        super().__init__()
        self.longest = longest
        self.buffers: list[Float[Tensor, "batch g longest d_k"]] = []

    @property
    def nbytes(self) -> int:
        """Bytes taken in memory, used or not."""
        return sum(buffer.nbytes for buffer in self.buffers)

    def extend(self, K, V) -> tuple[Tensor, Tensor]:
        """Write new rows behind those already there, and return all of them, uncopied."""
        n, m = len(self), K.shape[-2]
        if n + m > self.longest:
            raise ShapeError(
                f"PreallocatedCache: {m} rows behind {n}; expected at most {self.longest} in all. "
                "Cut the text, or make the cache with a larger longest."
            )
        if not self.buffers:
            self.buffers = [
                x.new_empty(*x.shape[:-2], self.longest, x.shape[-1]) for x in (K, V)
            ]
        for buffer, rows in zip(self.buffers, (K, V)):
            buffer[..., n : n + m, :] = rows
        self.K, self.V = (buffer[..., : n + m, :] for buffer in self.buffers)
        return self.K, self.V

    def select(self, batch_rows: Tensor) -> None:
        """As of a :class:`KeyValueCache`; the buffers are allocated anew, for this batch."""
        n = len(self)
        self.buffers = [buffer[batch_rows] for buffer in self.buffers]
        if self.buffers:
            self.K, self.V = (buffer[..., :n, :] for buffer in self.buffers)


class SlidingWindowCache(KeyValueCache):
    """A cache for a layer whose tokens see ``window`` tokens, themselves and those just before.

    It keeps one row less than that, however long the text is. Beltagy et al. (2020).

    Parameters
    ----------
    window : int

    Raises
    ------
    ShapeError
        If ``window`` is not a positive integer.
    """

    def __init__(self, window: int):
        who, remedy = "SlidingWindowCache", "Give the window of the layer."
        expect_integer(ShapeError, who, "window", window, "a length", remedy=remedy)
        super().__init__()
        self.window, self.rows_seen = window, 0

    def __len__(self):
        return self.rows_seen

    def extend(self, K, V) -> tuple[Tensor, Tensor]:
        """Return the cached rows and the new ones, and keep those that the next token will see."""
        m = K.shape[-2]
        K, V = super().extend(K, V)
        self.rows_seen += m
        first = max(0, K.shape[-2] - (self.window - 1))
        # Copies, as a view would hold the rows that are let go.
        self.K, self.V = K[..., first:, :].clone(), V[..., first:, :].clone()
        return K, V

    def mask_and_causal(self, m: int) -> tuple[Bool[Tensor, "m n"] | None, bool]:
        """As of a :class:`KeyValueCache`: of the rows that ``extend`` returned, the last ``window``."""
        if m == 1:
            return None, False
        n = min(self.rows_seen - m, self.window - 1) + m
        past = causal_mask(n, device=None if self.K is None else self.K.device)
        return (past & ~past.tril(-self.window))[-m:], False

    def crop(self, n: int) -> NoReturn:
        """Raise ShapeError: rows that the window has left behind cannot be put back."""
        raise ShapeError(
            "SlidingWindowCache: rows were to be taken back, and those before them are gone; "
            "expected a cache that keeps all. Use KeyValueCache or PreallocatedCache."
        )


class DecoderCache:
    """A cache for the self-attention and one for the cross-attention of each of N layers.

    Its length is the number of target tokens that have gone through the decoder.

    Parameters
    ----------
    N : int
        Layers of the decoder.
    """

    def __init__(self, N: int):
        self.layers = [(KeyValueCache(), KeyValueCache()) for _ in range(N)]

    def __len__(self):
        return len(self.layers[0][0])

    def stateful_parts(self) -> list[KeyValueCache]:
        """Return the caches of all layers."""
        return [cache for caches in self.layers for cache in caches]

    def select(self, batch_rows: Tensor) -> None:
        """Keep only these sentences of the batch, in this order, as a beam search needs."""
        with unchanged_on_error(self):
            for cache in self.stateful_parts():
                cache.select(batch_rows)


class LanguageModelCache:
    """A cache for the self-attention of each of N layers.

    Its length is the number of tokens that have gone through the model. It serves that model alone, for as
    long as its weights are the same. A pass that fails, or is interrupted, leaves it as it was.

    Parameters
    ----------
    N : int
        Layers of the model.
    make : callable
        Makes the cache of a layer, such as ``lambda: PreallocatedCache(256)``: any object with the
        methods of :class:`KeyValueCache`.
    """

    def __init__(self, N: int, make=KeyValueCache):
        self.layers = [make() for _ in range(N)]

    def __len__(self):
        return len(self.layers[0])

    @property
    def nbytes(self) -> int:
        """Bytes that the caches of all layers take in memory."""
        return sum(cache.nbytes for cache in self.layers)

    @property
    def next_position(self) -> int:
        """The position of the next token; (batch,) of them where texts differ in it."""
        return len(self)

    def longest_length_after(self, m: int) -> int:
        """Return the length of the longest text with m new columns, which end in no padding."""
        return self.next_position + m

    def stateful_parts(self) -> list:
        """Return the caches of all layers."""
        return self.layers

    def select(self, batch_rows: Tensor) -> None:
        """Keep only these texts of the batch, in this order; a row may be taken twice."""
        with unchanged_on_error(self):
            for cache in self.layers:
                cache.select(batch_rows)

    def crop(self, n: int) -> None:
        """Keep only the first n tokens, as if the others had not gone through."""
        with unchanged_on_error(self):
            for cache in self.layers:
                cache.crop(n)
