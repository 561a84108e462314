"""Pairs whose words are cut anew in each epoch, and runs that learn from them."""

import pytest
import torch

from tests.train import cases
from transformer_book.config import ConfigError
from transformer_book.data import BOS, EOS, PAD, UNK, ParallelCorpus, Subwords
from transformer_book.train import History, loop, train
from transformer_lab.translator import curriculum
from transformer_lab.translator.recutting import Recutting
from transformer_lab.translator.run_settings import RunSettings

MARKS = {PAD, BOS, EOS}
FEW = RunSettings(
    steps=8, tokens=200, warmup=3, validate_every=4, checkpoint_every=2, bpe_dropout=0.5
)


def corpus(n=60):
    return cases.subworded(n)


def words_of(made, pairs):
    """Return the words of pairs of ids."""
    return [
        tuple(
            tuple(made.join_tokens(made.source_vocabulary.tokens(ids))) for ids in pair
        )
        for pair in pairs
    ]


def test_every_epoch_has_the_words_of_the_pairs_in_cuts_of_its_own():
    made = corpus()
    pairs = made.ids(made.train)
    of_epoch = Recutting(made, 0.5, 3, 100)(pairs)
    epochs = [of_epoch(epoch) for epoch in range(3)]
    for cut in epochs:
        assert words_of(made, cut) == words_of(made, pairs)
        assert all(UNK not in ids for pair in cut for ids in pair)
    assert len({repr(cut) for cut in [*epochs, pairs]}) == 4
    # In any order, and in another process.
    again = Recutting(made, 0.5, 3, 100)(pairs)
    assert [again(epoch) for epoch in (2, 0)] == [epochs[2], epochs[0]]
    assert Recutting(made, 0.5, 4, 100)(pairs)(0) != epochs[0]
    # The two sentences of a pair are cut apart, though here they are the same.
    assert pairs[0][0] == pairs[0][1] and any(a != b for a, b in epochs[0])
    nearly = Recutting(made, 1e-9, 3, 100)(pairs)
    assert nearly(0) == pairs


def test_a_sentence_that_would_be_too_long_or_is_not_all_known_stays():
    made = corpus()
    pairs = made.ids(made.train)
    full = Recutting(made, 1.0, 0, 100)(pairs)(0)
    longest = 10
    short = Recutting(made, 1.0, 0, longest)(pairs)(0)
    stayed = 0
    for old, new, free in zip(pairs, short, full):
        for a, b, c in zip(old, new, free):
            assert b == (c if len(c) < longest else a)
            stayed += len(c) >= longest
    assert stayed
    odd = [([5, UNK, 6], pairs[0][1])]
    (source, target), *_ = Recutting(made, 1.0, 0, 100)(odd)(0)
    assert source == [5, UNK, 6] and target == full[0][1]


def of_pieces(pair, merges):
    return ParallelCorpus.from_pairs(
        (pair,), (), (), joint_vocabulary=True, name="x", title="x", terms="x", source_language="x",
        target_language="x", subwords=Subwords(merges),
    )  # fmt: skip


def test_a_sentence_whose_words_merges_do_not_cut_into_known_pieces_stays():
    """A model may write "ab@@ c", which byte pair encoding cuts into a, bc."""
    made = of_pieces((("ab@@", "c"), ("b@@", "c")), [("b", "c</w>"), ("a", "b")])
    pairs = made.ids(made.train)
    assert Recutting(made, 0.5, 0, 100)(pairs)(0)[0][0] == pairs[0][0]


def test_an_unknown_piece_is_not_spelled():
    made = of_pieces((("<@@", "u@@", "n@@", "k@@", ">"), (">",)), [])
    (ids, other), *_ = made.ids(made.train)
    odd = [([UNK, *other], other)]
    assert Recutting(made, 1.0, 0, 100)(odd)(0) == odd
    assert Recutting(made, 1.0, 0, 100)([(ids, other)])(0) == [(ids, other)]


@pytest.mark.parametrize("changes", [dict(tokens=100), dict(tokens=9)])
def test_no_sentence_becomes_longer_than_the_model_or_a_batch_takes(changes):
    made = corpus()
    pairs = [pair for pair in made.ids(made.train) if max(map(len, pair)) < 9]
    model = cases.model(
        made, share="all", max_length=9 if changes["tokens"] > 9 else 64
    )
    settings = FEW.changed(bpe_dropout=1.0, **changes)
    feed = settings.remaining_batches(model, made, pairs, History())
    longest = max(next(feed)[-1].source.shape[1] for _ in range(20))
    assert pairs and longest == 9


def test_a_piece_that_no_vocabulary_has_is_never_made():
    pair = (("ab",), ("x@@", "abc"))
    made = of_pieces(pair, [("a", "b</w>"), ("a", "b")])
    pairs = made.ids(made.train)
    assert Recutting(made, 1.0, 0, 100)(pairs)(0)[0][0] == pairs[0][0]


def taken(settings, made, history, number):
    """Take batches as a run does, and return their pairs of ids with their epochs."""
    pairs, found = made.ids(made.train), []
    feed = settings.remaining_batches(
        cases.model(made, share="all"), made, pairs, history
    )
    for _ in range(number):
        history.epoch, history.batch, batch = next(feed)
        history.losses.append(0.0)
        rows = zip(batch.source.tolist(), batch.target.tolist())
        found += [
            (history.epoch, *([i for i in ids if i not in MARKS] for ids in row))
            for row in rows
        ]
    return found


def test_a_run_learns_each_epochs_own_cuts():
    made = corpus()
    pairs = made.ids(made.train)
    of_epoch = Recutting(made, 0.5, FEW.seed, 64)(pairs)
    found = taken(FEW, made, History(), 30)
    for epoch in (0, 1):
        learned = [[source, target] for e, source, target in found if e == epoch]
        assert sorted(learned) == sorted(map(list, of_epoch(epoch)))


def test_both_directions_and_what_was_translated_back_are_cut_as_well(monkeypatch):
    made = corpus()
    pairs = made.ids(made.train)
    back = [target[:3] for _, target in pairs]
    monkeypatch.setattr(curriculum, "back_translations", lambda *_: back)
    settings = FEW.changed(steps=60, bidirectional=20, back_beams=2)
    found = taken(settings, made, History(), 60)
    cut = Recutting(made, 0.5, FEW.seed, 64)
    both = cut(pairs + curriculum.swapped_pairs(made, pairs))
    last = cut(pairs + curriculum.synthetic_pairs(pairs, back, FEW.tokens))
    for epoch, of_epoch in ((0, both), (found[-1][0] - 1, last)):
        learned = [[source, target] for e, source, target in found if e == epoch]
        assert sorted(learned) == sorted(map(list, of_epoch(epoch)))


def run(folder=None, seed=0, settings=FEW, **options):
    made = corpus()
    model = cases.model(made, seed, dropout=0.2, share="all")
    return train(model, made, settings, folder, **options), model


@pytest.mark.parametrize("changes", [{}, dict(consistency=5.0, bidirectional=3)])
@pytest.mark.parametrize("last", [1, 3, 6])
def test_a_resumed_run_has_the_losses_of_one_never_stopped(
    tmp_path, monkeypatch, last, changes
):
    settings = FEW.changed(**changes)

    def broken(*args, true=loop.take_training_step):
        if args[-1] == last + 1:
            raise InterruptedError
        return true(*args)

    settings = settings.changed(checkpoint_every=1)
    with monkeypatch.context() as patch, pytest.raises(InterruptedError):
        patch.setattr(loop, "take_training_step", broken)
        run(tmp_path, settings=settings)
    history, model = run(tmp_path, seed=5, settings=settings, resume=True)
    expected, reference = run(settings=settings)
    assert history.losses == expected.losses and history.epoch == expected.epoch
    for a, b in zip(model.parameters(), reference.parameters()):
        assert torch.equal(a, b)


def test_without_it_nothing_is_cut(monkeypatch):
    plain = FEW.changed(bpe_dropout=0.0)
    expected = run(settings=plain)[0].losses
    monkeypatch.setattr("transformer_lab.translator.run_settings.Recutting", None)
    assert run(settings=plain)[0].losses == expected
    monkeypatch.undo()
    assert run()[0].losses != expected


def test_words_that_are_no_subwords_cannot_be_cut():
    made = cases.copying()
    with pytest.raises(
        ConfigError, match="bpe_dropout is 0.5, but the words of letters"
    ):
        train(cases.model(made), made, FEW)


@pytest.mark.parametrize("value", [-0.1, 1.5, "much"])
def test_what_is_no_probability_is_named(value):
    with pytest.raises(ConfigError, match=f"bpe_dropout is {value!r}; expected a prob"):
        FEW.changed(bpe_dropout=value)
