"""The feed-forward network: two matrix products with a ReLU between them."""

import math
from collections.abc import Callable, Iterator, Set

import numpy as np

from ..task import Property, Slip, Task

STUB = '''
def feed_forward(x, W_1, b_1, W_2, b_2):  # (..., d_model) -> (..., d_model)
    """Pass each word's vector through two layers, with the ReLU max(0, .) between them.

    x: (..., d_model), W_1: (d_model, d_ff), b_1: (d_ff,), W_2: (d_ff, d_model), b_2: (d_model,).
    The vectors are rows, as in x @ W_1. Return the network's output alone, without adding the input.
    """
'''

SLIPS = (
    Slip(
        "no relu",
        "left out the ReLU, so one matrix could replace the two",
        repair="Replace the negative hidden units by 0 before the second product.",
    ),
    Slip(
        "relu twice",
        "applied ReLU to the output as well",
        repair="The second layer has no ReLU; its output may be negative.",
    ),
    Slip(
        "relu first",
        "added b_1 after the ReLU instead of before it",
        repair="Add b_1 to the product, and apply ReLU to the sum.",
    ),
    Slip("no b_1", "did not add b_1", repair="Add b_1 after the first product."),
    Slip("no b_2", "did not add b_2", repair="Add b_2 after the second product."),
    Slip(
        "minimum",
        "kept the negative hidden units and replaced the positive ones by 0",
        repair="ReLU is the maximum of 0 and a number, not the minimum.",
    ),
    Slip(
        "absolute",
        "took the absolute value of the hidden units",
        repair="ReLU replaces a negative number by 0.",
    ),
    Slip(
        "leaky",
        "let a hundredth of the negative hidden units through, as a leaky ReLU does",
        repair="ReLU replaces a negative number by 0.",
    ),
    Slip(
        "step",
        "passed on only whether a hidden unit is positive, and not its value",
        repair="Where a hidden unit is positive, ReLU keeps its value.",
    ),
    Slip(
        "gelu",
        "used GELU instead of ReLU",
        repair="The paper uses ReLU, which is max(0, x).",
    ),
    Slip(
        "gelu tanh",
        "used the approximate GELU instead of ReLU",
        repair="The paper uses ReLU, which is max(0, x).",
    ),
    Slip(
        "silu",
        "used SiLU instead of ReLU",
        repair="The paper uses ReLU, which is max(0, x).",
    ),
    Slip(
        "sigmoid",
        "used the sigmoid instead of ReLU",
        repair="Use ReLU, which is max(0, x).",
    ),
    Slip("tanh", "used tanh instead of ReLU", repair="Use ReLU, which is max(0, x)."),
    Slip(
        "residual",
        "added the input to the output",
        repair="Return the network's output alone; the layer around it adds the input.",
    ),
)


def _sigmoid(x):
    return 1 / (1 + np.exp(-x))


def _gelu_tanh(x):
    return x * (1 + np.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3))) / 2


ACTIVATIONS_BY_SLIP: dict[str, Callable] = {
    "no relu": lambda x: x,
    "minimum": lambda x: np.minimum(0, x),
    "absolute": np.abs,
    "leaky": lambda x: np.where(x > 0, x, 0.01 * x),
    "step": lambda x: (x > 0).astype(x.dtype),
    "gelu": lambda x: x * (1 + np.vectorize(math.erf)(x / math.sqrt(2))) / 2,
    "gelu tanh": _gelu_tanh,
    "silu": lambda x: x * _sigmoid(x),
    "sigmoid": _sigmoid,
    "tanh": np.tanh,
}


def reference(x, W_1, b_1, W_2, b_2, slips: Set[str] = frozenset()):
    chosen = (
        ACTIVATIONS_BY_SLIP[slip] for slip in ACTIVATIONS_BY_SLIP if slip in slips
    )
    activation = next(chosen, lambda x: np.where(x > 0, x, 0))
    b_1 = np.zeros_like(b_1) if "no b_1" in slips else b_1
    b_2 = np.zeros_like(b_2) if "no b_2" in slips else b_2
    product = np.einsum("...d,df->...f", x, W_1)
    first = "relu first" in slips
    hidden = activation(product) + b_1 if first else activation(product + b_1)
    y = np.einsum("...f,fd->...d", hidden, W_2) + b_2
    y = np.where(y > 0, y, 0) if "relu twice" in slips else y
    return x + y if "residual" in slips else y


def feed_forward(x, W_1, b_1, W_2, b_2):
    hidden = np.maximum(0, x @ W_1 + b_1)
    return hidden @ W_2 + b_2


def trial_arguments(rng) -> Iterator[tuple]:
    W_1, b_1 = np.array([[1.0, -1.0, 0.0], [1.0, 0.0, 2.0]]), np.array([1.0, 0.0, -2.0])
    W_2, b_2 = np.array([[1.0, 0.0], [0.0, 3.0], [-1.0, 1.0]]), np.array([-1.0, 2.0])
    yield np.array([[2.0, -1.0]]), W_1, b_1, W_2, b_2
    yield np.array([[1.0, 2.0], [-3.0, 1.0], [-1.0, -1.0]]), W_1, b_1, W_2, b_2
    for batch, d_model, d_ff, dtype in (
        ((3,), 4, 8, float),
        ((2, 3), 4, 4, float),
        ((2, 3), 5, 7, float),
        ((3, 2), 6, 3, float),
        ((1, 1), 3, 5, float),
        ((2, 4), 3, 6, np.float32),
    ):
        shapes = (
            (*batch, d_model),
            (d_model, d_ff),
            (d_ff,),
            (d_ff, d_model),
            (d_model,),
        )
        yield tuple(rng.normal(size=shape).astype(dtype) for shape in shapes)


def _treats_words_separately(function, arguments, returned_arrays) -> bool:
    x, *others = arguments
    first = function(x[..., :1, :], *others)[0]
    return np.allclose(first, returned_arrays[0][..., :1, :], atol=1e-4)


def _cuts_off_negative_units(function, arguments, returned_arrays) -> bool:
    x, W_1, b_1, W_2, b_2 = arguments
    return np.allclose(function(x, W_1, b_1 - 1000, W_2, b_2)[0], b_2, atol=1e-4)


def _doubles_with_input(function, arguments, returned_arrays) -> bool:
    x, W_1, b_1, W_2, b_2 = arguments
    twice = function(2 * x, W_1, 2 * b_1, W_2, 2 * b_2)[0]
    return np.allclose(twice, 2 * returned_arrays[0], rtol=1e-3, atol=1e-3)


TASK = Task(
    "feed_forward",
    "transformer/feed_forward#two-matrix-products-with-a-relu-between-them",
    STUB,
    reference,
    feed_forward,
    trial_arguments,
    SLIPS,
    properties=(
        Property(
            "the result for one word depends on the other words",
            _treats_words_separately,
        ),
        Property(
            "negative hidden units get through: where b_1 makes all of them negative, the result is not b_2",
            _cuts_off_negative_units,
        ),
        Property(
            "doubling the input and both biases does not double the output, although it does with ReLU",
            _doubles_with_input,
        ),
    ),
    hints=(
        "The words do not meet here: each vector is multiplied by the same two matrices.",
        "Multiply by W_1 and add b_1, replace every negative number by 0, multiply by W_2 and add b_2.",
        "hidden = np.maximum(0, x @ W_1 + b_1), and the result is hidden @ W_2 + b_2.",
    ),
    differentiable=("x", "W_1", "b_1", "W_2", "b_2"),
)
