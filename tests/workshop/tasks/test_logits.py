"""The output layer: as PyTorch's, and other right and wrong ones."""

import numpy as np
import pytest
import torch

from transformer_workshop.judge import judge
from transformer_workshop.tasks.logits import TASK


def test_the_reference_is_pytorchs_linear_layer_and_the_lessons_example():
    inputs = list(TASK.trial_arguments(np.random.default_rng(1)))
    for x, E in inputs:
        theirs = torch.nn.functional.linear(torch.tensor(x), torch.tensor(E))
        assert np.allclose(TASK.reference(x, E), theirs, atol=1e-5)
    assert TASK.reference(*inputs[1]).tolist() == [[[2, 1, -2]]]


def with_einsum(x, E):
    return np.einsum("bnd,wd->bnw", x, E)


def with_pytorch(x, E):
    return torch.nn.functional.linear(x, E)


def word_by_word(x, E):
    return np.stack([(x * row).sum(axis=-1) for row in E], axis=-1)


@pytest.mark.parametrize(
    "function", [with_einsum, with_pytorch, word_by_word], ids=lambda f: f.__name__
)
def test_other_right_functions_are_right(function):
    assert judge(TASK, function).state == "right"


def test_a_matrix_that_is_not_transposed_is_named():
    def straight(x, E):
        return x @ E

    assert [slip.name for slip in judge(TASK, straight).slips] == ["straight"]


def test_a_temperature_is_told_by_where_it_fails():
    verdict = judge(TASK, lambda x, E: np.tanh(x @ E.T))
    assert verdict.says[0] == "twice the vectors do not give twice the logits"
