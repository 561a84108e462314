"""Multi-head attention, section 3.2.2 of the paper."""

import numpy as np
from jaxtyping import Bool, Float

from ..expect import is_integer, refusal
from ..shapes import ShapeError, checked
from .attention import scaled_dot_product_attention


@checked
def split_heads(
    x: Float[np.ndarray, "*batch n width"], h: int
) -> Float[np.ndarray, "*batch h n d"]:
    """Cut each row into ``h`` equal slices, one per head; heads come before rows.

    Parameters
    ----------
    x : array, (..., n, h * d)
    h : int
        Number of heads.

    Returns
    -------
    array, (..., h, n, d)
        Head ``i``, counted from 1, holds ``x[..., (i - 1) * d : i * d]``.

    Raises
    ------
    ShapeError
        If ``h`` is not a positive integer that divides the width of ``x``.
    """
    check_heads("split_heads", h, x.shape[-1], f"x has shape {x.shape}")
    x = x.reshape(*x.shape[:-1], h, x.shape[-1] // h)  # (..., n, h, d)
    return np.swapaxes(x, -2, -3)  # (..., h, n, d)


@checked
def merge_heads(
    x: Float[np.ndarray, "*batch h n d"],
) -> Float[np.ndarray, "*batch n width"]:
    """Put the heads back side by side: the inverse of ``split_heads``.

    Parameters
    ----------
    x : array, (..., h, n, d)

    Returns
    -------
    array, (..., n, h * d)
    """
    x = np.swapaxes(x, -2, -3)  # (..., n, h, d)
    return x.reshape(*x.shape[:-2], x.shape[-2] * x.shape[-1])  # (..., n, h * d)


@checked
def multi_head_attention(
    queries: Float[np.ndarray, "*batch m d_model"],
    keys: Float[np.ndarray, "*batch n d_model"],
    values: Float[np.ndarray, "*batch n d_model"],
    W_Q: Float[np.ndarray, "d_model h_d_k"],
    W_K: Float[np.ndarray, "d_model h_d_k"],
    W_V: Float[np.ndarray, "d_model h_d_v"],
    W_O: Float[np.ndarray, "h_d_v d_model"],
    h: int,
    mask: Bool[np.ndarray, "*batch #m #n"] | None = None,
) -> tuple[Float[np.ndarray, "*batch m d_model"], Float[np.ndarray, "*batch h m n"]]:
    r"""Attend ``h`` times in parallel, each head with its slice of the projections.

    .. math::

        \mathrm{MultiHead}(Q, K, V) &= \mathrm{Concat}(\mathrm{head}_1, \ldots, \mathrm{head}_h)W_O \\
        \mathrm{head}_i &= \mathrm{Attention}(QW_{Q,i},\; KW_{K,i},\; VW_{V,i})

    Section 3.2.2 of Vaswani et al. (2017).

    Parameters
    ----------
    queries : array, (..., m, d_model)
        The words that look.
    keys, values : array, (..., n, d_model)
        The words looked at. In self-attention all three are the same array.
    W_Q, W_K : array, (d_model, h * d_k)
        The heads' projections side by side: head ``i``, counted from 1, owns the columns
        ``(i - 1) * d_k : i * d_k``.
    W_V : array, (d_model, h * d_v)
    W_O : array, (h * d_v, d_model)
    h : int
        Number of heads.
    mask : boolean array, broadcastable to (..., m, n), optional
        True where a query may attend; every head gets the same mask.

    Returns
    -------
    output : array, (..., m, d_model)
    weights : array, (..., h, m, n)

    Raises
    ------
    ShapeError
        Naming the argument, the shape expected and the shape given; also if ``h`` does not divide
        the width of a projection.
    """
    Q = split_heads(queries @ W_Q, h)  # (..., h, m, d_k)
    K = split_heads(keys @ W_K, h)  # (..., h, n, d_k)
    V = split_heads(values @ W_V, h)  # (..., h, n, d_v)
    if mask is not None:
        mask = np.expand_dims(mask, -3)  # (..., 1, m, n): the same for every head
    Z, weights = scaled_dot_product_attention(Q, K, V, mask)  # (..., h, m, d_v)
    return merge_heads(Z) @ W_O, weights  # (..., m, d_model)


def check_heads(function_name: str, h: int, width: int, width_description: str) -> None:
    """Raise ShapeError unless ``h`` heads can share ``width`` columns equally."""
    if not is_integer(h) or h < 1 or width % h:
        actual = f"h is {h!r} and {width_description}"
        expected = f"a positive whole number that divides the width {width}"
        remedy = "Choose another h or another width."
        raise refusal(ShapeError, function_name, actual, expected, remedy)
