"""A run that has come to its end: what its folder holds, and the commands that score it."""

from pathlib import Path

import torch

from transformer_book.data.errors import DataError
from transformer_book.expect import expect_integer
from transformer_book.nn import Transformer, load_weights
from transformer_book.options import ConfigError

from .. import experiment, records
from .json_files import read_json
from .recipes import RECIPES

REQUIRED_RECORD_KEYS = (
    "command",
    "recipe",
    "corpus",
    "seed",
    "settings",
    "config",
    "hardware",
    "tokens",
    "seconds",
    "averaged",
    "validation",
)


def read_run_record(folder) -> dict:
    """Return the record of a run.

    Parameters
    ----------
    folder : path-like
        That ``python -m transformer_lab train --out`` wrote.

    Returns
    -------
    dict
        With all of ``REQUIRED_RECORD_KEYS``.

    Raises
    ------
    StorageError
        If there is none, or it is damaged.
    """
    return _read_run_file(folder, "record.json", *REQUIRED_RECORD_KEYS)


def load_run_model(folder, weights_file: str, corpus, device="cpu") -> Transformer:
    """Return the model of a run, if it was trained on the vocabularies of this corpus.

    Parameters
    ----------
    folder : path-like
    weights_file : str
        A file of the folder, such as ``"best.safetensors"``.
    corpus : ParallelCorpus
    device : "cpu" or "cuda"

    Returns
    -------
    Transformer
        In evaluation mode.

    Raises
    ------
    DataError
        If it was trained with other vocabularies.
    StorageError
        If a file is missing or damaged.
    """
    model = load_weights(Path(folder, weights_file)).to(device)
    vocabulary = _read_run_file(folder, "vocabulary.json", "source", "target")
    for side in ("source", "target"):
        model_words, corpus_words = (
            vocabulary[side],
            [*getattr(corpus, f"{side}_vocabulary")],
        )
        size = getattr(model.config, f"{side}_words")
        if model_words != corpus_words or size != len(corpus_words):
            raise DataError(
                f"The model of {folder} was trained with another vocabulary than the {side} words of "
                f"{corpus.name}: {size:,} tokens, expected {len(corpus_words):,}, and these. Score it "
                "on the files that it was trained with."
            )
    return model


def add_scoring_options(parser):
    """Add the options that every command has which scores runs."""
    add = parser.add_argument
    add(
        "--out", required=True, type=Path, metavar="FILE", help="the JSON file to write"
    )
    add(
        "--recipe",
        choices=list(RECIPES),
        help="whose search is used; default: that of the run",
    )
    add("--device", choices=("cpu", "cuda"), help="default: cuda if there is one")
    add("--threads", type=int, help="default: torch's choice")


def run_command(parser, argv: list[str] | None, action) -> None:
    """Parse a command line and run it; where that fails, one line on stderr and a status.

    Parameters
    ----------
    parser : argparse.ArgumentParser
        With the options of ``add_scoring_options``.
    argv : list of str or None
    action : callable
        Takes the parser and the options that it parsed.
    """
    args = experiment.parse_args_with_out_file(parser, argv)
    gpu = torch.cuda.is_available()
    args.device = args.device or ("cuda" if gpu else "cpu")
    if args.device == "cuda" and not gpu:
        parser.error("--device is cuda, but torch finds no GPU here; expected cpu")
    try:
        if args.threads is not None:
            who, remedy = parser.prog, "Without --threads torch chooses."
            expect_integer(ConfigError, who, "--threads", args.threads, remedy=remedy)
            torch.set_num_threads(args.threads)
        action(parser, args)
    except ValueError as error:  # an error of this package: a file, data, a setting
        parser.exit(2, f"{parser.prog}: error: {error}\n")


def environment(device: str) -> dict:
    """Return what ``records.environment`` does, and on what device the scores were computed."""
    facts = records.environment("torch", "numpy", "sacrebleu")
    name = torch.cuda.get_device_name() if device == "cuda" else "cpu"
    facts["hardware"] |= {"device": name, "threads": torch.get_num_threads()}
    return facts


def _read_run_file(folder, file_name: str, *keys) -> dict:
    promise = "run that has come to its end"
    remedy = "Give the folder that python -m transformer_lab train --out wrote."
    return read_json(folder, file_name, keys, promise, remedy)
