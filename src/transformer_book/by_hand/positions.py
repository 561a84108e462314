"""Sinusoidal positional encoding, section 3.5 of the paper."""

import numpy as np
from jaxtyping import Float

from ..expect import refusal
from ..shapes import ShapeError
from .masks import check_length


def positional_encoding(n: int, d_model: int) -> Float[np.ndarray, "n d_model"]:
    r"""Give each position a vector of sines and cosines, from fast to slow.

    .. math::

        PE_{(pos,\,2i)} &= \sin(pos / 10000^{2i/d_{model}}) \\
        PE_{(pos,\,2i+1)} &= \cos(pos / 10000^{2i/d_{model}})

    Section 3.5 of Vaswani et al. (2017).

    Parameters
    ----------
    n : int
        Number of positions; rows are positions 0 to n - 1.
    d_model : int
        Width of the vectors; even, because every sine has its cosine.

    Returns
    -------
    array, (n, d_model)
        Every row has length sqrt(d_model / 2).

    Raises
    ------
    ShapeError
        If ``n`` or ``d_model`` is not a positive integer, or ``d_model`` is odd.
    """
    check_length("positional_encoding", n)
    if not isinstance(d_model, (int, np.integer)) or d_model < 2 or d_model % 2:
        actual, remedy = f"d_model is {d_model!r}", "Choose another width."
        expected = "an even number of at least 2, because dimensions come in pairs of a sine and a cosine"
        raise refusal(ShapeError, "positional_encoding", actual, expected, remedy)
    pos = np.arange(n)[:, None]  # (n, 1)
    two_i = np.arange(0, d_model, 2)  # (d_model / 2,): already steps by 2
    angle = pos / 10000 ** (two_i / d_model)  # (n, d_model / 2)
    PE = np.empty((n, d_model))
    PE[:, 0::2] = np.sin(angle)
    PE[:, 1::2] = np.cos(angle)
    return PE
