"""Multi-head attention written out, without the functions of earlier tasks, right and wrong."""

import numpy as np
import pytest
import torch

from transformer_workshop.judge import judge
from transformer_workshop.tasks.multi_head_attention import TASK, multi_head_attention


def written_out(
    split=lambda x, h: x.unflatten(-1, (h, -1)).transpose(-2, -3),
    root=lambda Q, queries, W_Q: Q.shape[-1] ** 0.5,
    hide=lambda scores, mask: scores.masked_fill(~mask, -1e9),
    axis=-1,
    axis_of_heads=True,
):
    """Return the function on tensors, a part of it exchanged."""

    def attend(queries, keys, values, W_Q, W_K, W_V, W_O, h, mask=None):
        Q, K, V = (split(x, h) for x in (queries @ W_Q, keys @ W_K, values @ W_V))
        scores = Q @ K.mT / root(Q, queries, W_Q)
        if mask is not None:
            scores = hide(scores, mask.unsqueeze(-3) if axis_of_heads else mask)
        weights = scores.softmax(axis)
        return (weights @ V).transpose(-2, -3).flatten(-2) @ W_O, weights

    return attend


def by_einsum(queries, keys, values, W_Q, W_K, W_V, W_O, h, mask=None):
    W_Q, W_K, W_V = (W.reshape(len(W), h, -1) for W in (W_Q, W_K, W_V))
    Q = np.einsum("...md,dhk->...hmk", queries, W_Q)
    K = np.einsum("...nd,dhk->...hnk", keys, W_K)
    V = np.einsum("...nd,dhv->...hnv", values, W_V)
    scores = np.einsum("...mk,...nk->...mn", Q, K) / np.sqrt(Q.shape[-1])
    if mask is not None:
        scores = scores + np.where(mask, 0, -np.inf)[..., None, :, :]
    e = np.exp(scores)
    weights = e / e.sum(axis=-1, keepdims=True)
    W_O = W_O.reshape(h, -1, W_O.shape[1])
    return np.einsum("...hmn,...hnv,hvd->...md", weights, V, W_O), weights


def test_the_solution_agrees_with_pytorch():
    module = torch.nn.MultiheadAttention(
        6, 3, bias=False, batch_first=True, dtype=torch.float64
    )
    random = np.random.default_rng(0)
    queries, keys, values = random.normal(size=(3, 2, 4, 6))
    mask = np.tri(4, dtype=bool)
    W_Q, W_K, W_V = (W.detach().numpy().T for W in module.in_proj_weight.chunk(3))
    W_O = module.out_proj.weight.detach().numpy().T
    theirs = module(
        *map(torch.tensor, (queries, keys, values)),
        attn_mask=torch.tensor(~mask),
        average_attn_weights=False,
    )
    ours = multi_head_attention(queries, keys, values, W_Q, W_K, W_V, W_O, 3, mask)
    for our, their in zip(ours, theirs):
        np.testing.assert_allclose(our, their.detach().numpy(), atol=1e-12)


@pytest.mark.parametrize("attend", [written_out(), by_einsum])
def test_other_ways_are_right(attend):
    assert judge(TASK, attend).state == "right"


@pytest.mark.parametrize(
    "exchanged, mistake",
    [
        ({"root": lambda Q, queries, W_Q: Q.shape[-1]}, ""),
        ({"root": lambda Q, queries, W_Q: Q.shape[-1] ** 2}, "M9"),
        ({"root": lambda Q, queries, W_Q: len((queries @ W_Q)[0]) ** 0.5}, "M12"),
        ({"root": lambda Q, queries, W_Q: queries.shape[-1] ** 0.5}, "M12"),
        ({"axis": -2}, "M4"),
        ({"axis": -3}, "M4"),
        ({"hide": lambda scores, mask: scores.masked_fill(mask, -1e9)}, "M25"),
        ({"hide": lambda scores, mask: scores.masked_fill(mask, -torch.inf)}, "M25"),
        ({"hide": lambda scores, mask: scores + 10_000 * ~mask}, "M5"),
        ({"hide": lambda scores, mask: scores}, ""),
        ({"split": lambda x, h: torch.stack([x.chunk(h, -1)[0]] * h, -3)}, "M11"),
        ({"axis_of_heads": False}, ""),
    ],
)
def test_a_mistake_is_recognised(exchanged, mistake):
    assert [s.mistake for s in judge(TASK, written_out(**exchanged)).slips] == [mistake]


def test_a_gradient_has_to_reach_every_matrix():
    def attend(queries, keys, values, W_Q, W_K, *others):
        return written_out()(queries, keys, values, W_Q, W_K.detach(), *others)

    assert judge(TASK, attend).says[0].endswith("the gradient does not reach W_K")
