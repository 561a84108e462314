"""Attention with a cache: as attention to the whole text, and what is_causal does to it."""

import numpy as np
import pytest
import torch

from transformer_book import by_hand
from transformer_workshop.judge import judge
from transformer_workshop.tasks.attend_with_cache import TASK

attend = torch.nn.functional.scaled_dot_product_attention


def test_the_reference_gives_the_last_rows_of_attention_to_the_whole_text():
    random = np.random.default_rng(1)
    x, (W_Q, W_K, W_V) = random.normal(size=(2, 7, 4)), random.normal(size=(3, 4, 3))
    K, V = x @ W_K, x @ W_V
    mask = by_hand.causal_mask(7)
    whole, _ = by_hand.scaled_dot_product_attention(x @ W_Q, K, V, mask)
    for old in (0, 1, 5):
        caches = K[:, :old], V[:, :old]
        parts = TASK.reference(x[:, old:], *caches, W_Q, W_K, W_V)
        for ours, theirs in zip(parts, (whole[:, old:], K, V), strict=True):
            assert np.allclose(ours, theirs)


def with_pytorch(x, cache_K, cache_V, W_Q, W_K, W_V, **options):
    K = torch.cat([cache_K, x @ W_K], dim=1)
    V = torch.cat([cache_V, x @ W_V], dim=1)
    if not options:
        old, new = cache_K.shape[1], x.shape[1]
        mask = torch.ones(new, old + new, dtype=torch.bool).tril(diagonal=old)
        options = {"attn_mask": mask}
    return attend(x @ W_Q, K, V, **options), K, V


def one_by_one(x, cache_K, cache_V, W_Q, W_K, W_V):
    rows = []
    for i in range(x.shape[1]):
        new = x[:, i : i + 1]
        cache_K = np.concatenate([cache_K, new @ W_K], axis=1)
        cache_V = np.concatenate([cache_V, new @ W_V], axis=1)
        scores = np.einsum("bik,bjk->bij", new @ W_Q, cache_K) / W_Q.shape[1] ** 0.5
        e = np.exp(scores - scores.max(axis=-1, keepdims=True))
        rows.append(e / e.sum(axis=-1, keepdims=True) @ cache_V)
    return np.concatenate(rows, axis=1), cache_K, cache_V


@pytest.mark.parametrize("function", [with_pytorch, one_by_one])
def test_other_right_functions_are_right(function):
    assert judge(TASK, function).state == "right"


@pytest.mark.parametrize(
    "causal", [lambda new: True, lambda new: new > 1], ids=["always", "if many"]
)
def test_is_causal_puts_the_mask_into_the_wrong_corner(causal):
    def function(x, *others):
        return with_pytorch(x, *others, is_causal=causal(x.shape[1]))

    assert [slip.mistake for slip in judge(TASK, function).slips] == ["M31"]


def test_a_cache_that_is_overwritten_is_told():
    def in_place(x, cache_K, cache_V, *weights):
        result = TASK.solution(x, cache_K, cache_V, *weights)
        cache_K += 1
        return result

    verdict = judge(TASK, in_place)
    assert verdict.says == ["it changes its argument cache_K in place; work on a copy"]


def test_a_text_may_begin_with_empty_caches():
    def needs_a_cache(x, cache_K, *others):
        assert cache_K.shape[1]
        return TASK.solution(x, cache_K, *others)

    verdict = judge(TASK, needs_a_cache)
    assert verdict.state == "wrong" and "empty" in verdict.says[0]


def test_numbers_lost_everywhere_are_called_by_no_mistake():
    def spoiled(*arguments):
        output, K, V = TASK.solution(*arguments)
        return output * np.nan, K, V

    verdict = judge(TASK, spoiled)
    assert verdict.slips == [] and verdict.says == [
        "the result has NaN, which is no number"
    ]
