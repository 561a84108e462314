"""The columns of a matrix, shared out among the heads."""

from collections.abc import Iterator, Set

import numpy as np

from ..task import Property, Slip, Task

STUB = '''
def split_heads(x, h):  # (..., n, h * d_k) -> (..., h, n, d_k)
    """Give each of the h heads its share of the columns: the first d_k to the first head, and so on.

    Each head keeps all n rows, one for each word, in their order. The axis of the heads goes directly
    before that of the words. ... means any number of axes in front, or none; they stay as they are.
    """
'''

SLIPS = (
    Slip(
        "reshape",
        "split with a reshape alone, without exchanging axes, so the words are mixed up",
        repair="First cut each row: (..., n, h, d_k). Then exchange the axes of words and heads.",
    ),
    Slip(
        "interleaved",
        "dealt the columns out in turn: the first head got the columns 0, h, 2h, …",
        repair="The columns of a head are next to each other: cut each row into (h, d_k), not (d_k, h).",
    ),
    Slip(
        "one slice",
        "gave every head the same columns, the first ones",
        "M11",
        "Head i, counted from 0, has the columns i * d_k to (i + 1) * d_k - 1.",
    ),
    Slip(
        "last slice",
        "gave every head the same columns, the last ones",
        "M11",
        "Head i has columns of its own. A function made in a loop reads i only when it is called.",
    ),
    Slip(
        "overlapping",
        "began each head only one column after the head before it, so the heads overlap",
        repair="Head i, counted from 0, begins with column i * d_k.",
    ),
    Slip(
        "all columns",
        "gave every head all the columns",
        repair="The heads share the columns: each has d_k of them.",
    ),
    Slip(
        "exchanged",
        "cut each row into pieces of width h instead of into h pieces",
        repair="h is the number of heads. Each head has x.shape[-1] // h columns.",
    ),
    Slip(
        "words first",
        "left the axis of the words before that of the heads",
        repair="Exchange the two: (..., n, h, d_k) becomes (..., h, n, d_k).",
    ),
    Slip(
        "turned",
        "exchanged the words and the columns of each head",
        repair="The last two axes of the result are the words and d_k, in this order.",
    ),
    Slip(
        "axes 0 and 1",
        "exchanged the first two axes, which is right only without a batch",
        repair="Count the axes from the end: -3 and -2.",
    ),
    Slip(
        "axes 1 and 2",
        "exchanged axes 1 and 2, which is right only with exactly one batch axis",
        repair="Count the axes from the end: -3 and -2.",
    ),
    Slip(
        "in front",
        "put the axis of the heads in front of the batch",
        repair="The axis of the heads goes directly before that of the words.",
    ),
    Slip(
        "one axis",
        "put the batch and the heads into one axis",
        repair="Keep an axis for the heads: (..., h, n, d_k).",
    ),
)


def reference(x, h, slips: Set[str] = frozenset()):
    width = x.shape[-1]
    count, d_k = (width // h, h) if "exchanged" in slips else (h, width // h)
    columns = np.arange(width).reshape(count, d_k)  # of each head
    if "interleaved" in slips:
        columns = np.arange(width).reshape(d_k, count).T
    if "one slice" in slips:
        columns = np.repeat(columns[:1], count, axis=0)
    if "last slice" in slips:
        columns = np.repeat(columns[-1:], count, axis=0)
    if "overlapping" in slips:
        columns = np.arange(count)[:, None] + np.arange(d_k)
    if "all columns" in slips:
        columns = np.tile(np.arange(width), (count, 1))
    pieces = x[..., columns]  # (..., n, h, d_k)
    if "words first" in slips:
        heads = pieces
    elif "reshape" in slips:
        heads = pieces.reshape(*x.shape[:-2], count, x.shape[-2], columns.shape[1])
    elif "axes 0 and 1" in slips:
        heads = np.swapaxes(pieces, 0, 1)
    elif "axes 1 and 2" in slips:
        heads = np.swapaxes(pieces, 1, 2)
    else:
        heads = np.stack([x[..., own] for own in columns], axis=-3)
    if "turned" in slips:
        heads = np.swapaxes(heads, -1, -2)
    if "in front" in slips:
        heads = np.moveaxis(heads, -3, 0)
    return heads.reshape(-1, *heads.shape[-2:]) if "one axis" in slips else heads


def split_heads(x, h):
    pieces = x.reshape(*x.shape[:-1], h, x.shape[-1] // h)  # (..., n, h, d_k)
    return np.swapaxes(pieces, -2, -3)  # (..., h, n, d_k)


def trial_arguments(rng) -> Iterator[tuple]:
    yield np.arange(8.0).reshape(2, 4), 2
    yield np.arange(12.0).reshape(3, 4), 2
    yield np.arange(12.0).reshape(2, 6), 3
    yield np.arange(16.0).reshape(2, 2, 4), 2
    yield rng.normal(size=(5, 12)), 3
    yield rng.normal(size=(2, 5, 12)).astype(np.float32), 4
    yield rng.normal(size=(2, 3, 5, 8)), 4
    yield rng.normal(size=(2, 4, 3)), 1
    yield rng.normal(size=(4, 3)), 3


TASK = Task(
    "split_heads",
    "attention/heads#split-and-merge",
    STUB,
    reference,
    split_heads,
    trial_arguments,
    SLIPS,
    properties=(
        Property(
            "some numbers of x are missing, or there are numbers that are not in x",
            lambda function, x, returned_arrays: np.allclose(
                np.sort(returned_arrays[0], axis=None),
                np.sort(x[0], axis=None),
                atol=1e-4,
            ),
        ),
    ),
    hints=(
        "There are two steps: cut each row into h pieces, then collect the pieces of each head.",
        "A reshape of the last axis alone cuts the rows: (..., n, h, d_k). Then two axes change places.",
        "Return np.swapaxes(x.reshape(*x.shape[:-1], h, x.shape[-1] // h), -2, -3).",
    ),
    differentiable=("x",),
)
