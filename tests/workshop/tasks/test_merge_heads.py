"""Heads that are merged in other ways, right and wrong."""

import numpy as np
import pytest
import torch

from transformer_workshop.judge import SEED, judge
from transformer_workshop.tasks.merge_heads import TASK, merge_heads
from transformer_workshop.tasks.split_heads import split_heads


def test_merging_is_the_inverse_of_splitting():
    for (x,) in TASK.trial_arguments(np.random.default_rng(SEED)):
        np.testing.assert_array_equal(split_heads(merge_heads(x), x.shape[-3]), x)


@pytest.mark.parametrize(
    "merge",
    [
        lambda x: torch.cat(x.unbind(-3), dim=-1),  # takes only tensors
        lambda x: np.concatenate(list(np.moveaxis(x, -3, 0)), axis=-1),
    ],
)
def test_other_ways_are_right(merge):
    assert judge(TASK, merge).state == "right"


@pytest.mark.parametrize(
    "merge, names",
    [
        (lambda x: x.reshape(*x.shape[:-3], x.shape[-2], -1), ["reshape"]),
        (lambda x: x.transpose(1, 2).flatten(-2), ["axes 1 and 2"]),
        (lambda x: np.concatenate(list(x), axis=-1), ["batch"]),
        (lambda x: x.mean(-3), ["mean"]),
    ],
)
def test_hurried_ways_are_recognised(merge, names):
    assert [slip.name for slip in judge(TASK, merge).slips] == names
