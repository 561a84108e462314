"""Batches lose no pair, stay within bounds, and pad little, and only at the end."""

import random

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from transformer_book import data
from transformer_book.data import (
    BOS,
    EOS,
    PAD,
    Batch,
    DataError,
    bucketed_batches,
    collate,
)

SENTENCE = st.lists(st.integers(4, 50), max_size=12)
PAIRS = st.lists(st.tuples(SENTENCE, SENTENCE), min_size=1, max_size=40)


def rows(tensor):
    """The rows as lists, without padding, which must stand at the end alone."""
    cut = []
    for row in tensor.tolist():
        words = [i for i in row if i != PAD]
        assert row == words + [PAD] * (len(row) - len(words))
        cut.append(words)
    return cut


def pairs_in(batches):
    return [
        (source[:-1], target[1:-1])
        for batch in batches
        for source, target in zip(rows(batch.source), rows(batch.target), strict=True)
    ]


def padding(batches):
    """The share of padding, on the side that has more of it."""
    shares = []
    for side in ("source", "labels"):
        ids = [getattr(batch, side) for batch in batches]
        kept = sum(int((i != PAD).sum()) for i in ids)
        shares.append(1 - kept / sum(i.numel() for i in ids))
    return max(shares)


def test_a_batch_by_hand():
    batch = collate([([7, 8, 9], [5]), ([6], [4, 5])])
    assert batch.source.tolist() == [[7, 8, 9, EOS], [6, EOS, PAD, PAD]]
    assert batch.target.tolist() == [[BOS, 5, EOS, PAD], [BOS, 4, 5, EOS]]
    assert batch.decoder_input.tolist() == [[BOS, 5, EOS], [BOS, 4, 5]]
    assert batch.labels.tolist() == [[5, EOS, PAD], [4, 5, EOS]]
    assert batch.word_count == 5
    assert batch.source.dtype == batch.target.dtype == torch.int64


def test_a_translation_not_yet_begun():
    batch = collate([([7, 8], [])])
    assert batch.source.tolist() == [[7, 8, EOS]]
    assert batch.target.tolist() == [[BOS, EOS]]


def test_a_batch_moves():
    batch = collate([([7], [5])])
    moved = batch.to("meta")
    assert isinstance(moved, Batch)
    assert moved.source.device.type == moved.target.device.type == "meta"
    assert batch.source.device.type == batch.target.device.type == "cpu"


def test_the_padding_may_have_another_id():
    pairs = [([4, 9, 5], [5]), ([6], [4, 5])]
    batch = collate(pairs, pad_id=7)
    assert batch.source.tolist() == [[4, 9, 5, EOS], [6, EOS, 7, 7]]
    assert batch.target.tolist() == [[BOS, 5, EOS, 7], [BOS, 4, 5, EOS]]
    assert (
        batch.word_count == batch.to("cpu").word_count == collate(pairs).word_count == 5
    )
    (bucket,) = bucketed_batches(pairs, 20, seed=0, pad_id=7)
    assert bucket.pad_id == 7 and (bucket.source == 7).sum() == 2
    assert collate([([PAD], [5])], pad_id=7).source.tolist() == [[PAD, EOS]]


@pytest.mark.parametrize(
    "ids",
    [
        [4.7, 5.2],
        [True, False],
        [4, True],
        [None],
        [[5, 6]],
        "abc",
        np.array([4.0]),
        torch.tensor([True]),
        [4, PAD],
        [BOS, 4],
        [4, EOS, 5],
    ],
)
def test_what_is_no_word_of_a_sentence_is_refused(ids):
    for pair in ((ids, [5]), ([5], ids)):
        with pytest.raises(
            DataError, match="expected ids, whole numbers, none of them"
        ):
            collate([pair])


@pytest.mark.parametrize("kind", [tuple, np.array, torch.tensor])
def test_ids_may_come_as_any_list_of_whole_numbers(kind):
    batch = collate([(kind([7, 8]), kind([5]))])
    assert batch.source.tolist() == [[7, 8, EOS]]
    assert batch.target.tolist() == [[BOS, 5, EOS]]


def test_no_pairs():
    with pytest.raises(DataError, match="no pairs; expected at least one"):
        collate([])
    assert bucketed_batches([], 10, seed=0) == []


@given(PAIRS, st.integers(13, 60), st.integers(0, 5))
def test_every_pair_once_and_nothing_above_the_bound(pairs, tokens, seed):
    batches = bucketed_batches(pairs, tokens, seed)
    assert sorted(pairs_in(batches)) == sorted(pairs)
    for batch in batches:
        assert max(batch.source.numel(), batch.labels.numel()) <= tokens
        assert all(row[-1] == EOS and EOS not in row[:-1] for row in rows(batch.source))
        assert all(row[0] == BOS and row[-1] == EOS for row in rows(batch.target))
        assert batch.word_count == sum(len(row) - 1 for row in rows(batch.target))


@given(PAIRS, st.integers(13, 60))
def test_batches_are_as_full_as_the_bound_lets_them(pairs, tokens):
    def longest(batch):
        return max(batch.source.shape[1], batch.labels.shape[1])

    in_order = sorted(
        bucketed_batches(pairs, tokens, 0),
        key=lambda batch: (longest(batch), -len(batch.source)),  # full ones first
    )
    sizes = sorted(longest(collate([pair])) for pair in pairs)
    for batch in in_order[:-1]:
        taken, sizes = sizes[: len(batch.source)], sizes[len(batch.source) :]
        if longest(batch) < longest(in_order[-1]) or taken[-1] == sizes[0]:
            assert (len(taken) + 1) * sizes[0] > tokens


def test_the_seed_decides():
    maker = random.Random(0)
    pairs = [
        (
            [maker.randint(4, 99) for _ in range(maker.randint(1, 9))],
            [maker.randint(4, 99) for _ in range(maker.randint(1, 9))],
        )
        for _ in range(300)
    ]
    before = [(list(source), list(target)) for source, target in pairs]
    states = random.getstate(), torch.get_rng_state(), np.random.get_state()[1].copy()
    first, again, other = (
        pairs_in(bucketed_batches(pairs, 64, seed)) for seed in (1, 1, 2)
    )
    assert first == again != other
    assert pairs == before
    assert random.getstate() == states[0]
    assert torch.equal(torch.get_rng_state(), states[1])
    assert np.array_equal(np.random.get_state()[1], states[2])


def test_another_epoch_mixes_both_the_batches_and_their_order():
    pairs = [([4 + i] * (1 + i % 5), [4 + i]) for i in range(200)]
    one, two = (
        [
            frozenset(row[0] for row in rows(b.source))
            for b in bucketed_batches(pairs, 30, s)
        ]
        for s in (1, 2)
    )
    assert set(one) != set(two)
    lengths = [batch.source.shape[1] for batch in bucketed_batches(pairs, 30, 1)]
    assert lengths != sorted(lengths)


def test_a_pair_too_long_is_named_by_its_length():
    with pytest.raises(
        DataError, match="a pair is 12 tokens long .* at most max_tokens=11"
    ):
        bucketed_batches([([4], [5]), ([4], [5] * 11)], 11, seed=0)
    assert len(bucketed_batches([([4], [5]), ([4] * 10, [5])], 11, seed=0)) == 2


def test_bucketing_pads_less_than_chance(grammar_corpus):
    pairs = grammar_corpus.ids(grammar_corpus.train[:3000])
    sorted_ones = bucketed_batches(pairs, 1024, seed=0)
    size = len(pairs) // len(sorted_ones)
    random.Random(0).shuffle(pairs)
    random_ones = [collate(pairs[i : i + size]) for i in range(0, len(pairs), size)]
    assert padding(sorted_ones) < padding(random_ones) / 2


def test_the_data_package_loads_torch_only_for_batches(elsewhere):
    assert elsewhere["torch loaded"] == [False, True]
    with pytest.raises(AttributeError, match="nothing"):
        data.nothing
    assert all(hasattr(data, name) for name in data.__all__)
