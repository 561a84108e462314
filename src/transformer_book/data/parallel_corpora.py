"""The corpora of sentences in two languages, by name."""

from . import corpus_registry, downloads
from .aligned import check_disjoint, read_aligned
from .errors import DataError
from .grammar import grammar_pairs, held_out, translations, words
from .parallel_corpus import FOLLOWED, ParallelCorpus
from .subwords import Subwords
from .tatoeba import tatoeba


def load_parallel(name="grammar"):
    """Load a corpus of sentences in two languages.

    Parameters
    ----------
    name : str
        A name of ``PARALLEL``.

    Returns
    -------
    ParallelCorpus

    Raises
    ------
    DataError
        If no corpus has that name, or its files cannot be had or are not what they should be.
    """
    if name not in PARALLEL:
        raise DataError(
            f"There is no parallel corpus named {name!r}. "
            f"Known: {', '.join(PARALLEL)}. Pass one of these.",
            reason=f"no parallel corpus has the name {name!r}",
        )
    return PARALLEL[name]()


def grammar_parts(n):
    """Draw pairs of the grammar, and tell those that training may see from those that are held out.

    Parameters
    ----------
    n : int
        How many to draw, as of ``grammar_pairs``: about one in five is held out.

    Returns
    -------
    seen, unseen : tuple of (tuple of str, tuple of str)
        Tokens of both languages, each pair once. The first that is held out is ``FOLLOWED``.
    """
    seen, unseen = [], [FOLLOWED]
    for pair in grammar_pairs(n):
        (unseen if held_out(pair[0]) else seen).append(pair)
    return _cut_sentences(seen), _cut_sentences(dict.fromkeys(unseen))


def _load_grammar():
    n_train, n_validation, n_test = 40_000, 500, 1_000
    seen, unseen = grammar_parts(52_000)  # more than enough
    return ParallelCorpus.of(
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


def _cut_sentences(pairs):
    # What tokenize gives, as a test makes sure, without the time that NLTK takes.
    return tuple(((*words(english), "."), tuple(chinese)) for english, chinese in pairs)


def _load_multi30k():
    def pairs(part):
        return read_aligned(
            *(downloads.fetch(files[f"{part}.{code}"]) for code in ("en", "de"))
        )

    files = corpus_registry.MULTI30K
    train, test = pairs("train"), pairs("test.2016")
    check_disjoint(train, test)
    return ParallelCorpus.of(
        name="multi30k",
        title=files["code"].title,
        terms=files["code"].terms,
        source_language="en",
        target_language="de",
        train=train,
        # As published: two of its sentences, of 1,014, also stand in training.
        validation=pairs("valid"),
        test=test,
        joint=True,
        subwords=Subwords.read(downloads.fetch(files["code"])),
        moses=True,
    )


PARALLEL = {"grammar": _load_grammar, "multi30k": _load_multi30k, "tatoeba": tatoeba}
