"""Layer norm: as the book's and PyTorch's, other right ones, and mistakes that have no slip."""

import numpy as np
import pytest
import torch

from transformer_book import by_hand
from transformer_workshop.judge import judge
from transformer_workshop.tasks.layer_norm import TASK


def test_the_reference_is_the_books_and_pytorchs():
    for x, gamma, beta, *eps in TASK.trial_arguments(np.random.default_rng(1)):
        ours = TASK.reference(x, gamma, beta, *eps)
        assert np.allclose(ours, by_hand.layer_norm(x, gamma, beta, *eps), atol=1e-6)
        tensors = (torch.tensor(a) for a in (x, gamma, beta))
        x, gamma, beta = tensors
        theirs = torch.nn.functional.layer_norm(x, gamma.shape, gamma, beta, *eps)
        assert np.allclose(ours, theirs, atol=1e-5)


def with_pytorch(x, gamma, beta, eps=1e-5):
    variance, mean = torch.var_mean(x, dim=-1, correction=0, keepdim=True)
    return (x - mean) * torch.rsqrt(variance + eps) * gamma + beta


def in_loops(x, gamma, beta, eps=1e-5):
    def one(v):
        mean = sum(v) / len(v)
        root = (sum((a - mean) ** 2 for a in v) / len(v) + eps) ** 0.5
        return [
            (a - mean) / root * g + b for a, g, b in zip(v, gamma, beta, strict=True)
        ]

    return np.apply_along_axis(one, -1, x)


def by_moments(x, gamma, beta, eps=1e-5):
    d = x.shape[-1]
    mean = np.einsum("...d->...", x)[..., None] / d
    square = np.einsum("...d,...d->...", x, x)[..., None] / d
    return np.divide(x - mean, np.sqrt(square - mean**2 + eps)) * gamma + beta


def in_float32(*arguments):
    arguments = [a.astype(np.float32) if np.ndim(a) else a for a in arguments]
    return TASK.solution(*arguments)


@pytest.mark.parametrize(
    "function",
    [with_pytorch, in_loops, by_moments, in_float32],
    ids=lambda f: f.__name__,
)
def test_other_right_functions_are_right(function):
    assert judge(TASK, function).state == "right"


def test_both_mistakes_of_the_annotated_transformer_are_named():
    def annotated(x, gamma, beta, eps=1e-5):
        mean, std = x.mean(-1, keepdim=True), x.std(-1, keepdim=True)
        return gamma * (x - mean) / (std + eps) + beta

    verdict = judge(TASK, annotated)
    assert [slip.name for slip in verdict.slips] == ["unbiased", "eps outside"]
    assert {slip.mistake for slip in verdict.slips} == {"M23"}


@pytest.mark.parametrize("eps", [1e-6, 1e-8, 1e-12])
def test_another_default_is_told(eps):
    verdict = judge(TASK, lambda *a: TASK.reference(*(*a, eps)[:4]))
    assert not verdict.slips and "the default of eps" in verdict.says[0]


@pytest.mark.parametrize(
    "number, name",
    [
        (1e-5, "fixed eps"),
        (1e-6, "fixed eps 1e-6"),
        (1e-12, "tiny eps"),
        (1e-13, "tiny eps"),
    ],
)
def test_a_number_in_the_place_of_eps_is_named(number, name):
    def norm(x, gamma, beta, eps=1e-5):
        return torch.nn.functional.layer_norm(x, gamma.shape, gamma, beta, number)

    assert [slip.name for slip in judge(TASK, norm).slips] == [name]


def test_an_offset_is_told_by_a_property():
    verdict = judge(TASK, lambda *a: TASK.reference(*a) + 1)
    assert verdict.says[0] == "with gamma 1 and beta 0, the mean of a vector is not 0"


def test_a_mean_that_lost_its_axis_is_named():
    def lost(x, gamma, beta, eps=1e-5):
        return gamma * (x - x.mean(axis=-1)) / np.sqrt(x.var(axis=-1) + eps) + beta

    def all_lost(x, gamma, beta, eps=1e-5):
        x = x - x.mean(axis=-1)
        return gamma * x / np.sqrt((x**2).mean(axis=-1) + eps) + beta

    for function in (lost, all_lost):
        (slip,) = judge(TASK, function).slips
        assert "dropped the last axis" in slip.says
