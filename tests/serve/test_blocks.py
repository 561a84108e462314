"""Blocks: handed out once, counted, found again, and none leaked."""

import pytest

from transformer_book.serve import (
    BlockAllocator,
    OutOfBlocks,
    PagingError,
    block_key,
)


def test_a_block_is_free_again_when_its_last_holder_lets_go():
    blocks = BlockAllocator(3, 4)
    first, second = blocks.allocate(2)
    blocks.share(first)
    assert (blocks.used_count, blocks.shared_count, blocks.free_count) == (2, 1, 1)
    blocks.free(first)
    assert blocks.used_count == 2
    blocks.free(first)
    blocks.free(second)
    assert (blocks.used_count, blocks.free_count) == (0, 3) and blocks.counts == [
        0,
        0,
        0,
    ]


def test_a_block_is_shared_by_two_holders_or_more():
    blocks = BlockAllocator(4, 4)
    first, second, _ = blocks.allocate(3)
    blocks.share(first)
    blocks.share(first)
    assert blocks.counts[first] == 3 and blocks.shared_count == 1
    blocks.share(second)
    assert blocks.shared_count == 2


def test_the_block_that_is_free_for_longest_comes_first():
    blocks = BlockAllocator(3, 4)
    a, b, c = blocks.allocate(3)
    for block in (b, c, a):
        blocks.free(block)
    assert blocks.allocate(3) == [b, c, a]


def test_all_or_none_are_handed_out():
    blocks = BlockAllocator(3, 4)
    blocks.allocate()
    with pytest.raises(OutOfBlocks, match="3 blocks wanted, 2 of 3 are free"):
        blocks.allocate(3)
    assert blocks.free_count == 2 and blocks.allocate(0) == []


def test_a_published_block_is_found_until_it_is_handed_out_again():
    blocks, key = BlockAllocator(2, 4), block_key(b"", [1, 2, 3, 4])
    (block,) = blocks.allocate()
    assert blocks.find_and_hold(key) is None
    blocks.publish(block, key)
    assert blocks.find_and_hold(key) == block and blocks.counts[block] == 2
    blocks.free(block)
    blocks.free(block)
    assert (
        blocks.find_and_hold(key) == block and blocks.counts[block] == 1
    )  # nobody held it
    blocks.free(block)
    blocks.allocate(2)
    assert blocks.find_and_hold(key) is None


def test_the_first_of_two_equal_blocks_is_found():
    blocks, key = BlockAllocator(2, 4), block_key(b"", [1, 2, 3, 4])
    first, second = blocks.allocate(2)
    blocks.publish(first, key)
    blocks.publish(second, key)
    assert blocks.find_and_hold(key) == first
    blocks.free(second)
    blocks.allocate()  # the second again
    assert blocks.find_and_hold(key) == first


def test_a_key_is_of_all_tokens_so_far():
    first, other = block_key(b"", [1, 2]), block_key(b"", [1, 3])
    assert first == block_key(b"", [1, 2])
    assert block_key(first, [5, 6]) != block_key(other, [5, 6])
    assert block_key(b"", [11, 2]) != block_key(b"", [1, 12])


@pytest.mark.parametrize("name", ["blocks", "block_size"])
@pytest.mark.parametrize("value", [0, -1, 2.0])
def test_a_pool_has_blocks_of_a_token_or_more(name, value):
    with pytest.raises(
        PagingError, match=f"{name} is {value}; expected a whole number"
    ):
        BlockAllocator(**{"blocks": 3, "block_size": 4, name: value})


@pytest.mark.parametrize("function", ["free", "share"])
def test_what_nobody_holds_cannot_be_given_back_or_shared(function):
    blocks = BlockAllocator(2, 4)
    with pytest.raises(
        PagingError,
        match=f"{function}: block is 2; expected a whole number from 0 to 1",
    ):
        getattr(blocks, function)(2)
    (block,) = blocks.allocate()
    blocks.free(block)
    with pytest.raises(PagingError, match=f"{function}: block {block} is free already"):
        getattr(blocks, function)(block)
