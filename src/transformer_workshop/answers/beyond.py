"""The answers of part 4 that are about language models, caches, positions and norms."""

import math

import numpy as np

from transformer_book import by_hand

from . import ROUNDING_TOLERANCE, Answer


def rows_normed_like_first() -> list[list[bool]]:
    rows = np.array([[1.0, 3, 3, 9], [2, 6, 6, 18], [-1, -3, -3, -9], [0, 2, 2, 8]])
    one, zero = np.ones(4), np.zeros(4)
    return [
        [bool(np.allclose(row, normed[0], atol=1e-3)) for row in normed[1:]]
        for normed in (by_hand.layer_norm(rows, one, zero), by_hand.rms_norm(rows, one))
    ]


def gated_d_ff(d_model=4096, multiple=256) -> int:
    return -(-(2 * 4 * d_model // 3) // multiple) * multiple


def largest_weight_of_100(score_factor: float) -> float:
    return by_hand.softmax(score_factor * np.array([2.0] + [-2.0] * 99))[0]


def positions_per_turn(base: float, pair_index=-1) -> float:
    return 2 * np.pi / by_hand.rope_frequencies(128, base)[pair_index]


def alibi_distances(weight_ratio=100, rounding=np.ceil) -> list[int]:
    return [
        int(rounding(np.log(weight_ratio) / m))
        for m in by_hand.alibi_slopes(8)[[0, -1]]
    ]


def cache_bytes(
    array_count=2,
    layer_count=12,
    token_count=1024,
    head_count=12,
    d_k=64,
    bytes_each=2,
) -> int:
    return array_count * layer_count * token_count * head_count * d_k * bytes_each


def cheapest_cache_block_sizes() -> set[int]:
    cost = {b: 8 * 256 / b + (b - 1) / 2 * 2 * 2 * 128 * 4 for b in (1, 2, 4, 8, 16)}
    return {b for b in cost if cost[b] == min(cost.values())}


ANSWERS = {
    "ex-language-pencil": Answer(
        'the two perplexities (`math.inf` or `float("inf")` for infinity)',
        lambda: [(1 / 2 * 1 / 8 * 1 / 4) ** (-1 / 3), math.inf],
        (
            (
                [64, math.inf],
                "you forgot the third root: the perplexity is for each token",
            ),
            (
                [1 / 4, 0],
                "you gave the mean probability; the perplexity is one divided by it",
            ),
            (
                [24 / 7, math.inf],
                "the mean is that of the logarithms, not of the probabilities",
            ),
            ([4, 2], "a probability of 0 makes the loss infinite"),
        ),
        ROUNDING_TOLERANCE,
    ),
    "ex-language-rows": Answer(
        "a function of n, the tokens of the prompt, and m, the tokens that are written, that returns "
        "the rows in total with the cache and without it",
        lambda n, m: [n + m - 1, sum(range(n, n + m))],
        (
            (
                lambda n, m: [n + m, sum(range(n, n + m))],
                "the last token is written, but never read",
            ),
            (
                lambda n, m: [n + m - 1, sum(range(n, n + m + 1))],
                "there is a pass too many without the cache",
            ),
            (lambda n, m: [m, sum(range(n, n + m))], "the first pass reads the prompt"),
            (lambda n, m: [sum(range(n, n + m)), n + m - 1], "you exchanged the two"),
        ),
        inputs=lambda: [(6, 100), (3, 2), (10, 1)],
    ),
    "ex-language-word": Answer(
        "a function of the perplexity per token and the mean number of tokens in a word that returns "
        "the perplexity per word",
        lambda perplexity, tokens: perplexity**tokens,
        (
            (
                lambda perplexity, tokens: perplexity * tokens,
                "the losses add up, so perplexities multiply",
            ),
            (
                lambda perplexity, tokens: perplexity ** (1 / tokens),
                "a word has more tokens, not fewer",
            ),
        ),
        1e-3,
        lambda: [(30.0, 1.5), (12.0, 2.0)],
    ),
    "ex-cache-pencil": Answer(
        "the number of bytes of the cache",
        cache_bytes,
        (
            (
                lambda: cache_bytes(array_count=1),
                "it is half: the cache holds keys and values, and each number takes two bytes",
            ),
            (
                lambda: cache_bytes(array_count=1, bytes_each=1),
                "it is a quarter: the cache holds keys and values, and each number takes two bytes",
            ),
            (
                lambda: cache_bytes(layer_count=1),
                "it is a twelfth: each of the 12 layers has 12 heads, with keys and values of their own",
            ),
        ),
        ROUNDING_TOLERANCE,
    ),
    "ex-cache-edit": Answer(
        "two lists: the tokens, counted from 1, whose rows are still right in the first layer, and in "
        "the second layer",
        lambda: [[1, 2, 3, 5, 6, 7, 8, 9], [1, 2, 3]],
        (
            (
                [[1, 2, 3], [1, 2, 3]],
                "in the first layer, the key of a token depends on this token alone",
            ),
            (
                [[1, 2, 3, 5, 6, 7, 8, 9]] * 2,
                "in the first layer, later tokens have attended to the fourth, so their keys in the "
                "second layer change",
            ),
            ([[0, 1, 2, 4, 5, 6, 7, 8], [0, 1, 2]], "the tokens are counted from 1"),
        ),
    ),
    "ex-cache-widget": Answer(
        "two numbers: the rows that a layer computed, and the rows that would have been enough",
        lambda: [sum(range(6, 12)), 11],
        (
            ([51, 12], "the last word was written, but no pass has read it"),
            ([57, 12], "the first pass reads six words, and there are six passes"),
        ),
    ),
    "ex-revisited-slowest": Answer(
        "two numbers of positions: with the base 500,000, and with the base 10,000",
        lambda: [positions_per_turn(500_000), positions_per_turn(10_000)],
        (
            (
                lambda: [
                    positions_per_turn(500_000) / 2 / np.pi,
                    positions_per_turn(10_000) / 2 / np.pi,
                ],
                "a full turn is 2π radians",
            ),
            (
                lambda: [2 * np.pi * 500_000, 2 * np.pi * 10_000],
                "the exponent of the slowest pair is 126/128, a little less than 1",
            ),
            (
                lambda: [positions_per_turn(10_000), positions_per_turn(500_000)],
                "you exchanged the two",
            ),
        ),
        ROUNDING_TOLERANCE,
    ),
    "ex-revisited-values": Answer(
        "True or False: whether the output still depends only on distances",
        lambda: False,
        (
            (
                True,
                "the weights do, but the values that are averaged are rotated further",
            ),
        ),
    ),
    "ex-revisited-slope": Answer(
        "two whole numbers, rounded up: the distance in the first head, and in the last",
        alibi_distances,
        (
            (lambda: alibi_distances(rounding=np.floor), "you rounded down"),
            (lambda: alibi_distances()[::-1], "you exchanged the two"),
            (lambda: alibi_distances(10), "a hundredth is asked, and not a tenth"),
            (
                [200, 25_600],
                "the score falls evenly, and the weight is an exponential of it",
            ),
        ),
    ),
    "ex-norms-same": Answer(
        "two lists of three values, True or False: for which of the vectors the result is the same with "
        "layer norm, and with RMSNorm",
        rows_normed_like_first,
        (
            (
                [[True, False, False], [True, False, True]],
                "you exchanged the two norms",
            ),
            (
                [[True, True, True], [True, True, False]],
                "neither norm removes the signs",
            ),
            ([[True, False, True]] * 2, "RMSNorm does not subtract the mean"),
        ),
    ),
    "ex-norms-width": Answer(
        "two numbers: the width, and by how many percent the parameters exceed those of the plain network",
        lambda: [gated_d_ff(), 100 * (3 * gated_d_ff() / (2 * 4 * 4096) - 1)],
        (
            (
                [10_752, 100 * (3 * 10_752 / 32_768 - 1)],
                "you rounded down to a multiple of 256",
            ),
            ([10_923, 0], "the width has to be a multiple of 256"),
        ),
        0.03,
    ),
    "ex-norms-narrow": Answer(
        "the two weights",
        lambda: [largest_weight_of_100(1), largest_weight_of_100(4)],
        (
            (
                lambda: [largest_weight_of_100(1), largest_weight_of_100(2)],
                "both γ are doubled, so the scores are multiplied by 4",
            ),
            (
                lambda: [largest_weight_of_100(2), largest_weight_of_100(8)],
                "the scale divides the scores by the root of d_k, which is 2",
            ),
            ([0.5, 0.5], "there are 99 words with the smallest score"),
        ),
        ROUNDING_TOLERANCE,
    ),
    "ex-norms-bilinear": Answer(
        "the factor by which the output grows if x is doubled",
        lambda: 4,
        (
            (
                2,
                "that would be so with a single matrix; here two projections of x are multiplied",
            ),
        ),
    ),
    "ex-one-page-cache": Answer(
        "two numbers: what the cache holds, and what it would hold with a head of keys and values for "
        "every head of queries",
        lambda: [2 * 2 * heads * 16 * 16 for heads in (2, 4)],
        (
            (
                [1024, 2048],
                "the cache holds keys and values, in each of the two layers",
            ),
            ([4096, 8192], "the model has two heads of keys and values, not four"),
        ),
    ),
    "ex-one-page-mask": Answer(
        "the mask, as two rows of True and False",
        lambda: np.tri(2, 5, 3, dtype=bool),
        (
            (
                lambda: np.tri(2, 5, dtype=bool),
                "the new words come after the three old ones",
            ),
            (lambda: np.tri(2, 5, 2, dtype=bool), "each new word may attend to itself"),
            (
                lambda: np.ones((2, 5), dtype=bool),
                "the first new word may not see the second",
            ),
            (lambda: np.tri(2, dtype=bool), "the three old words are keys, too"),
            (lambda: np.tri(5, dtype=bool), "only the two new words are queries"),
        ),
    ),
    "ex-one-page-pairs": Answer(
        "the order as a list of 16 numbers, for a head of 16 numbers",
        lambda: np.arange(16).reshape(2, 8).T.ravel(),
        (
            (
                lambda: np.arange(16).reshape(8, 2).T.ravel(),
                "that is the order for the way back",
            ),
        ),
    ),
    "ex-paged-where": Answer(
        "three numbers: the block, the offset in it, and how many more tokens fit",
        lambda: [[5, 2, 7][9 // 4], 9 % 4, 3 * 4 - 10],
        (
            (
                [2, 1, 2],
                "that is the entry of the table; the table says which block it is",
            ),
            ([7, 2, 2], "the offset is counted from 0"),
            ([7, 0, 2], "token 9, counted from 0, is the tenth"),
            ([7, 1, 3], "the text has ten tokens"),
        ),
    ),
    "ex-paged-best": Answer(
        "all the block sizes among 1, 2, 4, 8 and 16 for which the sum is least, as a list",
        cheapest_cache_block_sizes,
        (
            ({1}, "another size takes just as little"),
            ({16}, "the empty places weigh more than the table"),
        ),
    ),
}
