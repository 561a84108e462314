"""Blocks of memory for keys and values: who holds which, and which are free."""

import hashlib
from collections.abc import Sequence
from itertools import islice

from ..expect import expect_integer, refusal


class PagingError(ValueError):
    """A block or a request that is not there, or a count that no pool can have."""


class OutOfBlocks(PagingError):
    """Not enough free blocks; nothing has been taken. Free a request, or wait for one to end."""


class BlockAllocator:
    """Hands out the numbers of equal blocks, and counts for each how many requests hold it.

    A full block may be published under the key of all tokens up to its end. That key finds it
    for as long as its rows are there: also when nobody holds it any more, until it is handed
    out again. The block that has been free for longest is handed out first.

    Parameters
    ----------
    blocks : int
        How many there are.
    block_size : int
        How many tokens' keys and values fit into one.
    """

    def __init__(self, blocks: int, block_size: int):
        for name, value in (("blocks", blocks), ("block_size", block_size)):
            remedy = "An allocator has one block of one token, or more."
            expect_integer(PagingError, "BlockAllocator", name, value, remedy=remedy)
        self.blocks, self.block_size = int(blocks), int(block_size)
        self.counts = [0] * blocks
        # An ordered set: the block that has been free for longest is the first.
        self._free_blocks = dict.fromkeys(range(blocks))
        self._block_of: dict[bytes, int] = {}
        self._key_of: dict[int, bytes] = {}

    @property
    def free_count(self) -> int:
        """How many blocks are free."""
        return len(self._free_blocks)

    @property
    def used_count(self) -> int:
        """How many blocks somebody holds."""
        return self.blocks - len(self._free_blocks)

    @property
    def shared_count(self) -> int:
        """How many blocks more than one request holds."""
        return sum(count > 1 for count in self.counts)

    def allocate(self, count: int = 1) -> list[int]:
        """Take ``count`` free blocks, all of them or none.

        Raises
        ------
        OutOfBlocks
            If fewer are free.
        """
        if count > self.free_count:
            raise OutOfBlocks(
                f"BlockAllocator: {count} blocks wanted, {self.free_count} of {self.blocks} are free. "
                "Free a request, or make the pool with more blocks."
            )
        taken = list(islice(self._free_blocks, count))
        for block in taken:
            self._hold(block)
            self._unpublish(block)  # its rows are about to be written over
        return taken

    def share(self, block: int) -> None:
        """Count one more holder of a block that somebody holds."""
        self._check_is_held("share", block)
        self.counts[block] += 1

    def free(self, block: int) -> None:
        """Count one holder less; the block is free when that was the last."""
        self._check_is_held("free", block)
        self.counts[block] -= 1
        if self.counts[block] == 0:
            self._free_blocks[block] = None

    def publish(self, block: int, prefix_key: bytes) -> None:
        """Let others find a full block; where two have the same rows, they find the first."""
        self._check_is_held("publish", block)
        if prefix_key not in self._block_of and block not in self._key_of:
            self._block_of[prefix_key], self._key_of[block] = block, prefix_key

    def find_and_hold(self, prefix_key: bytes) -> int | None:
        """Return the block published under this key with one more holder, or None."""
        block = self._block_of.get(prefix_key)
        if block is not None:
            self._hold(block)
        return block

    def _hold(self, block: int) -> None:
        self.counts[block] += 1
        self._free_blocks.pop(block, None)

    def _unpublish(self, block: int) -> None:
        prefix_key = self._key_of.pop(block, None)
        if prefix_key is not None:
            del self._block_of[prefix_key]

    def _check_is_held(self, method_name: str, block: int) -> None:
        who = f"BlockAllocator.{method_name}"
        most, remedy = self.blocks - 1, "Give a number that allocate has returned."
        expect_integer(
            PagingError, who, "block", block, minimum=0, maximum=most, remedy=remedy
        )
        if not self.counts[block]:
            raise refusal(
                PagingError,
                who,
                f"block {block} is free already",
                "one that somebody holds",
                "Give one that was allocated and not yet freed as often.",
            )


def block_key(previous_key: bytes, ids: Sequence[int]) -> bytes:
    """Return the key of a full block: of the ids in it and, by ``previous_key``, of all ids before them.

    A key's or value's row depends on all tokens up to this one, so equal ids in a block are not
    enough. The hash is one for which nobody knows how to make two texts with the
    same key.

    Parameters
    ----------
    previous_key : bytes
        The key of the block before, empty for the first.
    ids : sequence of int
        The ids of the block's tokens.
    """
    return hashlib.sha256(previous_key + b",".join(b"%d" % i for i in ids)).digest()
