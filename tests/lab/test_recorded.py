"""What the commands have in common that train models and record them."""

import json
from importlib import import_module

import pytest

from transformer_lab import recorded

COMMANDS = [
    "efficient_training",
    "experts",
    "families",
    "norms",
    "positions",
    "scaling_laws",
    "shared_heads",
]


@pytest.mark.parametrize("name", COMMANDS)
def test_a_folder_that_is_not_there_is_found_out_before_the_training(name, capsys):
    with pytest.raises(SystemExit):
        import_module(f"transformer_lab.{name}").main(["--out", "nowhere/made.json"])
    assert "nowhere is not a folder" in capsys.readouterr().err


@pytest.fixture
def parser():
    return recorded.parser_of("cook", "Cook.", hours=([1, 2], "each"), salt=(0.5, "g"))


def test_the_record_has_the_command_that_repeats_it(parser, tmp_path):
    out = tmp_path / "made.json"
    words = ["--out", str(out), "--hours", "3", "4", "--seed", "5", "--seeds", "2"]
    recorded.run(parser, words, lambda given: {"seeds": [*recorded.seeds(given)]})
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
        recorded.run(parser, ["--out", str(tmp_path / "made.json")], burn)
    assert capsys.readouterr().err.endswith("error: too hot\n")
    assert not [*tmp_path.iterdir()]
