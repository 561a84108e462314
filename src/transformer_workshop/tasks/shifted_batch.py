"""What the decoder reads in training, and what it has to predict."""

from collections.abc import Iterator, Set

import numpy as np

from ..task import Property, Slip, Task
from .greedy import are_whole_numbers

STUB = '''
def shifted_batch(target):  # (batch, m) -> (batch, m - 1), (batch, m - 1)
    """Return (decoder_input, labels): the tokens that the decoder reads, and the token after each of them.

    target: ids. Each row begins with <bos>, ends with <eos>, and is then filled up with padding. Each
    result leaves out one column, the first or the last. All other ids stay as they are, including the
    <eos> of a short row.
    """
'''

SLIPS = (
    Slip(
        "answer",
        "let the decoder read the labels themselves",
        "M26",
        "The input begins with <bos>; each label is the token after the one that is read.",
    ),
    Slip(
        "echo",
        "made labels that repeat what the decoder reads",
        "M26",
        "Each label is the token after the one that is read.",
    ),
    Slip(
        "no cut",
        "returned the whole target twice, so each label is the token that is read",
        "M26",
        "The input lacks the last column, and the labels lack the first.",
    ),
    Slip(
        "swapped",
        "exchanged input and labels, or shifted the wrong one",
        repair="The input begins with <bos>, and the labels begin with the first word.",
    ),
    Slip(
        "whole input",
        "left the last column in the decoder's input",
        repair="No token follows the last one, so the decoder does not read it.",
    ),
    Slip(
        "whole labels",
        "left <bos> in the labels",
        repair="The model never has to predict <bos>.",
    ),
    Slip(
        "two", "shifted by two positions", repair="Each label is the very next token."
    ),
    Slip(
        "rows",
        "cut off a row of the batch instead of a column",
        repair="The first axis counts the sentences, so cut the second axis: target[:, ...].",
    ),
    Slip(
        "rolled",
        "moved <bos> to the end of the labels instead of cutting it off",
        repair="Cut off columns: both results have one column less than the target.",
    ),
    Slip(
        "filled",
        "filled up the labels with 0 instead of cutting the last column off the input",
        repair="Both results have one column less than the target.",
    ),
    Slip(
        "second begin",
        "put another <bos> in front of the target",
        repair="The target has its <bos> already. Only cut off columns.",
    ),
    Slip(
        "no begin",
        "cut <bos> off the decoder's input",
        repair="<bos> is all that the decoder can read when it predicts the first word.",
    ),
    Slip(
        "no end",
        "cut <eos> off the labels",
        repair="The model has to learn when to stop, so <eos> is a label.",
    ),
)

# For each slip the first and last column of input and labels; None for an end of the target.
COLUMN_RANGES_BY_SLIP = {
    "answer": ((1, None), (1, None)),
    "echo": ((0, -1), (0, -1)),
    "no cut": ((0, None), (0, None)),
    "two": ((0, -2), (2, None)),
    "no begin": ((1, -1), (2, None)),
    "no end": ((0, -2), (1, -1)),
}


def reference(target, slips: Set[str] = frozenset()):
    lists = np.asarray(target)
    if "rows" in slips:
        lists = lists.T
    read, said = next(
        (COLUMN_RANGES_BY_SLIP[s] for s in COLUMN_RANGES_BY_SLIP if s in slips),
        ((0, -1), (1, None)),
    )
    read = (read[0], None) if "whole input" in slips else read
    said = (0, said[1]) if "whole labels" in slips else said
    inputs, labels = (lists[:, slice(*columns)] for columns in (read, said))
    if "rolled" in slips or "filled" in slips:
        last = 0 * lists[:, :1] if "filled" in slips else lists[:, :1]
        inputs, labels = lists, np.concatenate([lists[:, 1:], last], axis=1)
    if "second begin" in slips:
        inputs = np.concatenate([lists[:, :1], lists[:, :-1]], axis=1)
        labels = lists
    if "rows" in slips:
        inputs, labels = inputs.T, labels.T
    return (labels, inputs) if "swapped" in slips else (inputs, labels)


def shifted_batch(target):
    return target[:, :-1], target[:, 1:]


def trial_arguments(rng) -> Iterator[tuple]:
    yield (np.array([[2, 5, 3]]),)
    yield (np.array([[2, 5, 6, 3], [2, 7, 3, 0]]),)
    yield (np.array([[2, 3]]),)
    yield (np.array([[2, 4, 3], [2, 3, 0], [2, 40_000, 3]]),)
    for batch, m in ((4, 4), (3, 6), (2, 9)):
        target = rng.integers(4, 20, (batch, m))
        target[:, 0] = 2
        for row, length in zip(target, rng.integers(2, m + 1, batch), strict=True):
            row[length - 1] = 3
            row[length:] = 0
        yield (target,)


TASK = Task(
    "shifted_batch",
    "transformer/training#the-model-predicts-the-next-token-at-every-position",
    STUB,
    reference,
    shifted_batch,
    trial_arguments,
    SLIPS,
    properties=(
        Property(
            "input and labels do not have the shape (batch, m - 1)",
            lambda function, x, returned_arrays: all(
                part.shape == (len(x[0]), x[0].shape[1] - 1) for part in returned_arrays
            ),
        ),
        Property(
            "the decoder's input does not begin with <bos>, as the target does",
            lambda function, x, returned_arrays: (
                returned_arrays[0][:, 0] == x[0][:, 0]
            ).all(),
        ),
        Property(
            "the label at a position is not the token that is read at the next position",
            lambda function, x, returned_arrays: (
                returned_arrays[1][:, :-1] == returned_arrays[0][:, 1:]
            ).all(),
        ),
        Property(
            "the ids have a decimal point, as in 2.0, and cannot be indices: keep whole numbers",
            are_whole_numbers,
        ),
    ),
    hints=(
        "Write the target <bos> a b <eos> on paper, and below it what is read and what is predicted.",
        "Both results are slices of the target. One lacks its last column, the other its first.",
        "The decoder's input is target[:, :-1], and the labels are the other slice.",
    ),
    results=("decoder_input", "labels"),
)
