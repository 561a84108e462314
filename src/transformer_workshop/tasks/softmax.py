"""Softmax of each row."""

import numpy as np

from ..task import Property, Slip, Task

STUB = '''
def softmax(x):  # (..., n) -> (..., n)
    """Turn each row of scores into weights: positive, and with the sum 1.

    The larger a score, the larger its weight. Large scores must not overflow.
    """
'''

SLIPS = (
    Slip(
        "whole",
        "normalised over the whole array instead of each row",
        "M4",
        "Sum along the last axis alone, and keep that axis: axis=-1, keepdims=True.",
    ),
    Slip(
        "columns",
        "normalised each column instead of each row",
        "M4",
        "The last axis is axis=-1.",
    ),
    Slip(
        "no exp",
        "divided by the sum without taking the exponential",
        repair="Take exp of the scores before you sum.",
    ),
    Slip(
        "overflow",
        "took the exponential of scores that are too large, so it overflowed",
        repair="Subtract the largest score of the row first. No weight changes.",
    ),
    Slip(
        "log",
        "returned the logarithms of the weights",
        repair="Return the weights themselves.",
    ),
)


def reference(x, slips=frozenset()):
    axis = None if "whole" in slips else -2 if "columns" in slips and x.ndim > 1 else -1
    shift = 0.0 if "overflow" in slips else x.max(axis=axis, keepdims=True)
    e = x if "no exp" in slips else np.exp(x - shift)
    weights = e / e.sum(axis=axis, keepdims=True)
    return np.log(weights) if "log" in slips else weights


def softmax(x):
    e = np.exp(x - x.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)


def trials(random):
    yield (np.array([0.0, 1.0]),)
    yield (np.array([[0.0, 1.0], [2.0, 0.0]]),)
    yield (np.array([[0.0, 1.0, 2.0], [1.0, 1.0, 0.0]]),)
    yield (np.array([1000.0, 999.0]),)
    yield (np.array([[-1000.0, -1000.0], [0.0, 5.0]]),)
    yield (random.normal(size=(2, 3, 4)),)
    yield (random.normal(size=(3, 5)).astype(np.float32),)


TASK = Task(
    "softmax",
    "attention/eight_steps",
    STUB,
    reference,
    softmax,
    trials,
    SLIPS,
    properties=(
        Property(
            "the rows do not sum to 1",
            lambda call, x, result: np.allclose(result[0].sum(axis=-1), 1, atol=1e-4),
        ),
        Property(
            "a weight is negative", lambda call, x, result: (result[0] >= 0).all()
        ),
    ),
    hints=(
        "Every row is turned into weights on its own.",
        "exp makes every score positive; then divide by the sum of the row.",
        "np.exp(x - x.max(axis=-1, keepdims=True)), then divide by its sum over axis=-1.",
    ),
    differentiable=("x",),
)
