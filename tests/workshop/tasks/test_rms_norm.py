"""RMSNorm: as PyTorch's and the package's; what a vector alone shows, and an epsilon out of place."""

import numpy as np
import pytest
import torch

from transformer_book import by_hand
from transformer_workshop.judge import judge
from transformer_workshop.tasks.rms_norm import TASK


def test_the_reference_is_that_of_the_package_and_of_pytorch():
    for x, gamma, *eps in TASK.trial_arguments(np.random.default_rng(1)):
        result = TASK.reference(x, gamma, *eps)
        tensors = torch.tensor(x), torch.tensor(gamma)
        peer = torch.nn.functional.rms_norm(
            tensors[0], gamma.shape, tensors[1], *(eps or [1e-6])
        )
        assert np.allclose(result, by_hand.rms_norm(x, gamma, *eps), atol=1e-5)
        assert np.allclose(result, peer.numpy(), atol=1e-5)


@pytest.mark.parametrize(
    "function",
    [
        lambda x, gamma, eps=1e-6: (
            gamma * (x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + eps))
        ),
        lambda x, gamma, eps=1e-6: np.einsum(
            "...d,d,...->...d",
            x,
            gamma,
            (np.einsum("...d,...d->...", x, x) / x.shape[-1] + eps) ** -0.5,
        ),
    ],
)
def test_other_right_functions_are_right(function):
    assert judge(TASK, function).state == "right"


def test_a_layer_norm_of_pytorch_is_called_one():
    verdict = judge(
        TASK,
        lambda x, gamma, eps=1e-6: torch.nn.functional.layer_norm(
            x, gamma.shape, gamma, None, eps
        ),
    )
    assert [slip.name for slip in verdict.slips] == ["layer norm"]


@pytest.mark.parametrize(
    "norm",
    [
        lambda x, gamma: torch.nn.functional.rms_norm(x, gamma.shape, gamma),
        lambda x, gamma: (
            torch.nn.functional.normalize(x, dim=-1) * len(gamma) ** 0.5 * gamma
        ),
    ],
)
def test_an_epsilon_of_pytorch_is_named_as_far_smaller(norm):
    verdict = judge(TASK, lambda x, gamma, eps=1e-6: norm(x, gamma))
    assert [slip.name for slip in verdict.slips] == ["tiny"]


def test_an_epsilon_beside_the_root_is_shown_on_two_numbers():
    verdict = judge(
        TASK,
        lambda x, gamma, eps=1e-6: (
            gamma * x / (np.sqrt((x**2).mean(axis=-1, keepdims=True)) + eps)
        ),
    )
    assert [slip.mistake for slip in verdict.slips] == ["M40"]
    assert verdict.trial is not None and verdict.trial.arguments[0].size == 2


def test_a_function_that_takes_no_vector_alone_is_not_right():
    def needs_rows(x, gamma, eps=1e-6):
        assert x.ndim > 1
        return TASK.solution(x, gamma, eps)

    verdict = judge(TASK, needs_rows)
    assert verdict.state == "wrong" and "a single vector" in verdict.says[0]
