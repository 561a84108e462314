"""Layer normalisation, section 3.1 of the paper, after Ba et al. (2016), and RMSNorm."""

import numpy as np
from jaxtyping import Float

from ..shapes import checked

EPSILON = 1e-5
RMS_EPSILON = 1e-6


@checked
def layer_norm(
    x: Float[np.ndarray, "*batch d_model"],
    gamma: Float[np.ndarray, "d_model"],
    beta: Float[np.ndarray, "d_model"],
    epsilon: float = EPSILON,
) -> Float[np.ndarray, "*batch d_model"]:
    r"""Give the entries of each vector mean 0 and variance 1, then scale and shift them.

    .. math:: \mathrm{LayerNorm}(x) = \gamma \odot \frac{x - \mu}{\sqrt{\sigma^2 + \epsilon}} + \beta

    Ba et al. (2016). The variance is the biased one: a mean over all entries.

    Parameters
    ----------
    x : array, (..., d_model)
    gamma, beta : array, (d_model,)
        Learned scale and shift of each entry.
    epsilon : float
        Keeps the root from zero where all entries are equal.

    Returns
    -------
    array, (..., d_model)

    Raises
    ------
    ShapeError
        Naming the argument, the shape expected and the shape given.
    """
    mu = x.mean(axis=-1, keepdims=True)  # (..., 1)
    variance = ((x - mu) ** 2).mean(axis=-1, keepdims=True)  # (..., 1)
    return gamma * (x - mu) / np.sqrt(variance + epsilon) + beta


@checked
def rms_norm(
    x: Float[np.ndarray, "*batch d_model"],
    gamma: Float[np.ndarray, "d_model"],
    epsilon: float = RMS_EPSILON,
) -> Float[np.ndarray, "*batch d_model"]:
    r"""Give the entries of each vector a mean square of 1, then scale them.

    .. math:: \mathrm{RMSNorm}(x) = \gamma \odot \frac{x}{\sqrt{\frac{1}{d} \sum_i x_i^2 + \epsilon}}

    Zhang and Sennrich (2019). No mean is subtracted, and nothing is added.

    Parameters
    ----------
    x : array, (..., d_model)
    gamma : array, (d_model,)
        Learned scale of each entry.
    epsilon : float
        Keeps the root from zero where all entries are 0.

    Returns
    -------
    array, (..., d_model)

    Raises
    ------
    ShapeError
        Naming the argument, the shape expected and the shape given.
    """
    mean_square = (x**2).mean(axis=-1, keepdims=True)  # (..., 1)
    return gamma * x / np.sqrt(mean_square + epsilon)
