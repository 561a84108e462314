"""Batches that are shifted in other ways, right and wrong."""

import numpy as np
import pytest
import torch

from transformer_book.data import collate
from transformer_workshop.judge import judge
from transformer_workshop.tasks.shifted_batch import TASK, reference


def by_loops(target):
    rows = [[int(i) for i in row] for row in target]
    return [row[:-1] for row in rows], [row[1:] for row in rows]


@pytest.mark.parametrize(
    "shift",
    [
        by_loops,
        lambda x: (np.delete(x, -1, axis=1), np.delete(x, 0, axis=1)),
        lambda x: tuple(x.narrow(1, at, x.size(1) - 1) for at in (0, 1)),  # of tensors
    ],
)
def test_other_ways_are_right(shift):
    assert judge(TASK, shift).state == "right"


@pytest.mark.parametrize(
    "shift, name",
    [
        (lambda x: (x[:, 1:], x[:, 1:]), "answer"),
        (lambda x: (x, x), "no cut"),
        (lambda x: (x[:, 1:], x[:, :-1]), "swapped"),
        (lambda x: (x[:-1], x[1:]), "rows"),
        (lambda x: (x, np.roll(x, -1, axis=1)), "rolled"),
    ],
)
def test_hurried_ways_are_recognised(shift, name):
    assert [slip.name for slip in judge(TASK, shift).slips] == [name]


def test_the_reference_is_the_batch_of_the_book():
    batch = collate([([5], [7, 8, 9]), ([6], [4])])
    ours = reference(batch.target.numpy())
    for one, other in zip(ours, (batch.decoder_input, batch.labels), strict=True):
        assert torch.equal(torch.from_numpy(one), other)


def test_ids_stay_whole_numbers():
    verdict = judge(TASK, lambda x: (x[:, :-1], x[:, 1:].astype(float)))
    assert verdict.state == "wrong" and "decimal point" in verdict.says[0]
    eight_bits = judge(TASK, lambda x: (x[:, :-1].astype(np.int8), x[:, 1:]))
    assert eight_bits.state == "wrong"
