"""Steps of Adam that are written in other ways, right and wrong."""

import math

import numpy as np
import pytest
import torch

from transformer_workshop.judge import judge
from transformer_workshop.tasks.adam_step import TASK, adam_step


def by_loops(p, g, m, v, step, rate, beta_1=0.9, beta_2=0.98, eps=1e-9):
    new = [np.empty_like(p) for _ in range(3)]
    for i in np.ndindex(p.shape):
        new[1][i] = m[i] + (1 - beta_1) * (g[i] - m[i])
        new[2][i] = v[i] + (1 - beta_2) * (g[i] * g[i] - v[i])
        below = math.sqrt(new[2][i] / (1 - beta_2**step)) + eps
        new[0][i] = p[i] - rate * new[1][i] / (1 - beta_1**step) / below
    return tuple(new)


def by_torch(p, g, m, v, step, rate, beta_1=0.9, beta_2=0.98, eps=1e-9):
    q = torch.nn.Parameter(p.clone())
    adam = torch.optim.Adam([q], lr=rate, betas=(beta_1, beta_2), eps=eps)
    q.grad, at = g.clone(), torch.tensor(step - 1.0)
    adam.state[q] = {"step": at, "exp_avg": m.clone(), "exp_avg_sq": v.clone()}
    adam.step()
    return q.detach(), adam.state[q]["exp_avg"], adam.state[q]["exp_avg_sq"]


def in_place(p, g, m, v, step, rate, beta_1=0.9, beta_2=0.98, eps=1e-9):
    m *= beta_1
    m += (1 - beta_1) * g
    v *= beta_2
    v += (1 - beta_2) * g**2
    m_hat, v_hat = m / (1 - beta_1**step), v / (1 - beta_2**step)
    return p - rate * m_hat / (np.sqrt(v_hat) + eps), m, v


def of_the_lesson(p, g, m, v, step, rate, beta_1=0.9, beta_2=0.999, eps=1e-8):
    return adam_step(p, g, m, v, step, rate, beta_1, beta_2, eps)


def in_float32(p, g, m, v, *numbers):
    return adam_step(*(x.astype(np.float32) for x in (p, g, m, v)), *numbers)


@pytest.mark.parametrize("step", [by_loops, by_torch, in_float32])
def test_other_ways_are_right(step):
    assert judge(TASK, step).state == "right"


def test_the_defaults_of_the_lesson_are_recognised():
    assert [s.name for s in judge(TASK, of_the_lesson).slips] == ["defaults"]


@pytest.mark.parametrize("decay", [0.01, 0.1, 1e-3])
def test_a_weight_decay_in_the_gradient_is_m44_whatever_its_size(decay):
    verdict = judge(TASK, lambda p, g, *x: adam_step(p, g + decay * p, *x))
    said = [slip.mistake for slip in verdict.slips] + verdict.says
    assert verdict.state == "wrong" and "M44" in said[0]


def test_a_step_in_bfloat16_is_m45_whatever_is_rounded():
    def all_in_bfloat16(p, g, m, v, *numbers):
        return by_torch(*(x.bfloat16() for x in (p, g, m, v)), *numbers)

    verdict = judge(TASK, all_in_bfloat16)
    assert not verdict.slips and "(mistake M45)" in verdict.says[0]


def test_a_weight_decay_beside_the_gradient_is_said():
    def adam_w(p, g, m, v, step, rate, *x):
        return adam_step(p * (1 - 0.1 * rate), g, m, v, step, rate, *x)

    assert "has always been 0" in judge(TASK, adam_w).says[0]


def test_adamw_of_pytorch_is_named():
    def adam_w(p, g, m, v, step, rate, *x):
        new, m, v = adam_step(p, g, m, v, step, rate, *x)
        return new - 0.01 * rate * p, m, v

    assert [slip.name for slip in judge(TASK, adam_w).slips] == ["decay of AdamW"]


def test_averages_that_are_changed_in_place_are_named():
    assert "changes its arguments m and v" in judge(TASK, in_place).says[0]


def test_a_new_optimiser_in_every_step_is_told():
    def fresh(p, g, m, v, step, *numbers):
        return by_torch(p, g, 0 * m, 0 * v, 1, *numbers)

    assert [slip.name for slip in judge(TASK, fresh).slips] == ["fresh"]
