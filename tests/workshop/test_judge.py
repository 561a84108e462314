"""The judge: what it calls right, and what it says of what is wrong where no slip explains it."""

import numpy as np
import pytest
import torch

from transformer_workshop.judge import RANDOM_RESULT_MESSAGE, judge
from transformer_workshop.tasks import tasks_by_name

SOFTMAX = tasks_by_name()["softmax"]
ATTENTION = tasks_by_name()["scaled_dot_product_attention"]


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
        (lambda x: softmax(x).T, "right for a single row"),
        (lambda x: softmax(x)[..., :1], "the shape is (2, 1); expected (2, 2)"),
        (lambda x: x.foo, "AttributeError"),
        (lambda x, y: x, "TypeError"),
    ],
)
def test_what_no_slip_explains_is_said_by_its_property(function, says):
    verdict = judge(SOFTMAX, function)
    assert verdict.state == "wrong" and not verdict.slips
    assert says in " ".join(verdict.says)


def test_an_argument_that_no_gradient_reaches_is_named():
    def attention(Q, K, V, mask=None):
        scores = Q @ K.detach().transpose(-1, -2) / Q.shape[-1] ** 0.5
        if mask is not None:
            scores = scores.masked_fill(~mask, -torch.inf)
        weights = torch.softmax(scores, -1)
        return weights @ V, weights

    verdict = judge(ATTENTION, attention)
    assert verdict.says == ["the numbers are right, but the gradient does not reach K"]
    assert judge(ATTENTION, attention, needs_gradients=False).state == "right"


@pytest.mark.parametrize(
    "lost", [lambda y: y.detach(), lambda y: torch.tensor(y.tolist())]
)
def test_a_lost_gradient_is_told_with_what_may_have_lost_it(lost):
    (says,) = judge(SOFTMAX, lambda x: lost(x.softmax(-1))).says
    assert says.startswith("the numbers are right, but no gradient reaches")
    assert all(word in says for word in ("detach", "item", "no_grad", "Embedding"))


def test_a_dropout_is_told_and_not_what_it_breaks():
    says = judge(SOFTMAX, lambda x: torch.dropout(x.softmax(-1), 0.3, True)).says
    assert says == [RANDOM_RESULT_MESSAGE]


@pytest.mark.parametrize(
    "hidden, cause", [(lambda mask: ~mask[..., :1], "mask"), (lambda mask: mask, None)]
)
def test_nan_is_told_with_its_usual_cause(hidden, cause):
    def attention(Q, K, V, mask=None):
        scores = Q @ np.swapaxes(K, -1, -2)
        if mask is not None:
            scores = np.where(hidden(mask), scores, -np.inf)
        e = (
            np.exp(scores)
            if cause is None
            else np.exp(scores - scores.max(-1)[..., None])
        )
        e = e / e.sum(-1, keepdims=True)
        return 2 * e @ V, e

    says = judge(ATTENTION, attention).says[0]
    assert says.startswith("the result has NaN")
    assert ("hide every key" if cause else "exp overflow") in says


def test_a_slip_is_named_beside_what_is_changed_in_place():
    def columns(x):
        x -= x.max(axis=-1, keepdims=True)
        return np.exp(x) / np.exp(x).sum()

    verdict = judge(SOFTMAX, columns)
    assert verdict.slips[0].mistake == "M4"
    assert verdict.says == ["it changes its argument x in place; work on a copy"]


def test_what_is_not_written_yet_is_no_mistake():
    def later(x):
        raise NotImplementedError

    assert judge(SOFTMAX, later).state == "todo"


def test_the_input_that_is_shown_is_the_first_that_differs():
    verdict = judge(SOFTMAX, lambda x: np.exp(x) / np.exp(x).sum(-1, keepdims=True))
    assert [slip.name for slip in verdict.slips] == ["overflow"]
    assert verdict.trial.arguments[0].tolist() == [1000, 999]


def test_missing_results_are_told_by_their_names():
    verdict = judge(ATTENTION, lambda Q, K, V, mask=None: 2 * V)
    assert verdict.says[0] == "it returned one value; expected 2: output and weights"


def test_a_task_names_all_of_its_results():
    for task in tasks_by_name().values():
        arguments = next(iter(task.trial_arguments(np.random.default_rng(0))))
        result = task.solution(*arguments)
        assert len(task.results) == (len(result) if isinstance(result, tuple) else 0)
