"""The answers of part 1 that are about learning, and about why attention."""

import math

from . import ROUNDING_TOLERANCE, Answer


def logit_slopes_after_on(pairs_with_on=2, pair_count=15, sign=1) -> list[float]:
    p = 1 / 12
    return [
        sign * pairs_with_on / pair_count * (p - 1),
        sign * pairs_with_on / pair_count * p,
    ]


def logit_after_each_step(step_count=30, accumulates_slopes=True) -> list[float]:
    z, speed, track = 0.0, 0.0, []
    for _ in range(step_count):
        slope = math.exp(z) / (math.exp(z) + 11) - 1 / 4
        speed = speed + slope if accumulates_slopes else slope
        z -= speed
        track.append(z)
    return track


def cnn_layer_count(kernel_size: int, distance: int) -> int:
    return -(-2 * distance // (kernel_size - 1))


def attention_and_rnn_steps() -> list[int]:
    """Return the steps of a layer of attention and of an RNN for 16 words, counted finely."""

    def step_when_sum_is_ready(ready_steps: list[int]) -> int:
        while len(ready_steps) > 1:
            pairs = [ready_steps[i : i + 2] for i in range(0, len(ready_steps), 2)]
            ready_steps = [max(p) + (len(p) == 2) for p in pairs]
        return ready_steps[0]

    e = step_when_sum_is_ready([1] * 64) + 2
    weight = max(e, step_when_sum_is_ready([e] * 16)) + 1
    state = 0
    for _ in range(16):
        state = step_when_sum_is_ready([1] * 64 + [state + 1] * 64) + 1
    return [step_when_sum_is_ready([weight + 1] * 16), state]


ANSWERS = {
    "ex-learning-pale": Answer(
        "the loss, in nats, of a model that gives each of 37,000 words the same probability",
        lambda: math.log(37_000),
        (
            (
                math.log2(37_000),
                "you gave the loss in bits; nats need the natural logarithm",
            ),
            (math.log10(37_000), "you took the logarithm to the base 10"),
            (
                -math.log(37_000),
                "the loss is minus the logarithm of the probability, so it is positive",
            ),
        ),
        ROUNDING_TOLERANCE,
    ),
    "ex-learning-pencil": Answer(
        "two numbers: the slope for *the*, and the slope for each of the other words",
        logit_slopes_after_on,
        (
            (
                lambda: logit_slopes_after_on(1, 1),
                "you forgot that only 2 of the 15 pairs belong to this row",
            ),
            (
                lambda: logit_slopes_after_on(1, 15),
                "the row is used in two of the 15 pairs, not in one",
            ),
            (
                lambda: logit_slopes_after_on(2, 1),
                "L is the mean over the 15 pairs, and you took the sum",
            ),
            (
                lambda: logit_slopes_after_on(sign=-1),
                "the signs are exchanged: the slopes are p − q",
            ),
            (lambda: logit_slopes_after_on()[::-1], "the two are exchanged"),
        ),
        ROUNDING_TOLERANCE,
    ),
    "ex-learning-zero-grad": Answer(
        "the list of the 30 values of the logit, one after each step",
        logit_after_each_step,
        (
            (
                lambda: logit_after_each_step(accumulates_slopes=False),
                "the slopes do not add up: that is how it moves with `zero_grad`",
            ),
            (
                lambda: [0.0, *logit_after_each_step()[:-1]],
                "the list begins with the value after the first step",
            ),
            (
                lambda: [-z for z in logit_after_each_step()],
                "a step goes against the slope",
            ),
        ),
        0.05,
    ),
    "ex-learning-thousand": Answer(
        "two values, True or False: whether the factor makes a difference for SGD, and for Adam",
        lambda: [True, False],
        (
            (
                [True, True],
                "in Adam both the numerator and the root become a thousand times as large",
            ),
        ),
    ),
    "ex-why-exchange": Answer(
        "two values, True or False: whether any entry of the row of *cat* changes when you exchange "
        "*couch* and *rug*, and when you exchange *rug* and *black*",
        lambda: [False, True],
        (([True, True], "*couch* and *rug* have the same vector"),),
    ),
    "ex-why-prefer": Answer(
        "the score that the score of *rug* has to exceed",
        lambda: (2 * 2 + 1 * 1) / math.sqrt(4),
        (
            (5, "you forgot to divide by the root of d_k"),
            (5 / 4, "divide by the root of d_k, not by d_k"),
            (2, "that is the score that *rug* has now"),
        ),
    ),
    "ex-why-other-windows": Answer(
        "a function of k and D that returns the number of layers",
        cnn_layer_count,
        (
            (lambda k, D: 2 * D // (k - 1), "you rounded down"),
            (
                lambda k, D: -(-D // (k - 1)),
                "a window reaches (k − 1)/2 words to either side",
            ),
            (
                lambda k, D: -(-D // k),
                "a window reaches (k − 1)/2 words to either side",
            ),
            (lambda k, D: 2 * D / (k - 1), "the number of layers has to be rounded up"),
        ),
        inputs=lambda: [(3, 12), (9, 12), (5, 12), (5, 13), (7, 50)],
    ),
    "ex-why-longer": Answer(
        "three numbers: the scores for a page, the scores for the book, and the factor by which the "
        "work of an RNN grows",
        lambda: [500**2, 100_000**2, 200],
        (
            (
                [500**2, 100_000**2, 200**2],
                "the work of an RNN grows with the number of words",
            ),
            (
                [500**2, 200 * 500**2, 200],
                "a word of the book attends to all words of the book",
            ),
        ),
    ),
    "ex-why-windows": Answer(
        "two numbers: the layers for windows of 3 words, and for windows of 9 words",
        lambda: [cnn_layer_count(k, 50) for k in (3, 9)],
        (
            ([50, 12], "the second number has to be rounded up"),
            ([25, 7], "a window reaches (k − 1)/2 words to either side"),
            ([17, 6], "a window reaches (k − 1)/2 words to either side"),
        ),
    ),
    "ex-why-neighbours": Answer(
        "the number of operations on the path between word 0 and word 50 for r = 5",
        lambda: 50 // 5,
        (
            (
                5,
                "a word looks at 5 words on either side, so information moves 5 words in a layer",
            ),
        ),
    ),
    "ex-why-depth": Answer(
        "two numbers: the steps of attention and of the RNN for n = 16 words",
        attention_and_rnn_steps,
    ),
}
