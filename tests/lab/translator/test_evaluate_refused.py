"""A run that is spoiled, or an option that is bad, is one line, and nothing is written."""

import json
import shlex

import pytest
import torch

from tests.lab.translator import test_evaluate
from transformer_book.nn import Transformer, load_weights, save_weights
from transformer_lab.translator import evaluate

registered, folder = test_evaluate.registered, test_evaluate.folder


def without_record(folder):
    (folder / "record.json").unlink()


def damaged_record(folder):
    (folder / "record.json").write_text('{"recipe": ', "utf-8")


def record_of_something_else(folder):
    (folder / "record.json").write_text('{"command": "python"}', "utf-8")


def without_words(folder):
    (folder / "vocabulary.json").unlink()


def other_words(folder):
    stored = json.loads((folder / "vocabulary.json").read_text("utf-8"))
    stored["target"][5:7] = reversed(stored["target"][5:7])
    (folder / "vocabulary.json").write_text(json.dumps(stored), "utf-8")


def another_model(folder):
    config = load_weights(folder / "model.safetensors").config
    words = {"source_words": 9, "target_words": 9}
    save_weights(folder / "model.safetensors", Transformer(config.changed(**words)))


def without_weights(folder):
    (folder / "model.safetensors").unlink()


@pytest.mark.parametrize(
    "spoil, message",
    [
        (without_record, "has come to its end: record.json cannot be used"),
        (damaged_record, "record.json cannot be used (JSONDecodeError"),
        (record_of_something_else, "record.json cannot be used (KeyError: 'recipe')"),
        (without_words, "vocabulary.json cannot be used"),
        (other_words, "with another vocabulary than the target words of subworded"),
        (another_model, "than the source words of subworded: 9 tokens, expected 2"),
        (without_weights, "There is no file"),
    ],
)
def test_a_spoiled_run_is_one_line_and_nothing_is_written(
    folder, tmp_path, capsys, spoil, message
):
    run = tmp_path / "run"
    run.mkdir()
    for name in ("model.safetensors", "vocabulary.json", "record.json"):
        (run / name).write_bytes((folder / name).read_bytes())
    spoil(run)
    refused(["--run", str(run), "--out", str(tmp_path / "r.json")], capsys, message)
    assert [path.name for path in tmp_path.iterdir()] == ["run"]


@pytest.mark.parametrize(
    "words, message",
    [
        ("--beams 0", "beams is 0; expected a whole number of at least 1"),
        ("--length-penalty -1", "length_penalty is -1.0; expected a finite number"),
        ("--threads 0", "--threads is 0; expected a whole number"),
        ("--weights mine.safetensors", "There is no file"),
        ("--split train", "invalid choice: 'train'"),
        ("--attention 0", "--attention is 0; expected the number of a test sentence"),
        ("--attention 25", "number of a test sentence of subworded, 1 to 24."),
        ("--out nowhere/r.json", "is not a folder; --out needs one that exists"),
        ("--device cuda", "torch finds no GPU"),
    ],
)
def test_a_bad_option_is_one_line(
    folder, tmp_path, capsys, monkeypatch, words, message
):
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    options = ["--run", str(folder), "--out", str(tmp_path / "r.json")]
    refused([*options, *shlex.split(words)], capsys, message)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("missing", ["--run", "--out"])
def test_the_run_and_the_file_to_write_must_be_named(folder, tmp_path, capsys, missing):
    options = {"--run": str(folder), "--out": str(tmp_path / "r.json")}
    del options[missing]
    words = [word for option in options.items() for word in option]
    refused(words, capsys, f"the following arguments are required: {missing}")


def refused(options, capsys, message):
    with pytest.raises(SystemExit) as left:
        evaluate.main(options)
    said = capsys.readouterr().err.splitlines()
    assert left.value.code == 2 and message in said[-1] and "error:" in said[-1]
    assert len([line for line in said if not line.startswith(("usage:", " "))]) == 1
