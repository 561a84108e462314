"""A ladder of language models: ``python -m transformer_lab scaling-laws --help``."""

from dataclasses import replace

from transformer_book import data, train
from transformer_book.data.corpus_registry import DEFAULT_CORPUS

from .. import experiment
from ..book_models.wikipedia_model import ARTICLES_PER_HELD_BACK
from ..costs.scaling_laws import parameter_counts, training_flops
from . import small_models
from .small_models import CONTEXT

WIDTHS = (8, 12, 16, 24, 40, 64, 96, 144)
LAYERS, HEADS = 2, 2
MERGE_COUNT = 100  # so few that the embedding is a small part of all but the smallest
BATCH_TOKENS = 256  # of a batch: few, so that the shortest run still has its steps
HELD_OUT_TOKENS = 32_768  # tokens that the loss is measured on, the same for every run
RATE_TIMES_WIDTH = 0.5  # the peak of the learning rate is this by d_model
BUDGETS = (3e9, 1e10, 3e10, 1e11, 3e11)  # C = 6 N D
BUDGETS_OF_EVERY_SEED = (3e9, 1e10)  # the budgets that are trained with every seed
FEWEST_STEPS, EPOCHS = (
    50,
    2,
)  # steps of the shortest run; how often the longest reads its text
LADDER_TOKENS = 102_400  # tokens where every size gets the same
RATE_FACTORS = (1 / 4, 4.0)  # times the rule's rate, beside that itself
RATED_WIDTHS = (8, 40, 144)  # the widths that are trained with these
REPEATED_WIDTH, REPEATS = (
    64,
    (4, 16, 64),
)  # a width; how often it reads a part of the text


def ladder_text() -> data.Text:
    """Return the text of the ladder: the book's articles, of their words only those of a to z.

    Without the rest there are few tokens, about 150, and hardly one that nobody meets.

    Returns
    -------
    Text
    """
    articles = [
        [word for word in words if word.isascii() and word.isalpha()]
        for words in data.load(DEFAULT_CORPUS)
    ]
    learned = [words for i, words in enumerate(articles) if i % ARTICLES_PER_HELD_BACK]
    return data.Text.from_articles(
        learned, articles[::ARTICLES_PER_HELD_BACK], MERGE_COUNT
    )


def untrained_variant(width: int, text: data.Text, seed=0):
    """Return an untrained model of the ladder: two layers, two heads, one matrix for both ends.

    That matrix is the embedding and the output layer, so every weight takes part in a product,
    and 6 N counts them all.

    Parameters
    ----------
    width : int
        Its d_model.
    text : Text
    seed : int

    Returns
    -------
    LanguageModel
    """
    return train.fresh_language_model(
        text,
        seed,
        N=LAYERS,
        d_model=width,
        d_ff=4 * width,
        h=HEADS,
        share="all",
        max_length=CONTEXT,
    )


def ladder_settings(steps: int, width: int, seed=0, rate_factor=1.0):
    """Return the settings of a run: a warm-up of a tenth, then down to 0 at its end.

    Parameters
    ----------
    steps, width, seed : int
    rate_factor : float
        Of the rule's learning rate, whose peak is ``RATE_TIMES_WIDTH`` by the width.

    Returns
    -------
    Settings
    """
    return small_models.training_settings(
        steps, seed, rate_factor * RATE_TIMES_WIDTH / width, width, BATCH_TOKENS
    )


def train_width(
    width: int,
    training_token_count: float,
    text: data.Text,
    seed=0,
    rate_factor=1.0,
    repeats: int = 1,
) -> dict:
    """Train one model of the ladder and return its row of the record.

    Parameters
    ----------
    width : int
    training_token_count : float
        To train on, rounded to whole batches.
    text : Text
    seed : int
    rate_factor : float
        As of :func:`ladder_settings`.
    repeats : int
        The training text is cut to ``training_token_count / repeats``; 1 leaves all of it.

    Returns
    -------
    dict
    """
    steps = max(1, round(training_token_count / BATCH_TOKENS))
    training_tokens = steps * BATCH_TOKENS
    training_ids = (
        text.train[: training_tokens // repeats] if repeats > 1 else text.train
    )
    short = replace(
        text, train=training_ids, validation=text.validation[: HELD_OUT_TOKENS + 1]
    )
    model = untrained_variant(width, text, seed)
    history = train.train_language_model(
        model, short, ladder_settings(steps, width, seed, rate_factor), (CONTEXT,)
    )
    in_layers, in_all = parameter_counts(model.config)
    return {
        "width": width,
        "layers": in_layers,
        "N": in_all,
        "D": training_tokens,
        "flops": training_flops(model.config, CONTEXT).total * training_tokens,
        "epochs": round(training_tokens / len(training_ids), 3),
        "times": rate_factor,
        "seed": seed,
        "loss": history.validation[-1][1],
        "seconds": round(history.seconds, 1),
    }


def plan_runs(text: data.Text, budgets=BUDGETS) -> list[tuple[float, int, float]]:
    """Return the width and the tokens of every run at equal compute.

    Left out are runs of fewer steps than ``FEWEST_STEPS``, and those that would read the text more than
    ``EPOCHS`` times.

    Parameters
    ----------
    text : Text
    budgets : sequence of float

    Returns
    -------
    list of (float, int, float)
        Budget, width, tokens.
    """
    sizes = {
        width: parameter_counts(untrained_variant(width, text).config)[1]
        for width in WIDTHS
    }
    return [
        (C, width, C / (6 * N))
        for C in budgets
        for width, N in sizes.items()
        if FEWEST_STEPS * BATCH_TOKENS <= C / (6 * N) <= EPOCHS * len(text.train)
    ]


def argument_parser():
    """Return the parser of this module's command line."""
    return experiment.experiment_parser(
        "scaling-laws",
        "Train a ladder of language models on the book's text, at equal compute and for equal "
        "tokens, and record their losses. Not every run has all of the seeds.",
        budgets=(list(BUDGETS), "of compute, in operations"),
        tokens=(LADDER_TOKENS, "for the runs of equal tokens"),
    )


def main(argv=None):
    """Train all of them and write the record."""
    experiment.run_experiment(argument_parser(), argv, _train_all_variants)


def _train_all_variants(args) -> dict:
    text = ladder_text()
    runs = {"equal_compute": [], "equal_tokens": [], "rates": [], "repeated": []}
    for seed in experiment.seeds_of(args):
        for C, width, tokens in plan_runs(text, args.budgets):
            if seed == args.seed or C in BUDGETS_OF_EVERY_SEED:
                row = train_width(width, tokens, text, seed)
                runs["equal_compute"].append({"C": C, **row})
        for width in WIDTHS:
            runs["equal_tokens"].append(train_width(width, args.tokens, text, seed))
    for width in RATED_WIDTHS:
        for times in RATE_FACTORS:
            row = train_width(width, args.tokens, text, args.seed, times)
            runs["rates"].append(row)
    for part in REPEATS:
        row = train_width(REPEATED_WIDTH, args.tokens, text, args.seed, repeats=part)
        runs["repeated"].append(row)
    text_facts = {"tokens": len(text.train), "words": len(text.vocabulary)}
    return {"text": text_facts, **runs}
