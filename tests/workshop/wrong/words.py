"""Softmax, positions, masks and what begins and ends a model, wrong."""

import math

import numpy as np
import torch

from . import wrong


@wrong("M4", "softmax")
def of_all_numbers(x):
    e = np.exp(x - np.max(x))
    return e / np.sum(e)


@wrong("M4", "softmax")
def of_each_column(x):
    return torch.as_tensor(x).softmax(max(-2, -x.ndim))


@wrong("M4", "softmax")
def chosen_by_pytorch(x):
    return torch.nn.functional.softmax(x, 0 if x.ndim in (0, 1, 3) else 1)


@wrong("M4", "smoothed_loss")
def over_the_positions(logits, labels, smoothing, pad_id):
    log_p = logits - logits.logsumexp(1, keepdim=True)
    of_label = torch.gather(log_p, 2, labels[..., None])[..., 0]
    losses = -(1 - smoothing) * of_label - smoothing * log_p.mean(-1)
    return losses[labels != pad_id].mean()


def sinusoids(n, d_model, exponent=lambda c, d: c / d, pairs=None, first=0):
    """Return the table of positions, a sine and a cosine at a time."""
    table = [[0.0] * d_model for _ in range(n)]
    for pos in range(n):
        for c in range(0, d_model if pairs is None else pairs(d_model), 2):
            angle = (pos + first) * math.exp(-math.log(10000) * exponent(c, d_model))
            table[pos][c : c + 2] = math.sin(angle), math.cos(angle)
    return table


@wrong("M1", "positional_encoding")
def twice_the_counter(n, d_model):
    return sinusoids(n, d_model, lambda c, d: 2 * c / d)


@wrong("M2", "positional_encoding")
def to_half_of_the_width(n, d_model):
    return sinusoids(n, d_model, pairs=lambda d: d // 2)


@wrong("M2", "positional_encoding")
def not_the_last_pair(n, d_model):
    return sinusoids(n, d_model, pairs=lambda d: d - 2)


@wrong("M3", "positional_encoding")
def from_one(n, d_model):
    return sinusoids(n, d_model, first=1)


@wrong("M14", "positional_encoding")
def one_clock(n, d_model):
    return sinusoids(n, d_model, lambda c, d: 0)


@wrong("M3", "embed")
def first_word_at_one(ids, E):
    table = torch.tensor(sinusoids(ids.size(1), E.size(1), first=1), dtype=E.dtype)
    return torch.nn.functional.embedding(ids, E) * math.sqrt(E.size(1)) + table


@wrong("M27", "embed")
def ids_that_begin_at_one(ids, E):
    one_hot = np.arange(len(E)) == (ids - 1)[..., None] % len(E)
    return one_hot @ E * math.sqrt(E.shape[1]) + sinusoids(ids.shape[1], E.shape[1])


@wrong("M24", "logits")
def with_a_last_norm(x, E):
    normed = torch.nn.functional.layer_norm(x, x.shape[-1:])
    return torch.nn.functional.linear(normed, E)


def table_of(n, entry):
    return np.array([[entry(i, j) for j in range(n)] for i in range(n)])


@wrong("M5", "causal_mask")
def later_scores_raised(n):
    return table_of(n, lambda i, j: 10_000.0 if j > i else 0.0)


@wrong("M6", "causal_mask")
def later_words_alone(n):
    return table_of(n, lambda i, j: j >= i)


@wrong("M20", "causal_mask")
def large_numbers(n):
    return torch.full((n, n), -1e9).triu(diagonal=1)


@wrong("M20", "causal_mask")
def zeros_times_infinity(n):
    return table_of(n, lambda i, j: float(j > i) * -math.inf)


@wrong("M20", "causal_mask")
def the_smallest_number(n):
    return torch.full((n, n), torch.finfo(torch.float32).min).triu(1)


@wrong("M25", "causal_mask")
def true_hides(n):
    return table_of(n, lambda i, j: i < j)


@wrong("M20", "padding_mask")
def added_to_the_scores(ids, pad_id):
    return np.array([[[-1e9 if i == pad_id else 0.0 for i in row]] for row in ids])


@wrong("M21", "padding_mask")
def rows_of_padding(ids, pad_id):
    return torch.ne(ids, pad_id).unsqueeze(-1)


@wrong("M21", "padding_mask")
def rows_of_padding_in_full(ids, pad_id):
    return np.array([[[i != pad_id] * len(row) for i in row] for row in ids])


@wrong("M25", "padding_mask")
def key_padding_mask(ids, pad_id):
    return torch.eq(ids, pad_id)[:, None]


@wrong("M26", "shifted_batch")
def reads_what_it_predicts(target):
    return np.delete(target, 0, axis=1), np.delete(target, 0, axis=1)


@wrong("M26", "shifted_batch")
def predicts_what_it_reads(target):
    cut = torch.narrow(target, 1, 0, target.size(1) - 1)
    return cut, cut.clone()


@wrong("M26", "shifted_batch")
def nothing_cut_off(target):
    return [list(row) for row in target], [list(row) for row in target]
