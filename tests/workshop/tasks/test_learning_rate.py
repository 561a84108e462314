"""Learning rates that are written in other ways, right and wrong."""

import math

import numpy as np
import pytest

from transformer_book import train
from transformer_workshop.judge import judge
from transformer_workshop.tasks.learning_rate import TASK


def in_single_precision(step, d_model, warmup):
    step, d_model, warmup = map(np.float32, (step, d_model, warmup))
    return min(1 / np.sqrt(step), step / warmup**1.5) / np.sqrt(d_model)


def by_cases(step, d_model, warmup):
    rate = step / warmup**1.5 if step < warmup else 1 / math.sqrt(step)
    return rate / math.sqrt(d_model)


@pytest.mark.parametrize(
    "rate",
    [
        train.learning_rate,
        in_single_precision,
        by_cases,
        lambda s, d, w: (d * max(s, w)) ** -0.5 * min(1, s / w),
    ],
)
def test_other_ways_are_right(rate):
    assert judge(TASK, rate).state == "right"


@pytest.mark.parametrize(
    "rate, name",
    [
        (lambda s, d, w: d**-0.5 * max(s**-0.5, s * w**-1.5), "larger"),
        (lambda s, d, w: d**-0.5 * min(s**-0.5, s) * w**-1.5, "brackets"),
        (lambda s, d, w: d**-1 / 2 * min(s**-1 / 2, s * w**-3 / 2), "halves"),
        (lambda s, d, w: d**-0.5 * min(s**-0.5, s * w**-3 / 2), "half warmup"),
        (lambda s, d, w: by_cases(s - 1, d, w) if s > 1 else 0.0, "late"),
        (lambda s, d, w: d**-0.5 * min((s + 1) ** -0.5, (s + 1) * w**-1.5), "from 0"),
        (lambda s, d, w: d**-0.5 * min(s**-0.5, s * w**1.5), "no warm-up"),
        (lambda s, d, w: min(d**-0.5 * s**-0.5, s * w**-1.5), "first alone"),
    ],
)
def test_hurried_ways_are_recognised(rate, name):
    assert [slip.name for slip in judge(TASK, rate).slips] == [name]


def test_a_factor_is_refused_though_every_shape_of_the_curve_is_right():
    verdict = judge(TASK, lambda s, d, w: 2 * train.learning_rate(s, d, w))
    assert verdict.state == "wrong" and not verdict.slips


@pytest.mark.parametrize(
    "rise, fall, says",
    [
        (lambda s, w: 1.5 * s / w, lambda s, w: s**-0.5, "before it, the rate is not"),
        (lambda s, w: s * w**-1.5, lambda s, w: s**-0.4, "after it, the rate is not"),
    ],
)
def test_the_half_that_is_wrong_is_told(rise, fall, says):
    def rate(step, d_model, warmup):
        half = rise if step < warmup else fall
        return half(step, warmup) / d_model**0.5

    assert says in judge(TASK, rate).says[0]
