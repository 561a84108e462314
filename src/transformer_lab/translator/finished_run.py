"""A run that has come to its end: what its folder holds, and the commands that score it."""

from pathlib import Path

import torch

from transformer_book.data.errors import DataError
from transformer_book.expect import expect_integer
from transformer_book.nn import load_weights
from transformer_book.options import ConfigError

from .. import records
from .json_files import read_json
from .recipes import RECIPES

KEYS = (
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


def record_of(folder):
    """Return the record of a run.

    Parameters
    ----------
    folder : path-like
        That ``python -m transformer_lab train --out`` wrote.

    Returns
    -------
    dict
        With all of ``KEYS``.

    Raises
    ------
    StorageError
        If there is none, or it is not whole.
    """
    return _read(folder, "record.json", *KEYS)


def model_of(folder, weights, corpus, device="cpu"):
    """Return the model of a run, if it was made for this corpus.

    Parameters
    ----------
    folder : path-like
    weights : str
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
        If it was made for other vocabularies.
    StorageError
        If a file is missing, or not whole.
    """
    model = load_weights(Path(folder, weights)).to(device)
    stored = _read(folder, "vocabulary.json", "source", "target")
    for side in ("source", "target"):
        theirs, ours = stored[side], [*getattr(corpus, f"{side}_vocabulary")]
        size = getattr(model.config, f"{side}_words")
        if theirs != ours or size != len(ours):
            raise DataError(
                f"The model of {folder} was made for another vocabulary than the {side} words of "
                f"{corpus.name}: {size:,} tokens, expected {len(ours):,}, and these. Score it "
                "on the files that it was trained with."
            )
    return model


def add_options(parser):
    """Add the options that every command has which scores runs."""
    add = parser.add_argument
    add(
        "--out", required=True, type=Path, metavar="FILE", help="the JSON file to write"
    )
    add(
        "--recipe",
        choices=list(RECIPES),
        help="whose search is used; default: the run's own",
    )
    add("--device", choices=("cpu", "cuda"), help="default: cuda if there is one")
    add("--threads", type=int, help="default: torch's choice")


def run_command(parser, argv, run):
    """Parse a command line and run it; where that fails, one line on stderr and a status.

    Parameters
    ----------
    parser : argparse.ArgumentParser
        With the options of ``add_options``.
    argv : list of str or None
    run : callable
        Takes the parser and what it parsed.
    """
    given = parser.parse_args(argv)
    if (
        not given.out.parent.is_dir()
    ):  # found out now, not after the minutes of translating
        parser.error(f"{given.out.parent} is not a folder; --out needs one that exists")
    gpu = torch.cuda.is_available()
    given.device = given.device or ("cuda" if gpu else "cpu")
    if given.device == "cuda" and not gpu:
        parser.error("--device is cuda, but torch finds no GPU here; expected cpu")
    try:
        if given.threads is not None:
            who, remedy = parser.prog, "Without --threads torch chooses."
            expect_integer(ConfigError, who, "--threads", given.threads, remedy=remedy)
            torch.set_num_threads(given.threads)
        run(parser, given)
    except ValueError as error:  # the package's own: a file, data, a setting
        parser.exit(2, f"{parser.prog}: error: {error}\n")


def environment(device):
    """Return what ``records.environment`` does, and on what device the scores were computed."""
    around = records.environment("torch", "numpy", "sacrebleu")
    name = torch.cuda.get_device_name() if device == "cuda" else "cpu"
    around["hardware"] |= {"device": name, "threads": torch.get_num_threads()}
    return around


def _read(folder, name, *keys):
    promise = "run that has come to its end"
    remedy = "Give the folder that python -m transformer_lab train --out wrote."
    return read_json(folder, name, keys, promise, remedy)
