"""Layer norm: every vector gets mean 0 and variance 1, and is then scaled and shifted."""

from collections.abc import Iterator, Set

import numpy as np

from ..task import Property, Slip, Task

STUB = '''
def layer_norm(x, gamma, beta, eps=1e-5):  # (..., d_model) -> (..., d_model)
    """Give the entries of each vector mean 0 and variance 1, then scale by gamma and shift by beta.

    x: (..., d_model), with at least one axis before the last. Each vector is normalised on its own.
    gamma, beta: (d_model,). eps is added to the variance, so that nothing is divided by 0. The
    variance is the mean of the squared deviations: divide by d_model.
    """
'''

# The variance may come from var(), or from deviations that are already wrong.
LOST_AXIS_SLIP_FIELDS = (
    "dropped the last axis, so means and variances no longer line up with their vectors",
    "",
    "keepdims=True keeps the last axis with length 1, so that each vector meets its own mean.",
)
SLIPS = (
    Slip(
        "unbiased",
        "divided the squared deviations by d_model − 1 instead of d_model",
        "M23",
        "Take the mean over all d_model entries. With torch.std and torch.var, use correction=0.",
    ),
    Slip(
        "eps outside",
        "added eps to the standard deviation instead of the variance",
        "M23",
        "Add eps under the root.",
    ),
    Slip(
        "variance",
        "divided by the variance instead of the standard deviation",
        repair="Take the square root of the variance before you divide.",
    ),
    Slip(
        "sum",
        "added up the squared deviations and did not divide by their number",
        repair="The variance is the mean of the squared deviations.",
    ),
    Slip("lost axis", *LOST_AXIS_SLIP_FIELDS),
    Slip("lost axes", *LOST_AXIS_SLIP_FIELDS),
    Slip(
        "whole",
        "normalised over the whole array instead of each vector",
        repair="Take mean and variance along the last axis, and keep that axis: axis=-1, keepdims=True.",
    ),
    Slip(
        "sentence",
        "normalised all words of a sentence together",
        repair="Each word's vector has a mean and a variance of its own: axis=-1 alone.",
    ),
    Slip(
        "batch",
        "normalised each entry over the first axis, as batch norm does over the batch",
        repair="Take mean and variance along the last axis, over the entries of one vector.",
    ),
    Slip(
        "words",
        "normalised each entry over the words of a sentence",
        repair="Take mean and variance along the last axis, over the entries of one vector.",
    ),
    Slip(
        "second",
        "normalised along axis 1, which is the last axis only if there is no batch",
        repair="Count from the end: axis=-1 is the last axis, whatever comes before it.",
    ),
    Slip(
        "rms",
        "did not subtract the mean at all, which makes it RMSNorm",
        repair="Subtract the mean, in the numerator and in the variance.",
    ),
    Slip(
        "not centred",
        "divided x itself, without subtracting its mean",
        repair="Divide the deviations from the mean.",
    ),
    Slip(
        "no eps",
        "left out eps, so a vector of equal entries is divided by 0",
        repair="Add eps to the variance.",
    ),
    Slip(
        "fixed eps",
        "used 1e-5 whatever eps is given",
        repair="Add the argument eps, not a number.",
    ),
    Slip(
        "fixed eps 1e-6",
        "used 1e-6 whatever eps is given",
        repair="Add the argument eps, not a number.",
    ),
    Slip(
        "tiny eps",
        "used a number of your own that is far smaller than eps",
        repair="Add the argument eps, not a number.",
    ),
    Slip("no gamma", "did not multiply by gamma", repair="Scale each entry by gamma."),
    Slip("no beta", "did not add beta", repair="Shift each entry by beta at the end."),
    Slip(
        "swapped",
        "exchanged gamma and beta",
        repair="gamma is the factor, and beta is added.",
    ),
    Slip(
        "shift first",
        "added beta before you multiplied by gamma",
        repair="Multiply by gamma first, and then add beta.",
    ),
)

EPS_BY_SLIP = {
    "no eps": 0.0,
    "fixed eps": 1e-5,
    "fixed eps 1e-6": 1e-6,
    "tiny eps": 1e-16,
}
AXIS_BY_SLIP = {
    "whole": None,
    "sentence": (-2, -1),
    "batch": 0,
    "words": -2,
    "second": 1,
}


def reference(x, gamma, beta, eps=1e-5, slips: Set[str] = frozenset()):
    axis = next((AXIS_BY_SLIP[slip] for slip in AXIS_BY_SLIP if slip in slips), -1)
    keep = not slips & {"lost axis", "lost axes"}
    mean = x.mean(axis=axis, keepdims=keep)
    deviation = x if "rms" in slips else x - mean
    count = x.size / mean.size
    count = 1 if "sum" in slips else count - 1 if "unbiased" in slips else count
    centred = deviation if "lost axis" not in slips else x - x.mean(-1, keepdims=True)
    squares = (centred**2).sum(axis=axis, keepdims=keep)
    eps = next((EPS_BY_SLIP[slip] for slip in EPS_BY_SLIP if slip in slips), eps)
    with np.errstate(all="ignore"):
        variance = squares / np.float64(count)
        if "variance" in slips:
            divisor = variance + eps
        elif "eps outside" in slips:
            divisor = np.sqrt(variance) + eps
        else:
            divisor = np.sqrt(variance + eps)
        y = (x if "not centred" in slips else deviation) / divisor
    if "swapped" in slips:
        gamma, beta = beta, gamma
    gamma = np.ones_like(gamma) if "no gamma" in slips else gamma
    beta = np.zeros_like(beta) if "no beta" in slips else beta
    return gamma * (y + beta) if "shift first" in slips else gamma * y + beta


def layer_norm(x, gamma, beta, eps=1e-5):
    mean = x.mean(axis=-1, keepdims=True)
    variance = ((x - mean) ** 2).mean(axis=-1, keepdims=True)
    return gamma * (x - mean) / np.sqrt(variance + eps) + beta


def trial_arguments(rng) -> Iterator[tuple]:
    ones, gamma = np.ones(4), np.array([1.0, 2.0, 1.0, 2.0])
    x = np.array([[1.0, 3.0], [6.0, 10.0]])  # means 2 and 8, deviations 1 and 2
    yield x, np.array([1.0, 2.0]), np.array([0.0, 1.0])
    yield x[None], np.array([1.0, 2.0]), np.array([0.0, 1.0])
    # Means 4, 3 and 2, deviations 3, 2 and 0: the last vector comes out as beta.
    x = np.array([[1.0, 3, 3, 9], [1, 1, 5, 5], [2, 2, 2, 2]])
    yield x, gamma, np.array([0.0, 0.0, 1.0, 1.0])
    yield np.array([[0.0, 0, 2, 2], [1, 3, 1, 3]]), ones, 0 * ones, 3.0  # root of 1 + 3
    yield 0.001 * np.array([[1.0, -1, -1, 1], [2, 2, -2, -2]]), gamma, 0 * ones
    for shape in ((3, 5), (2, 3, 4), (4, 2, 6), (2, 2, 3, 5)):
        gamma, beta = rng.normal(size=(2, shape[-1]))
        yield 1 + 2 * rng.normal(size=shape), gamma, beta
    x, gamma, beta = (rng.normal(size=s) for s in ((3, 2, 7), 7, 7))
    yield tuple(a.astype(np.float32) for a in (x + 1, gamma, beta))
    yield x, gamma, beta, 0.5


def _has_default_eps(function, arguments, returned_arrays) -> bool:
    return len(arguments) > 3 or np.allclose(
        function(*arguments, 1e-5)[0], returned_arrays[0]
    )


def _treats_vectors_separately(function, arguments, returned_arrays) -> bool:
    x, *others = arguments
    first = function(x[..., :1, :], *others)[0]
    return np.allclose(first, returned_arrays[0][..., :1, :], atol=1e-4)


def _makes_mean_zero(function, arguments, returned_arrays) -> bool:
    x, gamma, *_ = arguments
    plain = function(x, np.ones_like(gamma), np.zeros_like(gamma))[0]
    return np.abs(plain.mean(axis=-1)).max() < 1e-3


def _shifts_by_beta(function, arguments, returned_arrays) -> bool:
    x, gamma, beta, *eps = arguments
    return np.allclose(function(x, 0 * gamma, beta, *eps)[0], beta, atol=1e-4)


TASK = Task(
    "layer_norm",
    "transformer/add_and_norm#norm-every-vector-gets-mean-0-and-variance-1",
    STUB,
    reference,
    layer_norm,
    trial_arguments,
    SLIPS,
    properties=(
        Property("the default of eps is not 1e-5", _has_default_eps),
        Property(
            "the result for one word depends on the other words",
            _treats_vectors_separately,
        ),
        Property(
            "with gamma 1 and beta 0, the mean of a vector is not 0", _makes_mean_zero
        ),
        Property("with gamma 0, the result is not beta", _shifts_by_beta),
    ),
    hints=(
        "Each vector is normalised on its own: it needs its own mean and its own variance.",
        "Subtract the mean, divide by the root of the variance plus eps, multiply by gamma, add beta. "
        "With axis=-1 and keepdims=True, the shape of the mean fits that of x.",
        "mean = x.mean(axis=-1, keepdims=True), variance = ((x - mean) ** 2).mean(axis=-1, "
        "keepdims=True), and the result is gamma * (x - mean) / np.sqrt(variance + eps) + beta.",
    ),
    differentiable=("x", "gamma", "beta"),
)
