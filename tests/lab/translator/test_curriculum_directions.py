"""A run learns both directions of its pairs first, and then the wanted one."""

import pytest
import torch

from tests.train import cases
from transformer_book.config import ConfigError
from transformer_book.data import BOS, EOS, PAD
from transformer_book.train import History, learning_rate, train
from transformer_lab.translator.run_settings import RunSettings

BOTH = 40
FEW = RunSettings(steps=6, tokens=100, warmup=3, validate_every=3, bidirectional=BOTH)
MARKS = {PAD, BOS, EOS}


def spelled():
    """Small letters on one side, the same in capitals on the other."""
    return cases.corpus(str.upper, joint=True)


def sentences(corpus, batch):
    """Return what a batch holds, as (source, target) texts."""
    words = [*corpus.source_vocabulary]
    sides = [
        ["".join(words[i] for i in row if i not in MARKS) for row in side]
        for side in (batch.source.tolist(), batch.target.tolist())
    ]
    return list(zip(*sides, strict=True))


def steps(corpus, history, number):
    """Take batches as a training run does, and return their sentences."""
    pairs, found = corpus.ids(corpus.train), []
    feed = FEW.remaining_batches(cases.model(corpus), corpus, pairs, history)
    for _ in range(number):
        history.epoch, history.batch, batch = next(feed)
        history.losses.append(0.0)
        found.append(sentences(corpus, batch))
    return found


def test_both_directions_come_first_and_then_one():
    corpus = spelled()
    found = steps(corpus, History(), 3 * BOTH)
    learned = {("".join(source), "".join(target)) for source, target in corpus.train}
    early = [pair for batch in found[:BOTH] for pair in batch]
    assert {*early} == learned | {(target, source) for source, target in learned}
    late = [pair for batch in found[BOTH:] for pair in batch]
    assert {*late} == learned


@pytest.mark.parametrize("after", [1, BOTH - 1, BOTH, BOTH + 1])
def test_it_goes_on_from_where_it_was_left(after):
    corpus, history = spelled(), History()
    expected = steps(corpus, History(), after + 5)
    steps(corpus, history, after)
    again = History([0.0] * after, epoch=history.epoch, batch=history.batch)
    assert steps(corpus, again, 5) == expected[after:]


def test_it_takes_the_steps_of_a_loop_over_both_and_then_over_one():
    corpus, settings = spelled(), FEW.changed(bidirectional=4, smoothing=0.0)
    ours, theirs = (cases.model(corpus, dtype=torch.float64) for _ in range(2))
    pairs = corpus.ids(corpus.train)
    turned = [(target, source) for source, target in pairs]
    feeds = settings.batches(pairs + turned), settings.batches(pairs, epoch=1)
    expected = [next(feeds[step >= 4])[-1] for step in range(6)]
    rates = [learning_rate(step + 1, 16, 3, 1.0) for step in range(6)]
    losses = cases.plain_losses(theirs, expected, rates, 0.0)
    assert train(ours, corpus, settings).losses == pytest.approx(losses, rel=1e-9)


def test_two_vocabularies_are_an_error():
    corpus = cases.corpus(str.upper)
    with pytest.raises(
        ConfigError, match="letters each language has its own vocabulary"
    ):
        train(cases.model(corpus), corpus, FEW)
    alone = FEW.changed(bidirectional=0)
    assert train(cases.model(corpus), corpus, alone).step_count == FEW.steps
