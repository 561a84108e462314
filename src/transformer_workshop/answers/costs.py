"""The answers of part 4 that are about training: memory, machines and scaling laws."""

import math

import numpy as np

from . import ROUNDING_TOLERANCE, Answer

# It follows from gradients that the page computes.
LARGEST_LOSS_SCALE_EXPONENT = 33  # of the power of 2


def kept_activation_units(layer_count: int, layers_per_segment: int) -> float:
    return (layer_count / layers_per_segment - 1) + 14 * layers_per_segment


def sums_after_ring_rounds(round_count=2) -> np.ndarray:
    held = np.arange(1.0, 10).reshape(3, 3)
    for turn in range(round_count):
        before = held.copy()
        for i in range(3):
            k = (i - 1 - turn) % 3
            held[i, k] += before[i - 1, k]
    return held


ANSWERS = {
    "ex-efficient-scale": Answer(
        "the exponent of the power of 2, a whole number",
        lambda: LARGEST_LOSS_SCALE_EXPONENT,
        (
            (LARGEST_LOSS_SCALE_EXPONENT + 1, "one of the gradients becomes infinite"),
            (LARGEST_LOSS_SCALE_EXPONENT - 1, "twice as much is possible"),
        ),
    ),
    "ex-efficient-step": Answer(
        "three values: the distance as a number, and True or False for a step of 0.0002 and for one of "
        "0.0003",
        lambda: [2.0**-11, False, True],
        (
            (
                [2.0**-11, False, False],
                "more than half of the distance is enough: the sum is rounded",
            ),
            ([2.0**-12, False, True], "that is half of the distance"),
            ([2.0**-12, True, True], "the interval from 1/16 to 1/8 has 2⁷ parts"),
            (
                [2.0**-7, False, False],
                "the interval from 1/16 to 1/8 has 2⁷ parts, not that from 0 to 1",
            ),
            (
                [2.0**-10, False, False],
                "0.1 is below 1/8, so the interval begins at 1/16",
            ),
        ),
        0.05,
    ),
    "ex-efficient-clip": Answer(
        "True or False: whether it is the same",
        lambda: False,
        (
            (
                True,
                "try two pieces with gradients of different signs, one of them longer than 1",
            ),
        ),
    ),
    "ex-lora-numbers": Answer(
        "three numbers: the numbers trained for one matrix, their percentage, and the rank at which "
        "there are as many",
        lambda: [8 * 8192, 100 * 8 * 8192 / 4096**2, 4096**2 / 8192],
        (
            ([8 * 4096, 100 * 8 / 4096, 4096], "A and B both have numbers"),
            (
                [65_536, 8 * 8192 / 4096**2, 2048],
                "the second number should be in percent",
            ),
            ([65_536, 100 * 8 * 8192 / 4096**2, 4096], "A and B both have numbers"),
        ),
        0.03,
    ),
    "ex-lora-billion": Answer(
        "the number of GB",
        lambda: 4 * 7 + 16 * 0.07,
        (
            (16 * 0.07, "the weights of the model take memory, too"),
            (28, "the numbers that are trained take 16 bytes each"),
            (
                28 + 4 * 0.07,
                "the trained numbers have gradients and Adam's averages as well",
            ),
            (112, "that is for training all weights"),
        ),
        ROUNDING_TOLERANCE,
    ),
    "ex-efficient-half": Answer(
        "the number of steps",
        lambda: math.log(0.5) / math.log(1 - 0.001 * 0.1),
        (
            (
                5000,
                "the weight shrinks by a factor in each step, not by the same amount",
            ),
            (lambda: math.log(0.5) / math.log(0.9), "the factor is 1 − ηλ, with both"),
            (
                lambda: math.log(0.5) / math.log(0.999),
                "the factor is 1 − ηλ, with both",
            ),
        ),
        0.002,
    ),
    "ex-efficient-off": Answer(
        "True or False: whether W comes back exactly",
        lambda: False,
        ((True, "the sum was rounded"),),
    ),
    "ex-recompute-billion": Answer(
        "the number of GB",
        lambda: 16 * 7,
        (
            (84, "that is without the gradients"),
            (28, "that is the weights alone"),
            (56, "Adam has two averages for each parameter"),
        ),
        ROUNDING_TOLERANCE,
    ),
    "ex-recompute-two": Answer(
        "two numbers: the smallest even number of layers, and how many s less for 96 layers",
        lambda: [
            next(
                n
                for n in range(2, 200, 2)
                if kept_activation_units(n, 2) < kept_activation_units(n, 1)
            ),
            kept_activation_units(96, 1) - kept_activation_units(96, 2),
        ],
        (
            ([28, 34], "with 28 layers both hold the same"),
            ([29, 34], "the number has to be even"),
            ([30, 75], "that is what segments of two hold; the difference is asked"),
        ),
    ),
    "ex-recompute-half": Answer(
        "a function of s and a that returns what all 12 layers keep",
        lambda s, a: 6 * s + 6 * a,
        (
            (
                lambda s, a: 6 * s + 12 * a,
                "a layer that is recomputed keeps only its input",
            ),
            (lambda s, a: 6 * a, "a layer that is recomputed still keeps its input"),
            (lambda s, a: 12 * s + 6 * a, "a includes the input of a layer"),
        ),
        1e-4,
        lambda: [(1.0, 14.0), (2.0, 5.0)],
    ),
    "ex-machines-pencil": Answer(
        "what the workers hold: three rows of three numbers",
        sums_after_ring_rounds,
        (
            (lambda: sums_after_ring_rounds(1), "that is after one round"),
            (lambda: sums_after_ring_rounds(3), "that is after three rounds"),
            ([[12, 15, 18]] * 3, "that is after the whole ring"),
        ),
    ),
    "ex-machines-means": Answer(
        "the repaired mean of the example",
        lambda: 3 / 4 * 2 + 1 / 4 * 6,
        (
            (4, "that is the plain mean of the two means"),
            (
                5,
                "the two weights are exchanged: three of the four tokens belong to the first worker",
            ),
        ),
        ROUNDING_TOLERANCE,
    ),
    "ex-machines-fit": Answer(
        "the smallest number of GPUs if everything is divided",
        lambda: math.ceil(16 * 68.98 / 80),
        (
            (13, "thirteen are not quite enough: 80 GB each make 1,040 GB"),
            (4, "a parameter takes 16 bytes with its gradient and Adam's numbers"),
            (
                11,
                "the weights are divided, and so are their gradients and Adam's numbers",
            ),
        ),
    ),
    "ex-model-parallel-bubble": Answer(
        "the number of parts",
        lambda: next(m for m in range(1, 1000) if m + 7 >= 10 * 7),
        (
            (70, "the timetable has m + 7 columns, and the bubble is 7 of them"),
            (72, "a pipeline of eight stages has a bubble of seven"),
            (80, "the bubble is 7/(m + 7)"),
            (62, "with this number, the bubble is a little larger than 10%"),
        ),
    ),
    "ex-machines-norm": Answer(
        "the absolute values of the two numbers that a worker computes",
        lambda: [1, 1],
        (([0, 0], "the mean lies between the two numbers, so none of them becomes 0"),),
        ROUNDING_TOLERANCE,
    ),
    "ex-machines-batch": Answer(
        "two factors: by how much the time for computing grows, and the time for sending",
        lambda: [2, 1],
        (
            ([2, 2], "the weights and gradients are as many as before"),
            ([1, 2], "you exchanged the two"),
        ),
    ),
    "ex-scaling-ratio": Answer(
        "two numbers: tokens per parameter with a = 0.73, and with a = 0.5",
        lambda: [20 * 1000 ** (1 - 2 * a) for a in (0.73, 0.5)],
        (
            (
                lambda: [20 * 1000 ** (1 - a) for a in (0.73, 0.5)],
                "the tokens grow with C¹⁻ᵃ and the parameters with Cᵃ, so the ratio grows with C¹⁻²ᵃ",
            ),
            (
                lambda: [20 * 1000 ** (2 * a - 1) for a in (0.73, 0.5)],
                "that is parameters per token, up to a factor",
            ),
        ),
        0.03,
    ),
    "ex-scaling-cost": Answer(
        "three numbers: the operations, the seconds, and the tokens for the larger model",
        lambda: [6 * 1e8 * 2e9, 6 * 1e8 * 2e9 / 1e14, 1e9],
        (
            (
                [2e17, 2000, 1e9],
                "each parameter takes part in 6 operations for each token",
            ),
            ([4e17, 4000, 1e9], "the backward pass takes 4 operations as well"),
            ([1.2e18, 200, 1e9], "the time should be in seconds"),
            ([1.2e18, 10 / 3, 1e9], "the time should be in seconds"),
        ),
        ROUNDING_TOLERANCE,
    ),
    "ex-scaling-exponent": Answer(
        "three numbers: the two percentages, and the factor of compute",
        lambda: [100 * (1 - 10**-0.05), 100 * (1 - 10**-0.1), 2.0**40],
        (
            (
                lambda: [100 * (1 - 10**-0.05), 100 * (1 - 10**-0.1), 2.0**20],
                "that halves the excess once",
            ),
            (
                lambda: [100 * (1 - 10**-0.05), 100 * (1 - 10**-0.1), 2.0**21],
                "the two factors have to be multiplied",
            ),
            (
                lambda: [100 * 10**-0.05, 100 * 10**-0.1, 2.0**40],
                "that is what remains of the excess, in percent",
            ),
            (
                lambda: [1 - 10**-0.05, 1 - 10**-0.1, 2.0**40],
                "the first two numbers should be in percent",
            ),
        ),
        0.03,
    ),
    "ex-scaling-middle": Answer(
        "a function of α and β that returns the first part divided by the second",
        lambda alpha, beta: beta / alpha,
        ((lambda alpha, beta: alpha / beta, "you exchanged α and β"),),
        1e-3,
        lambda: [(0.3, 0.4), (0.5, 0.5)],
    ),
}
