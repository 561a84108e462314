"""Who may attend to whom. True means: may attend."""

import numpy as np
from jaxtyping import Bool, Int

from ..expect import expect_integer
from ..shapes import ShapeError, checked


def causal_mask(n: int) -> Bool[np.ndarray, "n n"]:
    """Let each position attend to itself and to what came before it.

    Parameters
    ----------
    n : int
        Length of the sequence.

    Returns
    -------
    boolean array, (n, n)
        True at row ``i``, column ``j`` where ``j <= i``.

    Raises
    ------
    ShapeError
        If ``n`` is not a positive integer.
    """
    check_length("causal_mask", n)
    return np.tri(n, dtype=bool)


def check_length(function_name: str, n: int) -> None:
    """Raise ShapeError unless ``n`` can be the length of a sequence."""
    remedy = "Give the length of the sequence, such as ids.shape[-1]."
    expect_integer(ShapeError, function_name, "n", n, "a length", remedy=remedy)


@checked
def padding_mask(
    ids: Int[np.ndarray, "*batch n"], pad_id: int
) -> Bool[np.ndarray, "*batch 1 n"]:
    """Let every query attend to the words, none to the padding.

    Parameters
    ----------
    ids : integer array, (..., n)
        Token ids of the keys.
    pad_id : int
        The id that stands for padding.

    Returns
    -------
    boolean array, (..., 1, n)
        True where the key is a word. The axis of length 1 broadcasts over the queries.

    Raises
    ------
    ShapeError
        If ``ids`` is not an array of integers.
    """
    return (ids != pad_id)[..., None, :]
