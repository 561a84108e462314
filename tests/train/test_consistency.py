"""R-Drop: the divergence and its gradient by hand, and the loss in blocks."""

import math

import numpy as np
import pytest
import torch
from scipy.special import rel_entr

from tests.nn.cases import close, tensors
from tests.train.test_loss import PAD, Largest, labels_of
from transformer_book.shapes import ShapeError
from transformer_book.train import (
    consistent_loss,
    smoothed_cross_entropy,
    symmetric_divergence,
)
from transformer_book.train import loss as loss_module


def kl_by_torch(logits, others):
    """KL(others || logits), as torch has its arguments."""
    log_q, log_p = (z.log_softmax(-1) for z in (logits, others))
    return torch.nn.functional.kl_div(
        log_q, log_p, reduction="none", log_target=True
    ).sum(-1)


def reference(x, others, W, labels, consistency, smoothing):
    """The loss on all logits, each term by torch."""
    word = labels != PAD
    logits, rest = (vectors[word] @ W.T for vectors in (x, others))
    passes = sum(
        torch.nn.functional.cross_entropy(
            z, labels[word], label_smoothing=smoothing, reduction="sum"
        )
        for z in (logits, rest)
    )
    both = (kl_by_torch(logits, rest) + kl_by_torch(rest, logits)).sum() / 2
    return passes / 2 + consistency / 2 * both


def test_on_two_words_it_is_what_a_pencil_says():
    """p = (3/4, 1/4), q = (1/4, 3/4): both divergences are ln(3) / 2."""
    logits = torch.tensor([3.0, 1.0]).log().requires_grad_()
    others = torch.tensor([1.0, 3.0]).log()
    apart = symmetric_divergence(logits, others)
    assert apart.item() == pytest.approx(math.log(3) / 2)
    # p (ln p/q - KL) + p - q, halved: 3/4 (ln 3 - ln(3)/2) + 1/2.
    first = (3 / 8 * math.log(3) + 1 / 2) / 2
    (gradient,) = torch.autograd.grad(apart, logits)
    assert gradient.tolist() == pytest.approx([first, -first])


def test_it_is_the_mean_of_both_divergences_of_scipy_and_of_torch():
    logits, others = tensors(0, (4, 3, 7), (4, 3, 7))
    apart = symmetric_divergence(logits, others)
    p, q = (z.detach().softmax(-1).numpy() for z in (logits, others))
    expected = (rel_entr(p, q).sum(-1) + rel_entr(q, p).sum(-1)) / 2
    np.testing.assert_allclose(apart.detach().numpy(), expected, rtol=1e-12)
    both = kl_by_torch(logits, others) + kl_by_torch(others, logits)
    close(apart, both / 2, 1e-13)
    assert (apart > 0).all() and not symmetric_divergence(logits, logits).any()


def test_its_gradient_is_the_formula_and_that_of_small_differences():
    logits, others = tensors(1, (7,), (7,))
    given = torch.autograd.grad(symmetric_divergence(logits, others), (logits, others))
    both = [z.detach().softmax(-1) for z in (logits, others)]
    for gradient, (p, q) in zip(given, (both, both[::-1]), strict=True):
        ratio = (p / q).log()
        formula = (p * (ratio - (p * ratio).sum()) + p - q) / 2
        close(gradient, formula, 1e-13)
    for w, step in enumerate(1e-6 * torch.eye(7, dtype=torch.float64)):
        up, down = (symmetric_divergence(logits + s, others) for s in (step, -step))
        assert given[0][w].item() == pytest.approx((up - down).item() / 2e-6, abs=1e-8)
    assert torch.autograd.gradcheck(symmetric_divergence, (logits, others))


@pytest.mark.parametrize("rows", [2, 6, 100])
@pytest.mark.parametrize("consistency", [0.0, 5.0])
@pytest.mark.parametrize("smoothing", [0.0, 0.1])
def test_loss_and_gradients_equal_torch(rows, consistency, smoothing, monkeypatch):
    monkeypatch.setattr(loss_module, "MIN_BLOCK_ROWS", rows)
    monkeypatch.setattr(loss_module, "LOGITS_PER_BLOCK", 1)
    x, others, W = tensors(2, (4, 5, 6), (4, 5, 6), (11, 6))
    given = x, others, W, labels_of((4, 5), 11), consistency, smoothing
    values = consistent_loss(*given, PAD), reference(*given)
    close(*values, 1e-13)
    ours, theirs = (
        torch.autograd.grad(2.5 * value.square(), (x, others, W)) for value in values
    )
    for one, expected in zip(ours, theirs, strict=True):
        close(one, expected, 1e-11)


def test_it_is_half_of_what_the_paper_adds_up():
    """-log P1 - log P2 + alpha / 2 [KL(P1 || P2) + KL(P2 || P1)], equation 4, per word."""
    x, others, W = tensors(3, (6, 4), (6, 4), (9, 4))
    labels = torch.arange(1, 7)
    P1, P2 = ((vectors @ W.T).softmax(-1) for vectors in (x, others))
    right = P1[range(6), labels].log() + P2[range(6), labels].log()
    both = (P1 * (P1 / P2).log()).sum() + (P2 * (P2 / P1).log()).sum()
    paper = -right.sum() + 5.0 / 2 * both
    close(consistent_loss(x, others, W, labels, 5.0, 0.0), paper / 2, 1e-12)


def test_where_both_passes_agree_it_is_the_loss_of_one():
    x, W = tensors(4, (6, 4), (9, 4))
    labels = labels_of((6,), 9)
    expected = smoothed_cross_entropy(x @ W.T, labels)
    close(consistent_loss(x, x, W, labels, 5.0), expected, 1e-13)


def test_all_logits_are_never_held_and_none_of_padding():
    words = 9_000
    positions = 3 * max(
        loss_module.MIN_BLOCK_ROWS, loss_module.LOGITS_PER_BLOCK // words
    )
    x, others, W = tensors(
        5, (positions, 4), (positions, 4), (words, 4), dtype=torch.float32
    )
    with Largest() as seen:
        consistent_loss(x, others, W, labels_of((positions,), words), 5.0).backward()
    assert seen.numbers <= max(
        loss_module.LOGITS_PER_BLOCK, loss_module.MIN_BLOCK_ROWS * words
    )
    with Largest() as seen:
        nothing = consistent_loss(x, others, W, torch.full((positions,), PAD), 5.0)
    assert nothing.item() == 0.0 and seen.numbers <= max(positions, words) * 4


def test_without_gradients_or_an_output_layer_that_learns_the_value_is_the_same():
    x, others, W = tensors(6, (20, 6), (20, 6), (11, 6))
    labels = labels_of((20,), 11)
    learned = consistent_loss(x, others, W, labels, 5.0)
    frozen = consistent_loss(x, others, W.detach(), labels, 5.0)
    with torch.no_grad():
        assert consistent_loss(x, others, W, labels, 5.0).item() == learned.item()
    assert frozen.item() == learned.item()
    for a, b in zip(*(torch.autograd.grad(v, (x, others)) for v in (learned, frozen))):
        assert torch.equal(a, b)


def test_under_autocast_products_are_rounded_and_sums_are_not():
    x, others, W = tensors(7, (900, 32), (900, 32), (50, 32), dtype=torch.float32)
    labels = labels_of((900,), 50)
    exact = consistent_loss(x, others, W, labels, 5.0)
    with torch.autocast("cpu", torch.bfloat16):
        rounded = consistent_loss(x, others, W, labels, 5.0)
    logits, rest = ((v.bfloat16() @ W.bfloat16().T).float() for v in (x, others))
    word, identity = labels != PAD, torch.eye(50)
    expected = reference(logits[word], rest[word], identity, labels[word], 5.0, 0.1)
    assert rounded.dtype == torch.float32 and rounded.item() != exact.item()
    assert rounded.item() == pytest.approx(expected.item(), rel=1e-5)
    for a, b in zip(
        *(torch.autograd.grad(v, (x, others, W)) for v in (rounded, exact)), strict=True
    ):
        assert a.dtype == torch.float32 and (a - b).norm() < 2e-2 * b.norm()


def test_wrong_shapes_and_labels_are_named():
    x, W, labels = torch.ones(3, 5, 6), torch.ones(11, 6), torch.ones(3, 5).long()
    with pytest.raises(ShapeError, match="consistent_loss: x_2 has shape .*3, 5, 7"):
        consistent_loss(x, torch.ones(3, 5, 7), W, labels, 1.0)
    with pytest.raises(ShapeError, match="x_2 has shape .*1, 5, 6.*, the shape of x_1"):
        consistent_loss(x, x[:1], W, labels, 1.0)
    with pytest.raises(ShapeError, match="consistent_loss: labels hold ids from"):
        consistent_loss(x, x, W, 11 * labels, 1.0)
    with pytest.raises(ShapeError, match="logits_2 has shape .*the shape of logits_1"):
        symmetric_divergence(x, x[:1])
