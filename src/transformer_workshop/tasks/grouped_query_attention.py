"""Grouped-query attention: several heads of queries read the keys and values of one head."""

from collections.abc import Iterator, Set

import numpy as np

from ..task import Property, Slip, Task
from .attend_with_cache import ATTENTION_SLIPS, attention_with_slips
from .merge_heads import merge_heads
from .scaled_dot_product_attention import (
    ROWS_SUM_TO_1_PROPERTY,
    scaled_dot_product_attention,
)
from .split_heads import split_heads

STUB = '''
def grouped_query_attention(x, W_Q, W_K, W_V, W_O, h, g, mask=None):
    """Return (H, weights): self-attention in which h heads of queries share g heads of keys and values.

    x: (batch, n, d_model), W_Q: (d_model, h * d_k), W_K: (d_model, g * d_k), W_V: (d_model, g * d_v),
    W_O: (h * d_v, d_model), as in x @ W_Q. The first columns belong to the first head, and so on. g
    divides h: the first h / g heads of queries read the first head of keys and values, the next h / g
    the second. mask: (n, n) or (batch, n, n), True where a query may attend, the same for every head;
    each query may attend to at least one key. H: (batch, n, d_model). weights: (batch, h, n, n).
    """
'''

ALL_HEADS_DIVISOR_SLIP_FIELDS = (
    "divided the scores by the root of the width of all heads together",
    "M12",
    "Divide by √d_k, where d_k is the width of one head.",
)
REPEAT_HEADS_REPAIR = "Each head is repeated h/g times in a row: np.repeat, or repeat_interleave in PyTorch."
HEAD_COLUMNS_REPAIR = (
    "Head i, counted from 0, has the columns i * d_k to (i + 1) * d_k - 1."
)
SLIPS = (
    Slip(
        "tile",
        "repeated the heads of keys and values in the order 1, 2, 1, 2 instead of 1, 1, 2, 2",
        "M29",
        REPEAT_HEADS_REPAIR,
    ),
    Slip(
        "tile keys",
        "repeated the heads of the keys in the order 1, 2, 1, 2 instead of 1, 1, 2, 2",
        "M29",
        REPEAT_HEADS_REPAIR,
    ),
    Slip(
        "tile values",
        "repeated the heads of the values in the order 1, 2, 1, 2 instead of 1, 1, 2, 2",
        "M29",
        REPEAT_HEADS_REPAIR,
    ),
    Slip(
        "first",
        "let every head of queries read the first head of keys and values",
        repair="The second group of query heads reads the second head of keys and values, and so on.",
    ),
    Slip(
        "slice",
        "gave every head the columns of the first head",
        "M11",
        HEAD_COLUMNS_REPAIR,
    ),
    Slip(
        "last slice",
        "gave every head the columns of the last head",
        "M11",
        HEAD_COLUMNS_REPAIR,
    ),
    Slip(
        "reshape",
        "split the heads with a reshape to (batch, heads, n, d), which mixes the tokens",
        repair="Reshape to (batch, n, heads, d), then swap the axes of the tokens and the heads.",
    ),
    Slip(
        "interleaved",
        "dealt the columns out in turn: the first head got the columns 0, h, 2h, …",
        repair="The columns of a head are next to each other: cut each row into (heads, d), not (d, heads).",
    ),
    Slip(
        "merge",
        "merged the heads with a reshape alone, which mixes the tokens",
        repair="Swap the axes back to (batch, n, h, d_v) before you reshape to (batch, n, h·d_v).",
    ),
    Slip("all heads", *ALL_HEADS_DIVISOR_SLIP_FIELDS),
    Slip(
        "d_model",
        "divided the scores by √d_model instead of √d_k",
        "M12",
        "Divide by √d_k, where d_k is the width of one head.",
    ),
    Slip(
        "d_model // h",
        "took d_model // h for the width d_k of a head",
        repair="d_k is the number of columns of W_Q, divided by h; it may differ from d_model // h.",
    ),
    Slip(
        "no W_O",
        "left out W_O, so the heads never mix",
        "M10",
        "Multiply the merged heads by W_O.",
    ),
    Slip(
        "ignored",
        "ignored the mask",
        repair="Pass the mask on to attention; it is the same for every head.",
    ),
    Slip(
        "by head",
        "used the mask of text i for head i, because the mask lacks an axis for the heads",
        repair="A mask (batch, n, n) needs an axis for the heads: (batch, 1, n, n).",
    ),
    Slip(
        "mask[:, None]",
        "put the axis for the heads in second place, which is right only for a mask of a batch",
        repair="A mask (n, n) has no batch: the axis is the third from the end, mask[..., None, :, :].",
    ),
    Slip(
        "groups",
        "returned the weights with one axis for the groups and one for the heads in a group",
        repair="Join the two axes into one: (batch, h, n, n).",
    ),
    *ATTENTION_SLIPS,
)
INVERTED_SLIP_NAMES = {
    slip.name for slip in ATTENTION_SLIPS if slip.name.startswith("inverted")
}


def reference(x, W_Q, W_K, W_V, W_O, h, g, mask=None, slips: Set[str] = frozenset()):
    (batch, n, d_model), d_k = x.shape, W_Q.shape[1] // h
    Q, V = split_with_slips(x @ W_Q, h, slips), split_with_slips(x @ W_V, g, slips)
    K = split_with_slips(x @ W_K, g, slips)
    widths = {"all heads": h * d_k, "d_model": d_model, "d_model // h": d_model // h}
    root = np.sqrt(next((widths[slip] for slip in widths if slip in slips), d_k))
    K, V = (
        y[:, kv_head_of_each_query_head(h, g, slips, f"tile {name}")]
        for y, name in ((K, "keys"), (V, "values"))
    )
    allowed = np.ones((n, n), dtype=bool)
    if mask is None:
        slips = slips - INVERTED_SLIP_NAMES
    elif "ignored" not in slips:
        place = 1 if "mask[:, None]" in slips else -3
        allowed = mask if "by head" in slips else np.expand_dims(mask, place)
    Z, A = attention_with_slips(Q, K, V, allowed, root, slips)
    merged = Z if "merge" in slips else np.concatenate(list(np.moveaxis(Z, 1, 0)), -1)
    merged = merged.reshape(batch, n, -1)
    A = A.reshape(batch, g, h // g, n, n) if "groups" in slips else A
    return merged if "no W_O" in slips else merged @ W_O, A


def kv_head_of_each_query_head(h, g, slips: Set[str], tile_slip_name: str) -> list[int]:
    """Return for each head of queries which of the g heads of keys, or of values, it reads."""
    if "first" in slips:
        return [0] * h
    return [i % g if slips & {"tile", tile_slip_name} else i * g // h for i in range(h)]


def split_with_slips(y, head_count, slips: Set[str]) -> np.ndarray:
    """Return the heads, (batch, count, n, d), or what a slip takes for them."""
    (batch, n, width), d = y.shape, y.shape[-1] // head_count
    if "reshape" in slips:
        return y.reshape(batch, head_count, n, d)
    columns = np.arange(width).reshape(head_count, d)
    if "interleaved" in slips:
        columns = np.arange(width).reshape(d, head_count).T
    if "slice" in slips:
        columns = columns[[0] * head_count]
    if "last slice" in slips:
        columns = columns[[-1] * head_count]
    return np.moveaxis(y[..., columns], 2, 1)


def grouped_query_attention(x, W_Q, W_K, W_V, W_O, h, g, mask=None):
    Q = split_heads(x @ W_Q, h)  # (batch, h, n, d_k)
    K = np.repeat(split_heads(x @ W_K, g), h // g, axis=1)  # (batch, h, n, d_k)
    V = np.repeat(split_heads(x @ W_V, g), h // g, axis=1)  # (batch, h, n, d_v)
    if mask is not None:
        mask = np.expand_dims(mask, -3)  # the same for all heads
    Z, weights = scaled_dot_product_attention(Q, K, V, mask)
    return merge_heads(Z) @ W_O, weights


def trial_arguments(rng) -> Iterator[tuple]:
    x = np.array([[[1.0, 0.0], [1.0, 1.0]]])
    Q, K, V = np.eye(2), np.array([[1.0], [2.0]]), np.array([[1.0], [3.0]])
    yield x, Q, K, V, np.eye(2), 2, 1
    K, V = np.array([[1.0, 0.0], [2.0, 1.0]]), np.array([[1.0, 2.0], [3.0, 0.0]])
    Q = np.array([[1.0, 0.0, 1.0, 0.0], [0.0, 1.0, 0.0, 2.0]])
    yield x, Q, K, V, Q.T, 4, 2
    yield x, Q, K, V, Q.T, 4, 2, np.tri(2, dtype=bool)
    K, V = np.array([[1.0, 0.0], [2.0, 1.0]]), np.array([[1.0], [3.0]])
    yield x, Q, K, V, np.eye(2), 2, 1
    masks = np.array([[[True, False], [True, True]], [[True, True], [False, True]]])
    yield np.concatenate([x, x + 1]), K, V, V, np.eye(2), 2, 1, masks
    for batch, n, d_model, d_k, d_v, h, g in (
        (1, 3, 7, 2, 2, 6, 3),
        (2, 3, 4, 3, 2, 2, 2),
        (2, 5, 7, 3, 4, 4, 2),
        (4, 3, 6, 2, 3, 4, 2),
    ):
        weights = random_weights(rng, d_model, d_k, d_v, h, g)
        x = rng.normal(size=(batch, n, d_model))
        yield x, *weights, h, g
        shape = (batch, n, n) if batch == h else (n, n)  # no wrong axis fails here
        yield x, *weights, h, g, random_mask(rng, shape)
    arrays = rng.normal(size=(2, 3, 8)), *random_weights(rng, 8, 2, 2, 4, 1)
    yield (*(array.astype(np.float32) for array in arrays), 4, 1)


def random_weights(rng, d_model, d_k, d_v, h, g) -> tuple[np.ndarray, ...]:
    """Return random weights."""
    widths = h * d_k, g * d_k, g * d_v
    weights = [rng.normal(size=(d_model, width)) for width in widths]
    return *weights, rng.normal(size=(h * d_v, d_model))


def random_mask(rng, shape: tuple[int, ...]) -> np.ndarray:
    """Return a mask that allows something in every row and column, and hides something in every row."""
    mask, rows = rng.random(shape) < 0.5, np.arange(shape[-1])
    mask[..., rows, rows], mask[..., rows, rows - 1] = True, False
    return mask


TASK = Task(
    "grouped_query_attention",
    "beyond/shared_heads#grouped-query-attention",
    STUB,
    reference,
    grouped_query_attention,
    trial_arguments,
    SLIPS,
    properties=(
        ROWS_SUM_TO_1_PROPERTY,
        Property(
            "a key that the mask hides gets weight",
            lambda function, x, returned_arrays: (
                len(x) < 8 or not (returned_arrays[1] * ~np.expand_dims(x[7], -3)).any()
            ),
        ),
    ),
    hints=(
        "It is multi-head attention in which K and V have g heads. Repeat each of them h/g times.",
        "Split x @ W_Q into h heads, x @ W_K and x @ W_V into g heads, (batch, g, n, d). np.repeat "
        "along the axis of the heads makes h of g.",
        "K = np.repeat(split_heads(x @ W_K, g), h // g, axis=1), and V in the same way. The rest is "
        "multi-head attention: the mask gets an axis for the heads, and W_O comes last.",
    ),
    differentiable=("x", "W_Q", "W_K", "W_V", "W_O"),
    results=("H", "weights"),
)
