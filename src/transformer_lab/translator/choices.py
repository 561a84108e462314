"""What each choice bought, on validation: ``python -m transformer_lab choices --help``."""

import argparse
import time
from pathlib import Path

from transformer_book import data
from transformer_book.train.averaging import NAME, average
from transformer_book.train.checkpoint import BEST
from transformer_book.train.loop import validation_loss

from .. import records
from . import finished_run
from .evaluate import corpus_facts, evaluate
from .recipes import RECIPES
from .run_settings import RunSettings

MODEL = "model.safetensors"
FEW = 5  # snapshots of the shorter mean
SEARCHES: tuple[dict[str, float], ...] = (
    *({"length_penalty": alpha} for alpha in (0.0, 0.6, 1.0, 1.4)),
    {"beams": 1},
)
SAME = ("corpus", "seed")
IGNORED = {
    "seed",
    "checkpoint_every",
}  # the one is the same in all, on the other hangs no weight
UNSAID = {"validate_every"}
NAMES = {
    ("norm", "post"): "Post-LN",
    ("norm", "pre"): "Pre-LN",
    ("beams", 1): "greedy",
    ("share", "none"): "three matrices",
    ("bidirectional", 0): "one direction",
    ("back_beams", 0): "no back-translation",
    ("cooldown", 0): "no cool-down",
}


def changes(runs):
    """Return in what each run differs from the first.

    Parameters
    ----------
    runs : list of dict
        Records, as of ``finished_run.record_of``.

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
    first, found = runs[0], []
    was = _all(first)
    for number, other in enumerate(runs, start=1):
        for key in SAME:
            if other[key] != first[key]:
                raise data.DataError(
                    f"Run {number} has {key} {other[key]!r}, the first {first[key]!r}. Choices "
                    "are compared at one seed, on one corpus; train it as the first was."
                )
        change = {
            name: value
            for name, value in _all(other).items()
            if name not in IGNORED and value != was.get(name)
        }
        if change in found:
            raise data.DataError(
                f"Run {number} differs in nothing from run {found.index(change) + 1}; expected "
                "a run with a setting changed, or another size of the model. Leave it out."
            )
        found.append(change)
    return found


def name_of(change):
    """Write out a change in a few words, such as ``no dropout``.

    How often was validated is left out where more has changed: it goes with the steps.

    Parameters
    ----------
    change : dict
        Of ``changes``.

    Returns
    -------
    str
    """
    said = {key: value for key, value in change.items() if key not in UNSAID} or change
    return ", ".join(_name(*pair) for pair in said.items()) or "as chosen"


def weights(folder, training):
    """Return the other weights that a run could have ended with.

    Parameters
    ----------
    folder : path-like
    training : dict
        Its record.

    Returns
    -------
    dict of str to list of pathlib.Path
        By name the files whose mean they are. Without the run's own mean.
    """
    kept = [Path(folder, NAME.format(step)) for step in training["averaged"]]
    few = {f"mean of the last {FEW}": kept[-FEW:]} if len(kept) > FEW else {}
    last = {"last weights": kept[-1:]} if len(kept) > 1 else {}
    return last | {"best validation": [Path(folder, BEST)]} | few


def arguments():
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
    finished_run.add_options(parser)
    return parser


def main(argv=None):
    """Score all and write the record; where that fails, one line on stderr."""
    finished_run.run_command(arguments(), argv, _run)


def _run(parser, given):
    trained = [finished_run.record_of(folder) for folder in given.run]
    changed, first = changes(trained), trained[0]
    name = given.recipe or first["recipe"]
    search = {key: getattr(RECIPES[name], key) for key in ("beams", "length_penalty")}
    corpus = data.load_parallel(first["corpus"])
    # All files are read before the minutes of translating.
    models = [
        finished_run.model_of(folder, MODEL, corpus, given.device)
        for folder in given.run
    ]
    others = {
        label: average(paths).to(given.device)
        for label, paths in weights(given.run[0], first).items()
    }
    started, rows = time.perf_counter(), []
    known = corpus.ids(corpus.train[: len(corpus.validation)])
    settings = [RunSettings(**training["settings"]) for training in trained]
    for model, change, own, training in zip(models, changed, settings, trained):
        found = _row(model, corpus, own, change, search)
        found["train"] = {"loss": validation_loss(model, known, own)}
        took = {
            key: training[key] for key in ("command", "hardware", "tokens", "seconds")
        }
        rows.append(found | {"curve": training["validation"], "training": took})
    for label, model in others.items():
        rows.append(_row(model, corpus, settings[0], {"weights": label}, search))
    for change in SEARCHES:
        if not change.items() <= search.items():
            rows.append(_row(models[0], corpus, settings[0], change, search | change))
    values = vars(given) | {
        "recipe": name,
        "run": [records.PATHS["run"]] * len(given.run),
    }
    values = {key: value for key, value in values.items() if value is not None}
    records.write(
        given.out,
        {
            "command": records.command(parser, argparse.Namespace(**values)),
            **finished_run.environment(given.device),
            "corpus": corpus_facts(corpus, "validation"),
            "parameters": {"recipe": name, **search, "seed": first["seed"]},
            "seconds": round(time.perf_counter() - started, 1),
            "runs": rows,
        },
    )


def _all(record):
    # A run of before there was some setting had its default.
    return RunSettings(**record["settings"]).as_dict() | record["config"]


def _row(model, corpus, settings, change, search):
    found, _ = evaluate(model, corpus, "validation", settings, **search)
    loss, bleu = found["loss"], found["bleu"]["score"]
    name = name_of(change)
    print(f"{name}: BLEU {bleu:.2f}, loss {loss:.4f}")
    return {"name": name, "change": change, "validation": {"loss": loss, "bleu": bleu}}


def _name(key, value):
    if key == "weights":
        return value
    if (key, value) in NAMES:
        return NAMES[key, value]
    shown = f"{value:,}" if isinstance(value, int) else value
    if key == "steps":
        return f"{shown} steps"
    words = key if key.startswith("d_") else key.replace("_", " ")
    return f"{words} {shown}" if value else f"no {words}"
