"""Attention with several heads: project, split, attend, merge, mix."""

from collections.abc import Iterator, Set
from dataclasses import replace

import numpy as np

from ..task import Property, Slip, Task
from .attention_slips import SLIPS as ATTENTION
from .merge_heads import SLIPS as MERGING
from .merge_heads import merge_heads
from .scaled_dot_product_attention import (
    ROWS_SUM_TO_1_PROPERTY,
    scaled_dot_product_attention,
)
from .split_heads import SLIPS as SPLITTING
from .split_heads import split_heads

STUB = '''
def multi_head_attention(queries, keys, values, W_Q, W_K, W_V, W_O, h, mask=None):
    """Return (H, weights): attend with h heads at once, and mix their outputs with W_O.

    queries: (..., m, d_model), keys and values: (..., n, d_model); in self-attention, all three are
    the same. W_Q and W_K: (d_model, h * d_k), W_V: (d_model, h * d_v), W_O: (h * d_v, d_model), to be
    multiplied from the right, as in queries @ W_Q. The first columns belong to the first head, and so
    on. ... means any number of axes in front, or none. mask: True where a query may attend; it has at
    least two axes, is broadcast to (..., m, n), and is the same for every head; each query may attend
    to at least one key.
    H: (..., m, d_model), without a residual. weights: (..., h, m, n), those of every head.
    """
'''

SHARED_SLIP_NAMES = (
    *("no scale", "square", "times", "queries", "whole"),
    *("ignored", "inverted", "after", "zero", "scores"),
)
TRANSPOSED_WEIGHTS_SLIP_FIELDS = (
    "multiplied by the matrices transposed",
    "",
    "Here, a matrix stands on the right as it is: queries @ W_Q, and at the end @ W_O.",
)
OTHER_HEADS_SLIP_FIELDS = (
    "let the queries of a head meet the keys or the values of another head",
)
HEAD_SHIFTS_BY_SLIP = {  # by how many heads the queries, the keys and the values are moved
    "other heads": (0, -1, -2),
    "other heads back": (0, 1, 2),
    "other keys": (0, -1, 0),
    "other keys back": (0, 1, 0),
    "other values": (0, 0, -1),
    "other values back": (0, 0, 1),
    "other queries": (-1, 0, 0),
    "other queries back": (1, 0, 0),
}
HEAD_COLUMNS_REPAIR = "Head i has the i-th share of the columns of Q, K and V."
DIVISOR_REPAIR = (
    "The divisor is √d_k. Take d_k from the queries after you have split them."
)
RETURNED_HALVES_SLIP_FIELDS = (
    "returned the two halves of the output as two results",
    "M13",
    "Return the whole output, with a row for each query, and the weights beside it.",
)
OVER_HEADS_SLIP_FIELDS = ("normalised over the heads instead of the keys", "M4")
SOFTMAX_AXIS_REPAIR = (
    "The softmax goes along the last axis of the scores, which is the axis of the keys."
)


def slip_of_other_task(
    slips: tuple[Slip, ...], name: str, new_name: str | None = None
) -> Slip:
    """Return a slip of another task, under another name if there is one."""
    found = next(slip for slip in slips if slip.name == name)
    return replace(found, name=new_name or name)


SLIPS = (
    Slip(
        "no W_O",
        "left out W_O, so the heads never mix",
        "M10",
        "Multiply the merged heads by W_O.",
    ),
    Slip(
        "residual",
        "added the queries to the output",
        repair="Return the output alone; the layer around attention adds its input.",
    ),
    Slip("transposed", *TRANSPOSED_WEIGHTS_SLIP_FIELDS),
    Slip(
        "W_O transposed",
        "multiplied by W_O transposed",
        "",
        TRANSPOSED_WEIGHTS_SLIP_FIELDS[2],
    ),
    slip_of_other_task(SPLITTING, "reshape"),
    slip_of_other_task(MERGING, "reshape", "merge"),
    slip_of_other_task(SPLITTING, "one slice"),
    slip_of_other_task(SPLITTING, "last slice"),
    *(
        Slip(name, *OTHER_HEADS_SLIP_FIELDS, "M28", HEAD_COLUMNS_REPAIR)
        for name in HEAD_SHIFTS_BY_SLIP
    ),
    Slip(
        "one W",
        "projected the keys with W_Q",
        repair="The keys have a matrix of their own, W_K.",
    ),
    Slip(
        "keys",
        "computed keys @ W_V instead of values @ W_V",
        repair="W_V belongs to the values, and W_K to the keys.",
    ),
    Slip(
        "sentences",
        "used the mask of sentence i for head i, because the mask lacks an axis for the heads",
        repair="A mask of a batch becomes (batch, 1, m, n): mask[..., None, :, :].",
    ),
    Slip(
        "mask[:, None]",
        "put the axis for the heads in second place, which is right only for a mask of a batch",
        repair="The axis of the heads is the third from the end: mask[..., None, :, :].",
    ),
    Slip(
        "all heads",
        "divided by the root of the width of all heads together",
        "M12",
        DIVISOR_REPAIR,
    ),
    Slip("d_model", "divided by √d_model instead of √d_k", "M12", DIVISOR_REPAIR),
    Slip(
        "len",
        "divided by √len(Q[0]), the width of all heads or, with a batch, the number of words",
        "M12",
        DIVISOR_REPAIR,
    ),
    *(
        Slip(name, *OVER_HEADS_SLIP_FIELDS, SOFTMAX_AXIS_REPAIR)
        for name in ("over heads", "over heads -1e9")
    ),
    *(slip_of_other_task(ATTENTION, name) for name in SHARED_SLIP_NAMES),
    Slip(
        "sign",
        "gave hidden keys the larger scores",
        "M5",
        "Hidden keys get the score −∞.",
    ),
    Slip(
        "d_k²", "divided by the square of d_k instead of its root", "M9", DIVISOR_REPAIR
    ),
    # With nothing to attend to, −∞ gives no number or (safe) 0, −1e9 gives equal weights.
    slip_of_other_task(ATTENTION, "queries", "queries -1e9"),
    slip_of_other_task(ATTENTION, "inverted", "inverted -1e9"),
    slip_of_other_task(ATTENTION, "inverted", "inverted safe"),
    slip_of_other_task(ATTENTION, "whole", "everything"),
    slip_of_other_task(ATTENTION, "scores", "masked scores"),
    Slip(
        "average",
        "averaged the weights over the heads",
        repair="Return the weights of every head, (..., h, m, n).",
    ),
    *(
        Slip(name, *RETURNED_HALVES_SLIP_FIELDS)
        for name in ("halves", "halves of the batch")
    ),
    slip_of_other_task(ATTENTION, "only output"),
    slip_of_other_task(ATTENTION, "swapped"),
)


def reference(
    queries,
    keys,
    values,
    W_Q,
    W_K,
    W_V,
    W_O,
    h,
    mask=None,
    slips: Set[str] = frozenset(),
):
    low = -1e9 if any("-1e9" in slip for slip in slips) else -np.inf
    low = 0.0 if "zero" in slips else low
    safe = any("safe" in slip for slip in slips)
    slips = {slip.removesuffix(" -1e9").removesuffix(" safe") for slip in slips}
    W_K, values = W_Q if "one W" in slips else W_K, keys if "keys" in slips else values
    if "transposed" in slips:
        W_Q, W_K, W_V, W_O = W_Q.T, W_K.T, W_V.T, W_O.T
    W_O = W_O.T if "W_O transposed" in slips else W_O
    Q, K, V = (
        split_with_slips(x, h, slips) for x in (queries @ W_Q, keys @ W_K, values @ W_V)
    )
    moves = next(
        (HEAD_SHIFTS_BY_SLIP[slip] for slip in HEAD_SHIFTS_BY_SLIP if slip in slips),
        (0, 0, 0),
    )
    Q, K, V = (np.roll(x, by, axis=-3) for x, by in zip((Q, K, V), moves))
    raw = np.einsum("...ik,...jk->...ij", Q, K) / score_divisor(Q, queries, h, slips)
    scores, allowed = raw, np.ones(1, bool)
    if mask is not None and "ignored" not in slips:
        place = 1 if "mask[:, None]" in slips else -3
        allowed = mask if "sentences" in slips else np.expand_dims(mask, place)
        if "sign" in slips:
            scores = scores + 1e4 * ~allowed
        elif "after" not in slips:
            scores = np.where(allowed ^ ("inverted" in slips), scores, low)
    axes = {"everything": None, "whole": (-2, -1), "queries": -2, "over heads": -3}
    axis = next((axes[slip] for slip in axes if slip in slips), -1)
    e = np.exp(scores - scores.max(axis=axis, keepdims=True))
    weights = e / e.sum(axis=axis, keepdims=True)
    weights = np.nan_to_num(weights) if safe else weights
    weights = weights * allowed if "after" in slips else weights
    Z = np.einsum("...ij,...jk->...ik", weights, V)  # (..., h, m, d_v)
    Z = Z if "merge" in slips else np.swapaxes(Z, -2, -3)
    Z = Z.reshape(*queries.shape[:-1], -1)  # (..., m, h * d_v)
    H = Z if "no W_O" in slips else Z @ W_O
    H = H + queries if "residual" in slips and H.shape == queries.shape else H
    if "scores" in slips or "masked scores" in slips:
        weights = raw if "scores" in slips else scores
    weights = weights.mean(axis=-3) if "average" in slips else weights
    if "halves" in slips:
        half = H.shape[-2] // 2
        return H[..., :half, :], H[..., half:, :]
    if "halves of the batch" in slips:
        return H[: len(H) // 2], H[len(H) // 2 :]
    if "only output" in slips:
        return H
    return (weights, H) if "swapped" in slips else (H, weights)


def split_with_slips(x, h, slips: Set[str]) -> np.ndarray:
    """Return the heads of x, or what a slip takes for them."""
    heads = np.stack(np.split(x, h, axis=-1), axis=-3)
    heads = x.reshape(heads.shape) if "reshape" in slips else heads
    one = {"one slice": 0, "last slice": h - 1}
    own = next(([one[slip]] * h for slip in one if slip in slips), range(h))
    return heads[..., list(own), :, :]


def score_divisor(Q, queries, h, slips: Set[str]) -> float:
    """Return what the scores are divided by."""
    d_k = Q.shape[-1]
    widths = {"no scale": 1, "all heads": h * d_k, "d_model": queries.shape[-1]}
    # The length of the first row, which with a batch is the number of words.
    widths["len"] = h * d_k if queries.ndim == 2 else queries.shape[1]
    width = next((widths[slip] for slip in widths if slip in slips), d_k)
    root = width**2 if "d_k²" in slips else width if "square" in slips else width**0.5
    return 1 / root if "times" in slips else root


def multi_head_attention(queries, keys, values, W_Q, W_K, W_V, W_O, h, mask=None):
    Q = split_heads(queries @ W_Q, h)  # (..., h, m, d_k)
    K = split_heads(keys @ W_K, h)  # (..., h, n, d_k)
    V = split_heads(values @ W_V, h)  # (..., h, n, d_v)
    if mask is not None:
        mask = np.expand_dims(mask, -3)  # (..., 1, m, n)
    Z, weights = scaled_dot_product_attention(Q, K, V, mask)
    return merge_heads(Z) @ W_O, weights  # (..., m, d_model)


def trial_arguments(rng) -> Iterator[tuple]:
    X, W = np.array([[1.0, 0], [2, 1], [1, 3]]), np.array([[1.0, 1], [0, 1]])
    words = np.array([[[True, True, False]], [[True, True, True]]])  # of two sentences
    for x, mask in (X, None), (X, np.tri(3, dtype=bool)), (np.stack([X, X + 1]), words):
        yield x, x, x, np.eye(2), np.eye(2), np.eye(2), W, 2, mask
    one, two = np.array([[1.0, 0.0]]), np.array([[2.0, 1.0], [0.0, 4.0]])
    yield one, two, two[::-1] + 1, W, np.eye(2), np.eye(2), W, 1
    X = np.array([[1.0, 0, 1, 0], [0, 2, 0, 2], [1, 1, 1, 1]])  # of the eight steps
    W_Q = np.array([[1.0, 0, 1, 1], [0, 1, 0, 0], [0, 0, 1, 0], [1, 1, 0, 1]])
    W_K = np.array([[0.0, 1, 1, 0], [1, 0, 0, 0], [0, 0, 0, 1], [1, 0, 1, 0]])
    W_V = np.array([[0.0, 2, 3, 0], [0, 3, 0, 1], [1, 0, 2, 0], [1, 1, 1, 1]])
    W_O = np.array([[1.0, 0, 0, 1], [0, 0, 1, 1], [0, 1, 0, 1], [1, 1, 1, 1]])
    yield X, X, X, W_Q, W_K, W_V, W_O, 2
    for batch, m, n, d_model, h, d_k, d_v, masked in (
        ((), 4, 5, 7, 3, 2, 6, None),
        ((), 4, 5, 7, 3, 2, 6, (4, 5)),
        ((2,), 4, 3, 6, 2, 5, 1, (2, 4, 3)),  # as many sentences as heads
        ((2,), 4, 5, 6, 2, 3, 7, (2, 1, 5)),
        ((4,), 2, 3, 8, 6, 5, 7, None),
        ((3, 2), 4, 5, 6, 2, 3, 7, (4, 5)),
    ):
        shapes = [(*batch, m, d_model), *[(*batch, n, d_model)] * 2]
        shapes += [(d_model, h * d_k)] * 2 + [(d_model, h * d_v), (h * d_v, d_model)]
        arrays = [rng.normal(size=shape) for shape in shapes]
        if len(batch) == 1 and masked is None:
            arrays = [array.astype(np.float32) for array in arrays]
        mask = None if masked is None else rng.random(masked) < 0.5
        if mask is not None:
            mask[..., 0], mask[..., -1] = True, False
        yield (*arrays, h, mask)


TASK = Task(
    "multi_head_attention",
    "attention/heads#the-whole-layer-split-attend-merge-mix",
    STUB,
    reference,
    multi_head_attention,
    trial_arguments,
    SLIPS,
    properties=(
        ROWS_SUM_TO_1_PROPERTY,
        Property(
            "a key that the mask hides gets weight",
            lambda function, x, returned_arrays: (
                not (returned_arrays[1] * ~x[8][..., None, :, :]).any()
            ),
        ),
    ),
    hints=(
        "In this order: multiply by W_Q, W_K and W_V, split into heads, attend, merge, multiply by W_O.",
        "After split_heads, all heads attend in one call. The mask needs an axis of length 1 for the heads.",
        "Z, weights = scaled_dot_product_attention(Q, K, V, mask[..., None, :, :]) for the split Q, K and V "
        "(without a mask, give None), and then H = merge_heads(Z) @ W_O.",
    ),
    differentiable=("queries", "keys", "values", "W_Q", "W_K", "W_V", "W_O"),
    results=("H", "weights"),
)
