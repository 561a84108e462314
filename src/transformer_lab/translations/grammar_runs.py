"""Runs of the book's translator beside the book's own: their settings, and a row of the record."""

from transformer_book import train
from transformer_book.train.translator import translator

from ..book_models.grammar_translator import BOOK_CHOICES, SETTINGS
from .exact_match import exact_match


def book_settings(steps: int, seed: int, **changes):
    """Return the book's settings for another number of steps.

    Parameters
    ----------
    steps : int
        Warm-up and cool-down take the shares of them that they have in the book's own run.
    seed : int
    **changes
        Of further settings.

    Returns
    -------
    Settings
    """
    return SETTINGS.changed(
        steps=steps,
        seed=seed,
        warmup=steps * SETTINGS.warmup // SETTINGS.steps,
        cooldown=steps * SETTINGS.cooldown // SETTINGS.steps,
        validate_every=50,
        **changes,
    )


def train_and_score(corpus, settings) -> dict:
    """Train the book's translator and return a row of a record.

    Parameters
    ----------
    corpus : ParallelCorpus
    settings : Settings

    Returns
    -------
    dict
        Its share of exact translations of the test sentences is ``exact``.
    """
    model = translator(corpus, settings.seed, **BOOK_CHOICES)
    history = train.train(model, corpus, settings)
    return {
        "seed": settings.seed,
        "steps": settings.steps,
        "exact": exact_match(model, corpus, corpus.test),
        "seconds": round(history.seconds, 1),
        "validation": [[step, round(loss, 4)] for step, loss in history.validation],
    }
