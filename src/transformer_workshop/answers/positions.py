"""The answers of part 1 that are about positions and their sums with words."""

import math

import numpy as np

from transformer_book import by_hand

from . import ROUNDING_TOLERANCE, Answer


def most_similar_positions(shift: int) -> np.ndarray:
    table = by_hand.positional_encoding(8, 512)
    far = by_hand.positional_encoding(12, 512)
    turned = far[np.maximum(np.arange(8) + shift, 0)]
    return (turned @ table.T).argmax(axis=1)


def first_too_slow_pair_if_doubled() -> int:
    right = 10000.0 ** -(np.arange(0, 512, 2) / 512)
    return int(np.argmax(right**2 < right[-1]))


def positions_per_slowest_quarter_turn(d_model: int) -> float:
    return np.pi / 2 * 10000 ** ((d_model - 2) / d_model)


def four_row_position_table(
    base=10_000, exponent_factor=1, in_halves=False
) -> np.ndarray:
    """Return the rows of the first four positions."""
    angle = np.arange(4)[:, None] / base ** (exponent_factor * np.arange(0, 64, 2) / 64)
    parts = [np.sin(angle), np.cos(angle)]
    return np.hstack(parts) if in_halves else np.stack(parts, axis=-1).reshape(4, 64)


def tables_to_diagnose() -> list[np.ndarray]:
    plain = {"base": 10_000}, {"exponent_factor": 2}, {"base": 100}
    return [
        four_row_position_table(in_halves=each, **how)
        for each in (False, True)
        for how in plain
    ]


def table_layout_and_exponent(table: np.ndarray) -> tuple[str, str]:
    sines = np.flatnonzero(table[0] == 0)
    d = table.shape[1]
    layout = "pairs" if (sines == np.arange(0, d, 2)).all() else "halves"
    omega = np.arctan2(table[1, sines], np.delete(table[1], sines))
    slope = np.polyfit(np.arange(0, d, 2), np.log(omega), 1)[0]
    kinds = {1.0: "right", 2.0: "doubled"}
    return layout, kinds.get(round(-slope * d / np.log(10_000), 6), "something else")


ANSWERS = {
    "ex-fusion-narrow": Answer(
        "four numbers: the lengths of a position vector, of a row of E and of a scaled row, and the "
        "share of the word",
        lambda: [math.sqrt(128 / 2), 1, math.sqrt(128), 128 / (128 + 64)],
        (
            ([64, 1, 128, 2 / 3], "you gave the squares of the lengths"),
            (
                [8, 1, math.sqrt(128), math.sqrt(128) / (math.sqrt(128) + 8)],
                "the share is made of the squares of the lengths",
            ),
            (
                [math.sqrt(128), 1, math.sqrt(128), 0.5],
                "a sine and its cosine together have length 1",
            ),
            ([8, 1, 128, 2 / 3], "the factor is the root of d_model"),
        ),
        ROUNDING_TOLERANCE,
    ),
    "ex-fusion-twice": Answer(
        "a function of the similarity of the two positions that returns two predictions: with the "
        "factor and without it (for d_model = 512)",
        lambda c: [2 / 3 + c / 3, 1 / 257 + 256 / 257 * c],
        (
            (
                lambda c: [1 / 257 + 256 / 257 * c, 2 / 3 + c / 3],
                "you exchanged the two",
            ),
            (
                lambda c: [1 / 3 + 2 / 3 * c, 1 / 257 + 256 / 257 * c],
                "the word has two thirds, not one",
            ),
        ),
        ROUNDING_TOLERANCE,
        lambda: [(0.5,), (0.7,), (0.0,)],
    ),
    "ex-fusion-leave": Answer(
        "the number by which the logits have to be divided when d_model is 512",
        lambda: math.sqrt(512),
        ((512, "the rows are longer by the root of d_model only"),),
        ROUNDING_TOLERANCE,
    ),
    "ex-fusion-onehot": Answer(
        "the number of weights of the table for d_model = 512 and one-hot vectors of length 512",
        lambda: 512 * 512,
        ((512 * 1024, "that is the whole matrix; the table is its right part"),),
    ),
    "ex-positions-slowest": Answer(
        "two numbers: the angle in degrees, and the number of the first pair that is too slow (pairs "
        "are counted from 0)",
        lambda: [
            math.degrees(63 * 10000.0 ** -(510 / 512)),
            first_too_slow_pair_if_doubled(),
        ],
        (
            (
                lambda: [
                    63 * 10000.0 ** -(510 / 512),
                    first_too_slow_pair_if_doubled(),
                ],
                "the angle is in radians; it should be in degrees",
            ),
            (
                lambda: [
                    math.degrees(63 * 10000.0 ** -(510 / 512)),
                    first_too_slow_pair_if_doubled() - 1,
                ],
                "the pair before is still a little faster than the slowest hand should be",
            ),
        ),
        0.005,
    ),
    "ex-positions-quarter": Answer(
        "a function of d_model that returns the number of positions",
        positions_per_slowest_quarter_turn,
        (
            (
                lambda d: np.pi / 2 * 10000,
                "the exponent of the last pair is not quite 1",
            ),
            (
                lambda d: 4 * positions_per_slowest_quarter_turn(d),
                "that is a full turn",
            ),
            (
                lambda d: 90 * 10000 ** ((d - 2) / d),
                "the angles are in radians, not in degrees",
            ),
            (
                lambda d: np.pi / 2 * 10000 ** ((d / 2 - 1) / d),
                "the exponent is 2i/d_model, where i is the number of the pair",
            ),
            (
                lambda d: 10000 ** ((d - 2) / d),
                "that is one radian; a quarter turn is π/2 radians",
            ),
        ),
        ROUNDING_TOLERANCE,
        lambda: [(512,), (64,), (8,)],
    ),
    "ex-positions-ahead": Answer(
        "the list of eight row numbers: for each turned row, the most similar row of the table",
        lambda: most_similar_positions(2),
        (
            (
                lambda: most_similar_positions(-2),
                "you turned the rows two positions back: the angle has the wrong sign",
            ),
            (lambda: most_similar_positions(1), "you turned by one position only"),
            (lambda: most_similar_positions(0), "the rows are not turned"),
            (
                [2, 3, 4, 5, 6, 7, 0, 1],
                "rows 8 and 9 are not in the table, and they are not rows 0 and 1",
            ),
            ([2, 3, 4, 5, 6, 7, 8, 9], "the table has no rows 8 and 9"),
        ),
    ),
    "ex-positions-audit": Answer(
        'a function of a table that returns two texts: "pairs" or "halves", and "right", "doubled" or '
        '"something else"',
        table_layout_and_exponent,
        (
            (
                lambda table: ["pairs", table_layout_and_exponent(table)[1]],
                "it does not notice sines that come first",
            ),
            (
                lambda table: [
                    table_layout_and_exponent(table)[0],
                    "doubled"
                    if table_layout_and_exponent(table)[1] != "right"
                    else "right",
                ],
                "it takes every wrong exponent for a doubled one",
            ),
        ),
        inputs=lambda: [(table,) for table in tables_to_diagnose()],
    ),
    "ex-positions-base": Answer(
        "True or False: with the base 10, do any two of the 512 positions have the same vector",
        lambda: False,
        ((True, "no wave is long, but the 256 waves are all different"),),
    ),
}
