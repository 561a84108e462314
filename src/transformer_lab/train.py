"""Train a translator and keep it in a folder: ``python -m transformer_lab.train --help``."""

import argparse
import json
from pathlib import Path

import torch
from tqdm import tqdm

from transformer_book import data, storage
from transformer_book.config import NORMS, SHARES
from transformer_book.nn import save_weights
from transformer_book.shapes import check_count
from transformer_book.train import distributed
from transformer_book.train.averaging import average, snapshots
from transformer_book.train.loop import train
from transformer_book.train.settings import PRECISIONS
from transformer_book.train.translator import PRESETS, translator

from . import records
from .curriculum import synthetic_pairs
from .recipes import RECIPES
from .settings import RunSettings

# Option: TransformerConfig's name for it, and what argparse is told.
MODEL = {
    "preset": ("preset", dict(choices=list(PRESETS), help="sizes to start from")),
    "d_model": ("d_model", dict(type=int, help="width of the vectors between layers")),
    "d_ff": ("d_ff", dict(type=int, help="width inside the feed-forward network")),
    "heads": ("h", dict(type=int, help="heads of each attention")),
    "layers": ("N", dict(type=int, help="layers of each stack")),
    "norm": ("norm", dict(choices=NORMS, help="Post-LN or Pre-LN")),
    "share": ("share", dict(choices=SHARES, help="which embeddings are one matrix")),
    "dropout": ("dropout", dict(type=float, help="share of the numbers set to 0")),
    "max_length": ("max_length", dict(type=int, help="tokens of the longest sentence")),
}
SETTINGS = {
    "steps": dict(type=int, help="batches to learn from"),
    "tokens": dict(
        type=int, help="most tokens of a batch on either side, padding counted"
    ),
    "warmup": dict(type=int, help="steps while the learning rate rises"),
    "factor": dict(type=float, help="scale of the learning rate; the paper's is 1"),
    "cooldown": dict(
        type=int, help="steps at the end while it falls to 0; the paper's is 0"
    ),
    "smoothing": dict(
        type=float, help="share of the label's probability given to all words"
    ),
    "bidirectional": dict(
        type=int, help="steps at the start that learn both directions"
    ),
    "back_beams": dict(
        type=int, help="beams to translate back with after them; 0: none"
    ),
    "clip": dict(type=float, help="longest gradient that is followed as it is"),
    "seed": dict(
        type=int, help="decides the weights, the order of sentences, and dropout"
    ),
    "precision": dict(choices=PRECISIONS, help="of the matrix products"),
    "validate_every": dict(type=int, help="steps between validations"),
    "checkpoint_every": dict(type=int, help="steps between checkpoints"),
    "snapshots": dict(
        type=int, help="last validated weights to average at the end; 0: none"
    ),
}

EXAMPLES = 20  # of sentences translated back


def arguments():
    """Return the parser of this module's command line."""
    parser = argparse.ArgumentParser(
        prog="python -m transformer_lab.train",
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
    for option, (name, told) in MODEL.items():
        sizes = {recipe: value.sizes.get(name) for recipe, value in RECIPES.items()}
        model.add_argument(
            _option(option), **told | {"help": told["help"] + _default(sizes)}
        )
    settings = parser.add_argument_group("settings")
    for name, told in SETTINGS.items():
        values = {
            recipe: getattr(value.settings, name) for recipe, value in RECIPES.items()
        }
        settings.add_argument(
            _option(name), **told | {"help": told["help"] + _default(values)}
        )
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
    sizes = {option: recipe.sizes.get(name) for option, (name, _) in MODEL.items()}
    sizes = sizes if given.preset is None else {}
    own = {"corpus": recipe.corpus, **sizes, **recipe.settings.as_dict()}
    merged = values | {
        name: value for name, value in own.items() if values[name] is None
    }
    return {name: value for name, value in merged.items() if value is not None}


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
        check_count(parser.prog, "--threads", given.threads, "a number of threads")
        torch.set_num_threads(given.threads)
    values = chosen(given)
    settings = RunSettings(
        **{name: values[name] for name in values if name in SETTINGS}
    )
    sizes = {MODEL[name][0]: value for name, value in values.items() if name in MODEL}
    corpus = data.load_parallel(values["corpus"])
    model = translator(corpus, settings.seed, **sizes).to(given.device)
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
        "settings": {name: values.get(name) for name in SETTINGS},
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


def _option(name):
    return "--" + name.replace("_", "-")


if __name__ == "__main__":
    main()
