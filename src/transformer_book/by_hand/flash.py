"""Attention in tiles, exact, that never holds all scores: FlashAttention."""

import math

import numpy as np
from jaxtyping import Float

from ..expect import expect_integer, refusal
from ..shapes import ShapeError, checked


@checked
def flash_attention(
    Q: Float[np.ndarray, "*batch m d_k"],
    K: Float[np.ndarray, "*batch n d_k"],
    V: Float[np.ndarray, "*batch n d_v"],
    *,
    causal: bool = False,
    rows: int = 2,
    columns: int = 2,
) -> tuple[Float[np.ndarray, "*batch m d_v"], Float[np.ndarray, "*batch m"]]:
    r"""Return the output of attention, from one tile of scores at a time.

    A row of softmax needs its largest score and its total before the first weight is known. Both are
    updated from tile to tile, and what was summed so far shrinks when the largest score grows:

    .. math::

        \mathrm{larger} &= \max(\mathrm{largest}, \max_j S_{ij}) \\
        \mathrm{shrink} &= e^{\mathrm{largest} - \mathrm{larger}} \\
        \mathrm{total} &\leftarrow \mathrm{shrink} \cdot \mathrm{total}
            + \textstyle\sum_j e^{S_{ij} - \mathrm{larger}} \\
        Z_i &\leftarrow \mathrm{shrink} \cdot Z_i + \textstyle\sum_j e^{S_{ij} - \mathrm{larger}} V_j

    Dao et al. (2022), algorithm 1, with the loop over queries outside as in Dao (2024); the running sum
    is that of Milakov and Gimelshein (2018).

    Parameters
    ----------
    Q : array, (..., m, d_k)
        One query per row.
    K : array, (..., n, d_k)
        One key per row.
    V : array, (..., n, d_v)
        One value per row, in the order of the keys.
    causal : bool
        Whether a query attends only to itself and to what came before it. Tiles that lie entirely in the
        future are skipped.
    rows, columns : int
        Queries and keys in a tile; the last tile may have fewer.

    Returns
    -------
    Z : array, (..., m, d_v)
        What ``scaled_dot_product_attention`` returns, up to rounding.
    L : array, (..., m)
        The logarithm of each row's sum of exponentials. With it the weights are ``exp(S - L)``.

    Raises
    ------
    ShapeError
        Naming the argument, the shape expected and the shape given; if there is no query or no key; if
        a tile has no row or no column; if ``causal`` and m is not n.
    """
    (m, d_k), n = Q.shape[-2:], K.shape[-2]
    check_tiles("flash_attention", m, n, causal, rows, columns)
    outputs, log_totals = [], []
    for i in range(0, m, rows):
        Q_i = Q[..., i : i + rows, :]  # (..., rows, d_k)
        largest, total, Z_i = -np.inf, 0.0, 0.0
        for j in range(0, min(n, i + rows) if causal else n, columns):
            K_j, V_j = K[..., j : j + columns, :], V[..., j : j + columns, :]
            S = Q_i @ np.swapaxes(K_j, -1, -2) / math.sqrt(d_k)  # (..., rows, columns)
            if causal:
                past = np.tri(S.shape[-2], S.shape[-1], i - j, dtype=bool)
                S = np.where(past, S, -np.inf)
            larger = np.maximum(largest, S.max(axis=-1, keepdims=True))
            e, shrink = np.exp(S - larger), np.exp(largest - larger)
            total = shrink * total + e.sum(axis=-1, keepdims=True)  # (..., rows, 1)
            Z_i = shrink * Z_i + e @ V_j  # (..., rows, d_v)
            largest = larger
        outputs.append(Z_i / total)
        log_totals.append(largest + np.log(total))
    Z, L = (np.concatenate(parts, axis=-2) for parts in (outputs, log_totals))
    return Z, L[..., 0]


def check_tiles(
    function_name: str, m: int, n: int, causal: bool, rows: int, columns: int
) -> None:
    """Raise ShapeError unless tiles, (rows, columns), can cover the scores of m queries and n keys."""
    for name, value, what, remedy in (
        ("m", m, "a number of queries", "Give Q a row."),
        ("n", n, "a number of keys", "Give K and V a row."),
        ("rows", rows, "a number of queries in a tile", "Choose a larger tile."),
        ("columns", columns, "a number of keys in a tile", "Choose a larger tile."),
    ):
        expect_integer(ShapeError, function_name, name, value, what, remedy=remedy)
    if causal and m != n:
        actual, expected = (
            f"causal with {m} queries and {n} keys",
            "as many queries as keys",
        )
        remedy = "Give queries and keys of the same words."
        raise refusal(ShapeError, function_name, actual, expected, remedy)
