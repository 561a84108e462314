"""Softmax of each row."""

from collections.abc import Iterator, Set

import numpy as np

from ..task import Property, Slip, Task

STUB = '''
def softmax(x):  # (..., n) -> (..., n)
    """Turn each row of scores into weights that are not negative and sum to 1.

    The weight of a score s is exp(s), divided by the sum of exp over the row. The rows lie along the last
    axis; ... means any number of axes in front of it, or none. Scores may be as large as 1,000 or as small
    as -1,000, and exp must not overflow. A score of -inf gets the weight 0; in each row, at least one score
    is not -inf.
    """
'''

WHOLE_ARRAY_SLIP_FIELDS = "normalised over the whole array instead of each row", "M4"
LAST_AXIS_REPAIR = (
    "Sum along the last axis alone, and keep that axis: axis=-1, keepdims=True."
)
COLUMNS_SLIP_FIELDS = "normalised each column instead of each row", "M4"
NO_KEEPDIMS_CONSEQUENCE = "so column j is divided by the sum of row j"
WRONG_SIGN_SLIP_FIELDS = (
    "gave the smallest score the largest weight",
    "",
    "The exponent is the score itself, not minus the score.",
)
LOGARITHMS_SLIP_FIELDS = (
    "returned the logarithms of the weights",
    "",
    "Return the weights themselves.",
)
KEEPDIMS_REPAIR = "Keep the axis with keepdims=True, so that every entry meets the number of its own row."

SLIPS = (
    Slip("whole", *WHOLE_ARRAY_SLIP_FIELDS, LAST_AXIS_REPAIR),
    Slip(
        "whole sum", *WHOLE_ARRAY_SLIP_FIELDS, LAST_AXIS_REPAIR
    ),  # though each row has its own largest score
    Slip("columns", *COLUMNS_SLIP_FIELDS, "The last axis is axis=-1."),
    Slip(
        "axis 0", *COLUMNS_SLIP_FIELDS, "The last axis is axis=-1; axis=0 is the first."
    ),
    Slip(
        "axis 1",
        "normalised along axis 1, which is the last axis only if x is a matrix",
        "M4",
        "The last axis is axis=-1, however many axes there are.",
    ),
    Slip(
        "no dim",
        "let PyTorch choose the axis, and of three axes it chooses the first",
        "M4",
        "Name the axis: dim=-1.",
    ),
    Slip(
        "no keepdims",
        f"lost the axis of the sum, {NO_KEEPDIMS_CONSEQUENCE}",
        "",
        KEEPDIMS_REPAIR,
    ),
    Slip(
        "no keepdims in max",
        "lost the axis of the maximum, so the largest score of row j is subtracted from column j",
        repair=KEEPDIMS_REPAIR,
    ),
    Slip(
        "no exp",
        "divided by the sum without taking the exponential",
        repair="Take the exponential of the scores before you sum them.",
    ),
    Slip("sign", *WRONG_SIGN_SLIP_FIELDS),
    Slip("sign, max", *WRONG_SIGN_SLIP_FIELDS),  # exp(largest − x), which overflows
    Slip(
        "overflow",
        "took the exponential of scores that are too large, so it overflowed",
        repair="Subtract the largest score of the row first. This does not change the weights.",
    ),
    Slip(
        "smallest",
        "subtracted the smallest score, so the exponential of the largest score overflows",
        repair="Subtract the largest score of the row: then no exponent is above 0.",
    ),
    Slip(
        "one shift",
        "subtracted the largest score of the whole array, so a row of very small scores becomes 0/0",
        repair="Subtract from each row its own largest score: axis=-1, keepdims=True.",
    ),
    Slip("no sum", "did not divide by the sum", repair="Each row has to sum to 1."),
    Slip(
        "mean",
        "divided by the mean instead of the sum",
        repair="Divide by the sum of the exponentials.",
    ),
    Slip(
        "norm",
        "divided by the length of the row as a vector, which is the root of the sum of squares",
        repair="Divide by the sum of the exponentials, without squares or a root.",
    ),
    Slip("log", *LOGARITHMS_SLIP_FIELDS),
    Slip(
        "log, -inf", *LOGARITHMS_SLIP_FIELDS
    ),  # where a weight is too small for a number
)


def reference(x, slips: Set[str] = frozenset()):
    axis: int | None = -2 if "columns" in slips and x.ndim > 1 else -1
    axis = next((int(s[-1]) for s in ("axis 0", "axis 1") if s in slips), axis)
    if "no dim" in slips:
        axis = 1 if x.ndim in (2, 4) else 0
    axis = None if "whole" in slips else axis
    over = None if "one shift" in slips else axis
    keep = "no keepdims in max" not in slips
    shift = x.min if slips & {"smallest", "sign"} else x.max
    shift = 0.0 if "overflow" in slips else shift(axis=over, keepdims=keep)
    exponent = shift - x if slips & {"sign", "sign, max"} else x - shift
    e = x if "no exp" in slips else np.exp(exponent)
    over = None if "whole sum" in slips else axis
    keep = "no keepdims" not in slips
    total = (
        e.mean(axis=over, keepdims=keep)
        if "mean" in slips
        else e.sum(over, keepdims=keep)
    )
    if "norm" in slips:
        total = np.sqrt((e * e).sum(over, keepdims=keep))
    weights = e if "no sum" in slips else e / total
    if "log" in slips:
        return exponent if "no sum" in slips else exponent - np.log(total)
    return np.log(weights) if "log, -inf" in slips else weights


def softmax(x):
    e = np.exp(x - x.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)


def trial_arguments(rng) -> Iterator[tuple]:
    yield (np.array([[0.0, 1.0], [2.0, 0.0]]),)
    yield (np.array([[0.0, 1.0, 2.0], [1.0, 1.0, 0.0]]),)
    yield (np.array([[[0.0, 1.0], [2.0, 0.0]], [[1.0, 1.0], [0.0, 3.0]]]),)
    # Only now a row alone: axis=1 has a wrong result before it has none.
    yield (np.array([1000.0, 999.0]),)
    yield (np.array([[-1000.0, -1000.0], [0.0, 800.0]]),)
    yield (rng.normal(size=(2, 3, 4)),)
    x = rng.normal(size=(3, 5)).astype(np.float32)
    x[0, 1] = x[2, 4] = -np.inf
    yield (x,)


TASK = Task(
    "softmax",
    "attention/eight_steps#step-5-softmax-turns-scores-into-weights",
    STUB,
    reference,
    softmax,
    trial_arguments,
    SLIPS,
    properties=(
        Property(
            "the rows do not sum to 1",
            lambda function, x, returned_arrays: np.allclose(
                returned_arrays[0].sum(axis=-1), 1, atol=1e-4
            ),
        ),
        Property(
            "a weight is negative",
            lambda function, x, returned_arrays: (returned_arrays[0] >= 0).all(),
        ),
        Property(
            "a number added to all scores changes the weights",
            lambda function, x, returned_arrays: np.allclose(
                function(x[0] + 1)[0], returned_arrays[0], atol=1e-4
            ),
        ),
    ),
    hints=(
        "Every row is turned into weights on its own.",
        "exp makes every score positive; then divide by the sum of the row. First subtract the largest "
        "score of the row, so that exp cannot overflow.",
        "Let e = np.exp(x - x.max(axis=-1, keepdims=True)). Divide e by its sum over axis=-1, also with "
        "keepdims=True.",
    ),
    differentiable=("x",),
)
