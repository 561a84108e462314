"""Attention: the values, averaged with weights from queries and keys."""

from collections.abc import Iterator, Set

import numpy as np

from ..task import Property, Task
from .attention_slips import SLIPS
from .softmax import softmax

STUB = '''
def scaled_dot_product_attention(Q, K, V, mask=None):
    """Return (output, weights): for each query, the weighted average of the values, and its weights.

    Q: (..., m, d_k), K: (..., n, d_k), V: (..., n, d_v). ... means any number of axes in front, or none.
    The scores are divided by the square root of d_k, and the softmax goes along the keys. mask: True where
    a query may attend, broadcast to (..., m, n); None hides nothing. The weight of a hidden key is exactly
    0, whatever the scores are; scores may be as large as 20,000 or as small as -20,000. Each query may
    attend to at least one key. output: (..., m, d_v). weights: (..., m, n); each row sums to 1.
    """
'''

HIDDEN_SCORE_BY_SLIP = {
    "zero": 0.0,
    "no softmax, 0": 0.0,
    "sign replaced": 1e9,
    "sign ∞": np.inf,
    "-10,000": -1e4,
}
ADDED_SCORE_BY_SLIP = {"sign": 1e4, "-10,000 added": -1e4}


def reference(Q, K, V, mask=None, slips: Set[str] = frozenset()):
    names = {slip.removesuffix(" -1e9") for slip in slips}
    raw = query_key_products(Q, K, names)
    scores = raw / score_divisor(V if "d_v" in names else Q, names)
    masked = scores
    if mask is not None and not names & {"ignored", "after", "after, divided"}:
        masked = hide_scores(scores, mask, slips)
    weights = softmax_with_slips(masked, names)
    weights = np.nan_to_num(weights) if "inverted safe" in slips else weights
    if mask is not None and names & {"after", "after, divided"}:
        weights = weights * (~mask if inverts_mask(slips) else mask)
        if "after, divided" in slips:
            weights = weights / weights.sum(axis=-1, keepdims=True)
    weights = weights / np.sqrt(Q.shape[-1]) if "late" in slips else weights
    output = weights @ V
    shown = scores if "scores" in slips else weights
    shown = masked if "masked scores" in names else shown
    shown = raw if "products" in slips else shown
    if "halves" in slips:
        half = len(output) // 2
        return output[:half], output[half:]
    if "only output" in slips:
        return output
    return (shown, output) if "swapped" in slips else (output, shown)


def query_key_products(Q, K, slips: Set[str]) -> np.ndarray:
    """Return the products of queries and keys."""
    if "untransposed" in slips:
        return Q @ K
    if "K.T" in slips:
        return Q @ K.T
    if "reshape" in slips:
        return Q @ K.reshape(*K.shape[:-2], K.shape[-1], K.shape[-2])
    if "exchanged" in slips:
        Q, K = K, Q
    return Q @ np.moveaxis(K, -1, -2)


def score_divisor(Q, slips: Set[str]) -> float:
    """Return what the scores are divided by."""
    d_k = Q.shape[-1]
    d_k = (
        Q.shape[0] if "len" in slips else Q.shape[1] if "second axis" in slips else d_k
    )
    powers = {"no scale": 0, "late": 0, "square": 1, "d_k²": 2, "times": -0.5}
    power = next((powers[slip] for slip in powers if slip in slips), 0.5)
    return d_k / 2 if "half" in slips else float(d_k) ** power


def inverts_mask(slips: Set[str]) -> bool:
    """Whether a slip takes the mask for its opposite."""
    return any(slip.startswith("inverted") for slip in slips)


def hide_scores(scores: np.ndarray, mask: np.ndarray, slips: Set[str]) -> np.ndarray:
    """Return the scores, those of hidden keys changed."""
    allowed = ~mask if inverts_mask(slips) else mask
    low = -1e9 if any("-1e9" in slip for slip in slips) else -np.inf
    low = next(
        (HIDDEN_SCORE_BY_SLIP[slip] for slip in HIDDEN_SCORE_BY_SLIP if slip in slips),
        low,
    )
    if slips & {"index", "index -1e9"}:
        masked = scores.copy()
        masked[~allowed] = low
        return masked
    if "plus" in slips:
        return scores + allowed
    if "0 times ∞" in slips:
        return scores + ~allowed * -np.inf
    for slip in ADDED_SCORE_BY_SLIP:
        if slip in slips:
            return scores + ~allowed * ADDED_SCORE_BY_SLIP[slip]
    return np.where(allowed, scores, low)


def softmax_with_slips(scores: np.ndarray, slips: Set[str]) -> np.ndarray:
    """Return softmax of the scores."""
    axes = {
        "everything": None,
        "whole": (-2, -1),
        "queries": -2,
        "axis 0": 0,
        "axis 1": 1,
    }
    axis = next((axes[slip] for slip in axes if slip in slips), -1)
    axis = (scores.ndim + 1) % 2 if "no dim" in slips else axis
    if slips & {"no softmax", "no softmax, 0"}:
        return scores
    shift = 0.0 if "overflow" in slips else scores.max(axis=axis, keepdims=True)
    e = np.exp(scores - shift)
    return e / e.sum(axis=axis, keepdims=True)


def scaled_dot_product_attention(Q, K, V, mask=None):
    scores = Q @ np.swapaxes(K, -1, -2) / np.sqrt(Q.shape[-1])  # (..., m, n)
    if mask is not None:
        scores = np.where(mask, scores, -np.inf)
    weights = softmax(scores)
    return weights @ V, weights  # (..., m, d_v)


def trial_arguments(rng) -> Iterator[tuple]:
    Q, K, V = np.eye(2), np.array([[1.0, 0], [1, 2]]), np.array([[1.0], [3]])
    causal = np.tri(2, dtype=bool)
    yield Q, K, V
    yield Q, K, V, causal
    yield np.stack([Q, K]), np.stack([K, K + Q]), np.stack([V, 2 * V]), causal
    Q = np.array([[1.0, 0, 0, 0], [-1, 0, 0, 0]])
    K = np.array([[24_000.0, 0, 0, 0], [2, 0, 0, 0], [0, 0, 0, 0]])
    V = np.array([[1.0], [2], [3]])
    yield Q, K, V, np.array([[False, True, True], [True, False, False]])
    yield np.array([[[2.0, 0.0]]]), np.eye(2)[None], np.array([[[1.0], [2.0]]])
    for batch, m, n, d_k, d_v, masked in (
        ((), 2, 4, 3, 5, None),
        ((), 2, 4, 3, 5, (2, 4)),
        ((2,), 3, 4, 5, 2, None),
        ((2,), 3, 4, 5, 2, (3, 4)),
        ((2, 3), 4, 5, 6, 2, None),
        ((2, 3), 4, 5, 6, 2, (2, 3, 4, 5)),
        ((3,), 2, 5, 4, 6, None),
    ):
        shapes = (*batch, m, d_k), (*batch, n, d_k), (*batch, n, d_v)
        arrays = [rng.normal(size=shape) for shape in shapes]
        if batch == (3,):
            arrays = [array.astype(np.float32) for array in arrays]
        # A chess board: along every axis, something is hidden and something is not.
        board = None if masked is None else np.indices(masked).sum(axis=0) % 2 == 0
        yield (*arrays, board)


ROWS_SUM_TO_1_PROPERTY = Property(
    "the rows of the weights do not sum to 1",
    lambda function, x, returned_arrays: np.allclose(
        returned_arrays[1].sum(axis=-1), 1, atol=1e-4
    ),
)
TASK = Task(
    "scaled_dot_product_attention",
    "attention/eight_steps#the-eight-steps-in-one-formula",
    STUB,
    reference,
    scaled_dot_product_attention,
    trial_arguments,
    SLIPS,
    properties=(
        ROWS_SUM_TO_1_PROPERTY,
        Property(
            "a key that the mask hides gets weight",
            lambda function, x, returned_arrays: (
                len(x) < 4 or x[3] is None or not (returned_arrays[1] * ~x[3]).any()
            ),
        ),
        Property(
            "the output is not the average with these weights",
            lambda function, x, returned_arrays: np.allclose(
                returned_arrays[1] @ x[2], returned_arrays[0], atol=1e-3
            ),
        ),
    ),
    hints=(
        "There are three steps: scores from queries and keys, softmax, an average of the values.",
        "The scores are Q times K transposed, divided by √d_k. A hidden key gets the score −∞.",
        "weights = softmax(np.where(mask, Q @ K.swapaxes(-1, -2) / np.sqrt(d_k), -np.inf)), and the "
        "output is weights @ V. Without a mask, leave out np.where.",
    ),
    differentiable=("Q", "K", "V"),
    results=("output", "weights"),
)
