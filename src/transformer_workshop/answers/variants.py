"""The answers of part 4 that are about experts, families, FlashAttention and shared heads."""

import math
from collections.abc import Callable

import numpy as np

from transformer_book import by_hand

from . import ROUNDING_TOLERANCE, Answer

ROUTER_WEIGHTS = np.log([[6, 3, 2, 1], [6, 1, 2, 3], [1, 2, 5, 4], [8, 2, 1, 1]])


def experts_weights_and_factor_of_sat() -> list[float]:
    """Return the two experts of *sat*, counted from 1, their weights, and the factor."""
    weights, *_ = by_hand.route(np.eye(4), ROUTER_WEIGHTS, active=2)
    first, second = np.argsort(-weights[2])[:2] + 1
    a, b = weights[2][first - 1], weights[2][second - 1]
    return [first, second, a, b, a * first + b * second]


def balancing_losses(
    unbalanced_probabilities=((1.0, 0, 0, 0),), largest_probability=0.7
) -> list[float]:
    rest = (1 - largest_probability) / 3
    even = (largest_probability - rest) * np.eye(4)[[0, 1, 2, 3] * 2] + rest
    return [
        by_hand.balancing_loss(P, active=1)
        for P in (np.array(unbalanced_probabilities * 8), even)
    ]


def largest_scores_and_totals() -> list[float]:
    one = math.exp(-2) + 1
    return [2, one, 2, 2 * one]


def merge_two_outputs(
    Z1, L1, Z2, L2, share_of_first=lambda L1, L2: 1 / (1 + np.exp(L2 - L1))
) -> np.ndarray:
    return share_of_first(L1, L2) * Z1 + (1 - share_of_first(L1, L2)) * Z2


def arguments_of_merges() -> list[tuple]:
    draw = np.random.default_rng(0)
    Z, L = draw.normal(size=(2, 3, 2)), draw.normal(size=(2, 3, 1))
    return [(Z[0], L[0], Z[1], L[1]), (Z[1], L[1], Z[0], 3 + L[0])]


def add_tile(
    old_output,
    old_total,
    old_largest,
    scores,
    values,
    shrinks_old_sums: bool = True,
    weighs_old_output: bool = True,
    divides_by_total: bool = True,
) -> tuple[np.ndarray, float, float]:
    """Return z, the total and the largest score after one more tile."""
    larger = max(old_largest, scores.max())
    e = np.exp(scores - larger)
    shrink = np.exp(old_largest - larger) if shrinks_old_sums else 1.0
    new = shrink * old_total + e.sum()
    sums = (
        shrink * old_total if weighs_old_output else shrink
    ) * old_output + e @ values
    return sums / new if divides_by_total else sums, new, larger


def arguments_of_tiles() -> list[tuple]:
    draw = np.random.default_rng(1)
    return [
        (
            draw.normal(size=3),
            total,
            largest,
            draw.normal(size=2),
            draw.normal(size=(2, 3)),
        )
        for total, largest in ((1.6, -1.0), (2.3, 0.1), (1.2, 3.0))
    ]


def widened_key_and_value_weights(repeat_heads: Callable) -> list[np.ndarray]:
    """Return the two wide matrices, their heads repeated in some way."""
    draw = np.random.default_rng(0)
    _, _, _ = (draw.normal(size=(8, 8)) for _ in range(3))
    return [
        repeat_heads(draw.normal(size=(8, 4)).reshape(8, 2, 2)).reshape(8, 8)
        for _ in range(2)
    ]


ANSWERS = {
    "ex-experts-sat": Answer(
        "five numbers: the two experts (counted from 1, the likelier first), their weights in the same "
        "order, and the factor",
        experts_weights_and_factor_of_sat,
        (
            (
                [3, 4, 5 / 12, 4 / 12, 31 / 12],
                "the two weights have to be divided by their sum",
            ),
            ([2, 3, 5 / 9, 4 / 9, 31 / 9], "the experts are counted from 1"),
            ([4, 3, 4 / 9, 5 / 9, 31 / 9], "the likelier expert comes first"),
        ),
        ROUNDING_TOLERANCE,
    ),
    "ex-experts-loss": Answer(
        "the two losses",
        balancing_losses,
        (
            ([1, 0.25], "you forgot the factor 4, the number of experts"),
            (
                [4, 0.7],
                "the probabilities that a word gives to the other experts count, too",
            ),
        ),
        ROUNDING_TOLERANCE,
    ),
    "ex-experts-finer": Answer(
        "two numbers: the sets of experts before, and after",
        lambda: [math.comb(8, 2), math.comb(16, 4)],
        (
            ([56, 43_680], "the order of the experts in a set does not matter"),
            ([64, 65_536], "a word goes through different experts"),
        ),
    ),
    "ex-families-square": Answer(
        "the number of matrices of the blocks that keep their shape when they are transposed",
        lambda: 2,
        (
            (1, "there are two layers"),
            (8, "W_Q, W_K and W_V are one matrix in the files, which is not square"),
        ),
    ),
    "ex-families-changed": Answer(
        "the names of the choices that you changed, without `rotation`, as a list of texts",
        lambda: {
            *(
                "normalise",
                "attention_bias",
                "activation",
                "gated",
                "bias",
                "positions",
            ),
            "share",
        },
    ),
    "ex-families-helium": Answer(
        "the `layout` that Helium needs, a text",
        lambda: "interleaved",
        (("halves", "that is how Llama pairs the numbers of a head (mistake M37)"),),
    ),
    "ex-flash-pencil": Answer(
        "four numbers: the largest score and the total after the first tile, then after the second",
        largest_scores_and_totals,
        (
            (
                lambda: [2, 1 + math.exp(2), 2, 2 + 2 * math.exp(2)],
                "the largest score has to be subtracted before you take exponentials",
            ),
            (
                lambda: [
                    2,
                    largest_scores_and_totals()[1],
                    2,
                    largest_scores_and_totals()[1],
                ],
                "the total includes the first tile",
            ),
        ),
        ROUNDING_TOLERANCE,
    ),
    "ex-flash-hides": Answer(
        "the list of the three words",
        lambda: {"the", "black", "cat"},
        (
            (
                {"the", "black", "sat"},
                "the largest score that *cat* may see is in its first tile",
            ),
        ),
    ),
    "ex-flash-halves": Answer(
        "a function of Z and L of the first machine and Z and L of the second (four arrays; L has shape "
        "(n, 1)) that returns the output for the whole text",
        merge_two_outputs,
        (
            (
                lambda Z1, L1, Z2, L2: (Z1 + Z2) / 2,
                "a plain mean gives both halves the same weight",
            ),
            (
                lambda Z1, L1, Z2, L2: Z1 + Z2,
                "each Z is divided by its own total already, so weigh them",
            ),
            (
                lambda Z1, L1, Z2, L2: (L1 * Z1 + L2 * Z2) / (L1 + L2),
                "L is a logarithm; the weights are made of its exponential",
            ),
            (
                lambda Z1, L1, Z2, L2: merge_two_outputs(Z2, L1, Z1, L2),
                "the two shares are exchanged",
            ),
        ),
        1e-3,
        arguments_of_merges,
    ),
    "ex-flash-rows": Answer(
        "the factor by which the number of scores in a tile grows",
        lambda: 256 * 256 / (128 * 128),
        ((2, "a tile becomes twice as wide and twice as high"),),
    ),
    "ex-flash-padding": Answer(
        "a function of K, V and the length of the sentence that returns the keys and values to pass",
        lambda K, V, length: [K[:length], V[:length]],
        (
            (lambda K, V, length: [K, V], "the padding is still there"),
            (
                lambda K, V, length: [K[:, :length], V[:, :length]],
                "you cut columns; cut rows",
            ),
            (lambda K, V, length: [K[:length], V], "the values have to be cut, too"),
            (
                lambda K, V, length: [K[length:], V[length:]],
                "you kept the padding and cut the words off",
            ),
        ),
        1e-4,
        lambda: [(np.arange(12.0).reshape(4, 3), np.arange(8.0).reshape(4, 2), 1)],
    ),
    "ex-flash-divide": Answer(
        "a function of Z_i, the total, the largest score, and the scores and values of a new tile, for "
        "one query, that returns the new Z_i, the new total and the new largest score",
        add_tile,
        (
            (
                lambda z, t, m, s, v: add_tile(z, t, m, s, v, weighs_old_output=False),
                "Z_i was divided already: multiply it by the old total first",
            ),
            (
                lambda z, t, m, s, v: add_tile(z, t, m, s, v, shrinks_old_sums=False),
                "the old sums have to shrink",
            ),
            (
                lambda z, t, m, s, v: add_tile(z, t, m, s, v, divides_by_total=False),
                "Z_i is not divided by the new total",
            ),
        ),
        1e-3,
        arguments_of_tiles,
    ),
    "ex-shared-three": Answer(
        "the list of all the g that are possible for four heads of queries",
        lambda: {g for g in range(1, 5) if 4 % g == 0},
        (
            ({2, 4}, "all heads may share one head of keys"),
            ({1, 2, 3, 4}, "the groups must be of equal size"),
        ),
    ),
    "ex-shared-bytes": Answer(
        "two numbers of bytes: with g = 8, and with g = 128",
        lambda: [2 * 126 * g * 128 * 2 for g in (8, 128)],
        (
            (
                lambda: [2 * 126 * g * 128 for g in (8, 128)],
                "it is half: the cache holds keys and values, and each number takes two bytes",
            ),
            (lambda: [2 * g * 128 * 2 for g in (8, 128)], "that is one layer of 126"),
        ),
        ROUNDING_TOLERANCE,
    ),
    "ex-shared-wide": Answer(
        "the two wide matrices, first for W_K and then for W_V, each of 8 rows and 8 columns",
        lambda: widened_key_and_value_weights(lambda W: np.repeat(W, 2, axis=1)),
        (
            (
                lambda: widened_key_and_value_weights(lambda W: np.tile(W, (1, 2, 1))),
                "the heads are in the order 1, 2, 1, 2; a head and its copy have to be side by side "
                "(mistake M29)",
            ),
            (
                lambda: widened_key_and_value_weights(
                    lambda W: np.repeat(W, 2, axis=2)
                ),
                "you repeated each column by itself; repeat the two columns of a head together",
            ),
            (
                lambda: widened_key_and_value_weights(
                    lambda W: np.repeat(W, 2, axis=1)
                )[::-1],
                "the matrix for W_K comes first",
            ),
        ),
        1e-4,
    ),
    "ex-shared-absorb": Answer(
        "a function of n, d_c and d_v that returns the multiplications if the rows of c are averaged "
        "first, and if the values are computed first",
        lambda n, d_c, d_v: [n * d_c + d_c * d_v, n * d_c * d_v + n * d_v],
        (
            (
                lambda n, d_c, d_v: [n * d_c * d_v + n * d_v, n * d_c + d_c * d_v],
                "you exchanged the two",
            ),
            (
                lambda n, d_c, d_v: [n * d_c + d_c * d_v, n * d_c * d_v],
                "the average of the values is missing in the second number",
            ),
        ),
        inputs=lambda: [(10, 16, 8), (3, 5, 7)],
    ),
}
