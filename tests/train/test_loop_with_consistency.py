"""Runs that learn with R-Drop: two passes of each batch, with other dropout."""

import math

import pytest
import torch

from tests.nn.cases import close
from tests.train import cases
from tests.train.test_consistency import PAD, reference
from transformer_book.config import ConfigError
from transformer_book.data import collate
from transformer_book.nn import padding_mask
from transformer_book.storage import StorageError
from transformer_book.train import (
    Settings,
    distributed,
    loop,
    symmetric_divergence,
    train,
)
from transformer_book.train.loop import ModelWithConsistentLoss, ModelWithLoss

FEW = Settings(steps=6, tokens=100, warmup=3, validate_every=3, consistency=5.0)


def plain_losses(model, batches, rates, settings):
    """Train with each pass on its own half of a doubled batch, on all logits, by torch's losses."""
    adam, losses = torch.optim.Adam(model.parameters(), betas=(0.9, 0.98), eps=1e-9), []
    model.train()
    for step, (batch, lr) in enumerate(zip(batches, rates, strict=True), start=1):
        torch.manual_seed(loop.mix_seed(settings.seed, step, 0))
        source, said = (torch.cat([s, s]) for s in (batch.source, batch.decoder_input))
        memory, _ = model.encode(source)
        x, _ = model.decode(said, memory, padding_mask(source, PAD))
        one, two = x.chunk(2)
        given = batch.labels, settings.consistency, settings.smoothing
        loss = reference(one, two, model.output, *given) / batch.word_count
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
    assert history.tokens == sum(batch.word_count for batch in batches)
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
            ModelWithConsistentLoss(learner, 0.1, alpha)(
                batch.source, batch.target
            ).item()
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
    learner = ModelWithConsistentLoss(model.eval(), 0.1, 5.0)
    expected = learner(batch.source, batch.target)
    parts = []
    monkeypatch.setattr(distributed, "world_size", lambda: size)
    for rank in range(size):  # the third has no row
        monkeypatch.setattr(distributed, "rank", lambda rank=rank: rank)
        mine = distributed.shard(batch)
        parts.append(learner(mine.source, mine.target))
    close(sum(parts), expected, 1e-12)
    assert expected > ModelWithLoss(model, 0.1)(batch.source, batch.target)
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
    monkeypatch.setattr(loop, "take_training_step", None)
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
