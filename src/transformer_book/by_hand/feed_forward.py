"""The position-wise feed-forward network, equation (2) of the paper, and its gated form."""

import math

import numpy as np
from jaxtyping import Float

from ..shapes import checked


def relu(x: Float[np.ndarray, "*shape"]) -> Float[np.ndarray, "*shape"]:
    """Return max(0, x), entry by entry."""
    return np.maximum(0, x)


def sigmoid(x: Float[np.ndarray, "*shape"]) -> Float[np.ndarray, "*shape"]:
    """Return 1 / (1 + exp(-x)), entry by entry."""
    e = np.exp(-np.abs(x))  # at most 1: exp of a large number would overflow
    return np.where(x < 0, e, 1) / (1 + e)


def silu(x: Float[np.ndarray, "*shape"]) -> Float[np.ndarray, "*shape"]:
    """Return x times its sigmoid, entry by entry; also called Swish."""
    return x * sigmoid(x)


def gelu(x: Float[np.ndarray, "*shape"]) -> Float[np.ndarray, "*shape"]:
    """Return x times the probability of a standard normal number below x, entry by entry."""
    from scipy.special import erf  # takes longer to import than all of by_hand

    return x * (1 + erf(x / math.sqrt(2))) / 2


def gelu_tanh(x: Float[np.ndarray, "*shape"]) -> Float[np.ndarray, "*shape"]:
    """Return the approximation of GELU that needs no erf, of Hendrycks and Gimpel (2016)."""
    return x * (1 + np.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3))) / 2


@checked
def feed_forward(
    x: Float[np.ndarray, "*batch d_model"],
    W_1: Float[np.ndarray, "d_model d_ff"],
    b_1: Float[np.ndarray, "d_ff"],
    W_2: Float[np.ndarray, "d_ff d_model"],
    b_2: Float[np.ndarray, "d_model"],
    activation=relu,
) -> Float[np.ndarray, "*batch d_model"]:
    r"""Pass each position through the same two layers, alone.

    .. math:: \mathrm{FFN}(x) = \max(0, xW_1 + b_1)W_2 + b_2

    Equation (2) of Vaswani et al. (2017).

    Parameters
    ----------
    x : array, (..., d_model)
    W_1 : array, (d_model, d_ff)
    b_1 : array, (d_ff,)
    W_2 : array, (d_ff, d_model)
    b_2 : array, (d_model,)
    activation : callable
        What stands between the two layers; the paper's is max(0, ·), the ReLU.

    Returns
    -------
    array, (..., d_model)

    Raises
    ------
    ShapeError
        Naming the argument, the shape expected and the shape given.
    """
    return activation(x @ W_1 + b_1) @ W_2 + b_2


@checked
def gated_feed_forward(
    x: Float[np.ndarray, "*batch d_model"],
    W_gate: Float[np.ndarray, "d_model d_ff"],
    W_1: Float[np.ndarray, "d_model d_ff"],
    W_2: Float[np.ndarray, "d_ff d_model"],
    activation=silu,
) -> Float[np.ndarray, "*batch d_model"]:
    r"""Pass each position through a network whose every hidden unit has a gate.

    .. math:: \mathrm{FFN}(x) = \bigl(\sigma(xW_{gate}) \odot xW_1\bigr)W_2

    Shazeer (2020), without biases, as there.

    Parameters
    ----------
    x : array, (..., d_model)
    W_gate, W_1 : array, (d_model, d_ff)
        A column of each for each hidden unit: of its gate, and of the value that the gate scales.
    W_2 : array, (d_ff, d_model)
    activation : callable
        Of the gate: SiLU makes it SwiGLU, GELU GEGLU, ReLU ReGLU, and the sigmoid GLU.

    Returns
    -------
    array, (..., d_model)

    Raises
    ------
    ShapeError
        Naming the argument, the shape expected and the shape given.
    """
    return (activation(x @ W_gate) * (x @ W_1)) @ W_2
