import json
import shlex
import subprocess
import sys
from dataclasses import dataclass, fields
from importlib.metadata import version

import pytest
import torch

from tests.processes import Process, torchrun
from tests.train import cases
from transformer_book import data
from transformer_book.config import ConfigError, TransformerConfig
from transformer_book.nn import load_weights
from transformer_book.options import command_line_options, document_settings, integer
from transformer_book.train import Settings, loop, train, translator
from transformer_lab.book_models.grammar_translator import BOOK_CHOICES, SETTINGS
from transformer_lab.translator import curriculum
from transformer_lab.translator.recipes import RECIPES
from transformer_lab.translator.run_settings import RunSettings
from transformer_lab.translator.training_run import (
    argument_parser,
    main,
    model_choices,
    option_values,
)

SMALL = "--corpus letters --d-model 16 --d-ff 32 --heads 2 --layers 1 --dropout 0.1 --threads 1"
JOINT = "--corpus subworded --share all --norm pre"
SHORT = "--steps 6 --tokens 100 --validate-every 3 --checkpoint-every 3 --warmup 3 --cooldown 0"


@pytest.fixture(autouse=True)
def letters(monkeypatch):
    """Training needs a registered corpus."""
    monkeypatch.setitem(data.PARALLEL_CORPUS_LOADERS, "letters", cases.copying)
    monkeypatch.setitem(data.PARALLEL_CORPUS_LOADERS, "subworded", cases.subworded)


def command(folder, *words):
    main(["--out", str(folder), *shlex.split(" ".join((SMALL, SHORT, *words)))])


def test_help_names_the_corpora_the_presets_and_the_defaults():
    done = subprocess.run(
        [sys.executable, "-m", "transformer_lab", "train", "--help"],
        capture_output=True,
        text=True,
        encoding="utf-8",
    )
    assert done.returncode == 0, done.stderr
    for word in (
        "grammar",
        "tiny,base,big",
        "--resume",
        f"default: {SETTINGS.steps} in",
        "torchrun",
    ):
        assert word in done.stdout


def test_without_options_it_is_the_run_of_the_book():
    given = option_values(argument_parser().parse_args(["--out", "x"]))
    assert {name: given.get(name) for name in SETTINGS.as_dict()} == SETTINGS.as_dict()
    assert given["corpus"] == "grammar" and model_choices(given) == BOOK_CHOICES


@pytest.mark.parametrize("name", RECIPES)
def test_a_recipe_gives_every_value_and_each_option_counts_more(name):
    recipe, words = RECIPES[name], ["--recipe", name, "--out", "x"]
    given = option_values(argument_parser().parse_args(words))
    assert given["corpus"] == recipe.corpus in data.PARALLEL_CORPUS_LOADERS
    assert RunSettings(
        **{key: given[key] for key in given if key in command_line_options(RunSettings)}
    ) == (recipe.settings)
    assert model_choices(given) == recipe.sizes
    changes = {
        "--layers": 1,
        "--d-ff": 8,
        "--steps": 3,
        "--snapshots": 0,
        "--clip": 0.5,
    }
    changes |= {
        "--dropout": 0.0,
        "--smoothing": 0.0,
        "--seed": 4,
        "--precision": "bf16",
    }
    changed = [word for pair in changes.items() for word in map(str, pair)]
    other = option_values(argument_parser().parse_args([*words, *changed]))
    for option, value in changes.items():
        assert other.pop(option[2:].replace("-", "_")) == value
    assert other.items() <= given.items()


def test_a_setting_is_declared_once_and_is_option_check_and_documentation():
    @document_settings
    @dataclass(frozen=True)
    class WithPatience(RunSettings):
        """More settings."""

        patience: int = integer("validations to wait for a better one", 7, least=2)

    parser = argument_parser(WithPatience)
    given = parser.parse_args(["--out", "x", "--patience", "3"])
    assert given.patience == 3
    text = " ".join(parser.format_help().split())
    assert "validations to wait for a better one; default: 7" in text
    assert "patience : int\n    Validations to wait for" in WithPatience.__doc__
    with pytest.raises(ConfigError, match="patience is 1; expected .* at least 2"):
        WithPatience(patience=1)
    for record in (RunSettings, TransformerConfig):
        for field in fields(record):
            assert f"{field.name} : " in record.__doc__


def test_the_folder_has_all_that_the_run_was(tmp_path, capsys):
    command(tmp_path, "--seed 3")
    corpus = cases.copying()
    expected = translator(corpus, 3, d_model=16, d_ff=32, h=2, N=1, dropout=0.1)
    settings = Settings(
        steps=6,
        tokens=100,
        validate_every=3,
        warmup=3,
        factor=SETTINGS.factor,
        clip=SETTINGS.clip,
        seed=3,
        smoothing=SETTINGS.smoothing,
    )
    history = train(expected, corpus, settings)
    weights = load_weights(tmp_path / "model.safetensors")
    for a, b in zip(weights.parameters(), expected.parameters(), strict=True):
        assert torch.equal(a, b)
    words = json.loads((tmp_path / "vocabulary.json").read_text("utf-8"))
    assert words["source"] == list(corpus.source_vocabulary)
    assert words["target"] == list(corpus.target_vocabulary)
    record = json.loads((tmp_path / "record.json").read_text("utf-8"))
    assert record["tokens"] == history.tokens and record["seed"] == 3
    assert record["config"] == weights.config.as_dict()
    assert [loss for _, loss in record["losses"]] == pytest.approx(
        history.losses, abs=1e-5
    )
    assert [step for step, _ in record["validation"]] == [3, 6]
    assert record["versions"]["torch"] == version("torch")
    assert record["hardware"]["threads"] == 1 and record["hardware"]["processes"] == 1
    said = capsys.readouterr()
    assert said.out.count("validation") == 2 and said.err == ""


def test_the_recorded_command_repeats_the_run(tmp_path):
    command(tmp_path / "a")
    record = json.loads((tmp_path / "a" / "record.json").read_text("utf-8"))
    words = shlex.split(record["command"])
    assert words[:4] == ["python", "-m", "transformer_lab", "train"]
    words[words.index("--out") + 1] = str(tmp_path / "b")
    main(words[4:])
    again = json.loads((tmp_path / "b" / "record.json").read_text("utf-8"))
    assert again["losses"] == record["losses"] and again["command"] == record["command"]


@pytest.mark.parametrize(
    "words", ["", f"{JOINT} --snapshots 2", f"{JOINT} --precision bf16"]
)
def test_resume_goes_on_to_the_same_weights(tmp_path, monkeypatch, capsys, words):
    command(tmp_path / "whole", words)

    def interrupted(*args, true=loop.take_training_step):
        if args[-1] == 5:
            raise KeyboardInterrupt
        return true(*args)

    with monkeypatch.context() as patch, pytest.raises(SystemExit) as left:
        patch.setattr(loop, "take_training_step", interrupted)
        command(tmp_path / "parts", words)
    assert left.value.code == 130 and "--resume goes on from" in capsys.readouterr().err
    command(tmp_path / "parts", words, "--resume")
    files = [tmp_path / name / "model.safetensors" for name in ("whole", "parts")]
    assert files[0].read_bytes() == files[1].read_bytes()


WORKER = """
from tests.train import cases
from transformer_book import data
from transformer_lab.__main__ import main
data.PARALLEL_CORPUS_LOADERS |= {"letters": cases.copying, "subworded": cases.subworded}
main()
"""


def test_under_torchrun_the_folder_is_that_of_one_process(tmp_path):
    words = f"{SMALL} {SHORT} {JOINT} --snapshots 2 --dropout 0 --device cpu"
    main(["--out", str(tmp_path / "one"), *shlex.split(words)])
    (tmp_path / "worker.py").write_text(WORKER, "utf-8")
    two = ("train", "--out", tmp_path / "two", *shlex.split(words))
    done = Process(tmp_path / "said", torchrun, tmp_path / "worker.py", *two)
    assert done.ended() == 0, done.err
    one, two = (tmp_path / name for name in ("one", "two"))
    assert {path.name for path in one.iterdir()} == {
        path.name for path in two.iterdir()
    }
    models = [load_weights(path / "model.safetensors") for path in (one, two)]
    for a, b in zip(*(model.parameters() for model in models), strict=True):
        torch.testing.assert_close(a, b, rtol=1e-3, atol=1e-4)
    record = json.loads((two / "record.json").read_text("utf-8"))
    start = "torchrun --nproc-per-node=2 -m transformer_lab train --recipe grammar"
    assert record["command"].startswith(start) and record["averaged"] == [3, 6]
    assert record["hardware"]["processes"] == 2


def test_one_vocabulary_of_subwords_is_learned_with_all_embeddings_shared(tmp_path):
    command(tmp_path, JOINT)
    config = load_weights(tmp_path / "model.safetensors").config
    words = json.loads((tmp_path / "vocabulary.json").read_text("utf-8"))
    assert config.share == "all" and config.source_words == config.target_words
    assert words["source"] == words["target"] == [*cases.subworded().source_vocabulary]


def test_what_was_translated_back_is_recorded(tmp_path, monkeypatch):
    def found(model, pairs, beams):
        return [
            [source, [], source[::-1]][i % 3] for i, (source, _) in enumerate(pairs)
        ]

    monkeypatch.setattr(curriculum, "back_translations", found)
    command(tmp_path, f"{JOINT} --bidirectional 2 --back-beams 2")
    said = json.loads((tmp_path / "record.json").read_text("utf-8"))[
        "back_translations"
    ]
    corpus = cases.subworded()
    kinds = [i % 3 for i in range(len(corpus.train))]
    assert (said["same"], said["pairs"]) == (kinds.count(0), kinds.count(2))
    for i, ((source, target), texts) in enumerate(zip(corpus.train, said["sentences"])):
        back = [source, [], source[::-1]][i % 3]
        words = [corpus.join_tokens(some) for some in (source, target, back)]
        assert [texts[name].split() for name in ("source", "target", "found")] == words
    command(tmp_path / "none", JOINT)
    record = json.loads((tmp_path / "none/record.json").read_text("utf-8"))
    assert record["back_translations"] is None


def test_a_preset_is_the_papers_and_the_books_model_is_the_default(
    monkeypatch, tmp_path
):
    made = []
    monkeypatch.setattr(
        "transformer_lab.translator.training_run.train",
        lambda m, *_, **__: made.append(m),
    )
    monkeypatch.setattr(
        "transformer_lab.translator.training_run.save_run", lambda *_: None
    )
    monkeypatch.setattr(
        "transformer_lab.translator.training_run._run_record", lambda *_: None
    )
    for words in (
        [],
        ["--preset", "tiny"],
        ["--preset", "base", "--layers", "1", "--norm", "pre"],
    ):
        main(["--corpus", "letters", "--out", str(tmp_path), *words])
    book, tiny, base = (model.config for model in made)
    assert (book.N, book.d_model) == (BOOK_CHOICES["N"], 128) and book.share == "target"
    assert (tiny.N, tiny.d_model) == (4, 128)
    assert (base.N, base.d_model, base.d_ff, base.norm) == (1, 512, 2048, "pre")
