"""Attention in which several heads of queries read the keys and values of one head."""

import numpy as np
from jaxtyping import Bool, Float

from ..expect import is_integer, refusal
from ..shapes import ShapeError, checked
from .attention import scaled_dot_product_attention
from .heads import merge_heads, split_heads


@checked
def grouped_query_attention(
    queries: Float[np.ndarray, "*batch m d_model"],
    keys: Float[np.ndarray, "*batch n d_model"],
    values: Float[np.ndarray, "*batch n d_model"],
    W_Q: Float[np.ndarray, "d_model h_d_k"],
    W_K: Float[np.ndarray, "d_model g_d_k"],
    W_V: Float[np.ndarray, "d_model g_d_v"],
    W_O: Float[np.ndarray, "h_d_v d_model"],
    h: int,
    g: int,
    mask: Bool[np.ndarray, "*batch #m #n"] | None = None,
) -> tuple[Float[np.ndarray, "*batch m d_model"], Float[np.ndarray, "*batch h m n"]]:
    r"""Attend with ``h`` heads of queries that share ``g`` heads of keys and values.

    .. math::

        \mathrm{head}_i = \mathrm{Attention}(QW_{Q,i},\; KW_{K,j},\; VW_{V,j}),
        \qquad j = \lceil i\,g/h \rceil

    With g = h it is ``multi_head_attention``, with g = 1 multi-query attention, Shazeer (2019). Ainslie
    et al. (2023), section 2.2.

    Parameters
    ----------
    queries, keys, values, W_Q, W_O, mask
        As in ``multi_head_attention``.
    W_K : array, (d_model, g * d_k)
    W_V : array, (d_model, g * d_v)
    h : int
        Number of heads of queries.
    g : int
        Number of heads of keys and values; divides ``h``.

    Returns
    -------
    output : array, (..., m, d_model)
    weights : array, (..., h, m, n)

    Raises
    ------
    ShapeError
        Naming the argument, the shape expected and the shape given; also if ``g`` does not divide ``h``.
    """
    _check_projections(h, g, W_Q, W_K, W_V, W_O)
    Q = split_heads(queries @ W_Q, h)  # (..., h, m, d_k)
    K = split_heads(keys @ W_K, g)  # (..., g, n, d_k)
    V = split_heads(values @ W_V, g)  # (..., g, n, d_v)
    K, V = (np.repeat(x, h // g, axis=-3) for x in (K, V))  # (..., h, n, d)
    if mask is not None:
        mask = np.expand_dims(mask, -3)  # (..., 1, m, n): the same for every head
    Z, weights = scaled_dot_product_attention(Q, K, V, mask)  # (..., h, m, d_v)
    return merge_heads(Z) @ W_O, weights  # (..., m, d_model)


def _check_projections(h: int, g: int, W_Q, W_K, W_V, W_O) -> None:
    name = "grouped_query_attention"
    check_groups(name, h, g)
    check_head_widths(name, "W_Q", W_Q.shape[-1], "W_K", W_K.shape[-1], h, g)
    check_head_widths(name, "W_O", W_O.shape[-2], "W_V", W_V.shape[-1], h, g)


def check_groups(function_name: str, h: int, g: int) -> None:
    """Raise ShapeError unless ``g`` heads of keys can serve ``h`` heads of queries equally."""
    if not is_integer(g) or g < 1 or h % g:
        actual = f"g is {g!r} and h is {h}"
        expected = (
            f"a positive whole number that divides {h}, so that each head of keys serves as many "
            "heads of queries"
        )
        raise refusal(ShapeError, function_name, actual, expected, "Choose another g.")


def check_head_widths(
    function_name: str,
    name_h: str,
    columns_h: int,
    name_g: str,
    columns_g: int,
    h: int,
    g: int,
) -> None:
    """Raise ShapeError unless h heads of one matrix are as wide as g heads of the other."""
    if columns_h * g != columns_g * h:
        actual = f"{name_g} has {g} heads in {columns_g} columns and {name_h} has {h} in {columns_h}"
        remedy = f"Give {name_g} {columns_h * g // h} columns."
        raise refusal(ShapeError, function_name, actual, "heads of one width", remedy)
