"""The last weights of a run, and their mean."""

import json
import shlex

import pytest
import torch

from tests.train import cases
from transformer_book import data
from transformer_book.config import ConfigError
from transformer_book.data import ParallelCorpus
from transformer_book.nn import load_weights, save_weights
from transformer_book.storage import StorageError
from transformer_book.train import Settings, average_weights, loop, train
from transformer_book.train.averaging import snapshot_paths
from transformer_book.train.checkpoint import BEST_FILE, CHECKPOINT_FILE
from transformer_book.train.history import History
from transformer_lab.translator.training_run import main

RUN = Settings(
    steps=10, tokens=100, warmup=3, validate_every=2, checkpoint_every=4, snapshots=3
)


def run(folder, settings=RUN, **options):
    corpus = cases.copying()
    model = cases.model(corpus, dropout=0.2)
    return train(model, corpus, settings, folder, **options), model


def names(folder):
    return {path.name for path in folder.iterdir()}


def kept(*steps):
    return {
        BEST_FILE,
        CHECKPOINT_FILE,
        *(f"snapshot-{step}.safetensors" for step in steps),
    }


def same(model, other):
    return all(map(torch.equal, model.parameters(), other.parameters()))


def written(folder, models):
    paths = [folder / f"{i}.safetensors" for i in range(len(models))]
    for path, model in zip(paths, models):
        save_weights(path, model)
    return paths


def test_the_mean_of_known_weights(tmp_path):
    models = [cases.model(cases.copying()) for _ in range(3)]
    for value, model in zip((1.0, 2.0, 6.0), models):
        for p in model.parameters():
            p.data.fill_(value)
    found = average_weights(written(tmp_path, models))
    assert not found.training
    assert all((p == 3.0).all() for p in found.parameters())


@pytest.mark.parametrize("share", ["target", "none"])
def test_it_equals_the_averaged_model_of_torch(tmp_path, share):
    corpus = cases.copying()
    models = [cases.model(corpus, seed, share=share) for seed in range(5)]
    expected = torch.optim.swa_utils.AveragedModel(models[0])
    for model in models:
        expected.update_parameters(model)
    found = average_weights(iter(written(tmp_path, models)))
    assert found.config == models[0].config
    theirs = dict(expected.module.named_parameters())
    for name, p in found.named_parameters():
        torch.testing.assert_close(p, theirs[name], rtol=1e-5, atol=1e-7)


def test_the_mean_of_one_file_or_of_the_same_is_that_file(tmp_path):
    model = cases.model(cases.copying())
    paths = written(tmp_path, [model] * 3)
    assert same(average_weights(paths[:1]), model) and same(
        average_weights(paths), model
    )


def test_files_that_have_no_mean_are_named(tmp_path):
    corpus = cases.copying()
    others = {}, {"norm": "pre"}, {"h": 4}
    a, b, c = written(tmp_path, [cases.model(corpus, **changes) for changes in others])
    with pytest.raises(
        StorageError, match="given no file; expected at least one of weights"
    ):
        average_weights([])
    message = "norm is 'post' in 0.safetensors and 'pre' in 1.safetensors. Give files of one run"
    with pytest.raises(StorageError, match=message):
        average_weights([a, b])
    with pytest.raises(StorageError, match="different models: h is 2 in .* and 4 in"):
        average_weights([a, c])  # of the same shapes
    with pytest.raises(StorageError, match="There is no file .*nowhere"):
        average_weights([a, tmp_path / "nowhere"])


def test_the_folder_has_the_weights_after_the_last_validations(tmp_path):
    history, model = run(tmp_path)
    assert names(tmp_path) == kept(6, 8, 10)
    assert list(snapshot_paths(tmp_path, history, 3)) == [6, 8, 10]
    assert list(snapshot_paths(tmp_path, history, 2)) == [8, 10]
    assert snapshot_paths(tmp_path, history, 0) == {}
    paths = snapshot_paths(tmp_path, history, 9)  # those before are not kept
    assert list(paths) == [6, 8, 10]
    assert same(load_weights(paths[10]), model)
    _, earlier = run(None, RUN.changed(steps=8, snapshots=0))
    assert same(load_weights(paths[8]), earlier)


def test_there_are_never_more_than_asked_for(tmp_path):
    seen = []
    run(
        tmp_path,
        report=lambda _: seen.append(names(tmp_path) - {BEST_FILE, CHECKPOINT_FILE}),
    )
    steps = [(2,), (2, 4), (2, 4, 6), (4, 6, 8), (6, 8, 10)]
    assert seen == [kept(*some) - {BEST_FILE, CHECKPOINT_FILE} for some in steps]


@pytest.mark.parametrize("at", [6, 7, 8, 10])
def test_a_resumed_run_keeps_the_same(tmp_path, monkeypatch, at):
    def broken(*args, true=loop.take_training_step):
        if args[-1] == at:
            raise InterruptedError
        return true(*args)

    run(tmp_path / "whole")
    with monkeypatch.context() as patch, pytest.raises(InterruptedError):
        patch.setattr(loop, "take_training_step", broken)
        run(tmp_path / "parts")
    (
        tmp_path / "parts" / ".snapshot-6.safetensors.0.part"
    ).touch()  # half written when killed
    history, _ = run(tmp_path / "parts", resume=True)
    assert names(tmp_path / "parts") == names(tmp_path / "whole") == kept(6, 8, 10)
    pairs = [
        snapshot_paths(tmp_path / part, history, 3).values()
        for part in ("whole", "parts")
    ]
    assert all(a.read_bytes() == b.read_bytes() for a, b in zip(*pairs, strict=True))


def test_how_many_are_kept_may_change_when_a_run_goes_on(tmp_path):
    run(tmp_path, RUN.changed(snapshots=0))
    assert names(tmp_path) == kept()
    history, _ = run(tmp_path, RUN.changed(steps=12), resume=True)
    assert names(tmp_path) == kept(12)
    assert list(snapshot_paths(tmp_path, history, 3)) == [12]


def test_other_files_stay(tmp_path):
    (tmp_path / "snapshot-of-mine.safetensors").write_text("mine", "utf-8")
    run(tmp_path)
    assert names(tmp_path) == kept(6, 8, 10) | {"snapshot-of-mine.safetensors"}


def test_without_a_folder_or_a_validation_none_can_be_kept(tmp_path):
    with pytest.raises(
        ConfigError, match="snapshots is 3, .* expected 0 without a folder"
    ):
        run(None)
    full = cases.copying()
    corpus = ParallelCorpus(**vars(full) | {"validation": ()})
    with pytest.raises(
        ConfigError, match="expected 0 .* or without validation sentences"
    ):
        train(cases.model(full), corpus, RUN, tmp_path)
    assert not names(tmp_path)


@pytest.fixture
def letters(monkeypatch):
    monkeypatch.setitem(data.PARALLEL_CORPUS_LOADERS, "letters", cases.copying)


@pytest.mark.parametrize("number, steps", [(0, []), (2, [8, 10])])
def test_the_command_ends_with_their_mean_and_records_it(
    tmp_path, letters, number, steps
):
    words = "--corpus letters --d-model 16 --d-ff 32 --heads 2 --layers 1 --threads 1 --tokens 100"
    words += " --steps 10 --validate-every 2 --warmup 3 --cooldown 0 --device cpu"
    main(["--out", str(tmp_path), *shlex.split(words), "--snapshots", str(number)])
    record = json.loads((tmp_path / "record.json").read_text("utf-8"))
    found = load_weights(tmp_path / "model.safetensors")
    assert record["averaged"] == steps and record["settings"]["snapshots"] == number
    assert names(tmp_path) == kept(*steps) | {
        "model.safetensors",
        "record.json",
        "vocabulary.json",
    }
    history = History(validation=record["validation"])
    paths = snapshot_paths(tmp_path, history, number)
    if steps:
        expected = [load_weights(path) for path in paths.values()]
        for p, *others in zip(found.parameters(), *(m.parameters() for m in expected)):
            torch.testing.assert_close(p, sum(others) / 2)
        assert not same(found, expected[-1])
