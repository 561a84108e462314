"""Attention of several heads, wrong: by einsum, or head by head."""

import math

import numpy as np
import torch

from . import wrong
from .attention import average, hidden, scores_of

ALL, GROUPED = "multi_head_attention", "grouped_query_attention"


def by_einsum(x, W, h):
    return torch.einsum("...nd,dhk->...hnk", x, W.unflatten(1, (h, -1)))


def heads_with(
    split=by_einsum,
    pair=lambda Q, K, V: (Q, K, V),
    scale=lambda Q, W_Q: 1.0,
    weigh=lambda scores, mask: hidden(scores, mask).softmax(-1),
    finish=lambda H, A, S: (H, A),
    mix=lambda Z, W_O: torch.einsum("...hmv,hvd->...md", Z, W_O),
):
    """Return attention with several heads, a part of it exchanged."""

    def attend(queries, keys, values, W_Q, W_K, W_V, W_O, h, mask=None):
        pairs = zip((queries, keys, values), (W_Q, W_K, W_V))
        Q, K, V = pair(*(split(x, W, h) for x, W in pairs))
        scores = scores_of(Q, K) * scale(Q, W_Q)
        mask = None if mask is None else mask[..., None, :, :]
        Z, A = average(weigh(scores, mask), V)
        return finish(mix(Z, W_O.unflatten(0, (h, -1))), A, scores)

    return attend


def grouped_with(repeat=lambda x, times: x.repeat_interleave(times, 1), **parts):
    """Return grouped-query attention, a part of it exchanged."""
    split = parts.pop("split", by_einsum)

    def attend(x, W_Q, W_K, W_V, W_O, h, g, mask=None):
        def split_alike(x, W, h):
            heads = split(x, W, W.shape[1] * h // W_Q.shape[1])
            return heads if heads.shape[1] == h else repeat(heads, h // heads.shape[1])

        def of_width(x, W, h):
            if W is W_Q:
                return split(x, W, h)
            return repeat(split(x, W, g), h // g)

        return heads_with(split=of_width, **parts)(x, x, x, W_Q, W_K, W_V, W_O, h, mask)

    return attend


def in_both(mistake, **parts):
    wrong(mistake, ALL)(heads_with(**parts))
    wrong(mistake, GROUPED)(grouped_with(**parts))


def first_columns(x, W, h):
    return torch.stack([x @ W[:, : W.shape[1] // h] for _ in range(h)], dim=-3)


def last_columns(x, W, h):  # i is read only after the loop
    d = W.shape[1] // h
    heads = [lambda: x @ W[:, i * d : (i + 1) * d] for i in range(h)]  # noqa: B023
    return torch.stack([head() for head in heads], dim=-3)


def raised(scores, mask):
    more = 0 if mask is None else 1e4 * mask.logical_not()
    return (scores + more).softmax(-1)


def turned(low):
    def weigh(scores, mask):
        return hidden(scores, None if mask is None else ~mask, low).softmax(-1)

    return weigh


def along(axis):
    return lambda scores, mask: hidden(scores, mask).softmax(axis)


def side_by_side(Z, W_O):
    return torch.cat([Z[..., i, :, :] for i in range(Z.size(-3))], -1)


in_both("M4", weigh=along(-2))
in_both("M5", weigh=raised)
in_both("M9", scale=lambda Q, W_Q: Q.size(-1) ** -1.5)
in_both("M10", mix=side_by_side)
in_both("M11", split=first_columns)
in_both("M11", split=last_columns)
in_both("M12", scale=lambda Q, W_Q: Q.size(-1) ** 0.5 / W_Q.size(1) ** 0.5)
in_both("M12", scale=lambda Q, W_Q: Q.size(-1) ** 0.5 / math.sqrt(len(W_Q)))
in_both("M25", weigh=turned(-math.inf))
in_both("M25", weigh=turned(-1e9))

wrong("M4", ALL)(heads_with(weigh=along(-3)))
wrong("M7", ALL)(heads_with(finish=lambda H, A, S: (H, S)))
wrong("M13", ALL)(
    heads_with(finish=lambda H, A, S: H.tensor_split([H.size(-2) // 2], -2))
)
wrong("M13", ALL)(
    heads_with(finish=lambda H, A, S: (H[: len(H) // 2], H[len(H) // 2 :]))
)
wrong("M28", ALL)(heads_with(pair=lambda Q, K, V: (Q, K.roll(-1, -3), V.roll(-2, -3))))
wrong("M28", ALL)(heads_with(pair=lambda Q, K, V: (Q, K.roll(1, -3), V.roll(2, -3))))
wrong("M28", ALL)(heads_with(pair=lambda Q, K, V: (Q, K.roll(1, -3), V)))
wrong("M28", ALL)(heads_with(pair=lambda Q, K, V: (Q.roll(1, -3), K, V)))
wrong("M29", GROUPED)(grouped_with(lambda x, times: torch.cat([x] * times, 1)))
wrong("M29", GROUPED)(grouped_with(lambda x, times: x.repeat(1, times, 1, 1)))


@wrong("M11", "split_heads")
def the_same_columns(x, h):
    d_k = x.shape[-1] // h
    return np.stack([x[..., :d_k]] * h, axis=-3)


@wrong("M11", "split_heads")
def the_last_columns(x, h):
    d_k = x.shape[-1] // h
    heads = [lambda: x[..., i * d_k : (i + 1) * d_k] for i in range(h)]  # noqa: B023
    return np.stack([head() for head in heads], axis=-3)


@wrong("M11", "merge_heads")
def the_same_head(x):
    return torch.cat([x[..., 0, :, :]] * x.size(-3), dim=-1)


@wrong("M11", "merge_heads")
def the_last_head(x):
    heads = [lambda: x[..., i, :, :] for i in range(x.shape[-3])]  # noqa: B023
    return np.concatenate([head() for head in heads], axis=-1)
