"""The run translates its targets back, and learns them from what it found as well."""

import pytest
import torch
from safetensors import safe_open
from safetensors.torch import load_file, save_file

from tests.train import cases
from transformer_book.config import ConfigError
from transformer_book.data import EOS
from transformer_book.decode import beam_search
from transformer_book.storage import StorageError
from transformer_book.train import History, Settings, learning_rate, loop, train
from transformer_book.train.checkpoint import CHECKPOINT_FILE
from transformer_lab.translator import curriculum
from transformer_lab.translator.run_settings import RunSettings

BOTH = 4
FEW = RunSettings(
    steps=8,
    tokens=100,
    warmup=3,
    validate_every=2,
    checkpoint_every=2,
    bidirectional=BOTH,
    back_beams=2,
)
# Enough for the model to end its sentences.
LONGER = FEW.changed(
    steps=204,
    warmup=30,
    factor=0.3,
    bidirectional=200,
    validate_every=50,
    checkpoint_every=50,
    smoothing=0.0,
)


def spelled():
    return cases.corpus(str.upper, joint=True)


def run(folder=None, seed=0, settings=FEW, **options):
    corpus = spelled()
    model = cases.model(corpus, seed, dropout=0.2)
    return train(model, corpus, settings, folder, **options), model


@pytest.mark.parametrize("settings", [None, LONGER.changed(back_beams=0)])
def test_the_targets_are_translated_as_beam_search_does_one_by_one(settings):
    corpus = spelled()
    pairs, model = corpus.ids(corpus.train), cases.model(corpus).eval()
    if settings:
        train(model, corpus, settings)
    else:  # it ends few sentences, so that each takes long
        pairs = pairs[:60]
    found, ended = curriculum.back_translations(model, pairs, 2), 0
    for (_, target), ids in zip(pairs, found):
        ((first, *_),) = beam_search(model, torch.tensor([[*target, EOS]]), 2, 1.0)
        assert ids == (first.ids if first.finished else [])
        ended += first.finished
    assert ended > 100 if settings else 0 < ended < 30


def test_what_was_found_is_learned_beside_the_pairs_and_nothing_of_no_use():
    pairs = [([4 + i, 5, 6], [30 + i, 31]) for i in range(20)]
    found = [[50 + i] for i in range(20)]
    found[3], found[5], found[7] = [], pairs[5][0], [9] * FEW.tokens
    history, epochs = History([0.0] * BOTH, epoch=2, batch=1, synthetic=found), {}
    model = cases.model(spelled())  # whose search is not needed, for all is found
    for epoch, _, batch in curriculum.both_direction_batches(
        model, pairs, [], FEW, history
    ):
        rows = zip(batch.source.tolist(), batch.target.tolist())
        epochs.setdefault(epoch, []).extend(
            ([i for i in source if i > EOS], [i for i in target if i > EOS])
            for source, target in rows
        )
        if epoch == 5:
            break
    added = [
        (some, target)
        for i, (some, (_, target)) in enumerate(zip(found, pairs))
        if i not in (3, 5, 7)
    ]
    assert [*epochs] == [3, 4, 5]  # a new epoch begins
    assert sorted(epochs[3]) == sorted(epochs[4]) == sorted(pairs + added)


def test_nothing_is_translated_before_the_other_direction_goes(monkeypatch):
    def asked(model, *args, true=curriculum.back_translations):
        steps.append(history.step_count)
        return true(model, *args)

    monkeypatch.setattr(curriculum, "back_translations", asked)
    corpus, history, steps = spelled(), History(), []
    pairs = corpus.ids(corpus.train)
    feed = curriculum.both_direction_batches(
        cases.model(corpus), pairs, pairs, FEW, history
    )
    for _ in range(BOTH + 2):
        next(feed)
        history.losses.append(0.0)
    assert steps == [BOTH]


def test_it_takes_the_steps_of_a_loop_that_learns_from_what_the_model_found():
    corpus, both = spelled(), LONGER.bidirectional
    ours, half, theirs = (cases.model(corpus, dtype=torch.float64) for _ in range(3))
    pairs = corpus.ids(corpus.train)
    turned = [(target, source) for source, target in pairs]
    rates = [learning_rate(step + 1, 16, 30, 0.3) for step in range(LONGER.steps)]
    at_first = LONGER.batches(pairs + turned)
    early = [next(at_first) for _ in range(both)]
    feed = [batch for _, _, batch in early]
    cases.plain_losses(half, feed, rates[:both], 0.0)
    more = []
    for source, target in pairs:
        ((first, *_),) = beam_search(half, torch.tensor([[*target, EOS]]), 2, 1.0)
        if first.finished and first.ids and first.ids != source:
            more.append((first.ids, target))
    assert len(more) > 100
    then = LONGER.batches(pairs + more, epoch=early[-1][0] + 1)
    feed += [next(then)[-1] for _ in rates[both:]]
    losses = cases.plain_losses(theirs, feed, rates, 0.0)
    # Two ways of rounding drift apart.
    assert train(ours, corpus, LONGER).losses == pytest.approx(losses, rel=1e-4)


@pytest.mark.parametrize("last", [3, 4, 5, 7])
def test_a_resumed_run_has_the_losses_of_one_never_stopped(tmp_path, monkeypatch, last):
    def broken(*args, true=loop.take_training_step):
        if args[-1] == last + 1:
            raise InterruptedError
        return true(*args)

    with monkeypatch.context() as patch, pytest.raises(InterruptedError):
        patch.setattr(loop, "take_training_step", broken)
        run(tmp_path)
    if last > BOTH + 1:  # it knows what it found
        monkeypatch.setattr(curriculum, "back_translations", None)
    history, model = run(tmp_path, seed=5, resume=True)
    monkeypatch.undo()
    expected, reference = run()
    assert history.losses == expected.losses and history.epoch == expected.epoch
    for a, b in zip(model.parameters(), reference.parameters()):
        assert torch.equal(a, b)


def test_a_checkpoint_without_the_lengths_is_none(tmp_path):
    run(tmp_path)
    path = tmp_path / CHECKPOINT_FILE
    with safe_open(path, "pt") as file:
        metadata = file.metadata()
    tensors = load_file(path)
    assert len(tensors.pop("synthetic_lengths")) == len(spelled().train)
    save_file(tensors, path, metadata)
    with pytest.raises(
        StorageError, match="no checkpoint of a training run .*synthetic_lengths"
    ):
        run(tmp_path, resume=True)


def test_a_run_of_both_directions_does_not_go_on_as_one_of_one(tmp_path):
    run(tmp_path)
    plain = {name: getattr(FEW, name) for name in Settings().as_dict()}
    with pytest.raises(StorageError, match="bidirectional is 4 there and None here"):
        run(tmp_path, settings=Settings(**plain), resume=True)


@pytest.mark.parametrize(
    "changes, message",
    [
        (dict(bidirectional=-1), "bidirectional is -1; expected a number of steps"),
        (dict(bidirectional=0.5), "bidirectional is 0.5; expected a number of steps"),
        (dict(back_beams=-1), "back_beams is -1; expected a number of beams"),
        (
            dict(bidirectional=0),
            "bidirectional is 0; expected some of the steps, but not all",
        ),
        (
            dict(bidirectional=8),
            "bidirectional is 8; expected some of the steps, but not all",
        ),
    ],
)
def test_settings_that_cannot_be_are_named(changes, message):
    with pytest.raises(ConfigError, match=message):
        FEW.changed(**changes)
