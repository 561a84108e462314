"""The results of the heads, side by side again."""

from collections.abc import Iterator, Set

import numpy as np

from ..task import Property, Slip, Task

STUB = '''
def merge_heads(x):  # (..., h, n, d_k) -> (..., n, h * d_k)
    """Put the heads side by side: the inverse of split_heads.

    Each word has one row again. In it, the d_k numbers of the first head come first, then those of the
    second head, and so on. ... means any number of axes in front, or none; they stay as they are.
    """
'''

SLIPS = (
    Slip(
        "reshape",
        "merged with a reshape alone, without exchanging axes, so the words are mixed up",
        repair="First exchange the axes of heads and words: (..., n, h, d_k). Then join.",
    ),
    Slip(
        "interleaved",
        "took one number of each head in turn",
        repair="The d_k numbers of a head are next to each other: join (h, d_k), not (d_k, h).",
    ),
    Slip(
        "wrong axes",
        "exchanged the words and the columns instead of the heads and the words",
        repair="Exchange the axes -3 and -2.",
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
        "batch",
        "joined along the first axis, which is that of the heads only without a batch",
        repair="The axis of the heads is -3.",
    ),
    Slip(
        "one below the other",
        "put the heads one below the other instead of side by side",
        repair="A word has one row, with the numbers of all heads in it.",
    ),
    Slip(
        "not joined",
        "exchanged the axes, but did not join the pieces of a row",
        repair="Join the last two axes with reshape: (..., n, h, d_k) becomes (..., n, h * d_k).",
    ),
    Slip(
        "one head",
        "put the first head into the places of all heads",
        "M11",
        "The place of head i gets the numbers of head i, and not always those of the first head.",
    ),
    Slip(
        "last head",
        "put the last head into the places of all heads",
        "M11",
        "The place of head i gets the numbers of head i. Does a function read i after the loop?",
    ),
    Slip(
        "sum",
        "added the heads up",
        repair="Nothing is added: put the heads side by side.",
    ),
    Slip(
        "mean",
        "took the average of the heads",
        repair="Nothing is averaged: put the heads side by side.",
    ),
    Slip(
        "turned",
        "put the words into columns",
        repair="Each word has a row: (..., n, h * d_k).",
    ),
)


def reference(x, slips: Set[str] = frozenset()):
    *batch, h, n, d_k = x.shape
    heads = [x[..., i, :, :] for i in range(h)]
    heads = [heads[0]] * h if "one head" in slips else heads
    heads = [heads[-1]] * h if "last head" in slips else heads
    if "sum" in slips or "mean" in slips:
        merged = sum(heads) / (h if "mean" in slips else 1)
    elif "not joined" in slips:
        merged = np.stack(heads, axis=-2)
    elif "one below the other" in slips:
        merged = np.concatenate(heads, axis=-2)
    elif "interleaved" in slips:
        merged = np.stack(heads, axis=-1).reshape(*batch, n, d_k * h)
    elif "batch" in slips:
        merged = np.concatenate(list(np.stack(heads, axis=-3)), axis=-1)
    elif "reshape" in slips or "wrong axes" in slips:
        stacked = np.stack(heads, axis=-3)
        if "wrong axes" in slips:
            stacked = np.swapaxes(stacked, -1, -2)
        merged = stacked.reshape(*batch, n, h * d_k)
    elif "axes 0 and 1" in slips or "axes 1 and 2" in slips:
        pair = (0, 1) if "axes 0 and 1" in slips else (1, 2)
        stacked = np.swapaxes(np.stack(heads, axis=-3), *pair)
        merged = stacked.reshape(*stacked.shape[:-2], -1)
    else:
        merged = np.concatenate(heads, axis=-1)
    return np.swapaxes(merged, -1, -2) if "turned" in slips else merged


def merge_heads(x):
    x = np.swapaxes(x, -2, -3)  # (..., n, h, d_k)
    return x.reshape(*x.shape[:-2], x.shape[-2] * x.shape[-1])  # (..., n, h * d_k)


def trial_arguments(rng) -> Iterator[tuple]:
    yield (np.arange(8.0).reshape(2, 2, 2),)
    yield (np.arange(12.0).reshape(2, 3, 2),)
    yield (np.arange(16.0).reshape(2, 2, 2, 2),)
    yield (rng.normal(size=(3, 5, 4)),)
    yield (rng.normal(size=(2, 4, 5, 3)).astype(np.float32),)
    yield (rng.normal(size=(2, 3, 4, 5, 6)),)
    yield (rng.normal(size=(2, 1, 4, 3)),)
    yield (rng.normal(size=(3, 4, 1)),)


TASK = Task(
    "merge_heads",
    "attention/heads#split-and-merge",
    STUB,
    reference,
    merge_heads,
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
        "Undo what split_heads did, in the opposite order.",
        "First the heads and the words change places: (..., n, h, d_k). Then a reshape joins the last two "
        "axes.",
        "Write x = np.swapaxes(x, -2, -3), and return x.reshape(*x.shape[:-2], -1).",
    ),
    differentiable=("x",),
)
