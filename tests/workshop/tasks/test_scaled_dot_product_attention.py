"""Attention written out, without the functions of earlier tasks, right and wrong."""

import numpy as np
import pytest
import scipy.special
import torch

from transformer_book import by_hand
from transformer_workshop.judge import SEED, judge
from transformer_workshop.tasks.scaled_dot_product_attention import (
    TASK,
    scaled_dot_product_attention,
)


def fill(number):
    """Return a way to hide keys: put a number in the place of their scores."""
    return lambda scores, mask: scores.masked_fill(~mask, number)


def add(number):
    return lambda scores, mask: scores + number * ~mask


def written_out(
    transpose=lambda K: K.mT,
    root=lambda Q: Q.shape[-1] ** 0.5,
    hide=fill(-torch.inf),
    axis=-1,
    shown=lambda weights, scores: weights,
):
    """Return the function on tensors, a part of it exchanged."""

    def attend(Q, K, V, mask=None):
        scores = Q @ transpose(K) / root(Q)
        if mask is not None:
            scores = hide(scores, mask)
        weights = scores.softmax(axis)
        return weights @ V, shown(weights, scores)

    return attend


def with_numpy(transpose=lambda K: np.swapaxes(K, -1, -2), axis=-1, hide=None):
    """Return the function on arrays, a part of it exchanged; SciPy's softmax has no axis unless told."""

    def attend(Q, K, V, mask=None):
        scores = Q @ transpose(K) / np.sqrt(Q.shape[-1])
        if mask is not None and hide:
            hide(scores, mask)
        elif mask is not None:
            scores = np.where(mask, scores, -np.inf)
        weights = scipy.special.softmax(scores, axis=axis)
        return weights @ V, weights

    return attend


def by_loops(Q, K, V, mask=None):
    if Q.ndim > 2:
        masks = [None] * len(Q)
        if mask is not None:
            masks = np.broadcast_to(mask, (*Q.shape[:-1], K.shape[-2]))
        parts = [by_loops(*each) for each in zip(Q, K, V, masks, strict=True)]
        return tuple(np.stack(part) for part in zip(*parts, strict=True))
    weights = np.zeros((len(Q), len(K)))
    for i, query in enumerate(Q):
        seen = [j for j in range(len(K)) if mask is None or mask[i, j]]
        scores = [float(query @ K[j]) / len(query) ** 0.5 for j in seen]
        e = np.exp(np.array(scores) - max(scores))
        weights[i, seen] = e / e.sum()
    return np.einsum("mn,nv->mv", weights, V), weights


def replace_at(number):
    """Return a way to hide keys in place, which fails where the mask has fewer axes."""

    def hide(scores, mask):
        scores[~mask] = number

    return hide


def test_the_solution_agrees_with_pytorch_and_the_book():
    attend = torch.nn.functional.scaled_dot_product_attention
    for arguments in TASK.trial_arguments(np.random.default_rng(SEED)):
        output, weights = scaled_dot_product_attention(*arguments)
        theirs = attend(*(torch.tensor(x) for x in arguments if x is not None))
        np.testing.assert_allclose(output, theirs, atol=1e-5)
        for ours, books in zip(
            (output, weights), by_hand.scaled_dot_product_attention(*arguments)
        ):
            np.testing.assert_allclose(ours, books, atol=1e-6)


@pytest.mark.parametrize(
    "attend",
    [
        by_loops,
        by_hand.scaled_dot_product_attention,
        with_numpy(),
        written_out(),
        written_out(hide=fill(-1e9)),  # far below every score
        written_out(hide=add(-1e9)),
        written_out(hide=lambda scores, mask: scores + mask.log()),
        written_out(
            hide=lambda s, mask: s.masked_fill(~mask, torch.finfo(s.dtype).min)
        ),
    ],
)
def test_other_ways_are_right(attend):
    assert judge(TASK, attend).state == "right"


@pytest.mark.parametrize(
    "exchanged, name, mistake",
    [
        ({"root": lambda Q: 1}, "no scale", ""),
        ({"root": lambda Q: Q.shape[-1]}, "square", ""),
        ({"root": lambda Q: Q.shape[-1] ** 2}, "d_k²", "M9"),
        ({"root": lambda Q: Q.shape[-1] ** 1 / 2}, "half", ""),
        ({"root": lambda Q: len(Q) ** 0.5}, "len", ""),
        ({"root": lambda Q: Q.shape[1] ** 0.5}, "second axis", ""),
        ({"axis": 0}, "axis 0", "M4"),
        ({"axis": 0, "hide": fill(-1e9)}, "axis 0 -1e9", "M4"),
        ({"axis": 1}, "axis 1", "M4"),
        ({"axis": -2}, "queries", "M4"),
        ({"axis": -2, "hide": fill(-1e9)}, "queries", "M4"),
        ({"hide": lambda s, mask: s.masked_fill(mask, -torch.inf)}, "inverted", "M25"),
        ({"hide": lambda s, mask: s.masked_fill(mask, -1e9)}, "inverted -1e9", "M25"),
        ({"hide": lambda s, mask: s}, "ignored", ""),
        ({"hide": lambda s, mask: s * mask}, "zero", ""),
        ({"hide": lambda s, mask: s + mask}, "plus", ""),
        ({"hide": add(10_000)}, "sign", "M5"),
        ({"hide": lambda s, mask: s - 1e9 * mask}, "sign", "M5"),
        ({"hide": fill(1e9)}, "sign replaced", "M5"),
        ({"hide": fill(torch.inf)}, "sign ∞", "M5"),
        ({"hide": add(-torch.inf)}, "0 times ∞", "M20"),
        ({"hide": fill(-10_000)}, "-10,000", "M20"),
        ({"hide": add(-10_000)}, "-10,000 added", "M20"),
        ({"shown": lambda weights, scores: scores}, "masked scores", "M7"),
        (
            {"shown": lambda weights, scores: scores, "hide": fill(-1e9)},
            "masked scores -1e9",
            "M7",
        ),
    ],
)
def test_a_mistake_is_recognised(exchanged, name, mistake):
    slips = judge(TASK, written_out(**exchanged)).slips
    assert [(slip.name, slip.mistake) for slip in slips] == [(name, mistake)]


@pytest.mark.parametrize(
    "exchanged, name",
    [
        ({"axis": None}, "everything"),  # M4 as in the book
        ({"axis": (-2, -1)}, "whole"),
        ({"transpose": lambda K: K.T}, "K.T"),  # an error where the sizes differ
        ({"transpose": lambda K: K}, "untransposed"),
        ({"transpose": lambda K: K.reshape(*K.shape[:-2], K.shape[-1], -1)}, "reshape"),
        ({"hide": replace_at(-np.inf)}, "index"),
        ({"hide": replace_at(-1e9)}, "index -1e9"),
    ],
)
def test_a_mistake_with_numpy_is_recognised(exchanged, name):
    assert [s.name for s in judge(TASK, with_numpy(**exchanged)).slips] == [name]


def test_a_safe_softmax_does_not_hide_an_inverted_mask():
    def attend(Q, K, V, mask=None):
        return by_hand.scaled_dot_product_attention(
            Q, K, V, None if mask is None else ~mask
        )

    assert [slip.name for slip in judge(TASK, attend).slips] == ["inverted safe"]


def test_a_divisor_from_the_values_is_named():
    def attend(Q, K, V, mask=None):
        return written_out(root=lambda Q: V.shape[-1] ** 0.5)(Q, K, V, mask)

    assert [slip.name for slip in judge(TASK, attend).slips] == ["d_v"]


def test_the_scores_without_a_mask_are_no_weights_either():
    def attend(Q, K, V, mask=None):
        output, _ = scaled_dot_product_attention(Q, K, V, mask)
        return output, Q @ np.swapaxes(K, -1, -2) / np.sqrt(Q.shape[-1])

    assert [slip.mistake for slip in judge(TASK, attend).slips] == ["M7"]


@pytest.mark.parametrize(
    "attend",
    [
        lambda Q, K, V, mask=None: with_numpy()(Q, K, V, mask)[0],
        lambda Q, K, V, mask=None: with_numpy()(Q, K, V, mask)[::-1],
    ],
)
def test_both_results_are_wanted_in_their_order(attend):
    assert judge(TASK, attend).slips[0].name in {"only output", "swapped"}
