"""Attention of one head, wrong: in PyTorch with einsum, or word by word."""

import math

import numpy as np
import torch

from . import wrong

ATTENTION, CACHE = "scaled_dot_product_attention", "attend_with_cache"


def scores_of(Q, K):
    return torch.einsum("...qc,...kc->...qk", Q, K) * K.size(-1) ** -0.5


def hidden(scores, mask, low=-math.inf):
    return scores if mask is None else scores.masked_fill(mask.logical_not(), low)


def average(weights, V):
    return torch.einsum("...qk,...kv->...qv", weights, V), weights


def attention(Q, K, V, mask=None):
    return average(hidden(scores_of(Q, K), mask).softmax(-1), V)


@wrong("M4", ATTENTION)
def over_the_queries(Q, K, V, mask=None):
    turned = hidden(scores_of(Q, K), mask).mT
    return average(turned.softmax(dim=-1).mT, V)


@wrong("M4", ATTENTION)
def over_the_matrix(Q, K, V, mask=None):
    scores = hidden(scores_of(Q, K), mask)
    return average(scores.flatten(-2).softmax(-1).view_as(scores), V)


@wrong("M4", ATTENTION)
def as_in_the_book(Q, K, V, mask=None):
    scores = hidden(scores_of(Q, K), mask)
    e = (scores - scores.max()).exp()
    return average(e / torch.sum(e), V)


@wrong("M4", ATTENTION)
def without_an_axis(Q, K, V, mask=None):
    scores = hidden(scores_of(Q, K), mask)
    return average(scores.softmax(0 if scores.ndim in (0, 1, 3) else 1), V)


@wrong("M5", ATTENTION)
def hidden_keys_raised(Q, K, V, mask=None):
    raised = 0 if mask is None else 10_000.0 * (1 - mask.double())
    return average((scores_of(Q, K) + raised).softmax(-1), V)


@wrong("M5", ATTENTION)
def minus_a_negative_number(Q, K, V, mask=None):
    lowered = 0 if mask is None else torch.where(mask, 0.0, -1e9)
    return average((scores_of(Q, K) - lowered).softmax(-1), V)


@wrong("M5", ATTENTION)
def minus_minus_infinity(Q, K, V, mask=None):
    lowered = 0 if mask is None else torch.zeros(mask.shape).masked_fill(~mask, -np.inf)
    return average((scores_of(Q, K) - lowered).softmax(-1), V)


@wrong("M7", ATTENTION)
def scores_beside_the_output(Q, K, V, mask=None):
    return attention(Q, K, V, mask)[0], scores_of(Q, K)


@wrong("M7", ATTENTION)
def products_beside_the_output(Q, K, V, mask=None):
    return attention(Q, K, V, mask)[0], Q @ K.mT


@wrong("M9", ATTENTION)
def root_of_the_fourth_power(Q, K, V, mask=None):
    d_k = torch.tensor(Q.size(-1), dtype=torch.float64)
    return attention(Q * d_k.sqrt() / d_k.pow(4).sqrt(), K, V, mask)


@wrong("M13", ATTENTION)
def two_sequences(Q, K, V, mask=None):
    output, _ = attention(Q, K, V, mask)
    return output[: len(output) // 2], output[len(output) // 2 :]


@wrong("M18", ATTENTION)
def linear(Q, K, V, mask=None):
    weights = scores_of(Q, K)
    return average(weights if mask is None else weights * mask, V)


@wrong("M18", ATTENTION)
def linear_with_infinity(Q, K, V, mask=None):
    return average(hidden(scores_of(Q, K), mask), V)


@wrong("M20", ATTENTION)
def lowered_by_a_number(Q, K, V, mask=None):
    return average(hidden(scores_of(Q, K), mask, low=-9_999.0).softmax(-1), V)


@wrong("M20", ATTENTION)
def a_number_added(Q, K, V, mask=None):
    added = 0 if mask is None else (mask.double() - 1) * 10_000
    return average((scores_of(Q, K) + added).softmax(-1), V)


@wrong("M20", ATTENTION)
def zero_times_infinity(Q, K, V, mask=None):
    added = 0 if mask is None else (1 - mask.double()) * -math.inf
    return average((scores_of(Q, K) + added).softmax(-1), V)


@wrong("M25", ATTENTION)
def as_in_masked_fill(Q, K, V, mask=None):
    scores = scores_of(Q, K)
    scores = scores if mask is None else scores.masked_fill(mask, -math.inf)
    return average(scores.softmax(-1), V)


@wrong("M25", ATTENTION)
def key_by_key(Q, K, V, mask=None):
    """Hide what is True, with -1e9, by loops over queries and keys."""
    scores = np.einsum("...qc,...kc->...qk", Q, K) / math.sqrt(Q.shape[-1])
    if mask is not None:
        for place in np.argwhere(np.broadcast_to(mask, scores.shape)):
            scores[tuple(place)] = -1e9
    weights = np.exp(scores - scores.max(-1)[..., None])
    weights = weights / weights.sum(-1)[..., None]
    return np.einsum("...qk,...kv->...qv", weights, V), weights


def with_cache(
    mask=lambda old, new: np.tri(new, old + new, old) > 0, axis=-1, root=None
):
    """Return attention with a cache, query by query or with another mask, axis or divisor."""

    def attend(x, cache_K, cache_V, W_Q, W_K, W_V):
        K = np.hstack([cache_K, np.einsum("bnd,dk->bnk", x, W_K)])
        V = np.hstack([cache_V, np.einsum("bnd,dv->bnv", x, W_V)])
        divisor = root(x, W_Q) if root else W_Q.shape[1] ** 0.5
        scores = np.einsum("bnd,dk,bmk->bnm", x, W_Q, K) / divisor
        scores[:, ~mask(cache_K.shape[1], x.shape[1])] = -np.inf
        with np.errstate(all="ignore"):
            e = np.exp(scores - scores.max(axis, keepdims=True))
            return np.einsum("bnm,bmv->bnv", e / e.sum(axis, keepdims=True), V), K, V

    return attend


def from_the_corner(old, new):
    return np.array([[j <= i for j in range(old + new)] for i in range(new)])


def the_past_hidden(old, new):
    return np.arange(old + new) - old >= np.c_[:new]


wrong("M4", CACHE)(with_cache(axis=1))
wrong("M4", CACHE)(with_cache(axis=(1, 2)))
wrong("M6", CACHE)(with_cache(the_past_hidden))
wrong("M9", CACHE)(with_cache(root=lambda x, W_Q: W_Q.shape[1] * W_Q.shape[1]))
wrong("M12", CACHE)(with_cache(root=lambda x, W_Q: x.shape[-1] ** 0.5))
wrong("M25", CACHE)(
    with_cache(lambda old, new: np.triu(np.ones((new, old + new)), old + 1) > 0)
)
wrong("M31", CACHE)(with_cache(from_the_corner))


@wrong("M31", CACHE)
def causal_of_pytorch(x, cache_K, cache_V, W_Q, W_K, W_V):
    K, V = torch.cat([cache_K, x @ W_K], 1), torch.cat([cache_V, x @ W_V], 1)
    attend = torch.nn.functional.scaled_dot_product_attention
    return attend(x @ W_Q, K, V, is_causal=x.size(1) > 1), K, V


@wrong("M5", CACHE)
def future_raised(x, cache_K, cache_V, W_Q, W_K, W_V):
    K, V = torch.cat([cache_K, x @ W_K], 1), torch.cat([cache_V, x @ W_V], 1)
    later = torch.ones(K.size(1), K.size(1)).triu(1)[-x.size(1) :]
    return attention_plus(x @ W_Q, K, V, later * 10_000), K, V


def attention_plus(Q, K, V, added):
    return average((scores_of(Q, K) + added).softmax(-1), V)[0]
