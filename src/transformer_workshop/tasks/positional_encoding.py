"""Sines and cosines that tell the positions apart."""

from collections.abc import Iterator, Set

import numpy as np

from ..task import Property, Slip, Task

STUB = '''
def positional_encoding(n, d_model):  # -> (n, d_model)
    """Return the table of the position vectors, which are added to the embeddings of the words.

    Row pos, for the positions 0 to n - 1, holds pairs of a sine and a cosine: the sine of pair i is in
    column 2i, and the cosine beside it in column 2i + 1. Both have the angle pos / 10000^(2i / d_model),
    in radians. Pairs are counted from 0. d_model is an even number.
    """
'''

SLIPS = (
    Slip(
        "doubled",
        "doubled the exponent, so the frequencies fall too fast",
        "M1",
        "If a loop counts 0, 2, 4, its variable already is the 2i of the formula.",
    ),
    Slip(
        "halved",
        "halved the exponent, so the frequencies fall too slowly",
        repair="The exponent of pair i is 2i / d_model. Does your variable count pairs?",
    ),
    Slip(
        "own frequency",
        "gave each cosine a frequency of its own, instead of the frequency of its sine",
        repair="The columns 2i and 2i + 1 have the same angle.",
    ),
    Slip(
        "half",
        "filled only about half of the columns, so the last ones remained zero",
        "M2",
        "The loop in steps of 2 has to run to d_model.",
    ),
    Slip(
        "last pair",
        "left the last pair of columns at zero",
        "M2",
        "The loop has to reach column d_model - 2.",
    ),
    Slip(
        "from 1",
        "counted the positions from 1",
        "M3",
        "The first row belongs to position 0: its sines are 0, its cosines are 1.",
    ),
    Slip(
        "halves",
        "put all sines first and all cosines after them",
        repair="Each cosine is next to its sine: the sines are in PE[:, 0::2], the cosines in PE[:, 1::2].",
    ),
    Slip(
        "fairseq",
        "put all sines first and all cosines after them, with frequencies that fall to exactly 1/10000, "
        "which is how tensor2tensor and fairseq do it",
        repair="Each cosine is next to its sine, and the exponent of pair i is 2i / d_model.",
    ),
    Slip(
        "exchanged",
        "exchanged sine and cosine",
        repair="The sines are in the even columns, beginning with column 0.",
    ),
    Slip(
        "only sines",
        "put a sine into every column",
        repair="Every odd column holds a cosine.",
    ),
    Slip(
        "1,000",
        "used the base 1,000 instead of 10,000",
        repair="Count the zeros of the base.",
    ),
    Slip(
        "100,000",
        "used the base 100,000 instead of 10,000",
        repair="Count the zeros of the base.",
    ),
    Slip(
        "times",
        "multiplied the position by the power of 10,000 instead of dividing",
        repair="The frequencies have to fall: divide by the power, or give its exponent a minus sign.",
    ),
    Slip(
        "no brackets",
        "divided the angle by d_model, instead of dividing the exponent",
        repair="Put brackets around the exponent: Python computes ** before /.",
    ),
    Slip(
        "one frequency",
        "gave all pairs the frequency 1",
        "M14",
        "Look at the exponent: if it has //, which rounds down, it is always 0.",
    ),
    Slip(
        "to the end",
        "let the frequencies fall to exactly 1/10000 in the last pair",
        repair="The exponent is 2i / d_model, which is less than 1 even for the last pair.",
    ),
    Slip(
        "512",
        "wrote the paper's width 512 where d_model belongs",
        repair="The exponent is 2i / d_model, whatever the width is.",
    ),
    Slip(
        "degrees",
        "converted the angles from degrees to radians",
        repair="The formula gives radians already, and np.sin and np.cos take radians.",
    ),
    Slip(
        "transposed",
        "put the positions into columns",
        repair="Each position has a row of its own: the shape is (n, d_model).",
    ),
    Slip(
        "batch",
        "added an axis of length 1 in front",
        repair="Return a matrix, (n, d_model).",
    ),
)


def reference(n, d_model, slips: Set[str] = frozenset()):
    factor = 2 if "doubled" in slips else 0.5 if "halved" in slips else 1
    base = 1e3 if "1,000" in slips else 1e5 if "100,000" in slips else 1e4
    width = 512 if "512" in slips else d_model
    if "fairseq" in slips and d_model == 2:
        raise ZeroDivisionError  # by the number of pairs less 1
    if slips & {"to the end", "fairseq"}:
        width = max(d_model - 2, 1)
    filled = d_model
    if "half" in slips:
        filled = 2 * ((d_model // 2 + 1) // 2)
    elif "last pair" in slips:
        filled = d_model - 2
    table = np.zeros((n, d_model))
    for row in range(n):
        pos = row + 1 if "from 1" in slips else row
        for column in range(filled):
            two_i = column if "own frequency" in slips else column - column % 2
            power = (
                1.0 if "one frequency" in slips else base ** (factor * two_i / width)
            )
            angle = pos * power if "times" in slips else pos / power
            if "no brackets" in slips:
                angle = pos / base ** (factor * two_i) / width
            if "degrees" in slips:
                angle = np.radians(angle)
            sine = column % 2 == ("exchanged" in slips) or "only sines" in slips
            table[row, column] = np.sin(angle) if sine else np.cos(angle)
    if slips & {"halves", "fairseq"}:
        table = np.concatenate([table[:, 0::2], table[:, 1::2]], axis=1)
    if "transposed" in slips:
        table = table.T
    return table[None] if "batch" in slips else table


def positional_encoding(n, d_model):
    pos = np.arange(n)[:, None]  # (n, 1)
    two_i = np.arange(0, d_model, 2)  # (d_model / 2,)
    angle = pos / 10000 ** (two_i / d_model)  # (n, d_model / 2)
    PE = np.empty((n, d_model))
    PE[:, 0::2] = np.sin(angle)
    PE[:, 1::2] = np.cos(angle)
    return PE


def trial_arguments(rng) -> Iterator[tuple]:
    yield from ((2, 2), (2, 4), (3, 6), (4, 2), (40, 4), (2, 8), (1, 10), (2, 16))


def has_right_far_angles(function, arguments, returned_arrays) -> bool:
    """Whether a position far away has its angles, where the first ones are right: they show the base."""
    if arguments != (40, 4) or not np.allclose(
        returned_arrays[0], reference(*arguments), atol=2e-3
    ):
        return True
    # Published tables may have no more rows. A base of 9,999 is off by 4e-3 here.
    far = function(1000, 16)[0][-1]
    return np.allclose(far, reference(1000, 16)[-1], atol=5e-4)


TASK = Task(
    "positional_encoding",
    "words/positions#the-formula-for-the-positions",
    STUB,
    reference,
    positional_encoding,
    trial_arguments,
    SLIPS,
    properties=(
        Property(
            "the first row is not 0, 1, 0, 1, …, the sines and cosines of the angle 0",
            lambda function, x, returned_arrays: np.allclose(
                returned_arrays[0][0], x[1] // 2 * [0, 1]
            ),
        ),
        Property(
            "the square of a sine and the square of the cosine beside it do not sum to 1",
            lambda function, x, returned_arrays: np.allclose(
                returned_arrays[0][:, 0::2] ** 2 + returned_arrays[0][:, 1::2] ** 2,
                1,
                atol=1e-4,
            ),
        ),
        Property(
            "the angles of position 999 are wrong, although those of the first positions seem right: is "
            "the base 10,000?",
            has_right_far_angles,
        ),
    ),
    hints=(
        "Compute the angles of all positions and pairs first. There are n times d_model / 2 of them.",
        "With pos as a column, (n, 1), and 2i as a row, (d_model / 2,), one division gives all angles. The "
        "even columns of the table are their sines, the odd columns their cosines.",
        "two_i = np.arange(0, d_model, 2); angle = np.arange(n)[:, None] / 10000 ** (two_i / d_model); then "
        "PE[:, 0::2] = np.sin(angle) and PE[:, 1::2] = np.cos(angle).",
    ),
    tolerance=2e-3,  # large angles of a wrong formula are inexact in float32
)
