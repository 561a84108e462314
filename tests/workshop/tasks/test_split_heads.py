"""Heads that are split in other ways, right and wrong."""

import numpy as np
import pytest

from transformer_workshop.judge import judge
from transformer_workshop.tasks.split_heads import TASK


def width(x, h):
    return x.shape[-1] // h


@pytest.mark.parametrize(
    "split",
    [
        lambda x, h: np.stack(np.split(x, h, axis=-1), axis=-3),
        lambda x, h: x.unflatten(-1, (h, -1)).transpose(-2, -3),  # takes only tensors
    ],
)
def test_other_ways_are_right(split):
    assert judge(TASK, split).state == "right"


@pytest.mark.parametrize(
    "split, names",
    [
        (lambda x, h: x.view(*x.shape[:-2], h, x.size(-2), width(x, h)), ["reshape"]),
        (lambda x, h: np.split(x, h, axis=-1), ["in front"]),
        (lambda x, h: x.unflatten(-1, (h, -1)).transpose(1, 2), ["axes 1 and 2"]),
        (lambda x, h: np.stack([x[..., : width(x, h)]] * h, axis=-3), ["one slice"]),
    ],
)
def test_hurried_ways_are_recognised(split, names):
    assert [slip.name for slip in judge(TASK, split).slips] == names


def test_a_gradient_has_to_reach_the_input():
    def split(x, h):
        return x.detach().unflatten(-1, (h, -1)).transpose(-2, -3)

    assert "no gradient reaches" in judge(TASK, split).says[0]
