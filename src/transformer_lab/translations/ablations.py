"""What each ingredient of the book's recipe buys: the same run with one left out, recorded."""

import argparse
from dataclasses import dataclass
from pathlib import Path

import torch

from transformer_book import data
from transformer_book.decode import sample
from transformer_book.train.loop import train
from transformer_book.train.settings import Settings
from transformer_book.train.translator import translator

from .. import experiment
from ..book_models.grammar_translator import BOOK_CHOICES, SETTINGS
from .exact_match import exact_match


@dataclass(frozen=True)
class InverseSquareRootSettings(Settings):
    """The same settings on the inverse square root schedule of Raffel et al. (2020).

    The learning rate starts at its peak and stays there for the steps of the warm-up.
    """

    def learning_rate(self, step: int, d_model) -> float:
        """Return the learning rate of a step, that of the peak before it is reached."""
        return super().learning_rate(max(step, self.warmup), d_model)


# The rates of the runs on record, twice those of the book's model, and no gradient is clipped.
RECORDED_SETTINGS = SETTINGS.changed(factor=0.6, clip=None)

# What is left out, changes of the model, changes of the settings.
ABLATIONS: dict[str, tuple[dict[str, object], dict[str, object]]] = {
    "nothing": ({}, {}),
    "positions": ({}, {}),
    "warm-up": ({}, {}),
    "cool-down": ({}, {"cooldown": 0}),
    "dropout": ({"dropout": 0.0}, {}),
    "plain labels, for smoothed": ({}, {"smoothing": 0.1}),
    "one matrix for both ends of the decoder": ({"share": "none"}, {}),
    "Post-LN, for Pre-LN": ({"norm": "pre"}, {}),
}


def train_without(
    ingredient: str, corpus: data.ParallelCorpus, steps: int, seed
) -> dict:
    """Train without one ingredient and return its row of the record.

    Parameters
    ----------
    ingredient : str
        A key of ``ABLATIONS``.
    corpus : ParallelCorpus
    steps, seed : int

    Returns
    -------
    dict
    """
    sizes, changes = ABLATIONS[ingredient]
    settings = RECORDED_SETTINGS.changed(
        steps=steps, seed=seed, cooldown=steps // 2, validate_every=50
    )
    settings = settings.changed(**changes)
    if ingredient == "warm-up":
        settings = InverseSquareRootSettings(**settings.as_dict())
    model = translator(corpus, seed, **BOOK_CHOICES | sizes)
    if ingredient == "positions":
        model.PE.zero_()
    history = train(model, corpus, settings)
    return {
        "without": ingredient,
        "exact": exact_match(model, corpus, corpus.test),
        "exact_sampled": exact_match(
            model, corpus, corpus.test, make_sampling_translate(seed)
        ),
        "seconds": round(history.seconds, 1),
        "tokens": history.tokens,
        "validation": [[step, round(loss, 4)] for step, loss in history.validation],
    }


def make_sampling_translate(seed: int):
    """Return a way to write that draws each token with the probability that the model gives."""
    draw = torch.Generator().manual_seed(seed)
    return lambda model, source: sample(model, source, generator=draw)


def argument_parser():
    """Return the parser of this module's command line."""
    parser = argparse.ArgumentParser(
        prog="python -m transformer_lab ablations",
        description="Train the book's translator, then without each of its ingredients in turn.",
    )
    parser.add_argument(
        "--out", required=True, type=Path, help="the JSON file to write"
    )
    parser.add_argument("--steps", type=int, default=400)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--threads", type=int, default=2)
    return parser


def main(argv=None):
    """Train with every recipe and write the record."""
    experiment.run_experiment(argument_parser(), argv, _train_all_variants)


def _train_all_variants(args) -> dict:
    corpus = data.load_parallel("grammar")
    runs = [train_without(each, corpus, args.steps, args.seed) for each in ABLATIONS]
    seconds = round(sum(run["seconds"] for run in runs), 1)  # of training alone
    return {"corpus": corpus.name, "seconds": seconds, "runs": runs}
