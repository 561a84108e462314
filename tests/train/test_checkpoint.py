import random
import time

import pytest
import torch
from safetensors import safe_open
from safetensors.torch import load_file, save_file

from tests.processes import CONTEXT, PATIENCE, Process
from tests.train import cases
from transformer_book import storage
from transformer_book.nn import load_weights, save_weights
from transformer_book.storage import StorageError
from transformer_book.train import Settings, loop, train
from transformer_book.train.checkpoint import BEST_FILE, CHECKPOINT_FILE

FEW = Settings(steps=8, tokens=100, warmup=3, validate_every=3, checkpoint_every=3)
LONG = FEW.changed(steps=300, validate_every=50, checkpoint_every=5)


def run(settings, folder=None, seed=0, **options):
    corpus = cases.copying()
    model = cases.model(corpus, seed, dropout=0.2)
    history = train(model, corpus, settings, folder, **options)
    return history, model


def check_same(ours, theirs):
    (history, model), (expected, reference) = ours, theirs
    for name in ("losses", "validation", "tokens", "epoch", "batch"):
        assert getattr(history, name) == getattr(expected, name), name
    both = zip(model.named_parameters(), reference.named_parameters())
    for (name, a), (_, b) in both:
        assert torch.equal(a, b), name


def break_off(train):
    """Let a run end in the midst of its eighth step."""

    def broken(*args, true=loop.take_training_step):
        if args[-1] == 8:
            raise InterruptedError
        return true(*args)

    with pytest.MonkeyPatch.context() as patch, pytest.raises(InterruptedError):
        patch.setattr(loop, "take_training_step", broken)
        train()


@pytest.fixture
def stopped(tmp_path):
    """The folder of a run that broke off after step 7; its checkpoint is that of step 6."""
    break_off(lambda: run(FEW, tmp_path))
    return tmp_path


def test_it_is_saved_and_validated_every_so_many_steps_and_at_the_end():
    settings = FEW.changed(validate_every=4, checkpoint_every=3, steps=10)
    steps = range(1, settings.steps + 1)
    assert [*filter(settings.saves, steps)] == [3, 6, 9, 10]
    assert [*filter(settings.validates, steps)] == [4, 8, 10]


def test_a_resumed_run_has_the_losses_and_the_weights_of_one_never_stopped(stopped):
    # What it starts from does not matter.
    resumed = run(FEW, stopped, resume=True, seed=5)
    check_same(resumed, run(FEW))
    assert resumed[0].step_count == 8


def test_a_finished_run_goes_on_with_more_steps_and_not_without(tmp_path):
    run(FEW, tmp_path)
    assert len(load_file(tmp_path / CHECKPOINT_FILE)["losses"]) == FEW.steps
    check_same(run(FEW, tmp_path, resume=True, seed=5), run(FEW))
    longer, expected = FEW.changed(steps=12), run(FEW.changed(steps=12))
    assert run(longer, tmp_path, resume=True)[0].losses == expected[0].losses


def test_a_resumed_run_needs_its_checkpoint_no_more(stopped, monkeypatch):
    def emptied(*args, true=loop.take_training_step):
        (stopped / CHECKPOINT_FILE).write_bytes(
            bytes((stopped / CHECKPOINT_FILE).stat().st_size)
        )
        return true(*args)

    monkeypatch.setattr(loop, "take_training_step", emptied)
    resumed = run(FEW.changed(checkpoint_every=9), stopped, resume=True)
    monkeypatch.undo()
    check_same(resumed, run(FEW))


@pytest.mark.parametrize("cooldown", [1, 4])
def test_cooling_down_hangs_on_the_last_step_so_that_may_not_change(tmp_path, cooldown):
    cooled = FEW.changed(cooldown=cooldown)
    run(cooled, tmp_path)
    said = "of another run: steps is 8 there and 12 here"
    with pytest.raises(StorageError, match=said):
        run(cooled.changed(steps=12), tmp_path, resume=True)


def test_the_best_weights_are_those_of_the_lowest_validation(tmp_path, monkeypatch):
    losses = iter([2.0, 1.0, 3.0])
    monkeypatch.setattr(loop, "validation_loss", lambda *_: next(losses))
    run(FEW, tmp_path)
    monkeypatch.undo()
    _, expected = run(FEW.changed(steps=6))
    for a, b in zip(
        load_weights(tmp_path / BEST_FILE).parameters(), expected.parameters()
    ):
        assert torch.equal(a, b)


@pytest.fixture(scope="session")
def never_stopped():
    return run(LONG)


def child(folder, writing):
    """Train, and with ``writing`` stop for ever while the ninth checkpoint is written."""
    if writing:
        files, fsync = [], storage.os.fsync

        def slow(file):
            files.append(file)
            if len(files) == 9:
                writing.set()
                time.sleep(600)
            fsync(file)

        storage.os.fsync = slow
    run(LONG, folder)


def test_after_a_kill_at_any_moment_it_goes_on_to_the_same_losses(
    tmp_path, never_stopped
):
    process = Process(tmp_path.with_name("said"), child, tmp_path, None)
    while not (tmp_path / CHECKPOINT_FILE).exists():
        assert process.process.is_alive(), process.err
        time.sleep(0.01)
    time.sleep(random.uniform(0, 0.3))
    process.kill()
    taken = len(load_file(tmp_path / CHECKPOINT_FILE)["losses"])
    assert 0 < taken < LONG.steps and taken % LONG.checkpoint_every == 0
    check_same(run(LONG, tmp_path, resume=True, seed=5), never_stopped)


def test_a_kill_while_a_checkpoint_is_written_leaves_the_one_before(
    tmp_path, never_stopped
):
    writing = CONTEXT.Event()
    process = Process(tmp_path.with_name("said"), child, tmp_path, writing)
    assert writing.wait(PATIENCE), process.err
    process.kill()
    assert len(list(tmp_path.glob(".*.part"))) == 1
    assert (
        len(load_file(tmp_path / CHECKPOINT_FILE)["losses"])
        == 8 * LONG.checkpoint_every
    )
    check_same(run(LONG, tmp_path, resume=True, seed=5), never_stopped)
    assert sorted(file.name for file in tmp_path.iterdir()) == [
        BEST_FILE,
        CHECKPOINT_FILE,
    ]


def test_a_loss_that_is_not_finite_leaves_the_last_checkpoint(stopped, monkeypatch):
    before = (stopped / CHECKPOINT_FILE).read_bytes()
    monkeypatch.setattr(loop, "output_loss", lambda x, *_: x.sum() * torch.nan)
    with pytest.raises(FloatingPointError, match="step 7 is nan"):
        run(FEW, stopped, resume=True)
    monkeypatch.undo()
    assert (stopped / CHECKPOINT_FILE).read_bytes() == before
    check_same(run(FEW, stopped, resume=True), run(FEW))


def test_weights_that_are_not_finite_are_never_a_checkpoint(stopped, monkeypatch):
    before = (stopped / CHECKPOINT_FILE).read_bytes()

    def spoiling(model, *args, true=loop.take_training_step):
        loss = true(model, *args)
        model.decoder[0].feed_forward.b_1.data[0] = torch.inf
        return loss

    monkeypatch.setattr(loop, "take_training_step", spoiling)
    monkeypatch.setattr(loop, "validation_loss", lambda *_: 1.0)
    said = r"feed_forward.b_1 after step 7 is not finite"
    with pytest.raises(FloatingPointError, match=said):
        run(FEW.changed(checkpoint_every=1), stopped, resume=True)
    assert (stopped / CHECKPOINT_FILE).read_bytes() == before


def test_a_run_is_not_overwritten_by_another(stopped):
    before = (stopped / CHECKPOINT_FILE).read_bytes()
    said = "holds the checkpoint of a run. Resume it, or choose"
    with pytest.raises(StorageError, match=said):
        run(FEW, stopped)
    assert (stopped / CHECKPOINT_FILE).read_bytes() == before


def test_nothing_is_resumed_from_nothing(tmp_path):
    said = "no checkpoint .* to resume from. Check the folder, or"
    with pytest.raises(StorageError, match=said):
        run(FEW, tmp_path, resume=True)
    with pytest.raises(StorageError, match="give the run's folder"):
        run(FEW, resume=True)


def test_a_file_where_the_folder_should_be_is_found_before_the_training(
    tmp_path, monkeypatch
):
    (tmp_path / "file").write_text("mine", "utf-8")
    monkeypatch.setattr(loop, "take_training_step", None)
    said = "file cannot be a folder: .* Choose another"
    with pytest.raises(StorageError, match=said):
        run(FEW, tmp_path / "file")


def damaged(path):
    path.write_bytes(path.read_bytes()[:-10])


def of_another_kind(path):
    path.write_text("not tensors", "utf-8")


def of_weights(path):
    save_weights(path, run(FEW.changed(steps=1))[1])


def without(path, part):
    """Write a checkpoint again without the tensors whose names have this part."""
    with safe_open(path, "pt") as file:
        metadata = file.metadata()
    kept = {name: W for name, W in load_file(path).items() if part not in name}
    save_file(kept, path, metadata)


def without_a_moment(path):
    without(path, "exp_avg.decoder.0.feed_forward.b_1")


@pytest.mark.parametrize(
    "spoil, message",
    [
        (damaged, "not a whole safetensors file"),
        (of_another_kind, "not a whole safetensors file"),
        (of_weights, "is a safetensors file, but no checkpoint of a training run"),
        (without_a_moment, r"exp_avg.decoder.0.feed_forward.b_1 is missing"),
    ],
)
def test_a_spoiled_checkpoint_is_named_and_changes_nothing(stopped, spoil, message):
    spoil(stopped / CHECKPOINT_FILE)
    corpus = cases.copying()
    model = cases.model(corpus, dropout=0.2)
    before = [p.clone() for p in model.parameters()]
    with pytest.raises(StorageError, match=f"{CHECKPOINT_FILE}.* {message}"):
        train(model, corpus, FEW, stopped, resume=True)
    assert all(torch.equal(a, b) for a, b in zip(model.parameters(), before))


def test_a_checkpoint_of_another_run_is_named(stopped):
    corpus, other = cases.copying(), cases.copying(seed=1)
    for sizes, pairs, settings, message in [
        ({"d_model": 32}, corpus, FEW, "d_model is 16 there and 32 here"),
        ({"norm": "pre"}, corpus, FEW, "norm is 'post' there and 'pre' here"),
        ({}, corpus, FEW.changed(seed=3), "seed is 0 there and 3 here"),
        ({}, other, FEW, "corpus is .* there and .* here"),
    ]:
        model = cases.model(corpus, dropout=0.2, **sizes)
        with pytest.raises(StorageError, match=f"of another run: {message}"):
            train(model, pairs, settings, stopped, resume=True)
