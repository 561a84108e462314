"""What R-Drop buys the book's translator, at equal compute and at equal steps, recorded."""

from transformer_book import data, train
from transformer_book.train.translator import translator

from .. import experiment
from ..book_models.grammar_translator import BOOK, SETTINGS
from .exact_match import exact_match

ONE_PASS = "one pass"
HALF_THE_STEPS = "two passes, half the steps"
EQUAL_STEPS = "two passes, as many steps"


def settings_of(way, steps, seed, weight):
    """Return the settings of a run.

    Parameters
    ----------
    way : str
        ``ONE_PASS``, ``HALF_THE_STEPS`` or ``EQUAL_STEPS``.
    steps : int
        Of the run with one pass. Warm-up and cool-down take the shares of the book's own run.
    seed : int
    weight : float
        Of the divergence between two passes, ``consistency``.

    Returns
    -------
    Settings
    """
    steps = steps // 2 if way == HALF_THE_STEPS else steps
    return SETTINGS.changed(
        steps=steps,
        seed=seed,
        warmup=steps * SETTINGS.warmup // SETTINGS.steps,
        cooldown=steps * SETTINGS.cooldown // SETTINGS.steps,
        consistency=0.0 if way == ONE_PASS else weight,
        validate_every=50,
    )


def train_one(way, corpus, steps, seed, weight):
    """Train in one way and return its row of the record.

    Parameters
    ----------
    corpus : ParallelCorpus
    way, steps, seed, weight
        As in :func:`settings_of`.

    Returns
    -------
    dict
    """
    settings = settings_of(way, steps, seed, weight)
    model = translator(corpus, seed, **BOOK)
    history = train.train(model, corpus, settings)
    return {
        "way": way,
        "seed": seed,
        "steps": settings.steps,
        "exact": exact_match(model, corpus, corpus.test),
        "seconds": round(history.seconds, 1),
        "validation": [[step, round(loss, 4)] for step, loss in history.validation],
    }


def arguments():
    """Return the parser of this module's command line."""
    return experiment.parser_of(
        "consistency",
        "Train the book's translator on one pass of each batch, and on two that must agree.",
        steps=(900, "of the run with one pass"),
        weight=(1.0, "of the divergence between the two passes"),
    )


def main(argv=None):
    """Train in the three ways from each seed and write the record."""
    experiment.run(arguments(), argv, _runs)


def _runs(args):
    corpus = data.load_parallel("grammar")
    runs = [
        train_one(way, corpus, args.steps, seed, args.weight)
        for seed in experiment.seeds(args)
        for way in (ONE_PASS, HALF_THE_STEPS, EQUAL_STEPS)
    ]
    seconds = round(sum(run["seconds"] for run in runs), 1)  # of training alone
    return {"corpus": corpus.name, "seconds": seconds, "runs": runs}
