"""Train a translator and save it in a folder: ``python -m transformer_lab train --help``."""

import argparse
import json
from pathlib import Path

import torch
from tqdm import tqdm

from transformer_book import data, storage
from transformer_book.config import TransformerConfig
from transformer_book.expect import expect_integer
from transformer_book.nn import save_weights
from transformer_book.options import ConfigError, command_line_options
from transformer_book.train import distributed
from transformer_book.train.averaging import average_weights, snapshot_paths
from transformer_book.train.loop import train
from transformer_book.train.translator import PRESETS, translator

from .. import records
from .curriculum import synthetic_pairs
from .recipes import RECIPES
from .run_settings import RunSettings

MODEL_CHOICE_NAMES = (
    "d_model",
    "d_ff",
    "h",
    "N",
    "dropout",
    "norm",
    "share",
    "max_length",
)
MODEL_OPTION_BY_NAME = command_line_options(
    TransformerConfig, MODEL_CHOICE_NAMES
)  # by the option's name
EXAMPLE_BACK_TRANSLATION_COUNT = 20  # of sentences translated back


def argument_parser(settings_class=RunSettings):
    """Return the parser of this command, with an option for each of the settings."""
    parser = argparse.ArgumentParser(
        prog="python -m transformer_lab train",
        description="Train a translator. Without further options this is the run of the book; "
        "a recipe is another, and an option counts more than what the recipe says. The folder "
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
        choices=list(data.PARALLEL_CORPUS_LOADERS),
        help="what to learn; default: the recipe's",
    )
    add(
        "--out",
        required=True,
        type=Path,
        metavar="FOLDER",
        help="where the run is saved",
    )
    add("--resume", action="store_true", help="go on from the checkpoint in the folder")
    add("--device", choices=("cpu", "cuda"), help="default: cuda if there is one")
    add("--threads", type=int, help="of each process; default: torch's choice")
    model = parser.add_argument_group(
        "model",
        "With --preset, sizes that are left out are the preset's, not the recipe's.",
    )
    presets = {name: recipe.sizes["preset"] for name, recipe in RECIPES.items()}
    preset_help = "sizes to start from" + _default_help(presets)
    model.add_argument("--preset", choices=list(PRESETS), help=preset_help)
    for name, option in MODEL_OPTION_BY_NAME.items():
        values = {key: recipe.sizes.get(option.name) for key, recipe in RECIPES.items()}
        _add_option(model, name, option, values)
    group = parser.add_argument_group("settings")
    for name, option in command_line_options(settings_class).items():
        values = {
            key: getattr(recipe.settings, option.name, option.default)
            for key, recipe in RECIPES.items()
        }
        _add_option(group, name, option, values)
    return parser


def option_values(args) -> dict:
    """Return the value of every option: from the command line, else the recipe's.

    Parameters
    ----------
    args : argparse.Namespace
        With None for what the command line leaves out.

    Returns
    -------
    dict
        Without what neither has.
    """
    recipe, values = RECIPES[args.recipe], vars(args)
    sizes = {
        name: recipe.sizes.get(option.name)
        for name, option in MODEL_OPTION_BY_NAME.items()
    }
    sizes |= {"preset": recipe.sizes["preset"]}
    sizes = sizes if args.preset is None else {}
    recipe_values = {"corpus": recipe.corpus, **sizes, **recipe.settings.as_dict()}
    merged = values | {
        name: value for name, value in recipe_values.items() if values[name] is None
    }
    return {name: value for name, value in merged.items() if value is not None}


def model_choices(values: dict) -> dict:
    """Return what ``translator`` takes, of the values of all options."""
    sizes = {
        option.name: values[name]
        for name, option in MODEL_OPTION_BY_NAME.items()
        if name in values
    }
    return {"preset": values["preset"]} | sizes


def main(argv=None):
    """Train, and write what came of it; where that fails, one line on stderr and a status."""
    parser = argument_parser()
    args = parser.parse_args(argv)
    gpu = torch.cuda.is_available()
    args.device = args.device or ("cuda" if gpu else "cpu")
    if args.device == "cuda" and not gpu:
        parser.error("--device is cuda, but torch finds no GPU here; expected cpu")
    try:
        with distributed.process_group(args.device):
            _train_and_save(parser, args)
    except (
        ValueError
    ) as error:  # an error of this package: a setting, data, a file, a shape
        parser.exit(2, f"{parser.prog}: error: {error}\n")
    except (FloatingPointError, distributed.WorkerError) as error:
        parser.exit(1, f"{parser.prog}: error: {error}\n")
    except KeyboardInterrupt:
        parser.exit(
            130, f"{parser.prog}: stopped; --resume goes on from the last checkpoint.\n"
        )


def _train_and_save(parser, args) -> None:
    if args.threads is not None:
        who, remedy = parser.prog, "Without --threads torch chooses."
        expect_integer(ConfigError, who, "--threads", args.threads, remedy=remedy)
        torch.set_num_threads(args.threads)
    values = option_values(args)
    setting_names = command_line_options(RunSettings)
    settings = RunSettings(
        **{name: values[name] for name in values if name in setting_names}
    )
    corpus = data.load_parallel(values["corpus"])
    model = translator(corpus, settings.seed, **model_choices(values)).to(args.device)
    is_first = distributed.rank() == 0
    history = train(
        model,
        corpus,
        settings,
        args.out,
        resume=args.resume,
        report=(lambda history: tqdm.write(str(history))) if is_first else None,
    )
    if is_first:
        averaged = snapshot_paths(args.out, history, settings.snapshots)
        model = average_weights(averaged.values()) if averaged else model
        record = _run_record(parser, values, model, corpus, history, averaged)
        save_run(args.out, model, corpus, record)


def save_run(folder, model, corpus, record: dict) -> None:
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
        storage.write_file(Path(folder, f"{name}.json"), f"{text}\n".encode())


def _run_record(
    parser, values: dict, model, corpus, history, averaged_snapshots
) -> dict:
    to_repeat = {name: value for name, value in values.items() if name != "resume"}
    command = records.command(parser, argparse.Namespace(**to_repeat))
    if distributed.world_size() > 1:
        start = f"torchrun --nproc-per-node={distributed.world_size()}"
        command = command.replace("python", start, 1)
    facts = records.environment("torch", "numpy")
    facts["hardware"] |= {
        "device": torch.cuda.get_device_name() if values["device"] == "cuda" else "cpu",
        "threads": torch.get_num_threads(),
        "processes": distributed.world_size(),
    }
    return {
        "command": command.replace("--out FILE", "--out FOLDER"),
        **facts,
        "recipe": values["recipe"],
        "corpus": values["corpus"],
        "seed": values["seed"],
        "settings": {
            name: values.get(name) for name in command_line_options(RunSettings)
        },
        "config": model.config.as_dict(),
        "parameters": sum(p.numel() for p in model.parameters()),
        "epochs": history.epoch,
        "tokens": history.tokens,
        "seconds": round(history.seconds, 1),
        "tokens_per_second": round(history.tokens_per_second),
        "averaged": list(averaged_snapshots),
        "losses": [[step, round(loss, 5)] for step, loss in history.curve()],
        "validation": [[step, round(loss, 5)] for step, loss in history.validation],
        "back_translations": _back_translation_facts(
            corpus, history.synthetic, values["tokens"]
        ),
    }


def _back_translation_facts(
    corpus, back_translated: list[list[int]] | None, max_tokens: int
) -> dict | None:
    if back_translated is None:
        return None
    pairs = corpus.ids(corpus.train)
    triples = [
        (
            corpus.join_tokens(target),
            corpus.join_tokens(source),
            corpus.target_words(ids),
        )
        for (source, target), ids in zip(
            corpus.train[:EXAMPLE_BACK_TRANSLATION_COUNT], back_translated
        )
    ]
    names = ("target", "source", "found")
    return {
        "pairs": len(synthetic_pairs(pairs, back_translated, max_tokens)),
        "same": sum(
            translation == source
            for translation, (source, _) in zip(back_translated, pairs)
        ),
        "sentences": [dict(zip(names, map(" ".join, texts))) for texts in triples],
    }


def _default_help(value_by_recipe: dict) -> str:
    value_by_recipe = {
        recipe: value for recipe, value in value_by_recipe.items() if value is not None
    }
    if len(value_by_recipe) == len(RECIPES) and len(set(value_by_recipe.values())) == 1:
        return f"; default: {value_by_recipe.popitem()[1]}"
    by_recipe = ", ".join(
        f"{value} in {recipe}" for recipe, value in value_by_recipe.items()
    )
    return f"; default: {by_recipe}" if by_recipe else ""


def _add_option(group, name: str, option, value_by_recipe: dict) -> None:
    keywords = {"help": option.metadata["help"] + _default_help(value_by_recipe)}
    choices = option.metadata.get("choices")
    keywords |= {"choices": choices} if choices else {"type": option.metadata["type"]}
    group.add_argument("--" + name.replace("_", "-"), **keywords)
