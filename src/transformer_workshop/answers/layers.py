"""The answers of part 3 that are about layers and stacks."""

import numpy as np

from transformer_book import by_hand

from . import ROUNDING_TOLERANCE, Answer

FACT_KEYS = np.array([[1.0, 0, 1, 0, 0, 0], [0, 1, 0, 1, 0, 0], [0, 1, 1, 0, 0, 0]]).T
FACT_VALUES = np.array([[0.0, 0, 0, 0, 1, 0], [0, 0, 0, 0, 0, 1], [0, 0, 0, 0, 0, 1]])


def recall_facts(x: np.ndarray, unit_count=3, bias=-1.0, last_bias=-1.0) -> np.ndarray:
    """Return what a memory of facts answers: black cat, brown dog and, in unit 3, brown cat."""
    b_1 = np.array([bias, bias, last_bias])[:unit_count]
    return by_hand.feed_forward(
        x, FACT_KEYS[:, :unit_count], b_1, FACT_VALUES[:unit_count], np.zeros(6)
    )


def arguments_of_fact_queries() -> list[tuple[np.ndarray]]:
    """Return vectors to ask the memory: the three facts, a black dog, and all at once."""
    black_dog = np.array([1.0, 0, 0, 1, 0, 0])
    rows = np.vstack([FACT_KEYS.T, black_dog])
    return [(rows[2:3],), (rows[:2],), (rows[3:],), (rows,)]


def third_output_without_colour() -> float:
    W_1 = np.array([[1.0, -1], [1, -1], [0, 0]])
    W_2 = np.array([[0.0, 0, 1], [0, 0, 1]])
    cat, b_2 = np.array([0.0, 1, 0]), np.array([0.0, 0, -1])
    return by_hand.feed_forward(cat, W_1, np.zeros(2), W_2, b_2)[2]


def rows_normed_like_first(other_rows, first_row=(1.0, 3, 3, 9)) -> list[bool]:
    rows = np.array([first_row, *other_rows])
    results = by_hand.layer_norm(rows, np.ones(4), np.zeros(4))
    return [bool(np.allclose(each, results[0], atol=1e-3)) for each in results[1:]]


def unweighted_layer_norm(x: np.ndarray) -> np.ndarray:
    """Return a layer norm of each row, with weights 1 and biases 0."""
    return (x - x.mean(-1, keepdims=True)) / x.std(-1, keepdims=True)


ANSWERS = {
    "ex-add-norm-nothing": Answer(
        "a function of the input x, an array whose rows are words, and `norm` that returns two arrays: "
        "what Post-LN returns, and what Pre-LN returns",
        lambda x, norm: (norm(x), x),
        (
            (lambda x, norm: (x, norm(x)), "you exchanged Post-LN and Pre-LN"),
            (
                lambda x, norm: (norm(x), norm(x)),
                "in Pre-LN only the input of the sub-layer is normalised",
            ),
            (
                lambda x, norm: (0 * x, 0 * x),
                "the input is added to what the sub-layer returns",
            ),
            (
                lambda x, norm: (0 * x, x),
                "in Post-LN the sum of the input and 0 is normalised",
            ),
        ),
        1e-4,
        lambda: [(np.array([[1.0, 3, 3, 9], [0, 2, 1, 5]]), unweighted_layer_norm)],
    ),
    "ex-add-norm-same": Answer(
        "four values, True or False: for each vector, in the order of the question, whether it has the "
        "same layer norm",
        lambda: rows_normed_like_first(
            [(0, 2, 2, 8), (10, 30, 30, 90), (-1, -3, -3, -9), (1, 3, 9, 3)]
        ),
        (
            (
                [True, True, True, False],
                "a standard deviation is never negative, so the signs stay",
            ),
            (
                [False, True, False, False],
                "a layer norm removes the mean, so a shift does not show",
            ),
            (
                [True, False, False, False],
                "a layer norm divides by the standard deviation",
            ),
            ([True, True, False, True], "the entries stay in their order"),
        ),
    ),
    "ex-add-norm-part": Answer(
        "two values, True or False: whether the stack learns the task with half of the input, and with "
        "twice the input",
        lambda: [False, True],
        (
            (
                [True, False],
                "with half of the input, the words' own share shrinks in every sub-layer",
            ),
        ),
    ),
    "ex-add-norm-leave-out": Answer(
        'the text "Pre-LN" or "Post-LN": whose output is more similar to the original',
        lambda: "Pre-LN",
        (("Post-LN", "in Pre-LN only two of 48 outputs are missing from the sum"),),
    ),
    "ex-ffn-colourless": Answer(
        "the third number of the output",
        third_output_without_colour,
        ((1, "you forgot b_2"), (-1, "the cat alone makes a hidden unit positive")),
    ),
    "ex-ffn-fact": Answer(
        "a function of x, whose rows are vectors of animals (six numbers each), that returns what the "
        "enlarged memory returns, such as `lambda x: by_hand.feed_forward(x, ...)`",
        recall_facts,
        (
            (lambda x: recall_facts(x, 2), "the new fact is missing"),
            (
                lambda x: recall_facts(x, last_bias=0.0),
                "the new unit needs a bias of −1, too: without it, the unit answers animals that have "
                "only one of its two features",
            ),
            (
                lambda x: recall_facts(x, bias=0.0, last_bias=0.0),
                "you left out the bias of all units",
            ),
            (
                lambda x: recall_facts(x)[..., 4:],
                "it returns two numbers; return all six",
            ),
        ),
        1e-4,
        arguments_of_fact_queries,
    ),
    "ex-ffn-one-unit": Answer(
        "the largest number of animals, out of four, for which one hidden unit gives the right answer",
        lambda: 3,
        (
            (4, "black cat and brown dog cannot both be above the other two"),
            (2, "you can do better: try a threshold that only one animal passes"),
        ),
    ),
    "ex-ffn-share": Answer(
        "a function of r that returns the share of the network, a number between 0 and 1, without "
        "biases and norms",
        lambda r: r / (r + 2),
        (
            (
                lambda r: r / (r + 4),
                "the network has two matrices, so it has 2 r d_model² parameters",
            ),
            (lambda r: 2 / (r + 2), "that is the share of attention"),
            (
                lambda r: r / 2,
                "that is the ratio to attention; the share is of the whole layer",
            ),
            (
                lambda r: 2 * r / (3 + 2 * r),
                "attention has four matrices, W_O among them",
            ),
            (
                lambda r: 100 * r / (r + 2),
                "the share is in percent; it should be between 0 and 1",
            ),
        ),
        ROUNDING_TOLERANCE,
        lambda: [(1,), (4,), (8,)],
    ),
    "ex-ffn-sizes": Answer(
        "a function of d_model and d_ff that returns the number of words at which both do equal work",
        lambda d, d_ff: d_ff - 2 * d,
        ((lambda d, d_ff: d_ff, "attention has products with four matrices as well"),),
        inputs=lambda: [(128, 512), (512, 2048), (1024, 4096), (64, 128)],
    ),
    "ex-stacks-count": Answer(
        "two numbers: the norms in the whole model, and those in the decoder",
        lambda: [6 * 2 + 6 * 3, 6 * 3],
        (
            ([24, 12], "a decoder layer has three sub-layers"),
            ([32, 19], "with Post-LN there is no norm at the end of a stack"),
            (
                [30, 12],
                "you gave the norms of the encoder; those of the decoder are asked",
            ),
            ([5, 3], "that is one layer of each kind; there are six"),
        ),
    ),
    "ex-stacks-source": Answer(
        "a list of the layers, counted from 1, each of which is enough by itself",
        lambda: {1, 2, 3},
        (
            ({3}, "the vectors of an earlier layer reach the output, too"),
            ({1}, "every layer of the decoder reads the same memory"),
        ),
    ),
    "ex-stacks-unequal": Answer(
        "two values, True or False: whether something else has to be changed for computing logits, and "
        "whether the model can be saved",
        lambda: [False, False],
        (
            ([False, True], "a configuration has a single N for both stacks"),
            ([True, False], "the memory is the only connection between the stacks"),
        ),
    ),
}
