"""What the commands have in common that train models and record them."""

import argparse
import json
from pathlib import Path

import pytest

from transformer_lab import experiment
from transformer_lab.__main__ import COMMANDS, import_command_module

# They train no model, or keep it in a folder, and say so in their own words.
OTHERS = {"train", "evaluate", "ship", "choices"}
NEEDED = {"word-vectors": ["--corpus", "wikipedia-sample"]}


@pytest.mark.parametrize("name", sorted({*COMMANDS} - OTHERS))
def test_a_folder_that_is_not_there_is_found_out_before_the_training(name, capsys):
    with pytest.raises(SystemExit):
        import_command_module(name).main(
            ["--out", "nowhere/made.json", *NEEDED.get(name, ())]
        )
    assert "nowhere is not a folder" in capsys.readouterr().err


@pytest.fixture
def parser():
    return experiment.experiment_parser(
        "cook", "Cook.", hours=([1, 2], "each"), salt=(0.5, "g")
    )


def test_the_record_has_the_command_that_repeats_it(parser, tmp_path):
    out = tmp_path / "made.json"
    words = ["--out", str(out), "--hours", "3", "4", "--seed", "5", "--seeds", "2"]
    experiment.run_experiment(
        parser, words, lambda given: {"seeds": [*experiment.seeds_of(given)]}
    )
    made = json.loads(out.read_text("utf-8"))
    assert made["seeds"] == [5, 6]
    assert made["parameters"] == {
        "hours": [3, 4],
        "salt": 0.5,
        "seed": 5,
        "seeds": 2,
        "threads": 1,
    }
    program, _, options = made["command"].partition(" cook ")
    assert program == "python -m transformer_lab"
    again = vars(parser.parse_args(options.split()))
    assert made["parameters"].items() <= again.items()


def test_a_bad_value_is_one_line_and_writes_nothing(parser, tmp_path, capsys):
    def burn(given):
        raise ValueError("too hot")

    with pytest.raises(SystemExit):
        experiment.run_experiment(parser, ["--out", str(tmp_path / "made.json")], burn)
    assert capsys.readouterr().err.endswith("error: too hot\n")
    assert not [*tmp_path.iterdir()]


def test_a_record_may_say_its_parameters_seconds_and_packages_itself(tmp_path):
    parser = argparse.ArgumentParser(prog="python -m transformer_lab bake")
    parser.add_argument("--out", type=Path)  # and no --threads
    out = tmp_path / "bread.json"
    own = {"parameters": {"workers": 1}, "seconds": 2.5, "runs": []}
    experiment.run_experiment(
        parser, ["--out", str(out)], lambda given: own, packages=["scipy"]
    )
    record = json.loads(out.read_text("utf-8"))
    assert own.items() <= record.items()
    assert record["versions"].keys() == {"python", "scipy"}
