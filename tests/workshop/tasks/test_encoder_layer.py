"""A layer of the encoder: as the book's and PyTorch's, and other right and wrong ones."""

import numpy as np
import pytest
import torch

from transformer_book import by_hand
from transformer_workshop.judge import judge
from transformer_workshop.tasks.encoder_layer import TASK
from transformer_workshop.tasks.feed_forward import feed_forward
from transformer_workshop.tasks.layer_norm import layer_norm
from transformer_workshop.tasks.multi_head_attention import multi_head_attention

from ..layers import by_the_books_names, copy_into_pytorch


def inputs():
    for arguments in TASK.trial_arguments(np.random.default_rng(1)):
        yield (*arguments, None)[:4]


def test_the_reference_is_the_books():
    for x, W, h, mask in inputs():
        ours = TASK.reference(x, W, h, mask)
        theirs, _ = by_hand.encoder_layer(x, by_the_books_names(W), h, mask)
        assert np.allclose(ours, theirs, atol=1e-4)


def test_the_reference_is_pytorchs():
    for x, W, h, mask in inputs():
        if mask is not None and mask.shape[1] > 1:
            continue  # PyTorch wants such a mask once for each head
        sizes = x.shape[-1], h, len(W["feed_forward"]["b_1"])
        layer = torch.nn.TransformerEncoderLayer(*sizes, 0.0, batch_first=True).double()
        copy_into_pytorch(layer, W)
        hidden = None if mask is None else torch.tensor(~mask[:, 0])
        theirs = layer(torch.tensor(x).double(), src_key_padding_mask=hidden)
        ours = TASK.reference(x, W, h, mask)
        assert np.allclose(ours, theirs.detach(), atol=1e-4)


def in_pytorch(x, W, h, mask=None):
    def heads(y):
        return y.unflatten(-1, (h, -1)).transpose(1, 2)

    A, F = W["attention"], W["feed_forward"]
    Q, K, V = (heads(torch.matmul(x, A[k])) for k in ("W_Q", "W_K", "W_V"))
    mask = mask if mask is None else mask[:, None]
    Z = torch.nn.functional.scaled_dot_product_attention(Q, K, V, attn_mask=mask)
    x = x + Z.transpose(1, 2).flatten(-2) @ A["W_O"]
    x = torch.nn.functional.layer_norm(x, x.shape[-1:], *W["norm_1"].values())
    x = x + torch.relu(x @ F["W_1"] + F["b_1"]) @ F["W_2"] + F["b_2"]
    return torch.nn.functional.layer_norm(x, x.shape[-1:], *W["norm_2"].values())


def head_by_head(x, W, h, mask=None):
    A, d = W["attention"], x.shape[-1] // h
    x = x.copy()
    for b in range(len(x)):
        total = x[b].copy()
        for i in range(h):
            part = slice(i * d, (i + 1) * d)
            Q, K, V = (x[b] @ A[k][:, part] for k in ("W_Q", "W_K", "W_V"))
            scores = Q @ K.T / d**0.5
            if mask is not None:
                scores = scores - 1e9 * ~mask[b]
            e = np.exp(scores - scores.max(axis=1, keepdims=True))
            total += e / e.sum(axis=1, keepdims=True) @ V @ A["W_O"][part]
        y = layer_norm(total, **W["norm_1"])
        x[b] = layer_norm(y + feed_forward(y, **W["feed_forward"]), **W["norm_2"])
    return x


def in_float32(x, W, h, mask=None):
    W = {k: {n: a.astype(np.float32) for n, a in part.items()} for k, part in W.items()}
    return TASK.solution(x.astype(np.float32), W, h, mask)


@pytest.mark.parametrize(
    "function", [in_pytorch, head_by_head, in_float32], ids=lambda f: f.__name__
)
def test_other_right_functions_are_right(function):
    assert judge(TASK, function).state == "right"


def layer_with(residual):
    def layer(x, W, h, mask=None):
        H, _ = multi_head_attention(x, x, x, **W["attention"], h=h, mask=mask)
        x = layer_norm(residual(x, W) + H, **W["norm_1"])
        return layer_norm(x + feed_forward(x, **W["feed_forward"]), **W["norm_2"])

    return layer


@pytest.mark.parametrize("name", ["W_Q", "W_K", "W_V", "W_O"])
def test_a_projection_for_the_residual_is_told_as_m10(name):
    function = layer_with(lambda x, W: x @ W["attention"][name])
    verdict = judge(TASK, function)
    assert not verdict.slips and "mistake M10" in verdict.says[0]


def test_a_layer_without_both_sums_makes_two_mistakes():
    def bare(x, W, h, mask=None):
        x, _ = multi_head_attention(x, x, x, **W["attention"], h=h, mask=mask)
        x = layer_norm(x, **W["norm_1"])
        return layer_norm(feed_forward(x, **W["feed_forward"]), **W["norm_2"])

    verdict = judge(TASK, bare)
    assert [slip.name for slip in verdict.slips] == ["no residual 1", "no residual 2"]


def test_a_part_that_is_not_used_is_told():
    def short(x, W, h, mask=None):
        return layer_norm(2 * x, **W["norm_2"])

    verdict = judge(TASK, short)
    unused = 'W["attention"], W["feed_forward"] and W["norm_1"] are not used'
    assert verdict.says[0] == unused and verdict.trial.arguments[0].size == 2
