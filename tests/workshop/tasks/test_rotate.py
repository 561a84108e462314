"""Rotary positions: as the package's, with the layouts of published code told apart."""

import numpy as np
import pytest
import torch

from transformer_book import by_hand
from transformer_workshop.judge import judge
from transformer_workshop.tasks.rotate import TASK


def test_the_reference_is_that_of_the_package():
    for x, positions, *base in TASK.trial_arguments(np.random.default_rng(1)):
        frequencies = by_hand.rope_frequencies(x.shape[-1], *base)
        batch = x.shape[:-2]
        at = np.broadcast_to(positions, (*batch, len(positions)))
        peer = by_hand.rotate(x, at, frequencies)
        assert np.allclose(TASK.reference(x, positions, *base), peer, atol=1e-5)


def by_complex_numbers(x, positions, base=10_000.0):
    frequencies = base ** -(torch.arange(0, x.shape[-1], 2) / x.shape[-1])
    angles = torch.outer(positions.float(), frequencies)
    turns = torch.polar(torch.ones_like(angles), angles)
    pairs = torch.view_as_complex(x.float().reshape(*x.shape[:-1], -1, 2))
    return torch.view_as_real(pairs * turns).flatten(-2)


def by_matrices(x, positions, base=10_000.0):
    result, d_k = np.zeros(x.shape), x.shape[-1]
    for row, position in enumerate(positions):
        for i in range(0, d_k, 2):
            angle = position / base ** (i / d_k)
            cos, sin = np.cos(angle), np.sin(angle)
            turn = np.array([[cos, sin], [-sin, cos]])
            result[..., row, i : i + 2] = x[..., row, i : i + 2] @ turn
    return result


@pytest.mark.parametrize("function", [by_complex_numbers, by_matrices])
def test_other_right_functions_are_right(function):
    assert judge(TASK, function).state == "right"


def halves(x, positions, base=10_000.0, repeat=lambda f: torch.cat([f, f], -1)):
    d_k = x.shape[-1]
    angles = repeat(positions[:, None] * base ** -(torch.arange(0, d_k, 2) / d_k))
    first, second = x.chunk(2, dim=-1)
    return x * angles.cos() + torch.cat([-second, first], -1) * angles.sin()


@pytest.mark.parametrize(
    "repeat, names",
    [
        (lambda f: torch.cat([f, f], -1), ["halves"]),
        (lambda f: f.repeat_interleave(2, -1), ["halves", "mixed"]),
    ],
)
def test_the_other_layout_is_named_also_with_the_angles_of_this_one(repeat, names):
    verdict = judge(
        TASK, lambda x, positions, base=1e4: halves(x, positions, base, repeat)
    )
    assert [slip.name for slip in verdict.slips] == names
    assert verdict.slips[0].mistake == "M37"


def test_a_view_that_is_overwritten_is_named_although_it_also_changes_the_argument():
    def in_place(x, positions, base=10_000.0):
        d_k = x.shape[-1]
        angle = positions[:, None] * base ** (-np.arange(0, d_k, 2) / d_k)
        a, b = x[..., 0::2], x[..., 1::2]
        x[..., 0::2] = a * np.cos(angle) - b * np.sin(angle)
        x[..., 1::2] = a * np.sin(angle) + b * np.cos(angle)
        return x

    assert [slip.name for slip in judge(TASK, in_place).slips] == ["overwritten"]


@pytest.mark.parametrize("default", [9_999.0, 10_001.0])
def test_a_default_of_the_base_that_is_off_by_one_shows_far_away(default):
    def other(x, positions, base=default):
        return TASK.solution(x, positions, base)

    verdict = judge(TASK, other)
    assert verdict.state == "wrong" and "is 10,000 the default" in verdict.says[0]
