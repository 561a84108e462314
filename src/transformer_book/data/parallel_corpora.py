"""The corpora of sentences in two languages, by name."""

from . import corpus_registry, downloads
from .aligned import check_disjoint, read_aligned
from .errors import DataError
from .grammar import grammar_pairs, held_out_neighbours, sentence_words, translations
from .parallel_corpus import FOLLOWED_PAIR, ParallelCorpus
from .subwords import Subwords
from .tatoeba import load_tatoeba


def load_parallel(name="grammar"):
    """Load a corpus of sentences in two languages.

    Parameters
    ----------
    name : str
        A name of ``PARALLEL_CORPUS_LOADERS``.

    Returns
    -------
    ParallelCorpus

    Raises
    ------
    DataError
        If no corpus has that name, or its files cannot be had or are not what they should be.
    """
    if name not in PARALLEL_CORPUS_LOADERS:
        raise DataError(
            f"There is no parallel corpus named {name!r}. "
            f"Known: {', '.join(PARALLEL_CORPUS_LOADERS)}. Pass one of these.",
            reason=f"no parallel corpus has the name {name!r}",
        )
    return PARALLEL_CORPUS_LOADERS[name]()


def split_grammar_pairs(n) -> tuple:
    """Draw pairs of the grammar, and tell those that training may see from those that are held out.

    Parameters
    ----------
    n : int
        How many to draw, as of ``grammar_pairs``: about one in five is held out.

    Returns
    -------
    seen, unseen : tuple of (tuple of str, tuple of str)
        Tokens of both languages, each pair once. The first that is held out is ``FOLLOWED_PAIR``.
    """
    seen, unseen = [], [FOLLOWED_PAIR]
    for pair in grammar_pairs(n):
        (unseen if held_out_neighbours(pair[0]) else seen).append(pair)
    return _cut_grammar_pairs(seen), _cut_grammar_pairs(dict.fromkeys(unseen))


def _load_grammar():
    n_train, n_validation, n_test = 40_000, 500, 1_000
    seen, unseen = split_grammar_pairs(52_000)  # more than enough
    return ParallelCorpus.from_pairs(
        name="grammar",
        title="sentences of the book's own English–Chinese grammar",
        terms="generated here, no terms",
        source_language="en",
        target_language="zh",
        train=seen[:n_train],
        validation=seen[n_train : n_train + n_validation],
        test=unseen[:n_test],
        all_translations_of=translations,
    )


def _cut_grammar_pairs(pairs):
    # What tokenize gives, as a test makes sure, without the time that NLTK takes.
    return tuple(
        ((*sentence_words(english), "."), tuple(chinese)) for english, chinese in pairs
    )


def _load_multi30k():
    def read_pairs(part):
        return read_aligned(
            *(downloads.fetch(files[f"{part}.{code}"]) for code in ("en", "de"))
        )

    files = corpus_registry.MULTI30K_FILES
    train, test = read_pairs("train"), read_pairs("test.2016")
    check_disjoint(train, test)
    return ParallelCorpus.from_pairs(
        name="multi30k",
        title=files["code"].title,
        terms=files["code"].terms,
        source_language="en",
        target_language="de",
        train=train,
        # As published: two of its sentences, of 1,014, also stand in training.
        validation=read_pairs("valid"),
        test=test,
        joint_vocabulary=True,
        subwords=Subwords.read(downloads.fetch(files["code"])),
        moses=True,
    )


PARALLEL_CORPUS_LOADERS = {
    "grammar": _load_grammar,
    "multi30k": _load_multi30k,
    "tatoeba": load_tatoeba,
}
