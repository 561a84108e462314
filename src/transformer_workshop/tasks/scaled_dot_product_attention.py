"""Attention: the values, averaged with weights from queries and keys."""

import numpy as np

from ..task import Property, Slip, Task
from .softmax import softmax

STUB = '''
def scaled_dot_product_attention(Q, K, V, mask=None):
    """Return (output, weights): for each query the weighted average of the values.

    Q: (..., m, d_k), K: (..., n, d_k), V: (..., n, d_v), mask: True where a query may attend,
    broadcast to (..., m, n). output: (..., m, d_v), weights: (..., m, n).
    """
'''

SLIPS = (
    Slip(
        "no scale",
        "did not divide the scores by √d_k",
        repair="Divide QKᵀ by √d_k before the softmax.",
    ),
    Slip(
        "square",
        "divided by d_k instead of its square root",
        "M9",
        "The divisor is √d_k.",
    ),
    Slip("times", "multiplied by √d_k instead of dividing", repair="Divide."),
    Slip(
        "queries",
        "normalised over the queries instead of the keys",
        "M4",
        "Softmax goes along the last axis of the scores, the keys.",
    ),
    Slip(
        "whole",
        "normalised over the whole matrix",
        "M4",
        "Each row of weights sums to 1.",
    ),
    Slip(
        "inverted",
        "hid what the mask allows, and allowed what it hides",
        "M25",
        "True means: may attend.",
    ),
    Slip(
        "ignored",
        "ignored the mask",
        repair="Set the scores of hidden keys to −∞ before the softmax.",
    ),
    Slip(
        "after",
        "put the mask on after the softmax, so the rows no longer sum to 1",
        repair="Mask the scores, before the softmax.",
    ),
    Slip(
        "zero",
        "set the hidden scores to 0, which is a score like any other",
        repair="Set them to −∞.",
    ),
    Slip(
        "scores",
        "returned the scores in the place of the weights",
        "M7",
        "Return what comes out of the softmax.",
    ),
    Slip(
        "only output", "returned the output alone", repair="Return output and weights."
    ),
    Slip("swapped", "returned the weights first", repair="The output comes first."),
)


def reference(Q, K, V, mask=None, slips=frozenset()):
    root = {"no scale": 1.0, "square": Q.shape[-1], "times": 1 / np.sqrt(Q.shape[-1])}
    divisor = next((root[s] for s in root if s in slips), np.sqrt(Q.shape[-1]))
    scores = Q @ np.swapaxes(K, -1, -2) / divisor
    allowed = (
        np.ones(scores.shape, bool)
        if mask is None
        else np.broadcast_to(mask, scores.shape)
    )
    if "inverted" in slips and mask is not None:
        allowed = ~allowed
    if "ignored" in slips or "after" in slips:
        masked = scores
    else:
        masked = np.where(allowed, scores, 0.0 if "zero" in slips else -np.inf)
    axis = (-2, -1) if "whole" in slips else -2 if "queries" in slips else -1
    shift = masked.max(axis=axis, keepdims=True)
    e = np.exp(masked - np.where(np.isneginf(shift), 0, shift))
    total = e.sum(axis=axis, keepdims=True)
    weights = e / np.where(total == 0, 1, total)
    if "after" in slips:
        weights = weights * allowed
    output = weights @ V
    shown = scores if "scores" in slips else weights
    if "only output" in slips:
        return output
    return (shown, output) if "swapped" in slips else (output, shown)


def scaled_dot_product_attention(Q, K, V, mask=None):
    scores = Q @ np.swapaxes(K, -1, -2) / np.sqrt(Q.shape[-1])
    if mask is not None:
        scores = np.where(mask, scores, -np.inf)
    weights = softmax(scores)
    return weights @ V, weights


def trials(random):
    Q, K, V = np.eye(2), np.array([[1.0, 0.0], [0.0, 2.0]]), np.array([[1.0], [3.0]])
    yield Q, K, V
    yield Q, K, V, np.tril(np.ones((2, 2), bool))
    for batch, m, n, d_k, d_v in (
        ((), 2, 3, 4, 2),
        ((2,), 3, 3, 4, 3),
        ((2, 2), 3, 2, 3, 5),
    ):
        Q = random.normal(size=(*batch, m, d_k))
        K, V = (
            random.normal(size=(*batch, n, d_k)),
            random.normal(size=(*batch, n, d_v)),
        )
        yield Q, K, V
        mask = random.random((m, n)) < 0.6
        mask[:, 0] = True
        yield Q, K, V, mask


TASK = Task(
    "scaled_dot_product_attention",
    "attention/eight_steps",
    STUB,
    reference,
    scaled_dot_product_attention,
    trials,
    SLIPS,
    properties=(
        Property(
            "the rows of the weights do not sum to 1",
            lambda call, x, result: np.allclose(result[1].sum(axis=-1), 1, atol=1e-4),
        ),
        Property(
            "a key that the mask hides gets weight",
            lambda call, x, result: len(x) < 4 or not result[1][..., ~x[3]].any(),
        ),
    ),
    hints=(
        "Three steps: scores from queries and keys, softmax, an average of the values.",
        "The scores are Q times K transposed, divided by √d_k. A hidden key gets the score −∞.",
        "weights = softmax(np.where(mask, Q @ K.swapaxes(-1, -2) / np.sqrt(d_k), -np.inf)), and the "
        "output is weights @ V.",
    ),
    differentiable=("Q", "K", "V"),
)
