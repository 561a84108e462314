"""The judge: what it calls right, and what it says of what is wrong where no slip explains it."""

import numpy as np
import pytest
import torch

from transformer_workshop.judge import judge
from transformer_workshop.tasks import tasks

SOFTMAX = tasks()["softmax"]
ATTENTION = tasks()["scaled_dot_product_attention"]


def softmax(x):
    e = np.exp(x - x.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)


def softmax_of_tensors(x):
    return torch.softmax(x, -1)


def softmax_by_loops(x):
    if x.ndim > 1:
        return np.stack([softmax_by_loops(row) for row in x])
    top = max(x)
    e = [np.exp(value - top) for value in x]
    return [value / sum(e) for value in e]


@pytest.mark.parametrize("function", [softmax, softmax_of_tensors, softmax_by_loops])
def test_a_right_function_is_right_however_it_is_written(function):
    verdict = judge(SOFTMAX, function)
    assert verdict.state == "right" and verdict.tried == 7


def test_float32_is_right():
    assert judge(SOFTMAX, lambda x: softmax(x.astype(np.float32))).state == "right"


@pytest.mark.parametrize(
    "function, says",
    [
        (lambda x: None, "returned None"),
        (lambda x: softmax(x) + 0.01, "the rows do not sum to 1"),
        (lambda x: softmax(x).T, "without a batch"),
        (lambda x: x.foo, "AttributeError"),
        (lambda x, y: x, "TypeError"),
    ],
)
def test_what_no_slip_explains_is_said_by_its_property(function, says):
    verdict = judge(SOFTMAX, function)
    assert verdict.state == "wrong" and not verdict.slips
    assert says in " ".join(verdict.says)


def test_a_changed_argument_is_named():
    def in_place(x):
        x -= x.max(axis=-1, keepdims=True)
        return softmax(x)

    verdict = judge(SOFTMAX, in_place)
    assert verdict.state == "wrong" and "changes its argument x" in verdict.says[0]


def test_an_argument_that_no_gradient_reaches_is_named():
    def attention(Q, K, V, mask=None):
        scores = Q @ K.detach().transpose(-1, -2) / Q.shape[-1] ** 0.5
        if mask is not None:
            scores = scores.masked_fill(~mask, -torch.inf)
        weights = torch.softmax(scores, -1)
        return weights @ V, weights

    verdict = judge(ATTENTION, attention)
    assert verdict.says == ["the gradient does not reach K"]


def test_what_is_not_written_yet_is_no_mistake():
    def later(x):
        raise NotImplementedError

    assert judge(SOFTMAX, later).state == "todo"


def test_the_input_that_is_shown_is_the_first_that_differs():
    verdict = judge(SOFTMAX, lambda x: np.exp(x) / np.exp(x).sum(-1, keepdims=True))
    assert [slip.name for slip in verdict.slips] == ["overflow"]
    assert verdict.trial.arguments[0].tolist() == [1000, 999]
