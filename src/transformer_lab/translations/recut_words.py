"""What BPE-dropout buys the book's translator, where the grammar's words are cut, recorded."""

from transformer_book import data
from transformer_book.data import ParallelCorpus, Subwords

from .. import experiment
from ..translator.run_settings import RunSettings
from .grammar_runs import book_settings, train_and_score

CUT_ONCE = "the same subwords in each epoch"
RECUT = "other subwords in each epoch"


def with_subwords(corpus: ParallelCorpus, merges: int) -> ParallelCorpus:
    """Return a corpus whose English words are cut into subwords learned from its training pairs.

    Parameters
    ----------
    corpus : ParallelCorpus
        Its tokens are words.
    merges : int

    Returns
    -------
    ParallelCorpus
    """
    words = [word for english, _ in corpus.train for word in english]
    subwords = Subwords.learn(words, merges)

    def cut_english(pairs, known_subwords=None) -> tuple:
        return tuple(
            (tuple(subwords.cut(english, known_subwords)), chinese)
            for english, chinese in pairs
        )

    train_pairs = cut_english(corpus.train)
    known = {token for english, _ in train_pairs for token in english}
    return ParallelCorpus.from_pairs(
        train_pairs,
        cut_english(corpus.validation, known),
        cut_english(corpus.test, known),
        name=corpus.name,
        title=corpus.title,
        terms=corpus.terms,
        source_language=corpus.source_language,
        target_language=corpus.target_language,
        subwords=subwords,
        all_translations_of=corpus.all_translations_of,
    )


def settings_of(way: str, steps: int, seed, p: float) -> RunSettings:
    """Return the settings of a run: the book's, and the words cut once or anew in each epoch.

    Parameters
    ----------
    way : str
        ``CUT_ONCE`` or ``RECUT``.
    steps, seed : int
    p : float
        Probability of a merge to be skipped, where the words are cut anew.

    Returns
    -------
    RunSettings
    """
    book = book_settings(steps, seed).as_dict()
    return RunSettings(**book, bpe_dropout=p if way == RECUT else 0.0)


def argument_parser():
    """Return the parser of this module's command line."""
    return experiment.experiment_parser(
        "recut-words",
        "Train the book's translator on words cut once, and cut anew in each epoch.",
        steps=(900, "of each run"),
        merges=(200, "of the subwords"),
        p=(0.1, "probability of a merge to be skipped"),
    )


def main(argv=None):
    """Train in both ways from each seed and write the record."""
    experiment.run_experiment(argument_parser(), argv, _train_all_variants)


def _train_all_variants(args) -> dict:
    corpus = with_subwords(data.load_parallel("grammar"), args.merges)
    runs = [
        {"way": way}
        | train_and_score(corpus, settings_of(way, args.steps, seed, args.p))
        for seed in experiment.seeds_of(args)
        for way in (CUT_ONCE, RECUT)
    ]
    seconds = round(sum(run["seconds"] for run in runs), 1)  # of training alone
    return {"corpus": corpus.name, "seconds": seconds, "runs": runs}
