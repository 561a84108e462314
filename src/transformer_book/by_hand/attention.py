"""Scaled dot-product attention, equation (1) of the paper."""

import math

import numpy as np
from jaxtyping import Bool, Float

from ..shapes import check_axis, checked


@checked
def softmax(
    x: Float[np.ndarray, "*shape"], axis: int = -1
) -> Float[np.ndarray, "*shape"]:
    r"""Turn scores into weights that are positive and sum to 1 along ``axis``.

    .. math:: \mathrm{softmax}(x)_j = e^{x_j} / \sum_k e^{x_k}

    Parameters
    ----------
    x : array, any shape
        Scores. A score of minus infinity gets weight 0.
    axis : int
        The axis along which the weights sum to 1.

    Returns
    -------
    array, shape of ``x``
        Weights. Where every score is minus infinity they are all 0: nothing may be attended to.

    Raises
    ------
    ShapeError
        If ``x`` is not an array of floats, or has no such axis.
    """
    check_axis("softmax", axis, x.shape)
    largest = x.max(axis=axis, keepdims=True, initial=-np.inf)
    # Shifting all scores alike changes no weight, and keeps exp from overflowing.
    e = np.exp(x - np.where(np.isneginf(largest), 0.0, largest))
    total = e.sum(axis=axis, keepdims=True)
    return e / np.where(total == 0.0, 1.0, total)


@checked
def scaled_dot_product_attention(
    Q: Float[np.ndarray, "*batch m d_k"],
    K: Float[np.ndarray, "*batch n d_k"],
    V: Float[np.ndarray, "*batch n d_v"],
    mask: Bool[np.ndarray, "*batch #m #n"] | None = None,
    bias: Float[np.ndarray, "*batch #m #n"] | None = None,
) -> tuple[Float[np.ndarray, "*batch m d_v"], Float[np.ndarray, "*batch m n"]]:
    r"""Average the values, each weighted by how well its key matches the query.

    .. math:: \mathrm{Attention}(Q, K, V) = \mathrm{softmax}\!\left(\frac{QK^T}{\sqrt{d_k}}\right)V

    Equation (1) of Vaswani et al. (2017).

    Parameters
    ----------
    Q : array, (..., m, d_k)
        One query per row.
    K : array, (..., n, d_k)
        One key per row.
    V : array, (..., n, d_v)
        One value per row, in the order of the keys.
    mask : boolean array, broadcastable to (..., m, n), optional
        True where the query of that row may attend to the key of that column.
    bias : array, broadcastable to (..., m, n), optional
        Is added to the scores, for example because of how far apart query and key stand.

    Returns
    -------
    output : array, (..., m, d_v)
    weights : array, (..., m, n)
        Each row sums to 1; a query that may attend to nothing has weights and output 0.

    Raises
    ------
    ShapeError
        Naming the argument, the shape expected and the shape given.
    """
    d_k = Q.shape[-1]
    scores = Q @ np.swapaxes(K, -1, -2) / math.sqrt(d_k)  # (..., m, n)
    if bias is not None:
        scores = scores + bias
    if mask is not None:
        scores = np.where(mask, scores, -np.inf)
    weights = softmax(scores)  # (..., m, n)
    return weights @ V, weights  # (..., m, d_v)
