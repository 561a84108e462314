"""What R-Drop buys the book's translator, at equal compute and at equal steps, recorded."""

from transformer_book import data

from .. import experiment
from .grammar_runs import book_settings, train_and_score

ONE_PASS = "one pass"
HALF_THE_STEPS = "two passes, half the steps"
EQUAL_STEPS = "two passes, as many steps"


def settings_of(way: str, one_pass_steps: int, seed, consistency_weight: float):
    """Return the settings of a run.

    Parameters
    ----------
    way : str
        ``ONE_PASS``, ``HALF_THE_STEPS`` or ``EQUAL_STEPS``.
    one_pass_steps : int
        Of the run with one pass.
    seed : int
    consistency_weight : float
        Of the divergence between two passes, ``consistency``.

    Returns
    -------
    Settings
    """
    steps = one_pass_steps // 2 if way == HALF_THE_STEPS else one_pass_steps
    return book_settings(
        steps, seed, consistency=0.0 if way == ONE_PASS else consistency_weight
    )


def argument_parser():
    """Return the parser of this module's command line."""
    return experiment.experiment_parser(
        "consistency",
        "Train the book's translator on one pass of each batch, and on two that must agree.",
        steps=(900, "of the run with one pass"),
        weight=(1.0, "of the divergence between the two passes"),
    )


def main(argv=None):
    """Train in the three ways from each seed and write the record."""
    experiment.run_experiment(argument_parser(), argv, _train_all_variants)


def _train_all_variants(args) -> dict:
    corpus = data.load_parallel("grammar")
    runs = [
        {"way": way}
        | train_and_score(corpus, settings_of(way, args.steps, seed, args.weight))
        for seed in experiment.seeds_of(args)
        for way in (ONE_PASS, HALF_THE_STEPS, EQUAL_STEPS)
    ]
    seconds = round(sum(run["seconds"] for run in runs), 1)  # of training alone
    return {"corpus": corpus.name, "seconds": seconds, "runs": runs}
