"""The mask that hides what comes later."""

from collections.abc import Iterator, Set

import numpy as np

from ..task import Property, Slip, Task

STUB = '''
def causal_mask(n):  # a whole number -> (n, n), of True and False
    """Return for each query which keys it may attend to: itself and the tokens before it.

    n is the number of tokens, at least 1. Row i belongs to the query at position i, column j to the key
    at position j. True means that the query may attend to the key. The result has two axes. It is not
    added to anything: its entries are True and False, not numbers.
    """
'''

TRUE_ALLOWS_REPAIR = "In this book, True means that a query may attend."
ADDED_NUMBERS_TEXT = "returned numbers to be added to the scores"
BOOLEAN_REPAIR = (
    "Return True and False. Attention then puts −∞ in the place of hidden scores."
)
RAISED_SCORES_TEXT = (
    "returned numbers to be added to the scores, and they raise the hidden scores"
)
NO_SIGN_REPAIR = "Return True and False, which have no sign that could be wrong."
TWO_AXES_REPAIR = (
    "The shape is (n, n). Attention adds the other axes where it needs them."
)

SLIPS = (
    Slip(
        "past",
        "masked the past instead of the future",
        "M6",
        "A query may look at itself and at what is before it: np.tril.",
    ),
    Slip(
        "hides", "returned True where attention is forbidden", "M25", TRUE_ALLOWS_REPAIR
    ),
    Slip(
        "no self",
        "hid each token from itself",
        repair="The diagonal is True: a token may attend to itself.",
    ),
    Slip(
        "next",
        "let each token attend to the token after it",
        repair="In each row, the last True is on the diagonal: np.tril without a k.",
    ),
    Slip(
        "all",
        "allowed everything, so every token sees what comes later",
        repair="Row i is False to the right of column i.",
    ),
    Slip(
        "self only",
        "allowed each token nothing but itself",
        repair="A token may attend to what is before it, too.",
    ),
    Slip("ones", "returned the numbers 1 and 0", repair="Return True and False."),
    Slip("numbers", ADDED_NUMBERS_TEXT, "", BOOLEAN_REPAIR),
    Slip(
        "-1e9",
        f"{ADDED_NUMBERS_TEXT}, with a large number for infinity",
        "M20",
        BOOLEAN_REPAIR,
    ),
    Slip(
        "-10,000",
        f"{ADDED_NUMBERS_TEXT}, with a large number for infinity",
        "M20",
        BOOLEAN_REPAIR,
    ),
    Slip(
        "lowest",
        f"{ADDED_NUMBERS_TEXT}, with a large number for infinity",
        "M20",
        BOOLEAN_REPAIR,
    ),
    Slip(
        "0 times ∞",
        "multiplied ones and zeros by −∞, and 0 times −∞ is NaN",
        "M20",
        BOOLEAN_REPAIR,
    ),
    Slip("sign", RAISED_SCORES_TEXT, "M5", NO_SIGN_REPAIR),
    Slip("sign 10,000", RAISED_SCORES_TEXT, "M5", NO_SIGN_REPAIR),
    Slip("sign 1e9", RAISED_SCORES_TEXT, "M5", NO_SIGN_REPAIR),
    Slip("batch", "put an axis in front", "", TWO_AXES_REPAIR),
    Slip("heads", "put two axes in front", "", TWO_AXES_REPAIR),
)
MASK_VALUES_BY_SLIP = {  # what stands for True, and what for False
    "numbers": (0.0, -np.inf),
    "-1e9": (0.0, -1e9),
    "-10,000": (0.0, -1e4),
    "lowest": (0.0, float(np.finfo(np.float32).min)),
    "0 times ∞": (np.nan, -np.inf),
    "sign": (0.0, np.inf),
    "sign 10,000": (0.0, 1e4),
    "sign 1e9": (0.0, 1e9),
    "ones": (1, 0),
}


def reference(n, slips: Set[str] = frozenset()):
    rows, columns = np.arange(n)[:, None], np.arange(n)
    mask = rows <= columns if "past" in slips else rows >= columns
    if "next" in slips:
        mask = mask | (rows + 1 == columns)
    if "no self" in slips:
        mask = mask & (rows != columns)
    if "all" in slips:
        mask = mask | True
    if "self only" in slips:
        mask = mask & (rows == columns)
    if "hides" in slips:
        mask = ~mask
    for slip in MASK_VALUES_BY_SLIP:
        if slip in slips:
            mask = np.where(mask, *MASK_VALUES_BY_SLIP[slip])
            break
    axes = slips & {"batch", "heads"}
    return mask.reshape(*[1] * (2 if "heads" in axes else len(axes)), n, n)


def causal_mask(n):
    return np.tril(np.ones((n, n), dtype=bool))


def trial_arguments(rng) -> Iterator[tuple]:
    for n in (2, 3, 1, 4, 5, 8):
        yield (n,)


def expect_boolean_mask(returned_arrays: tuple[np.ndarray, ...]) -> np.ndarray:
    """Return the mask, if it is one; of anything else, the properties say nothing."""
    if returned_arrays[0].dtype != bool or returned_arrays[0].ndim != 2:
        raise ValueError("not a table of True and False")
    return returned_arrays[0]


TASK = Task(
    "causal_mask",
    "attention/masks#a-hidden-score-becomes-minus-infinity",
    STUB,
    reference,
    causal_mask,
    trial_arguments,
    SLIPS,
    properties=(
        Property(
            "the first token sees something after it",
            lambda function, x, returned_arrays: (
                not expect_boolean_mask(returned_arrays)[0, 1:].any()
            ),
        ),
        Property(
            "the last token does not see all tokens",
            lambda function, x, returned_arrays: expect_boolean_mask(returned_arrays)[
                -1
            ].all(),
        ),
        Property(
            "a token is hidden from itself",
            lambda function, x, returned_arrays: (
                expect_boolean_mask(returned_arrays).diagonal().all()
            ),
        ),
    ),
    hints=(
        "Draw the table for n = 3 with a pencil. Position 0 may see only itself, position 2 all three.",
        "Row i has True in the columns 0 to i: on the diagonal, and to the left of it.",
        "np.tril keeps what is on and below the diagonal: give it an (n, n) array of True.",
    ),
)
