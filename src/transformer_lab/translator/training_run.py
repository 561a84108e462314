"""Train a translator and keep it in a folder: ``python -m transformer_lab train --help``."""

import argparse
import json
from pathlib import Path

import torch
from tqdm import tqdm

from transformer_book import data, storage
from transformer_book.config import TransformerConfig
from transformer_book.expect import expect_integer
from transformer_book.nn import save_weights
from transformer_book.options import ConfigError, options
from transformer_book.train import distributed
from transformer_book.train.averaging import average, snapshots
from transformer_book.train.loop import train
from transformer_book.train.translator import PRESETS, translator

from .. import records
from .curriculum import synthetic_pairs
from .recipes import RECIPES
from .run_settings import RunSettings

SIZES = ("d_model", "d_ff", "h", "N", "dropout", "norm", "share", "max_length")
MODEL = options(TransformerConfig, SIZES)  # by the option's name
EXAMPLES = 20  # of sentences translated back


def arguments(settings=RunSettings):
    """Return the parser of this command, with an option for each of the settings."""
    parser = argparse.ArgumentParser(
        prog="python -m transformer_lab train",
        description="Train a translator. Without further options this is the run of the book; "
        "a recipe is another, and what is given counts more than what the recipe says. The folder "
        "gets model.safetensors, best.safetensors, vocabulary.json, record.json, and the "
        "checkpoint from which --resume goes on. Under torchrun, processes share each batch.",
    )
    add = parser.add_argument
    add(
        "--recipe",
        default="grammar",
        choices=list(RECIPES),
        help="a run; default: grammar",
    )
    add(
        "--corpus",
        choices=list(data.PARALLEL),
        help="what to learn; default: the recipe's",
    )
    add(
        "--out",
        required=True,
        type=Path,
        metavar="FOLDER",
        help="where the run is kept",
    )
    add("--resume", action="store_true", help="go on from the checkpoint in the folder")
    add("--device", choices=("cpu", "cuda"), help="default: cuda if there is one")
    add("--threads", type=int, help="of each process; default: torch's choice")
    model = parser.add_argument_group(
        "model", "With --preset, what is not given is the preset's, not the recipe's."
    )
    presets = {name: recipe.sizes["preset"] for name, recipe in RECIPES.items()}
    told = "sizes to start from" + _default(presets)
    model.add_argument("--preset", choices=list(PRESETS), help=told)
    for name, one in MODEL.items():
        values = {key: recipe.sizes.get(one.name) for key, recipe in RECIPES.items()}
        _add_option(model, name, one, values)
    group = parser.add_argument_group("settings")
    for name, one in options(settings).items():
        values = {
            key: getattr(recipe.settings, one.name, one.default)
            for key, recipe in RECIPES.items()
        }
        _add_option(group, name, one, values)
    return parser


def chosen(given):
    """Return the value of every option: what was given, else the recipe's.

    Parameters
    ----------
    given : argparse.Namespace
        With None for what was not given.

    Returns
    -------
    dict
        Without what neither has.
    """
    recipe, values = RECIPES[given.recipe], vars(given)
    sizes = {name: recipe.sizes.get(one.name) for name, one in MODEL.items()}
    sizes |= {"preset": recipe.sizes["preset"]}
    sizes = sizes if given.preset is None else {}
    own = {"corpus": recipe.corpus, **sizes, **recipe.settings.as_dict()}
    merged = values | {
        name: value for name, value in own.items() if values[name] is None
    }
    return {name: value for name, value in merged.items() if value is not None}


def sizes_of(values):
    """Return what ``translator`` takes, of the values of all options."""
    sizes = {one.name: values[name] for name, one in MODEL.items() if name in values}
    return {"preset": values["preset"]} | sizes


def main(argv=None):
    """Train, and write what came of it; where that fails, one line on stderr and a status."""
    parser = arguments()
    given = parser.parse_args(argv)
    gpu = torch.cuda.is_available()
    given.device = given.device or ("cuda" if gpu else "cpu")
    if given.device == "cuda" and not gpu:
        parser.error("--device is cuda, but torch finds no GPU here; expected cpu")
    try:
        with distributed.process_group(given.device):
            _run(parser, given)
    except ValueError as error:  # the package's own: a setting, data, a file, a shape
        parser.exit(2, f"{parser.prog}: error: {error}\n")
    except (FloatingPointError, distributed.WorkerError) as error:
        parser.exit(1, f"{parser.prog}: error: {error}\n")
    except KeyboardInterrupt:
        parser.exit(
            130, f"{parser.prog}: stopped; --resume goes on from the last checkpoint.\n"
        )


def _run(parser, given):
    if given.threads is not None:
        who, remedy = parser.prog, "Without --threads torch chooses."
        expect_integer(ConfigError, who, "--threads", given.threads, remedy=remedy)
        torch.set_num_threads(given.threads)
    values = chosen(given)
    known = options(RunSettings)
    settings = RunSettings(**{name: values[name] for name in values if name in known})
    corpus = data.load_parallel(values["corpus"])
    model = translator(corpus, settings.seed, **sizes_of(values)).to(given.device)
    first = distributed.rank() == 0
    history = train(
        model,
        corpus,
        settings,
        given.out,
        resume=given.resume,
        report=(lambda history: tqdm.write(str(history))) if first else None,
    )
    if first:
        last = snapshots(given.out, history, settings.snapshots)
        model = average(last.values()) if last else model
        record = _record(parser, values, model, corpus, history, last)
        keep(given.out, model, corpus, record)


def keep(folder, model, corpus, record):
    """Write the weights, the words that the ids stand for, and how the run went.

    Parameters
    ----------
    folder : path-like
    model : Transformer
    corpus : ParallelCorpus
    record : dict

    Raises
    ------
    StorageError
        If a file cannot be written.
    """
    words = {
        "source": [*corpus.source_vocabulary],
        "target": [*corpus.target_vocabulary],
    }
    save_weights(Path(folder, "model.safetensors"), model)
    for name, content in (("vocabulary", words), ("record", record)):
        text = json.dumps(content, indent=1, ensure_ascii=False, allow_nan=False)
        storage.write(Path(folder, f"{name}.json"), f"{text}\n".encode())


def _record(parser, values, model, corpus, history, averaged):
    repeated = {name: value for name, value in values.items() if name != "resume"}
    command = records.command(parser, argparse.Namespace(**repeated))
    if distributed.world_size() > 1:
        start = f"torchrun --nproc-per-node={distributed.world_size()}"
        command = command.replace("python", start, 1)
    around = records.environment("torch", "numpy")
    around["hardware"] |= {
        "device": torch.cuda.get_device_name() if values["device"] == "cuda" else "cpu",
        "threads": torch.get_num_threads(),
        "processes": distributed.world_size(),
    }
    return {
        "command": command.replace("--out FILE", "--out FOLDER"),
        **around,
        "recipe": values["recipe"],
        "corpus": values["corpus"],
        "seed": values["seed"],
        "settings": {name: values.get(name) for name in options(RunSettings)},
        "config": model.config.as_dict(),
        "parameters": sum(p.numel() for p in model.parameters()),
        "epochs": history.epoch,
        "tokens": history.tokens,
        "seconds": round(history.seconds, 1),
        "tokens_per_second": round(history.tokens_per_second),
        "averaged": list(averaged),
        "losses": [[step, round(loss, 5)] for step, loss in history.curve()],
        "validation": [[step, round(loss, 5)] for step, loss in history.validation],
        "back_translations": _back(corpus, history.synthetic, values["tokens"]),
    }


def _back(corpus, back, tokens):
    if back is None:
        return None
    pairs = corpus.ids(corpus.train)
    some = [
        (corpus.words(target), corpus.words(source), corpus.target_words(ids))
        for (source, target), ids in zip(corpus.train[:EXAMPLES], back)
    ]
    names = ("target", "source", "found")
    return {
        "pairs": len(synthetic_pairs(pairs, back, tokens)),
        "same": sum(found == source for found, (source, _) in zip(back, pairs)),
        "sentences": [dict(zip(names, map(" ".join, texts))) for texts in some],
    }


def _default(values):
    values = {recipe: value for recipe, value in values.items() if value is not None}
    if len(values) == len(RECIPES) and len(set(values.values())) == 1:
        return f"; default: {values.popitem()[1]}"
    listed = ", ".join(f"{value} in {recipe}" for recipe, value in values.items())
    return f"; default: {listed}" if listed else ""


def _add_option(group, name, one, values):
    told = {"help": one.metadata["help"] + _default(values)}
    among = one.metadata.get("choices")
    told |= {"choices": among} if among else {"type": one.metadata["type"]}
    group.add_argument("--" + name.replace("_", "-"), **told)
