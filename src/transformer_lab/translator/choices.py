"""What each choice bought, on validation: ``python -m transformer_lab choices --help``."""

import argparse
import time
from pathlib import Path

from transformer_book import data
from transformer_book.train.averaging import SNAPSHOT_NAME, average_weights
from transformer_book.train.checkpoint import BEST_FILE
from transformer_book.train.loop import validation_loss

from .. import records
from . import finished_run
from .evaluate import corpus_facts, evaluate
from .recipes import RECIPES
from .run_settings import RunSettings

MODEL_FILE = "model.safetensors"
SHORT_MEAN_COUNT = 5  # snapshots of the shorter mean
SEARCHES: tuple[dict[str, float], ...] = (
    *({"length_penalty": alpha} for alpha in (0.0, 0.6, 1.0, 1.4)),
    {"beams": 1},
)
SETTINGS_THAT_MUST_AGREE = ("corpus", "seed")
IGNORED_SETTINGS = {
    "seed",
    "checkpoint_every",
}  # the one is the same in all, on the other hangs no weight
UNNAMED_SETTINGS = {"validate_every"}
NAME_BY_SETTING_AND_VALUE = {
    ("norm", "post"): "Post-LN",
    ("norm", "pre"): "Pre-LN",
    ("beams", 1): "greedy",
    ("share", "none"): "three matrices",
    ("bidirectional", 0): "one direction",
    ("back_beams", 0): "no back-translation",
    ("cooldown", 0): "no cool-down",
}


def changes_from_first(run_records: list[dict]) -> list[dict]:
    """Return in what each run differs from the first.

    Parameters
    ----------
    run_records : list of dict
        Records, as of ``finished_run.read_run_record``.

    Returns
    -------
    list of dict
        By name the value that a setting, or a size of the model, has in place of the first's;
        empty for the first itself.

    Raises
    ------
    DataError
        If a run is of another corpus or seed than the first, or differs in nothing else from it
        or from one before.
    """
    first, differences = run_records[0], []
    first_options = _all_options(first)
    for position, run in enumerate(run_records, start=1):
        for setting in SETTINGS_THAT_MUST_AGREE:
            if run[setting] != first[setting]:
                raise data.DataError(
                    f"Run {position} has {setting} {run[setting]!r}, the first {first[setting]!r}. Choices "
                    "are compared at one seed, on one corpus; train it as the first was."
                )
        change = {
            name: value
            for name, value in _all_options(run).items()
            if name not in IGNORED_SETTINGS and value != first_options.get(name)
        }
        if change in differences:
            raise data.DataError(
                f"Run {position} differs in nothing from run {differences.index(change) + 1}; expected "
                "a run with a setting changed, or another size of the model. Leave it out."
            )
        differences.append(change)
    return differences


def change_name(change: dict) -> str:
    """Write out a change in a few words, such as ``no dropout``.

    How often was validated is left out where more has changed: it goes with the steps.

    Parameters
    ----------
    change : dict
        Of ``changes_from_first``.

    Returns
    -------
    str
    """
    shown = {
        setting: value
        for setting, value in change.items()
        if setting not in UNNAMED_SETTINGS
    } or change
    return ", ".join(_describe_setting(*pair) for pair in shown.items()) or "as chosen"


def other_weight_files(folder, training_record: dict) -> dict[str, list[Path]]:
    """Return the other weights that a run could have ended with.

    Parameters
    ----------
    folder : path-like
    training_record : dict
        Its record.

    Returns
    -------
    dict of str to list of pathlib.Path
        By name the files whose mean they are. The mean that the run ended with is not among them.
    """
    snapshots = [
        Path(folder, SNAPSHOT_NAME.format(step)) for step in training_record["averaged"]
    ]
    short_mean = (
        {f"mean of the last {SHORT_MEAN_COUNT}": snapshots[-SHORT_MEAN_COUNT:]}
        if len(snapshots) > SHORT_MEAN_COUNT
        else {}
    )
    last = {"last weights": snapshots[-1:]} if len(snapshots) > 1 else {}
    return last | {"best validation": [Path(folder, BEST_FILE)]} | short_mean


def argument_parser():
    """Return the parser of this module's command line."""
    parser = argparse.ArgumentParser(
        prog="python -m transformer_lab choices",
        description="Translate the validation sentences with the models of several runs, and "
        "with other weights and other searches of the first, and record what that changes.",
    )
    parser.add_argument(
        "--run",
        nargs="+",
        required=True,
        type=Path,
        metavar="FOLDER",
        help="of python -m transformer_lab train: first the run as chosen, then runs with a change",
    )
    finished_run.add_scoring_options(parser)
    return parser


def main(argv=None):
    """Score all and write the record; where that fails, one line on stderr."""
    finished_run.run_command(argument_parser(), argv, _record_choices)


def _record_choices(parser, args) -> None:
    trainings = [finished_run.read_run_record(folder) for folder in args.run]
    all_changes, first = changes_from_first(trainings), trainings[0]
    name = args.recipe or first["recipe"]
    search = {key: getattr(RECIPES[name], key) for key in ("beams", "length_penalty")}
    corpus = data.load_parallel(first["corpus"])
    # All files are read before the minutes of translating.
    models = [
        finished_run.load_run_model(folder, MODEL_FILE, corpus, args.device)
        for folder in args.run
    ]
    other_models = {
        label: average_weights(paths).to(args.device)
        for label, paths in other_weight_files(args.run[0], first).items()
    }
    started, rows = time.perf_counter(), []
    training_pairs = corpus.ids(corpus.train[: len(corpus.validation)])
    settings = [RunSettings(**training["settings"]) for training in trainings]
    for model, change, run_settings, training in zip(
        models, all_changes, settings, trainings
    ):
        row = _score_row(model, corpus, run_settings, change, search)
        row["train"] = {"loss": validation_loss(model, training_pairs, run_settings)}
        costs = {
            key: training[key] for key in ("command", "hardware", "tokens", "seconds")
        }
        rows.append(row | {"curve": training["validation"], "training": costs})
    for label, model in other_models.items():
        rows.append(_score_row(model, corpus, settings[0], {"weights": label}, search))
    for change in SEARCHES:
        if not change.items() <= search.items():
            rows.append(
                _score_row(models[0], corpus, settings[0], change, search | change)
            )
    values = vars(args) | {
        "recipe": name,
        "run": [records.PLACEHOLDER_BY_PATH_OPTION["run"]] * len(args.run),
    }
    values = {setting: value for setting, value in values.items() if value is not None}
    records.write(
        args.out,
        {
            "command": records.command(parser, argparse.Namespace(**values)),
            **finished_run.environment(args.device),
            "corpus": corpus_facts(corpus, "validation"),
            "parameters": {"recipe": name, **search, "seed": first["seed"]},
            "seconds": round(time.perf_counter() - started, 1),
            "runs": rows,
        },
    )


def _all_options(record: dict) -> dict:
    # A run that is older than a setting had its default.
    return RunSettings(**record["settings"]).as_dict() | record["config"]


def _score_row(model, corpus, settings, change: dict, search: dict) -> dict:
    metrics, _ = evaluate(model, corpus, "validation", settings, **search)
    loss, bleu = metrics["loss"], metrics["bleu"]["score"]
    name = change_name(change)
    print(f"{name}: BLEU {bleu:.2f}, loss {loss:.4f}")
    return {"name": name, "change": change, "validation": {"loss": loss, "bleu": bleu}}


def _describe_setting(setting: str, value) -> str:
    if setting == "weights":
        return value
    if (setting, value) in NAME_BY_SETTING_AND_VALUE:
        return NAME_BY_SETTING_AND_VALUE[setting, value]
    shown = f"{value:,}" if isinstance(value, int) else value
    if setting == "steps":
        return f"{shown} steps"
    words = setting if setting.startswith("d_") else setting.replace("_", " ")
    return f"{words} {shown}" if value else f"no {words}"
