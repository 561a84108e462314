"""Losses that are written in other ways, right and wrong."""

import math

import numpy as np
import pytest
import torch
from torch.nn.functional import cross_entropy, kl_div

from transformer_book import train
from transformer_workshop.judge import judge
from transformer_workshop.tasks.smoothed_loss import TASK


def by_loops(logits, labels, smoothing, pad_id):
    total, count, words = 0.0, 0, logits.shape[-1]
    for at, label in np.ndenumerate(labels):
        if label == pad_id:
            continue
        x = [float(value) for value in logits[at]]
        log_sum = max(x) + math.log(sum(math.exp(value - max(x)) for value in x))
        for word in range(words):
            q = (1 - smoothing) * (word == label) + smoothing / words
            total -= q * (x[word] - log_sum)
        count += 1
    return total / count


def by_scatter(logits, labels, smoothing, pad_id):
    q = torch.full_like(logits, smoothing / logits.shape[-1])
    q.scatter_add_(-1, labels[..., None], torch.full_like(q[..., :1], 1 - smoothing))
    words = labels != pad_id
    losses = -torch.einsum("bmw,bmw->bm", q, logits.log_softmax(-1))
    return (losses * words).sum() / words.sum()


def by_torch(x, y, smoothing, pad_id):
    return cross_entropy(x.mT, y, ignore_index=pad_id, label_smoothing=smoothing)


def by_the_book(x, y, smoothing, pad_id):
    loss = train.smoothed_cross_entropy(x, y, smoothing, pad_id)
    return loss / (y != pad_id).sum()


@pytest.mark.parametrize("loss", [by_loops, by_scatter, by_torch, by_the_book])
def test_other_ways_are_right(loss):
    assert judge(TASK, loss).state == "right"


def naive(x, y, smoothing, pad_id, small=0.0, largest=0.0):
    e = np.exp(x - largest)
    p = e / e.sum(-1, keepdims=True)
    q = (1 - smoothing) * np.eye(x.shape[-1])[y] + smoothing / x.shape[-1]
    return -(q * np.log(p + small)).sum(-1)[y != pad_id].mean()


def shifted(x, y, smoothing, pad_id, small=0.0):
    return naive(x, y, smoothing, pad_id, small, x.max(-1, keepdims=True))


def annotated(x, y, smoothing, pad_id):  # the Annotated Transformer's, for each word
    q = torch.full_like(x, smoothing / (x.shape[-1] - 2))
    q.scatter_(-1, y[..., None], 1 - smoothing)
    q[..., pad_id] = 0
    q[y == pad_id] = 0
    total = kl_div(x.log_softmax(-1), q, reduction="sum")
    return total / (y != pad_id).sum()


@pytest.mark.parametrize(
    "loss, names",
    [
        (naive, ["overflow", "log of 0"]),
        (shifted, ["log of 0"]),
        (annotated, ["two less", "divergence"]),
        (lambda x, y, e, pad: cross_entropy(x.mT, y, label_smoothing=e), ["padding"]),
        (lambda x, y, e, pad: by_torch(x, y, 0.0, pad), ["sharp"]),
        (lambda x, y, e, pad: by_torch(x.softmax(-1), y, e, pad), ["twice"]),
        (
            lambda x, y, e, pad: by_torch(x.reshape(*x.mT.shape).mT, y, e, pad),
            ["reshape"],
        ),
    ],
)
def test_hurried_ways_are_recognised(loss, names):
    assert [slip.name for slip in judge(TASK, loss).slips] == names


def test_a_clipped_probability_is_said():
    verdict = judge(TASK, lambda *x: shifted(*x, small=1e-9))
    assert verdict.state == "wrong" and "clipped" in verdict.says[0]


@pytest.mark.parametrize("shift", [np.max, np.mean])
def test_one_shift_for_all_positions_is_refused(shift):
    def loss(logits, labels, smoothing, pad_id):
        return TASK.solution(logits, labels, smoothing, pad_id) + (
            0 * np.log(np.exp(logits - shift(logits)).sum(axis=-1)).sum()
        )

    assert judge(TASK, loss).state == "wrong"
