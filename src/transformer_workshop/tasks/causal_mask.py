"""The mask that hides what comes later."""

import numpy as np

from ..task import Slip, Task

STUB = '''
def causal_mask(n):  # -> (n, n), of True and False
    """Say for each query which keys it may attend to: itself, and what is before it.

    True means: may attend. Rows are queries, columns are keys.
    """
'''

SLIPS = (
    Slip(
        "past",
        "masked the past instead of the future",
        "M6",
        "A query may look at itself and at what is before it: np.tril.",
    ),
    Slip(
        "hides",
        "returned True where attention is forbidden",
        "M25",
        "In this book, True means that a query may attend.",
    ),
    Slip(
        "no self",
        "hid each token from itself",
        repair="The diagonal is True: a token may attend to itself.",
    ),
    Slip(
        "numbers",
        "returned numbers to be added to the scores",
        "M5",
        "Return True and False.",
    ),
)


def reference(n, slips=frozenset()):
    rows, columns = np.arange(n)[:, None], np.arange(n)
    mask = rows <= columns if "past" in slips else rows >= columns
    if "no self" in slips:
        mask = mask & (rows != columns)
    if "hides" in slips:
        mask = ~mask
    return np.where(mask, 0.0, -np.inf) if "numbers" in slips else mask


def causal_mask(n):
    return np.tril(np.ones((n, n), dtype=bool))


def trials(random):
    for n in (2, 3, 1, 5):
        yield (n,)


TASK = Task(
    "causal_mask",
    "attention/masks",
    STUB,
    reference,
    causal_mask,
    trials,
    SLIPS,
    hints=(
        "Draw the table for n = 3 with a pencil.",
        "Row i has True in the columns 0 to i.",
        "np.tril of an array of True.",
    ),
)
