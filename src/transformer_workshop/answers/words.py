"""The answers of part 1 that are about mathematics and embeddings."""

import math

import numpy as np

from . import ROUNDING_TOLERANCE, Answer


def example_similarities(
    similarity=lambda a, b: a @ b / np.linalg.norm(a) / np.linalg.norm(b),
) -> list[float]:
    v = np.array([1.0, 2, 3])
    x, y = np.array([1.0, 0]), np.array([0.0, 5])
    return [
        similarity(v, 3 * v),
        similarity(v, -v),
        similarity(x, y),
        similarity(x, np.ones(2)),
    ]


def count_skip_gram_pairs(n: int, window: int) -> int:
    return sum(
        j != i
        for i in range(n)
        for j in range(max(0, i - window), min(n, i + window + 1))
    )


ANSWERS = {
    "ex-mathematics-shapes": Answer(
        "a list with the shapes of AB, BA, AAᵀ and BᵀAᵀ in this order, None for a product that does "
        "not exist",
        lambda: [(2, 4), None, (2, 2), (4, 2)],
        (
            (
                [(2, 4), None, (3, 3), (4, 2)],
                "AAᵀ has as many rows as A, not as many as Aᵀ",
            ),
            ([(2, 4), None, (2, 2), (2, 4)], "BᵀAᵀ is the transpose of AB"),
            (
                [(2, 4), None, None, None],
                "you took A and B where their transposes are meant",
            ),
        ),
    ),
    "ex-mathematics-variance": Answer(
        "the mean and the variance after adding 10, then the mean and the variance after multiplying "
        "by 2: four numbers",
        lambda: [
            f(y)
            for y in (np.array([11, 13, 13, 19]), np.array([2, 6, 6, 18]))
            for f in (np.mean, np.var)
        ],
        (
            (
                [14, 19, 8, 36],
                "adding a number to all of them does not change the variance",
            ),
            (
                [14, 9, 8, 18],
                "the variance is made of squares, so the factor counts twice",
            ),
            ([14, 9, 8, 9], "the variance does change if you multiply"),
            (
                [14, 3, 8, 6],
                "you gave standard deviations; their squares are the variances",
            ),
        ),
    ),
    "ex-mathematics-three-words": Answer(
        "two numbers: the probability of the sentence, and the average of −ln p for its three words",
        lambda: [1 / 64, -np.log([1 / 2, 1 / 4, 1 / 8]).mean()],
        (
            (
                [1 / 64, 6 * math.log(2)],
                "you gave the sum of the −ln p, not their average",
            ),
            ([1 / 64, 2], "you took logarithms to the base 2"),
            ([1 / 64, -2 * math.log(2)], "−ln p of a probability is not negative"),
            (
                [7 / 8, 2 * math.log(2)],
                "you added the probabilities; they are multiplied",
            ),
        ),
        ROUNDING_TOLERANCE,
    ),
    "ex-mathematics-three-steps": Answer(
        "a function of z that returns the derivative of L with respect to z",
        lambda z: math.exp(z) / (math.exp(z) + 1),
        (
            (
                lambda z: 1 / (math.exp(z) + 1),
                "you left out the factor of the first step, eᶻ",
            ),
            (lambda z: math.log(math.exp(z) + 1), "it returns L itself"),
            (lambda z: 0.5, "it is right at z = 0 only"),
        ),
        1e-3,
        lambda: [(0.0,), (2.0,), (-1.0,)],
    ),
    "ex-embeddings-pencil": Answer(
        "the four similarities in the order of the question, rounded to two digits or not",
        example_similarities,
        (
            (
                [1, -1, 0, 1],
                "(1, 0) and (1, 1) have the dot product 1, but (1, 1) is longer than 1",
            ),
            ([1, -1, 0, 0.5], "the length of (1, 1) is the root of 2, not 2"),
            (
                [3, -1, 0, 0.5**0.5],
                "the cosine does not depend on how long the vectors are",
            ),
            ([1, 1, 0, 0.5**0.5], "v and −v point in opposite directions"),
        ),
        ROUNDING_TOLERANCE,
    ),
    "ex-embeddings-pairs": Answer(
        "a function of n and w that returns the number of pairs",
        count_skip_gram_pairs,
        (
            (
                lambda n, w: 2 * w * n,
                "you forgot that tokens near the ends have fewer neighbours",
            ),
            (
                lambda n, w: 2 * w * n - w * (w + 1) // 2,
                "you counted one end only; there are two",
            ),
            (
                lambda n, w: w * n - w * (w + 1) // 2,
                "you counted each two neighbours once, not twice",
            ),
            (
                lambda n, w: count_skip_gram_pairs(n, w) + n,
                "you counted a token as its own neighbour",
            ),
        ),
        inputs=lambda: [(16, 2), (16, 1), (5, 3), (9, 8)],
    ),
    "ex-embeddings-levy": Answer(
        "a function of #(c, o), #(c), P(o) and k that returns the score",
        lambda co, c, p, k: math.log(co / (c * p)) - math.log(k),
        (
            (lambda co, c, p, k: math.log(co / (c * p)), "you left out ln k"),
            (
                lambda co, c, p, k: math.log(co / (c * p)) + math.log(k),
                "the sign of ln k is wrong",
            ),
            (lambda co, c, p, k: co / (c * p * k), "you left out the logarithm"),
        ),
        1e-3,
        lambda: [(4, 10, 0.1, 5), (1, 8, 0.25, 2), (2, 5, 0.3, 1)],
    ),
}
