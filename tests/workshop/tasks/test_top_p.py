"""Top-p: as the package's, and the ways in which published code cuts."""

import numpy as np
import pytest
import torch

from transformer_book import decode
from transformer_workshop.judge import judge
from transformer_workshop.tasks.top_p import TASK


def test_the_reference_is_that_of_the_package():
    for logits, p in TASK.trial_arguments(np.random.default_rng(1)):
        kept = decode.keep_top_p(torch.tensor(logits), p).softmax(dim=-1)
        assert np.allclose(TASK.reference(logits, p), kept.numpy(), atol=1e-6)


def test_no_trial_lies_on_the_edge_where_rounding_decides():
    for logits, p in TASK.trial_arguments(np.random.default_rng(20171206)):
        chance = np.sort(np.exp(logits - logits.max()))[::-1]
        assert np.abs(np.cumsum(chance / chance.sum()) - p).min() > 1e-3


def shifted(logits, p, shift=True):
    ordered, order = torch.sort(logits, descending=True)
    removed = ordered.softmax(dim=-1).cumsum(dim=-1) > p
    if shift:
        removed[1:] = removed[:-1].clone()
        removed[0] = False
    return logits.index_fill(0, order[removed], -torch.inf).softmax(dim=-1)


def upwards(logits, p):
    ordered, order = torch.sort(logits)
    removed = ordered.softmax(dim=-1).cumsum(dim=-1) <= 1 - p
    return logits.index_fill(0, order[removed], -torch.inf).softmax(dim=-1)


def by_loops(logits, p):
    e = [np.exp(value - max(logits)) for value in logits]
    left, result, total = dict(enumerate(e)), [0.0] * len(e), 0.0
    while total < p * sum(e):
        best = max(left, key=left.__getitem__)
        result[best] = left.pop(best)
        total += result[best]
    return [value / total for value in result]


@pytest.mark.parametrize("function", [shifted, upwards, by_loops])
def test_other_right_functions_are_right(function):
    assert judge(TASK, function).state == "right"


def test_a_cut_without_the_shift_leaves_out_the_token_that_reaches_p():
    verdict = judge(TASK, lambda logits, p: shifted(logits, p, shift=False))
    assert [slip.name for slip in verdict.slips] == ["left out"]


def test_no_token_at_all_is_no_matter_of_how_one_divides():
    def to_0(logits, p):
        chance = np.exp(logits - logits.max())
        chance = chance / chance.sum()
        order = np.argsort(-chance)
        kept = order[: np.searchsorted(np.cumsum(chance[order]), p)]
        result = np.zeros_like(chance)
        result[kept] = chance[kept] / chance[kept].sum()
        return result

    [slip] = judge(TASK, to_0).slips
    assert slip.name == "left out to 0"
    assert slip.says == next(s for s in TASK.slips if s.name == "left out").says


def test_a_second_softmax_is_told_and_not_the_selection():
    def twice(logits, p):
        chance, order = torch.sort(logits.softmax(-1), descending=True)
        chance[chance.cumsum(-1) - chance >= p] = 0
        return torch.zeros_like(chance).scatter(0, order, chance).softmax(-1)

    assert [slip.name for slip in judge(TASK, twice).slips] == ["twice, all"]
