"""Grouped-query attention: as the package's and PyTorch's, which head reads which."""

import numpy as np
import pytest
import torch

from transformer_book import by_hand
from transformer_workshop.judge import judge
from transformer_workshop.tasks.grouped_query_attention import TASK


def test_the_reference_is_that_of_the_package():
    for x, *others in TASK.trial_arguments(np.random.default_rng(1)):
        peer = by_hand.grouped_query_attention(x, x, x, *others)
        for function in (TASK.reference, TASK.solution):
            for ours, theirs in zip(function(x, *others), peer, strict=True):
                assert np.allclose(ours, theirs, atol=1e-5)


def with_pytorch(x, W_Q, W_K, W_V, W_O, h, g, mask=None, repeat=None, axis=True):
    batch, n, _ = x.shape
    Q, K, V = (
        (x @ W).view(batch, n, heads, -1).transpose(1, 2)
        for W, heads in ((W_Q, h), (W_K, g), (W_V, g))
    )
    repeat = repeat or (lambda y: y.repeat_interleave(h // g, dim=1))
    scores = Q @ repeat(K).transpose(-1, -2) / Q.shape[-1] ** 0.5
    if mask is not None:
        mask = mask[:, None] if axis and mask.dim() == 3 else mask
        scores = scores.masked_fill(~mask, -torch.inf)
    weights = scores.softmax(dim=-1)
    merged = (weights @ repeat(V)).transpose(1, 2).reshape(batch, n, -1)
    return merged @ W_O, weights


def by_einsum(x, W_Q, W_K, W_V, W_O, h, g, mask=None):
    batch, n, _ = x.shape
    Q = (x @ W_Q).reshape(batch, n, g, h // g, -1)
    K, V = ((x @ W).reshape(batch, n, g, -1) for W in (W_K, W_V))
    scores = np.einsum("bigrd,bjgd->bgrij", Q, K) / Q.shape[-1] ** 0.5
    if mask is not None:
        scores = np.where(mask if mask.ndim == 2 else mask[:, None, None], scores, -1e9)
    e = np.exp(scores - scores.max(axis=-1, keepdims=True))
    weights = e / e.sum(axis=-1, keepdims=True)
    merged = np.einsum("bgrij,bjgd->bigrd", weights, V).reshape(batch, n, -1)
    return merged @ W_O, weights.reshape(batch, h, n, n)


@pytest.mark.parametrize("function", [with_pytorch, by_einsum])
def test_other_right_functions_are_right(function):
    assert judge(TASK, function).state == "right"


def test_a_repeat_of_pytorch_has_the_wrong_order():
    def tiled(x, W_Q, W_K, W_V, W_O, h, g, mask=None):
        return with_pytorch(
            x, W_Q, W_K, W_V, W_O, h, g, mask, lambda y: y.repeat(1, h // g, 1, 1)
        )

    verdict = judge(TASK, tiled)
    assert [slip.mistake for slip in verdict.slips] == ["M29"]
    assert verdict.trial is not None  # with one group there is no order
    assert verdict.trial.arguments[5:7] == (4, 2)


@pytest.mark.parametrize("tiled", ["keys", "values"])
def test_keys_or_values_alone_in_the_wrong_order_are_named(tiled):
    def half_tiled(x, W_Q, W_K, W_V, W_O, h, g, mask=None):
        calls = iter(["keys", "values"])  # in this order

        def repeat(y):
            if next(calls) == tiled:
                return y.repeat(1, h // g, 1, 1)
            return y.repeat_interleave(h // g, dim=1)

        return with_pytorch(x, W_Q, W_K, W_V, W_O, h, g, mask, repeat)

    (slip,) = judge(TASK, half_tiled).slips
    assert slip.mistake == "M29" and f"of the {tiled}" in slip.says


def test_a_mask_without_an_axis_for_the_heads_does_not_fail_and_is_named():
    def masked(x, W_Q, W_K, W_V, W_O, h, g, mask=None):
        return with_pytorch(x, W_Q, W_K, W_V, W_O, h, g, mask, axis=False)

    assert [slip.name for slip in judge(TASK, masked).slips] == ["by head"]
