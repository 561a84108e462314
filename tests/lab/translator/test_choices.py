"""What each choice bought: runs that differ, other weights, other searches; scored by sacreBLEU."""

import copy
import json
import shlex
import shutil

import pytest
import sacrebleu
import torch
from torch.nn.functional import cross_entropy
from torch.optim.swa_utils import AveragedModel

from tests.train import cases
from transformer_book import data
from transformer_book.data import EOS
from transformer_book.decode import beam_search
from transformer_book.nn import load_weights
from transformer_lab.translator import choices
from transformer_lab.translator.evaluate import split_hash
from transformer_lab.translator.recipes import RECIPES
from transformer_lab.translator.training_run import main as train_main

RUN = (
    "--corpus subworded --share all --norm pre --d-model 32 --d-ff 64 --heads 2 --layers 1 "
    "--dropout 0 --steps 210 --warmup 60 --factor 1 --cooldown 100 --tokens 600 --seed 3 "
    "--validate-every 10 --checkpoint-every 210 --snapshots 7 --smoothing 0.1 "
    "--clip 1000 "  # longer than any gradient here
    "--threads 1 --device cpu"
)
CHANGED = "--steps 30 --cooldown 0 --norm post --checkpoint-every 15"
CORPUS = cases.subworded()
SEARCH = RECIPES["grammar"].beams, RECIPES["grammar"].length_penalty


@pytest.fixture(autouse=True)
def registered(monkeypatch):
    monkeypatch.setitem(data.PARALLEL_CORPUS_LOADERS, "subworded", cases.subworded)


@pytest.fixture(scope="session")
def folders(tmp_path_factory):
    """A finished run, and one with changes."""
    paths = [tmp_path_factory.mktemp(name) for name in ("chosen", "changed")]
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(data.PARALLEL_CORPUS_LOADERS, "subworded", cases.subworded)
        for path, words in zip(paths, ("", CHANGED)):
            train_main(["--out", str(path), *shlex.split(f"{RUN} {words}")])
    # The best of so short a run is its last, which nothing could tell from it.
    shutil.copy(paths[0] / "snapshot-160.safetensors", paths[0] / "best.safetensors")
    return paths


@pytest.fixture(scope="session")
def record(folders, tmp_path_factory):
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(data.PARALLEL_CORPUS_LOADERS, "subworded", cases.subworded)
        return chosen(folders, tmp_path_factory.mktemp("record") / "r.json")


def chosen(folders, out, *words):
    options = ["--run", *map(str, folders), "--out", str(out), "--threads", "1"]
    choices.main([*options, *words])
    return json.loads(out.read_text("utf-8"))


def training(folder):
    return json.loads((folder / "record.json").read_text("utf-8"))


def bleu(model, beams, length_penalty):
    """Translate the validation sentences one by one; sacreBLEU's score of the words."""
    texts = []
    for source, _ in CORPUS.ids(CORPUS.validation):
        source = torch.tensor([[*source, EOS]])
        ((best, *_),) = beam_search(model, source, beams, length_penalty)
        texts.append(" ".join(CORPUS.target_words(best.ids)))
    targets = (" ".join(target) for _, target in CORPUS.validation)
    references = [target.replace("@@ ", "") for target in targets]
    metric = sacrebleu.BLEU(tokenize="none", smooth_method="none", force=True)
    return metric.corpus_score(texts, [references]).score


def loss(model, pairs=CORPUS.validation):
    """Nats per token of sentences, one by one, by torch's own loss."""
    total = tokens = 0
    for source, target in CORPUS.ids(pairs):
        labels = torch.tensor([*target, EOS])
        decoder_input = torch.tensor([[2, *target]])
        with torch.no_grad():
            logits, _ = model(torch.tensor([[*source, EOS]]), decoder_input)
        total += cross_entropy(logits[0], labels, reduction="sum").item()
        tokens += len(labels)
    return total / tokens


def mean(paths):
    """The mean of weights, by torch."""
    first, *others = map(load_weights, paths)
    averaged = AveragedModel(first)
    for model in (first, *others):
        averaged.update_parameters(model)
    return averaged.module.eval()


def test_each_run_has_its_change_its_curve_and_what_it_took(folders, record):
    rows = [row for row in record["runs"] if "curve" in row]
    change = {"steps": 30, "cooldown": 0, "norm": "post"}
    assert [(row["name"], row["change"]) for row in rows] == [
        ("as chosen", {}),
        ("30 steps, no cool-down, Post-LN", change),
    ]
    for row, folder in zip(rows, folders, strict=True):
        theirs, model = training(folder), load_weights(folder / "model.safetensors")
        assert row["curve"] == theirs["validation"]
        assert row["training"].items() <= theirs.items()
        assert "command" in row["training"]
        assert row["validation"]["bleu"] == pytest.approx(bleu(model, *SEARCH))
        assert row["validation"]["loss"] == pytest.approx(loss(model), rel=1e-5)
        seen = CORPUS.train[: len(CORPUS.validation)]
        assert row["train"]["loss"] == pytest.approx(loss(model, seen), rel=1e-5)
    assert rows[0]["validation"]["bleu"] > rows[1]["validation"]["bleu"]


def test_other_weights_of_the_first_run(folders, record):
    changed = [row for row in record["runs"] if "weights" in row["change"]]
    rows = {row["change"]["weights"]: row for row in changed}
    kept = [folders[0] / f"snapshot-{step}.safetensors" for step in range(150, 211, 10)]
    models = {
        "last weights": load_weights(kept[-1]),
        "best validation": load_weights(folders[0] / "best.safetensors"),
        "mean of the last 5": mean(kept[-5:]),
    }
    assert rows.keys() == models.keys()
    for name, model in models.items():
        assert rows[name]["name"] == name
        assert rows[name]["validation"]["bleu"] == pytest.approx(bleu(model, *SEARCH))
        assert rows[name]["validation"]["loss"] == pytest.approx(loss(model), rel=1e-4)
    losses = {row["validation"]["loss"] for row in (*rows.values(), record["runs"][0])}
    assert len(losses) == 4  # or nothing would tell the weights apart


def test_a_run_that_kept_few_weights_has_fewer_means(folders):
    def names(averaged):
        return [*choices.other_weight_files(folders[0], {"averaged": averaged})]

    assert names([]) == names([9]) == ["best validation"]
    # Of 5 is its own.
    assert names([1, 2, 3, 4, 5]) == ["last weights", "best validation"]


def test_other_searches_of_the_first_run(folders, record):
    options = {"beams", "length_penalty"}
    rows = [row for row in record["runs"] if row["change"].keys() & options]
    assert [(row["name"], row["change"]) for row in rows] == [
        ("no length penalty", {"length_penalty": 0.0}),
        ("length penalty 1.0", {"length_penalty": 1.0}),
        ("length penalty 1.4", {"length_penalty": 1.4}),
        ("greedy", {"beams": 1}),
    ]
    model = load_weights(folders[0] / "model.safetensors")
    search = dict(zip(("beams", "length_penalty"), SEARCH))
    assert search["length_penalty"] == 0.6  # which has no row of its own
    for row in rows:
        expected = bleu(model, **search | row["change"])
        assert row["validation"]["bleu"] == pytest.approx(expected)
        assert row["validation"]["loss"] == record["runs"][0]["validation"]["loss"]
    assert len({row["validation"]["bleu"] for row in rows}) > 1


def test_the_test_is_never_looked_at(folders, tmp_path, monkeypatch, record):
    def without_test():
        return data.ParallelCorpus(**vars(CORPUS) | {"test": None})

    monkeypatch.setitem(data.PARALLEL_CORPUS_LOADERS, "subworded", without_test)
    assert chosen(folders[:1], tmp_path / "r.json")["runs"][0] == record["runs"][0]


def test_the_recorded_command_repeats_it_and_names_no_place(folders, record, tmp_path):
    assert str(folders[0].parent) not in json.dumps(record)
    words = shlex.split(record["command"])
    assert words[:4] == ["python", "-m", "transformer_lab", "choices"]
    start = words.index("--run") + 1
    assert words[start : start + 3] == ["FOLDER", "FOLDER", "--out"]
    words[start : start + 2] = map(str, folders)
    words[words.index("--out") + 1] = str(tmp_path / "r.json")
    choices.main(words[4:])
    again = json.loads((tmp_path / "r.json").read_text("utf-8"))
    assert again["runs"] == record["runs"] and again["command"] == record["command"]
    search = {"beams": SEARCH[0], "length_penalty": SEARCH[1]}
    assert record["parameters"] == {"recipe": "grammar", "seed": 3} | search
    assert record["seconds"] >= 0 and record["hardware"]["device"] == "cpu"
    assert record["corpus"]["validation"] == split_hash(CORPUS.validation)


def test_the_search_is_that_of_the_recipe_asked_for(folders, tmp_path, capsys):
    record = chosen(folders[:1], tmp_path / "r.json", "--recipe", "multi30k")
    recipe = RECIPES["multi30k"]
    assert record["parameters"]["beams"] == recipe.beams != SEARCH[0]
    model = load_weights(folders[0] / "model.safetensors")
    expected = bleu(model, 5, recipe.length_penalty)
    assert record["runs"][0]["validation"]["bleu"] == pytest.approx(expected)
    assert f"as chosen: BLEU {expected:.2f}, loss" in capsys.readouterr().out


def of(**changes):
    """A record with some settings and sizes."""
    settings = {"steps": 9, "seed": 3, "checkpoint_every": 5}
    found = {"corpus": "x", "seed": 3, "settings": settings}
    found |= {"config": {"dropout": 0.1, "norm": "pre"}}
    for name, value in changes.items():
        parts = [part for part in (settings, found["config"]) if name in part]
        (parts or [found])[0][name] = value
    return copy.deepcopy(found)


@pytest.mark.parametrize(
    "runs, message",
    [
        ([of(), of()], "differs in nothing from run 1; expected a run with a setting"),
        ([of(), of(checkpoint_every=2)], "Run 2 differs in nothing from run 1"),
        ([of(), of(steps=8), of(steps=8)], "Run 3 differs in nothing from run 2"),
        (
            [of(), of(steps=8) | {"seed": 4}],
            "has seed 4, the first 3. Choices are compared",
        ),
        ([of(), of() | {"corpus": "y"}], "Run 2 has corpus 'y', the first 'x'"),
    ],
)
def test_runs_that_cannot_be_compared(runs, message):
    with pytest.raises(data.DataError) as caught:
        choices.changes_from_first(runs)
    assert message in str(caught.value)


def test_a_setting_that_came_later_had_its_default():
    later = of(seed=3)
    later["settings"] |= {"bidirectional": 4}
    assert choices.changes_from_first([later, of()]) == [{}, {"bidirectional": 0}]
    assert choices.changes_from_first([of(), later]) == [{}, {"bidirectional": 4}]


@pytest.mark.parametrize(
    "change, name",
    [
        ({}, "as chosen"),
        ({"dropout": 0.2}, "dropout 0.2"),
        ({"dropout": 0.0}, "no dropout"),
        ({"clip": None, "warmup": 2_000}, "no clip, warmup 2,000"),
        ({"d_model": 256, "validate_every": 100}, "d_model 256"),
        ({"steps": 8_000, "cooldown": 4_000}, "8,000 steps, cooldown 4,000"),
        ({"validate_every": 100}, "validate every 100"),
        ({"share": "none"}, "three matrices"),
        ({"bidirectional": 0}, "one direction"),
    ],
)
def test_a_change_in_words(change, name):
    assert choices.change_name(change) == name


@pytest.mark.parametrize(
    "name, message",
    [
        ("record.json", "has come to its end: record.json cannot be used"),
        ("vocabulary.json", "vocabulary.json cannot be used"),
        ("best.safetensors", "There is no file"),
        ("snapshot-170.safetensors", "There is no file"),
    ],
)
def test_a_file_that_is_missing_is_one_line_before_anything_is_translated(
    folders, tmp_path, capsys, name, message
):
    run = shutil.copytree(folders[0], tmp_path / "run")
    (run / name).unlink()
    refused(["--run", str(run), "--out", str(tmp_path / "r.json")], capsys, message)
    assert [path.name for path in tmp_path.iterdir()] == ["run"]


@pytest.mark.parametrize("key", ["hardware", "averaged", "validation"])
def test_a_record_that_lacks_something(folders, tmp_path, capsys, key):
    record = training(folders[0])
    del record[key]
    (tmp_path / "record.json").write_text(json.dumps(record), "utf-8")
    options = ["--run", str(tmp_path), "--out", str(tmp_path / "r.json")]
    refused(options, capsys, f"record.json cannot be used (KeyError: '{key}')")


def test_the_same_folder_twice_or_no_place_for_the_record(folders, tmp_path, capsys):
    twice = ["--run", *map(str, folders[:1] * 2), "--out", str(tmp_path / "r.json")]
    refused(twice, capsys, "Run 2 differs in nothing from run 1")
    nowhere = ["--run", str(folders[0]), "--out", "nowhere/r.json"]
    refused(nowhere, capsys, "nowhere is not a folder; --out needs one that exists")


def refused(options, capsys, message):
    with pytest.raises(SystemExit) as left:
        choices.main(options)
    said = capsys.readouterr()
    assert (
        left.value.code == 2 and message in said.err.splitlines()[-1] and not said.out
    )
