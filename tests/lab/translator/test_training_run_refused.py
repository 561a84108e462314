"""A run of bad input or without an end is one line, and a finished one is not overwritten."""

import pytest
import torch

from tests.lab.translator import test_training_run
from tests.lab.translator.test_training_run import command
from transformer_book.train import loop

letters = test_training_run.letters


@pytest.mark.parametrize(
    "words, message",
    [
        ("--corpus nowhere", "invalid choice: 'nowhere' (choose from"),
        ("--d-model 15", "d_model is 15; expected an even multiple of h"),
        ("--steps 0", "steps is 0; expected a whole number of at least 1"),
        ("--smoothing 2", "smoothing is 2.0; expected a share"),
        ("--threads 0", "--threads is 0; expected a whole number of at least 1"),
        ("--tokens 3", "expected at most max_tokens=3"),
        ("--resume", "no checkpoint"),
        ("--max-length 4", "expected at most 4"),
        ("--device cuda", "torch finds no GPU"),
        ("--share all --layers 1 --heads 0", "h is 0; expected a whole number"),
    ],
)
def test_bad_input_is_one_line_and_status_2(
    tmp_path, capsys, monkeypatch, words, message
):
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    with pytest.raises(SystemExit) as left:
        command(tmp_path, words)
    assert left.value.code == 2
    said = capsys.readouterr().err.splitlines()
    assert message in said[-1] and "error:" in said[-1]
    assert len([line for line in said if not line.startswith(("usage:", " "))]) == 1


def test_a_loss_that_is_not_finite_is_one_line_and_status_1(
    tmp_path, capsys, monkeypatch
):
    monkeypatch.setattr(loop, "output_loss", lambda x, *_: x.sum() * torch.nan)
    with pytest.raises(SystemExit) as left:
        command(tmp_path)
    said = capsys.readouterr().err
    assert left.value.code == 1
    assert (
        said.count("\n") == 1 and "the loss of step 1 is nan, at learning rate" in said
    )


def test_a_finished_run_is_not_overwritten(tmp_path, capsys):
    command(tmp_path)
    with pytest.raises(SystemExit) as left:
        command(tmp_path)
    assert left.value.code == 2
    assert "holds the checkpoint of a run. Resume it" in capsys.readouterr().err
