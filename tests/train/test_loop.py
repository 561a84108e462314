import math

import pytest
import torch

from tests.train import cases
from transformer_book.data import ParallelCorpus, bucketed_batches, collate
from transformer_book.decode import greedy
from transformer_book.train import History, Settings, learning_rate, loop, train
from transformer_book.train.loop import ModelWithLoss

FEW = Settings(steps=6, tokens=100, warmup=3, validate_every=3)


def first_batches(corpus, settings):
    feed = settings.batches(corpus.ids(corpus.train))
    return [batch for _, (*_, batch) in zip(range(settings.steps), feed)]


@pytest.mark.parametrize("smoothing, clip", [(0.0, None), (0.1, None), (0.1, 0.05)])
def test_it_takes_the_steps_of_a_loop_with_loss_and_adam_of_torch(smoothing, clip):
    corpus = cases.copying()
    settings = FEW.changed(smoothing=smoothing, clip=clip, factor=0.5)
    ours, theirs = (cases.model(corpus, dtype=torch.float64) for _ in range(2))
    rates = [learning_rate(step + 1, 16, 3, 0.5) for step in range(6)]
    expected = cases.plain_losses(
        theirs, first_batches(corpus, settings), rates, smoothing, clip
    )
    assert train(ours, corpus, settings).losses == pytest.approx(expected, rel=1e-9)
    for a, b in zip(ours.parameters(), theirs.parameters(), strict=True):
        torch.testing.assert_close(a, b, rtol=1e-6, atol=1e-9)


def test_validation_is_the_mean_over_words_without_smoothing_and_dropout():
    corpus = cases.copying()
    model = cases.model(corpus, dtype=torch.float64, dropout=0.3)
    history = train(model, corpus, FEW)
    assert [step for step, _ in history.validation] == [3, 6]
    assert not model.training
    batch = collate(corpus.ids(corpus.validation))
    with torch.no_grad():
        logits, _ = model(batch.source, batch.decoder_input)
    expected = torch.nn.functional.cross_entropy(
        logits.transpose(1, 2), batch.labels, ignore_index=0
    )
    assert history.validation[-1][1] == pytest.approx(expected.item(), rel=1e-9)


def test_the_history_counts_what_was_learned_from():
    corpus, settings, seen = cases.copying(), FEW.changed(steps=7), []
    report = lambda history: seen.append(history.step_count)  # noqa: E731
    history = train(cases.model(corpus), corpus, settings, report=report)
    assert history.tokens == sum(
        batch.word_count for batch in first_batches(corpus, settings)
    )
    assert history.step_count == 7 and seen == [
        3,
        6,
        7,
    ]  # after the last step it validates, too
    assert 0 < history.tokens_per_second == history.tokens / history.seconds
    assert "step 7: loss" in str(history)


def test_a_curve_is_the_losses_meaned_over_equal_parts():
    history = History(losses=[float(i) for i in range(10)])
    assert history.curve(3) == [(3, 1.0), (6, 4.0), (9, 7.0), (10, 9.0)]
    assert history.curve(100) == [(i + 1, float(i)) for i in range(10)]


def test_each_epoch_has_every_pair_once_in_an_order_of_its_own():
    corpus = cases.copying()
    pairs, feed = corpus.ids(corpus.train), FEW.batches(corpus.ids(corpus.train))
    n = len(bucketed_batches(pairs, FEW.tokens, 0))
    epochs = [[next(feed) for _ in range(n)] for _ in range(2)]
    rows = [
        [tuple(r) for *_, batch in e for r in batch.target.tolist()] for e in epochs
    ]
    assert rows[0] != rows[1]
    kept = [sorted(tuple(i for i in r if i > 3) for r in of_one) for of_one in rows]
    assert kept[0] == kept[1] == sorted(tuple(target) for _, target in pairs)
    assert [next(feed)[0], *(e[0][0] for e in epochs)] == [2, 0, 1]


@pytest.mark.parametrize("after", [1, 7, 30])
def test_batches_go_on_from_where_they_were_left(after):
    corpus = cases.copying()
    pairs = corpus.ids(corpus.train)
    feed = FEW.batches(pairs)
    for _ in range(after):
        epoch, done, _ = next(feed)
    again = FEW.batches(pairs, epoch, done)
    for _ in range(5):
        (*expected, a), (*given, b) = next(feed), next(again)
        assert given == expected and torch.equal(a.target, b.target)


def test_the_same_seed_gives_the_same_losses_and_leaves_the_callers_random_numbers():
    corpus = cases.copying()
    runs = {}
    for name, seed in (("a", 1), ("b", 1), ("c", 2)):
        torch.manual_seed(len(runs))
        state = torch.get_rng_state()
        model = cases.model(corpus, dropout=0.2)
        runs[name] = train(model, corpus, FEW.changed(seed=seed)).losses
        assert torch.equal(torch.get_rng_state(), state)
    assert runs["a"] == runs["b"] != runs["c"]


def test_dropout_differs_from_step_to_step():
    corpus = cases.copying(n=3, lengths=(4, 4))  # one batch, the same in every step
    history = train(cases.model(corpus, dropout=0.5), corpus, FEW.changed(factor=1e-30))
    assert len({round(loss, 5) for loss in history.losses}) == 6


@pytest.mark.parametrize("norm", ["post", "pre"])
def test_bf16_follows_float32_and_leaves_the_weights_in_float32(norm):
    corpus = cases.copying()
    model = cases.model(corpus, norm=norm)
    exact = train(cases.model(corpus, norm=norm), corpus, FEW).losses
    rounded = train(model, corpus, FEW.changed(precision="bf16")).losses
    assert rounded != exact and rounded == pytest.approx(exact, rel=0.02)
    assert {p.dtype for p in model.parameters()} == {torch.float32}


def test_it_copies_sequences_it_has_never_seen():
    corpus = cases.copying(n=2_000, unseen=100)
    model = cases.model(corpus, d_model=32, d_ff=64)
    train(model, corpus, Settings(steps=350, tokens=400, warmup=100, cooldown=200))
    pairs = corpus.ids(corpus.test)
    assert greedy(model, collate(pairs).source) == [target for _, target in pairs]


def test_a_batch_costs_what_its_pairs_cost_apart_whatever_the_padding_is():
    """The id of the padding is the configuration's, and 0 is then a word like any other."""
    corpus = cases.copying()
    model = cases.model(corpus, pad_id=1, dtype=torch.float64)
    pairs, settings = corpus.ids(corpus.train)[:7], Settings(tokens=200)
    apart = [([0, *source], [*target, 0]) for source, target in pairs]
    costs = [
        (len(target) + 1) * loop.validation_loss(model, [(source, target)], settings)
        for source, target in apart
    ]
    words = sum(len(target) + 1 for _, target in apart)
    assert len(loop.bucketed_batches(apart, 200, 0, pad_id=1)) == 1
    whole = loop.validation_loss(model, apart, settings)
    assert whole == pytest.approx(sum(costs) / words, rel=1e-9)
    (*_, batch) = next(settings.remaining_batches(model, corpus, apart, History()))
    assert batch.word_count == words and (batch.source == 1).any()
    source, theirs = batch.source, []
    logits, _ = model(source, batch.decoder_input)
    theirs = torch.nn.functional.cross_entropy(logits.mT, batch.labels, ignore_index=1)
    assert whole == pytest.approx(theirs.item(), rel=1e-9)


def never_shifted(self, source, target):
    memory, _ = self.model.encode(source)
    labels = target[:, 1:]
    x, _ = self.model.decode(labels, memory, source[:, None] != 0)
    return loop.output_loss(x, self.model.output, labels, self.smoothing, 0)


def test_nothing_of_the_label_reaches_its_prediction(monkeypatch):
    # Targets that no source foretells: less than their entropy is learned only from a leak.
    letters = iter(
        torch.randint(8, (10_000,), generator=torch.Generator().manual_seed(0)).tolist()
    )
    corpus = cases.corpus(
        lambda _: [cases.LETTERS[next(letters)] for _ in range(6)], n=1_000
    )
    entropy = 6 * math.log(8) / 7  # six letters at random, then an end for certain
    settings = Settings(steps=150, tokens=400, warmup=50, factor=0.5, smoothing=0.0)
    learned = lambda: train(cases.model(corpus), corpus, settings).validation[-1][1]  # noqa: E731
    assert entropy < learned() < 1.1 * entropy
    monkeypatch.setattr(ModelWithLoss, "forward", never_shifted)
    assert learned() < 0.5 * entropy


def test_a_token_of_the_target_moves_no_loss_before_it():
    corpus = cases.copying()
    learner = ModelWithLoss(cases.model(corpus, dtype=torch.float64).eval(), 0.1)
    batch = collate(corpus.ids(corpus.train[:1]))
    for j in range(1, batch.target.shape[1]):
        changed = batch.target.clone()
        changed[0, j] = 4 + (changed[0, j] - 3) % 8
        # Up to label j - 1, which stands in column j; its own loss is left out.
        before, after = (
            learner(batch.source, t[:, :j]) for t in (batch.target, changed)
        )
        assert before.item() == after.item()
        before, after = (
            learner(batch.source, t[:, : j + 1]) for t in (batch.target, changed)
        )
        assert before.item() != after.item()


def test_it_says_nothing_where_nobody_watches(capfd):
    train(cases.model(corpus := cases.copying()), corpus, FEW)
    assert capfd.readouterr() == ("", "")


def test_without_validation_sentences_there_is_no_validation():
    full = cases.copying()
    corpus = ParallelCorpus.from_pairs(
        full.train,
        (),
        (),
        name="x",
        title="x",
        terms="x",
        source_language="x",
        target_language="x",
    )
    model = cases.model(corpus)
    assert train(model, corpus, FEW).validation == []
    assert not model.training
