"""The position-wise feed-forward network, equation (2) of the paper."""

import numpy as np
from jaxtyping import Float

from ..shapes import checked


def relu(x: Float[np.ndarray, "*shape"]) -> Float[np.ndarray, "*shape"]:
    """Return max(0, x), entry by entry."""
    return np.maximum(0, x)


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
