"""The answers of part 2 that are about heads and masks."""

import math
from collections.abc import Callable

import numpy as np

from transformer_book import by_hand

from . import ROUNDING_TOLERANCE, Answer

# The ids of the second piece, with its padding on the left.
LEFT_PADDED_IDS = np.array([0, 0, 0, 5, 11, 12, 13])
SENTENCE_LENGTHS = (7, 4, 2)  # of the sentences in the laboratory on masks
TRANSPOSED_FAULT_TEXT = (
    "that is the transpose: each column of W_O makes one number of the result"
)


def arguments_of_split(h: int, d_k: int) -> tuple[np.ndarray, int]:
    """Return inputs for a split: one sentence whose numbers are all different."""
    return np.arange(3.0 * h * d_k).reshape(3, h * d_k), h


def stack_heads(Q, h, cut_head: Callable) -> np.ndarray:
    d_k = Q.shape[1] // h
    return np.stack([cut_head(Q, i, d_k) for i in range(h)])


def unblending_matrix(a=0.7, b=0.3, c=0.4, d=0.6) -> np.ndarray:
    """Return the matrix that takes c and p out of z_1 = a c + b p and z_2 = c c + d p."""
    inverse = np.linalg.inv(np.array([[a, c], [b, d]]))
    return np.kron(inverse, np.eye(2))


def causal_window_mask(n: int, n_back: int) -> np.ndarray:
    return np.tri(n, dtype=bool) & ~np.tri(n, k=-n_back - 1, dtype=bool)


def packed_sentences_mask(is_causal=True, own_sentence_only=True) -> np.ndarray:
    number = np.repeat(np.arange(3), SENTENCE_LENGTHS)
    mask = np.ones((13, 13), dtype=bool)
    if own_sentence_only:
        mask = number[:, None] == number
    return mask & by_hand.causal_mask(13) if is_causal else mask


def padding_and_causal_mask(hides_keys: bool) -> np.ndarray:
    """Return the combined mask, with the padding hidden as keys or, by mistake, as queries."""
    padding = LEFT_PADDED_IDS != 0
    return (padding[None] if hides_keys else padding[:, None]) & by_hand.causal_mask(7)


ANSWERS = {
    "ex-heads-base": Answer(
        "three shapes: Q before the split, Q after the split, and the attention weights",
        lambda: [(32, 20, 512), (32, 8, 20, 64), (32, 8, 20, 20)],
        (
            (
                [(32, 20, 512), (32, 20, 8, 64), (32, 8, 20, 20)],
                "after the split, the axis of the heads comes before that of the words",
            ),
            (
                [(32, 20, 512), (32, 8, 20, 64), (32, 20, 20)],
                "each head has weights of its own",
            ),
            (
                [(32, 20, 512), (32, 8, 20, 64), (32, 8, 64, 64)],
                "the weights have a row and a column for each word, not for each number",
            ),
            (
                [(32, 20, 512), (32, 8, 20, 512), (32, 8, 20, 20)],
                "each head gets d_model / h columns",
            ),
        ),
    ),
    "ex-heads-slices": Answer(
        "a function of Q, with shape (n, h · d_k), and h that returns the heads, stacked to the shape "
        "(h, n, d_k)",
        lambda Q, h: by_hand.split_heads(Q, h),
        (
            (
                lambda Q, h: stack_heads(Q, h, lambda Q, i, d_k: Q[:, :d_k]),
                "every head gets the same first columns (mistake M11)",
            ),
            (
                lambda Q, h: stack_heads(Q, h, lambda Q, i, d_k: Q[:, i::h]),
                "a head takes every h-th column; it should take columns that are side by side",
            ),
            (
                lambda Q, h: Q.reshape(h, Q.shape[0], -1),
                "the shape is right, but `reshape` mixes the words; slice the columns",
            ),
            (
                lambda Q, h: stack_heads(Q, h, lambda Q, i, d_k: Q[:, i : i + d_k]),
                "the slices overlap: head i begins at column i · d_k",
            ),
            (
                lambda Q, h: by_hand.split_heads(Q, h).swapaxes(0, 1),
                "the axis of the heads should be the first; use `stack`",
            ),
        ),
        1e-4,
        lambda: [
            arguments_of_split(2, 3),
            arguments_of_split(3, 2),
            arguments_of_split(4, 4),
        ],
    ),
    "ex-heads-blends": Answer(
        "the matrix W_O of 4 rows and 4 columns that returns the values of *cat* and *couch*, one after "
        "the other, in `np.concatenate([z_1, z_2]) @ W_O`",
        unblending_matrix,
        (
            (lambda: unblending_matrix().T, TRANSPOSED_FAULT_TEXT),
            (
                lambda: np.kron(np.array([[0.7, 0.4], [0.3, 0.6]]), np.eye(2)),
                "that is the matrix that blends; you need its inverse",
            ),
            (
                lambda: unblending_matrix(0.7, 0.3, 0.3, 0.7),
                "you let head 2 do the opposite of head 1; its weights are 0.4 and 0.6",
            ),
            (
                lambda: np.linalg.inv(np.array([[0.7, 0.4], [0.3, 0.6]])),
                "each of the four numbers stands for a block of two rows and two columns",
            ),
        ),
        ROUNDING_TOLERANCE,
    ),
    "ex-heads-strides": Answer(
        "two tuples: the shape and the strides of the result",
        lambda: [(2, 2, 3, 2), (12, 2, 4, 1)],
        (
            ([(2, 3, 2, 2), (12, 4, 2, 1)], "you forgot the transpose"),
            (
                [(2, 2, 3, 2), (12, 6, 2, 1)],
                "the transpose copies nothing, so the numbers stay in place",
            ),
            (
                [(2, 2, 3, 2), (12, 4, 2, 1)],
                "the strides change places along with the axes",
            ),
        ),
    ),
    "ex-heads-full": Answer(
        "two factors: how many times as many parameters, and how many times as many multiply–adds",
        lambda: [8, 8],
        (
            ([8, 1], "the scores and averages of each head are wider, too"),
            ([64, 64], "only one side of each matrix becomes wider"),
        ),
    ),
    "ex-masks-count": Answer(
        "the number of True cells for 16 tokens",
        lambda: int(by_hand.causal_mask(16).sum()),
        (
            (120, "you counted without the diagonal; a token may attend to itself"),
            (256, "that is the number of all cells"),
            (
                128,
                "the mask has a little more than half of the cells, because of its diagonal",
            ),
            (153, "you counted 17 tokens"),
        ),
    ),
    "ex-masks-less": Answer(
        "the row of *sat* after all three scores are hidden, as the book defines softmax: three numbers",
        lambda: by_hand.softmax(np.full(3, -np.inf)),
        (
            (
                [1 / 3, 1 / 3, 1 / 3],
                "hidden keys get no weight, even if no other key is left",
            ),
            (
                [math.nan] * 3,
                "that is what PyTorch returns; the book defines softmax otherwise",
            ),
        ),
    ),
    "ex-masks-after": Answer(
        "two values, True or False: whether the result is right for our three words without the "
        "division, and with it",
        lambda: [False, True],
        (
            (
                [False, False],
                "both methods divide the weight in proportion to the exponentials",
            ),
        ),
    ),
    "ex-masks-left": Answer(
        "the two masks combined, as a matrix of 7 rows and 7 columns of True and False",
        lambda: padding_and_causal_mask(hides_keys=True),
        (
            (
                lambda: padding_and_causal_mask(hides_keys=False),
                "you hid the padding as queries and not as keys: the words still see it (mistake M21)",
            ),
            (
                lambda: by_hand.causal_mask(7),
                "the causal mask alone does not hide the padding",
            ),
            (
                lambda: np.broadcast_to(LEFT_PADDED_IDS != 0, (7, 7)),
                "that is the padding mask alone; a word may not see later words",
            ),
            (
                lambda: ~padding_and_causal_mask(hides_keys=True),
                "True and False are exchanged: True is where a query may look",
            ),
            (
                lambda: padding_and_causal_mask(hides_keys=True).T,
                "rows and columns are exchanged",
            ),
        ),
    ),
    "ex-masks-window": Answer(
        "the mask for 10 words, as a matrix of True and False",
        lambda: causal_window_mask(10, 2),
        (
            (
                lambda: causal_window_mask(10, 1),
                "a word may attend to two words before it, not to one",
            ),
            (
                lambda: causal_window_mask(10, 3),
                "a word may attend to two words before it, not to three",
            ),
            (
                lambda: causal_window_mask(10, 2).T,
                "the words look ahead; rows are queries, and columns are keys",
            ),
            (
                lambda: causal_window_mask(10, 2) | causal_window_mask(10, 2).T,
                "the words look ahead as well; j may not be greater than i",
            ),
            (lambda: ~causal_window_mask(10, 2), "True and False are exchanged"),
        ),
    ),
    "ex-masks-packing": Answer(
        "the mask for the 13 tokens of the three sentences, as a matrix of True and False",
        packed_sentences_mask,
        (
            (
                lambda: packed_sentences_mask(is_causal=False),
                "a word may attend to earlier words only",
            ),
            (
                lambda: packed_sentences_mask(own_sentence_only=False),
                "the sentences depend on each other",
            ),
            (lambda: packed_sentences_mask().T, "rows and columns are exchanged"),
        ),
    ),
}
