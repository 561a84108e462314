"""R-Drop: the divergence and its gradient by hand, the loss in blocks, and a run that learns with it."""

import math

import numpy as np
import pytest
import torch
from scipy.special import rel_entr

from tests.nn.cases import close, tensors
from tests.train import cases
from tests.train.test_loss import PAD, Largest, labels_of
from transformer_book.config import ConfigError
from transformer_book.data import collate
from transformer_book.nn import padding_mask
from transformer_book.shapes import ShapeError
from transformer_book.storage import StorageError
from transformer_book.train import (
    Settings,
    consistent_loss,
    distributed,
    loop,
    smoothed_cross_entropy,
    symmetric_divergence,
    train,
)
from transformer_book.train import loss as loss_module
from transformer_book.train.loop import WithConsistency, WithLoss

FEW = Settings(steps=6, tokens=100, warmup=3, validate_every=3, consistency=5.0)


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
    monkeypatch.setattr(loss_module, "ROWS", rows)
    monkeypatch.setattr(loss_module, "LOGITS", 1)
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
    positions = 3 * max(loss_module.ROWS, loss_module.LOGITS // words)
    x, others, W = tensors(
        5, (positions, 4), (positions, 4), (words, 4), dtype=torch.float32
    )
    with Largest() as seen:
        consistent_loss(x, others, W, labels_of((positions,), words), 5.0).backward()
    assert seen.numbers <= max(loss_module.LOGITS, loss_module.ROWS * words)
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
    with pytest.raises(ShapeError, match="consistent_loss: others has shape .*3, 5, 7"):
        consistent_loss(x, torch.ones(3, 5, 7), W, labels, 1.0)
    with pytest.raises(
        ShapeError, match="others has shape .*1, 5, 6.*, the shape of x"
    ):
        consistent_loss(x, x[:1], W, labels, 1.0)
    with pytest.raises(ShapeError, match="consistent_loss: labels hold ids from"):
        consistent_loss(x, x, W, 11 * labels, 1.0)
    with pytest.raises(ShapeError, match="others has shape .*the shape of logits"):
        symmetric_divergence(x, x[:1])


def plain_losses(model, batches, rates, settings):
    """Train with each pass on its own half of a doubled batch, on all logits, by torch's losses."""
    adam, losses = torch.optim.Adam(model.parameters(), betas=(0.9, 0.98), eps=1e-9), []
    model.train()
    for step, (batch, lr) in enumerate(zip(batches, rates, strict=True), start=1):
        torch.manual_seed(loop.seed_of(settings.seed, step, 0))
        source, said = (torch.cat([s, s]) for s in (batch.source, batch.decoder_input))
        memory, _ = model.encode(source)
        x, _ = model.decode(said, memory, padding_mask(source, PAD))
        one, two = x.chunk(2)
        given = batch.labels, settings.consistency, settings.smoothing
        loss = reference(one, two, model.output, *given) / batch.words
        adam.zero_grad()
        loss.backward()
        if settings.clip:
            torch.nn.utils.clip_grad_norm_(model.parameters(), settings.clip)
        adam.param_groups[0]["lr"] = lr
        adam.step()
        losses.append(loss.item())
    return losses


@pytest.mark.parametrize("clip", [None, 0.05])
def test_a_run_takes_the_steps_of_a_loop_by_torch(clip):
    corpus, settings = cases.copying(), FEW.changed(clip=clip)
    ours, theirs = (
        cases.model(corpus, dtype=torch.float64, dropout=0.3) for _ in range(2)
    )
    feed = settings.batches(corpus.ids(corpus.train))
    batches = [next(feed)[-1] for _ in range(settings.steps)]
    rates = [settings.learning_rate(step + 1, 16) for step in range(settings.steps)]
    with torch.random.fork_rng():
        expected = plain_losses(theirs, batches, rates, settings)
    history = train(ours, corpus, settings)
    assert history.losses == pytest.approx(expected, rel=1e-9)
    for a, b in zip(ours.parameters(), theirs.parameters(), strict=True):
        torch.testing.assert_close(a, b, rtol=1e-6, atol=1e-9)
    # Words are counted once, and validation is the plain loss.
    assert history.tokens == sum(batch.words for batch in batches)
    unseen = corpus.ids(corpus.validation)
    plain = FEW.changed(consistency=0.0)
    assert history.validation[-1][1] == loop.validation_loss(ours, unseen, plain)


def test_with_weight_0_a_run_is_the_one_of_one_pass(monkeypatch):
    corpus, plain = cases.copying(), FEW.changed(consistency=0.0)
    expected = train(cases.model(corpus, dropout=0.2), corpus, plain).losses
    monkeypatch.setattr(loop, "consistent_loss", None)
    assert train(cases.model(corpus, dropout=0.2), corpus, plain).losses == expected
    monkeypatch.undo()
    both = train(cases.model(corpus, dropout=0.2), corpus, FEW).losses
    assert both[0] != expected[0]


def test_the_two_passes_have_other_masks():
    corpus = cases.copying()
    model, batch = cases.model(corpus, dropout=0.3), collate(corpus.ids(corpus.train))
    for learner in (model.train(), model.eval()):
        apart = [
            WithConsistency(learner, 0.1, alpha)(batch.source, batch.target).item()
            for alpha in (0.0, 2.0)
            if torch.manual_seed(0)
        ]
        assert (apart[1] > apart[0] + 1.0) == model.training


def test_it_learns_to_agree_with_itself():
    corpus, apart = cases.copying(n=1_000), []
    pairs = corpus.ids(corpus.validation)
    for alpha in (0.0, 5.0):
        model = cases.model(corpus, d_model=32, d_ff=64, dropout=0.2)
        settings = Settings(steps=120, tokens=400, warmup=40, consistency=alpha)
        train(model, corpus, settings)
        batch = collate(pairs)
        x = [
            model.decode(batch.decoder_input, memory, padding_mask(batch.source, PAD))[
                0
            ]
            for memory in (model.train().encode(batch.source)[0] for _ in range(2))
        ]
        logits = [vectors @ model.output.T for vectors in x]
        apart.append(symmetric_divergence(*logits)[batch.labels != PAD].mean().item())
    assert apart[1] < 0.5 * apart[0]


@pytest.mark.parametrize("size", [2, 3])
def test_shards_add_up_to_the_batch(size, monkeypatch):
    """The masks of dropout are those of a row in its pass, so that every process has the same."""
    corpus = cases.copying()
    model = cases.model(corpus, dtype=torch.float64, dropout=0.3)
    batch = collate(corpus.ids(corpus.train[:2]))

    def dropped(x):
        rows = torch.arange(len(x)) // max(1, len(x) // 2)
        return x * (1 + 0.2 * rows.view(-1, *[1] * (x.ndim - 1)))

    for module in model.modules():
        if isinstance(module, torch.nn.Dropout):
            monkeypatch.setattr(module, "forward", dropped)
    learner = WithConsistency(model.eval(), 0.1, 5.0)
    expected = learner(batch.source, batch.target)
    parts = []
    monkeypatch.setattr(distributed, "world_size", lambda: size)
    for rank in range(size):  # the third has no row
        monkeypatch.setattr(distributed, "rank", lambda rank=rank: rank)
        mine = distributed.shard(batch)
        parts.append(learner(mine.source, mine.target))
    close(sum(parts), expected, 1e-12)
    assert expected > WithLoss(model, 0.1)(batch.source, batch.target)
    gradients = (
        torch.autograd.grad(v, [*model.parameters()]) for v in (sum(parts), expected)
    )
    for a, b in zip(*gradients, strict=True):
        close(a, b, 1e-11)


def test_bf16_follows_float32_and_frozen_parameters_stay():
    corpus = cases.copying()
    exact = train(cases.model(corpus, dropout=0.2), corpus, FEW).losses
    model = cases.model(corpus, dropout=0.2)
    rounded = train(model, corpus, FEW.changed(precision="bf16")).losses
    assert rounded != exact and rounded == pytest.approx(exact, rel=0.05)
    frozen = cases.model(corpus, dropout=0.2)
    frozen.encoder.requires_grad_(False)
    before = {n: p.clone() for n, p in frozen.named_parameters()}
    train(frozen, corpus, FEW)
    for name, p in frozen.named_parameters():
        assert torch.equal(p, before[name]) == name.startswith("encoder."), name


def test_a_resumed_run_has_the_losses_and_the_weights_of_one_never_stopped(tmp_path):
    corpus, settings = cases.copying(), FEW.changed(checkpoint_every=2)
    whole = cases.model(corpus, dropout=0.2)
    expected = train(whole, corpus, settings)
    train(cases.model(corpus, dropout=0.2), corpus, settings.changed(steps=4), tmp_path)
    resumed = cases.model(corpus, seed=5, dropout=0.2)
    history = train(resumed, corpus, settings, tmp_path, resume=True)
    assert history.losses == expected.losses
    for a, b in zip(resumed.parameters(), whole.parameters(), strict=True):
        assert torch.equal(a, b)
    with pytest.raises(StorageError, match="consistency is 5.0 there and 0.0 here"):
        other = settings.changed(consistency=0.0)
        train(cases.model(corpus, dropout=0.2), corpus, other, tmp_path, resume=True)


def test_a_model_without_dropout_is_refused_before_it_learns(monkeypatch):
    monkeypatch.setattr(loop, "learn", None)
    corpus = cases.copying()
    message = (
        "consistency is 5.0, but the model has no dropout, .*; expected 0, or a model"
    )
    with pytest.raises(ConfigError, match=message):
        train(cases.model(corpus), corpus, FEW)


@pytest.mark.parametrize("value", [-1.0, math.inf, "much", None])
def test_a_weight_that_is_none_is_named(value):
    with pytest.raises(
        ConfigError, match=f"Settings: consistency is {value!r}; expected"
    ):
        Settings(consistency=value)
