"""RMSNorm: each vector divided by its root mean square."""

from collections.abc import Iterator, Set

import numpy as np

from ..task import Property, Slip, Task

STUB = '''
def rms_norm(x, gamma, eps=1e-6):  # (..., d_model), (d_model,) -> (..., d_model)
    """Divide each vector by its root mean square, then multiply its entries by gamma.

    The vectors lie along the last axis. eps is added to the mean square, under the root. No mean is
    subtracted, and nothing is added at the end.
    """
'''

SLIPS = (
    Slip(
        "outside",
        "added eps outside the root instead of to the mean square",
        "M40",
        "Add eps to the mean of the squares, and take the root of the sum.",
    ),
    Slip(
        "no eps",
        "left out eps",
        repair="Add eps to the mean square, so that a vector of zeros stays a vector of zeros.",
    ),
    Slip(
        "clamped",
        "took the larger of the root and eps instead of adding eps under the root",
        repair="Add eps to the mean square, then take the root.",
    ),
    Slip(
        "fixed",
        "used 1e-6 whatever eps is",
        repair="Use the argument eps.",
    ),
    Slip(
        "fixed 1e-5",
        "used 1e-5 whatever eps is",
        repair="Use the argument eps.",
    ),
    Slip(
        "tiny",
        "used a number far smaller than eps, as F.normalize does, or F.rms_norm without its eps",
        repair="Use the argument eps.",
    ),
    Slip(
        "layer norm",
        "subtracted the mean, as layer norm does",
        repair="RMSNorm uses the entries themselves, both for the mean square and for what is divided.",
    ),
    Slip(
        "centred",
        "subtracted the mean before you divided by the root mean square",
        repair="Divide the entries as they are.",
    ),
    Slip(
        "deviation",
        "divided by the standard deviation instead of the root mean square",
        repair="Square the entries themselves, not their distances from the mean.",
    ),
    Slip(
        "sum",
        "divided by the root of the sum of the squares, which is the length of the vector",
        repair="Take the mean of the squares instead of their sum.",
    ),
    Slip(
        "n - 1",
        "divided the sum of the squares by d_model − 1 instead of d_model",
        repair="Take the plain mean of the squares, over all d_model entries.",
    ),
    Slip(
        "no root",
        "divided by the mean square itself",
        repair="Take the square root before you divide.",
    ),
    Slip(
        "square of mean",
        "squared the mean instead of taking the mean of the squares",
        repair="Square first, then take the mean.",
    ),
    Slip(
        "whole",
        "took one mean over the whole array instead of one for each vector",
        repair="Take the mean along the last axis, and keep that axis: axis=-1, keepdims=True.",
    ),
    Slip(
        "columns",
        "took the mean over the vectors instead of over the entries of each vector",
        repair="The entries of a vector lie along the last axis, axis=-1.",
    ),
    Slip(
        "axis 0",
        "took the mean along the first axis",
        repair="The entries of a vector lie along the last axis, axis=-1.",
    ),
    Slip(
        "axis 1",
        "took the mean along axis 1, which is the last axis only without a batch",
        repair="Count the axes from the end: axis=-1.",
    ),
    Slip(
        "no gamma",
        "did not multiply by gamma",
        repair="Multiply the entries of each vector by those of gamma at the end.",
    ),
    Slip(
        "one more",
        "multiplied by 1 + gamma",
        repair="Multiply by gamma itself. (Some models store gamma − 1; here it is gamma.)",
    ),
)


EPS_BY_SLIP = {"fixed": 1e-6, "fixed 1e-5": 1e-5, "tiny": 1e-16, "no eps": 0.0}


def reference(x, gamma, eps=1e-6, slips: Set[str] = frozenset()):
    eps = next((EPS_BY_SLIP[slip] for slip in EPS_BY_SLIP if slip in slips), eps)
    centred = x - x.mean(axis=-1, keepdims=True)
    top = centred if slips & {"centred", "layer norm"} else x
    below = centred if slips & {"deviation", "layer norm"} else x
    axis_of = {"columns": -2, "axis 0": 0, "axis 1": 1}
    axis = next((axis_of[slip] for slip in axis_of if slip in slips), -1)
    axes = tuple(range(x.ndim)) if "whole" in slips else (axis,)
    count = np.prod([x.shape[axis] for axis in axes])
    divisor = 1 if "sum" in slips else count - 1 if "n - 1" in slips else count
    if "square of mean" in slips:
        square = (below.sum(axis=axes, keepdims=True) / divisor) ** 2
    else:
        square = (below**2).sum(axis=axes, keepdims=True) / divisor
    root = (lambda y: y) if "no root" in slips else np.sqrt
    scale = root(square) + eps if "outside" in slips else root(square + eps)
    if "clamped" in slips:
        scale = np.maximum(root(square), eps)
    if "no gamma" in slips:
        return top / scale
    return (1 + gamma if "one more" in slips else gamma) * top / scale


def rms_norm(x, gamma, eps=1e-6):
    mean_square = (x**2).mean(axis=-1, keepdims=True)
    return gamma * x / np.sqrt(mean_square + eps)


def trial_arguments(rng) -> Iterator[tuple]:
    yield np.array([[1.0, 7.0]]), np.ones(2)
    yield np.array([[1.0, 3.0, 3.0, 9.0]]), np.array([1.0, 2.0, 3.0, -1.0])
    yield np.array([[3.0, 3.0]]), np.ones(2), 16.0
    yield np.array([[1.0, 7.0], [0.0, 0.0]]), np.ones(2)
    yield np.array([[[1.0, 7.0], [3.0, 1.0]]]), np.ones(2)
    yield 1e-5 * np.array([[1.0, -2.0, 3.0, 0.0], [4.0, 1.0, 0.0, 2.0]]), np.ones(4)
    yield rng.normal(size=(3, 5)), rng.normal(size=5)
    yield rng.normal(size=(2, 3, 4)), rng.normal(size=4), 0.5
    x, gamma = 30 * rng.normal(size=(4, 6)), rng.normal(size=6)
    yield x.astype(np.float32), gamma.astype(np.float32)
    yield rng.normal(size=(2, 2, 5, 3)), rng.normal(size=3)


def accepts_single_vector(function, arguments, returned_arrays) -> bool:
    """Whether one vector, without any other axis, gives what it gives in its array."""
    vector = arguments[0][(0,) * (arguments[0].ndim - 1)]
    expected = returned_arrays[0][(0,) * (arguments[0].ndim - 1)]
    try:
        return np.allclose(function(vector, *arguments[1:])[0], expected, atol=1e-4)
    except Exception:
        return False


def has_unit_mean_square(function, arguments, returned_arrays) -> bool:
    """Whether vectors that are not short have the mean square 1 before gamma."""
    squares = (function(arguments[0], np.ones_like(arguments[1]), 1e-9)[0] ** 2).mean(
        axis=-1
    )
    return np.allclose(squares[(arguments[0] ** 2).mean(axis=-1) > 1e-2], 1, atol=1e-3)


TASK = Task(
    "rms_norm",
    "beyond/norms_and_activations#rmsnorm-divides-by-the-root-mean-square",
    STUB,
    reference,
    rms_norm,
    trial_arguments,
    SLIPS,
    properties=(
        Property(
            "with a gamma of ones and almost no eps, the mean square of each vector is not 1",
            has_unit_mean_square,
        ),
        Property(
            "it is right for an array of vectors, but not for a single vector (d_model,)",
            accepts_single_vector,
        ),
    ),
    hints=(
        "The mean square of (1, 7) is (1 + 49) / 2 = 25. Its root is 5, so the result is (0.2, 1.4).",
        "Square the entries, take the mean along the last axis, add eps, take the root, and divide.",
        "mean_square = (x**2).mean(axis=-1, keepdims=True), and the root to divide by is "
        "np.sqrt(mean_square + eps). Then multiply by gamma.",
    ),
    differentiable=("x", "gamma"),
)
