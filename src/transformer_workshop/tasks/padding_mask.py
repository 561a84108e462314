"""The mask that hides the padding of short sentences."""

from collections.abc import Iterator, Set

import numpy as np

from ..task import Slip, Task

STUB = '''
def padding_mask(ids, pad_id):  # (batch, n) -> (batch, 1, n), of True and False
    """Return for each sentence which of its tokens are words, so that no query attends to padding.

    ids are whole numbers, one for each token; pad_id is the id of the padding, which may be at the end or
    at the beginning of a sentence. True means that queries may attend, so every word gets True. The axis
    of length 1 is that of the queries, because the mask hides the same keys from all queries; it goes
    between the axes of ids.
    """
'''

SLIPS = (
    Slip(
        "hides",
        "returned True for the padding and False for the words",
        "M25",
        "In this book, True means that a query may attend.",
    ),
    Slip(
        "queries",
        "masked the padding as a query, so the words still attend to it",
        "M21",
        "The last axis is that of the keys: the shape is (batch, 1, n).",
    ),
    Slip(
        "queries repeated",
        "masked the padding as a query, so the words still attend to it",
        "M21",
        "The last axis is that of the keys: the shape is (batch, 1, n).",
    ),
    Slip(
        "both",
        "hid all keys from the padding, too, so its queries have nothing to attend to",
        repair="Hide only the padding's keys: the shape is (batch, 1, n). The padding's rows are never used.",
    ),
    Slip(
        "repeated",
        "repeated the row for every query",
        repair="Leave the axis of the queries at length 1, which fits any number of queries.",
    ),
    Slip(
        "flat",
        "left out the axis for the queries",
        repair="The shape is (batch, 1, n): put a new axis between batch and n.",
    ),
    Slip(
        "heads",
        "added an axis for the heads, too",
        repair="The shape is (batch, 1, n). Attention adds the axis of the heads itself.",
    ),
    Slip(
        "front",
        "put the new axis in front of the sentences",
        repair="The new axis goes between batch and n: the shape is (batch, 1, n).",
    ),
    Slip(
        "ones",
        "returned the numbers 1 and 0",
        repair="Return True and False, which a comparison gives.",
    ),
    Slip(
        "numbers",
        "returned numbers to be added to the scores",
        repair="Return True and False.",
    ),
    Slip(
        "large",
        "returned large negative numbers to be added to the scores",
        "M20",
        "Return True and False. Attention then puts −∞ in the place of hidden scores.",
    ),
    Slip(
        "10,000",
        "returned large negative numbers to be added to the scores",
        "M20",
        "Return True and False. Attention then puts −∞ in the place of hidden scores.",
    ),
    Slip(
        "lowest",
        "returned large negative numbers to be added to the scores",
        "M20",
        "Return True and False. Attention then puts −∞ in the place of hidden scores.",
    ),
    Slip(
        "zero",
        "compared with 0 instead of pad_id",
        repair="The padding may have any id.",
    ),
    Slip(
        "larger",
        "treated only ids larger than pad_id as words",
        repair="Every id other than pad_id is the id of a word.",
    ),
    Slip(
        "counted",
        "counted the words and marked that many places from the start, but padding may come first",
        repair="Compare each id with pad_id.",
    ),
)

HIDDEN_SCORE_BY_SLIP = {
    "numbers": -np.inf,
    "large": -1e9,
    "10,000": -1e4,
    "lowest": float(np.finfo(np.float32).min),
}


def reference(ids, pad_id, slips: Set[str] = frozenset()):
    hidden_id = 0 if "zero" in slips else pad_id
    word = ids > hidden_id if "larger" in slips else ids != hidden_id  # (batch, n)
    if "counted" in slips:
        word = np.arange(ids.shape[1]) < word.sum(axis=1)[:, None]
    if "queries" in slips:
        mask = word[:, :, None]
    elif "queries repeated" in slips:
        mask = np.repeat(word[:, :, None], ids.shape[1], axis=2)
    elif "both" in slips:
        mask = word[:, :, None] & word[:, None, :]
    elif "repeated" in slips:
        mask = np.repeat(word[:, None, :], ids.shape[1], axis=1)
    elif "flat" in slips:
        mask = word
    elif "front" in slips:
        mask = word[None]
    else:
        mask = word[:, None, :]
    if "heads" in slips and "flat" not in slips:
        mask = mask[:, None]
    if "hides" in slips:
        mask = ~mask
    if "ones" in slips:
        return mask.astype(int)
    for slip in HIDDEN_SCORE_BY_SLIP:
        if slip in slips:
            return np.where(mask, 0.0, HIDDEN_SCORE_BY_SLIP[slip])
    return mask


def padding_mask(ids, pad_id):
    return (ids != pad_id)[:, None, :]


def trial_arguments(rng) -> Iterator[tuple]:
    yield np.array([[5, 8, 0]]), 0
    yield np.array([[5, 8, 6], [7, 0, 0]]), 0
    yield np.array([[0, 4, 1, 1], [2, 3, 0, 1]]), 1  # the id 0 is a word
    yield np.array([[9, 2, 5], [1, 9, 9]]), 9
    yield np.array([[0, 0, 6, 5], [0, 7, 8, 4], [5, 3, 6, 7]]), 0  # in front
    yield np.array([[3, 3], [3, 3], [4, 3]]), 3
    yield rng.integers(0, 5, size=(4, 7)), 2


TASK = Task(
    "padding_mask",
    "attention/masks#the-padding-mask-hides-the-padding-of-short-sentences",
    STUB,
    reference,
    padding_mask,
    trial_arguments,
    SLIPS,
    hints=(
        "For each id, ask whether it is the id of a word. Then give the answers the right shape.",
        "A comparison with pad_id gives an array of True and False, (batch, n). The axis of the queries "
        "goes between its two axes.",
        "None as an index makes an axis of length 1: (ids != pad_id)[:, None, :].",
    ),
)
