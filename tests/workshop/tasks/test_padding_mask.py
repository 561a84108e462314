"""Padding masks as published programs write them."""

import pytest

from transformer_workshop.judge import judge
from transformer_workshop.tasks.padding_mask import TASK


@pytest.mark.parametrize(
    "mask",
    [
        lambda ids, pad_id: (ids != pad_id).unsqueeze(1),  # takes only tensors
        lambda ids, pad_id: [[[i != pad_id for i in row]] for row in ids.tolist()],
    ],
)
def test_tensors_and_lists_are_right(mask):
    assert judge(TASK, mask).state == "right"


@pytest.mark.parametrize(
    "mask, names",
    [
        (lambda ids, pad_id: (ids != pad_id)[:, None, None], ["heads"]),
        (lambda ids, pad_id: (ids == pad_id).unsqueeze(-2), ["hides"]),
        (lambda ids, pad_id: ids == pad_id, ["hides", "flat"]),
        (lambda ids, pad_id: (ids != pad_id)[..., None], ["queries"]),
        (lambda ids, pad_id: (ids == pad_id)[:, None] * -1e4, ["10,000"]),
        (lambda ids, pad_id: ids.astype(bool)[:, None], ["zero"]),
    ],
)
def test_masks_of_other_conventions_are_recognised(mask, names):
    assert [slip.name for slip in judge(TASK, mask).slips] == names
