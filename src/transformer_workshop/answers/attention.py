"""The answers of part 2 that are about attention, its scale, and two sequences."""

import math

import numpy as np

from transformer_book import by_hand

from . import ROUNDING_TOLERANCE, Answer

X = np.array([[1.0, 0, 1, 0], [0, 2, 0, 2], [1, 1, 1, 1]])  # the worked example
W_Q = np.array([[1.0, 0, 1, 1], [0, 1, 0, 0], [0, 0, 1, 0], [1, 1, 0, 1]])
W_K = np.array([[0.0, 1, 1, 0], [1, 0, 0, 0], [0, 0, 0, 1], [1, 0, 1, 0]])
W_V = np.array([[0.0, 2, 3, 0], [0, 3, 0, 1], [1, 0, 2, 0], [1, 1, 1, 1]])


def changed_weight_and_output_counts() -> list[int]:
    """Return how many numbers change if the third number of *cat* becomes 3: A and Z of both heads."""
    found = []
    new = X.copy()
    new[1, 2] = 3
    for x in (X, new):
        Q, K, V = (by_hand.split_heads(x @ W, 2) for W in (W_Q, W_K, W_V))
        found.append(by_hand.scaled_dot_product_attention(Q, K, V)[::-1])
    return [
        int((~np.isclose(a[head], b[head])).sum())
        for head in (0, 1)
        for a, b in zip(*found, strict=True)
    ]


def softmax_jacobian(weights: np.ndarray) -> np.ndarray:
    return np.diag(weights) - np.outer(weights, weights)


ANSWERS = {
    "ex-eight-steps-move": Answer(
        "four numbers: how many weights of head 1 change, how many numbers of Z of head 1, how many "
        "weights of head 2, and how many numbers of Z of head 2",
        changed_weight_and_output_counts,
        (
            (
                [0, 0, 9, 6],
                "one value of head 1 changes, and every word takes some of it",
            ),
            (
                [0, 1, 9, 6],
                "every word gives some of its weight to *cat*, not *cat* alone",
            ),
            (
                [0, 3, 3, 2],
                "the new key of *cat* changes a score in each row of head 2, too",
            ),
            (
                [0, 3, 5, 6],
                "after softmax, a new score changes all the weights of its row",
            ),
        ),
    ),
    "ex-eight-steps-exchange": Answer(
        "two values, True or False: whether the scores of head 2 are transposed, and whether its "
        "weights are transposed",
        lambda: [True, False],
        (
            (
                [True, True],
                "softmax divides by the sum of a row, and the rows contain other numbers now",
            ),
        ),
    ),
    "ex-eight-steps-causal": Answer(
        "the first row of the weights: three numbers", lambda: [1, 0, 0]
    ),
    "ex-eight-steps-order": Answer(
        "the list of the four old row numbers of W_O in their new order",
        lambda: [2, 3, 0, 1],
        (
            ([0, 1, 2, 3], "W_O has to change: Z has the head 2 first now"),
            (
                [3, 2, 1, 0],
                "only the heads are exchanged; within a head the order stays",
            ),
            ([1, 0, 3, 2], "the rows belong to the heads in twos: 0 and 1 to head 1"),
        ),
    ),
    "ex-scaling-temperature": Answer(
        "the two temperatures, for d_k = 1,024 and for d_k = 256",
        lambda: [math.sqrt(1024), math.sqrt(256)],
        (
            ([1024, 256], "the scale divides by the root of d_k"),
            ([1 / 32, 1 / 16], "the scores are divided by the temperature, too"),
        ),
    ),
    "ex-scaling-variance": Answer(
        "the divisor",
        lambda: math.sqrt(16 * 4 * 1),
        (
            (
                4,
                "that is the root of d_k, which would be right if the queries had the variance 1",
            ),
            (64, "that is the variance; divide by the standard deviation"),
            (16, "you multiplied the root of d_k by the variance, not by its root"),
        ),
        ROUNDING_TOLERANCE,
    ),
    "ex-scaling-jacobian": Answer(
        "the matrix J for the weights 0.9 and 0.1, as two rows of two numbers",
        lambda: softmax_jacobian(np.array([0.9, 0.1])),
        (
            (
                [[0.09, 0.09], [0.09, 0.09]],
                "the cells off the diagonal are negative: δ is 0 there",
            ),
            ([[0.9, 0], [0, 0.1]], "that is only the part with δ"),
            (
                [[0.81, 0.09], [0.09, 0.01]],
                "that is only the part with the product of two weights",
            ),
            (
                [[0.09, -0.81], [-0.01, 0.09]],
                "the second factor is a_j, the weight of the other key",
            ),
        ),
        ROUNDING_TOLERANCE,
    ),
    "ex-scaling-linear": Answer(
        "the standard deviation of the scores at d_k = 1,024",
        lambda: math.sqrt(1024) / 1024,
        (
            (1, "that would be so with the root of d_k"),
            (
                1 / 1024,
                "the dot products have the standard deviation of the root of d_k",
            ),
            (32, "that is the standard deviation before you divide"),
        ),
        ROUNDING_TOLERANCE,
    ),
    "ex-scaling-shared": Answer(
        "your estimate of the weight",
        lambda: math.exp(8) / (math.exp(8) + 14 * math.exp(0.5)),
        (
            (
                1 / 15,
                "a word's query is its own key, so its own score is not like the others",
            ),
            (
                math.exp(1) / (math.exp(1) + 14),
                "a sum of 64 squares is about 64, and the scale makes 8 of it",
            ),
        ),
        ROUNDING_TOLERANCE,
    ),
    "ex-scaling-bias": Answer(
        "two values, True or False: whether the weights change if the vector is added to all keys, and "
        "if it is added to all queries",
        lambda: [False, True],
        (
            (
                [True, True],
                "if all scores of a query grow by the same number, softmax does not change",
            ),
            ([True, False], "you exchanged the two"),
            ([False, False], "b · k is different for each key"),
        ),
    ),
    "ex-scaling-repair": Answer(
        "two values, True or False: whether the model without a scale reaches that error, and whether "
        "the model that learns its divisor does",
        lambda: [False, False],
    ),
    "ex-cross-attention-shapes": Answer(
        "four shapes, each with two numbers: of Q, K and A in one head, and of the output",
        lambda: [(6, 64), (7, 64), (6, 7), (6, 512)],
        (
            (
                [(7, 64), (6, 64), (7, 6), (7, 512)],
                "queries come from the target, keys from the source",
            ),
            (
                [(6, 64), (7, 64), (7, 6), (6, 512)],
                "A has a row for each query and a column for each key",
            ),
            (
                [(6, 512), (7, 512), (6, 7), (6, 512)],
                "one head has d_model / h columns",
            ),
            (
                [(6, 64), (7, 64), (6, 7), (6, 64)],
                "the output has the columns of all heads together",
            ),
            (
                [(6, 64), (7, 64), (6, 7), (7, 512)],
                "the output has a row for each query",
            ),
        ),
    ),
    "ex-cross-attention-nothing": Answer(
        "the weights of the row, for the source of three words: three numbers",
        lambda: [1 / 3] * 3,
        (([0, 0, 0], "equal scores give equal weights, even if the scores are 0"),),
        ROUNDING_TOLERANCE,
    ),
    "ex-cross-attention-one": Answer(
        "the output for one target word, if the source is the second row of X: four numbers",
        lambda: (
            X[1]
            @ W_V
            @ np.array([[1.0, 0, 0, 1], [0, 0, 1, 1], [0, 1, 0, 1], [1, 1, 1, 1]])
        ),
        (
            (lambda: X[1] @ W_V, "that is the value; the output is multiplied by W_O"),
            (lambda: X[1], "that is the source word itself, without W_V and W_O"),
        ),
        ROUNDING_TOLERANCE,
    ),
    "ex-cross-attention-padded": Answer(
        "the mask, with an axis for the batch, one for the queries and one for the keys",
        lambda: by_hand.padding_mask(np.array([[5, 8, 6], [5, 8, 0]]), pad_id=0),
        (
            (
                [[True] * 3, [True, True, False]],
                "it lacks the axis of the queries, in the middle",
            ),
            (
                [[[True], [True], [True]], [[True], [True], [False]]],
                "you hid queries; the padding is in the source, so keys have to be hidden",
            ),
            (
                [[[False] * 3], [[False, False, True]]],
                "True and False are exchanged: True is where a query may look",
            ),
            (
                [[[[True] * 3]], [[[True, True, False]]]],
                "it has an axis too many; `by_hand` adds that of the heads itself",
            ),
        ),
    ),
}
