"""Every corpus the book can use: where it comes from, how to know it is whole, on what terms."""

from dataclasses import dataclass

from .errors import DataError

DEFAULT = "wikipedia-sample"


@dataclass(frozen=True)
class Corpus:
    """One corpus, as the registry knows it.

    Parameters
    ----------
    name, title : str
        What the code calls it, and what a page calls it.
    file : str
        Its file, relative to a data folder; for a package's own file, relative to the package.
    size : int
        Size of that file in bytes.
    hash : str
        Algorithm and digest, as in ``"md5:68799a..."``.
    terms : str
        On what terms it may be used.
    reader : str
        How it is loaded: a key of ``corpora.READERS``.
    origin : str or None
        The URL it is downloaded from; None where nothing is downloaded.
    package : str or None
        The installed package that contains the file, if one does.
    cut_from : str or None
        The corpus whose first ``words`` words these are, for when this one's own file is absent.
    words : int or None
        How many words the cut has.
    """

    name: str
    title: str
    file: str
    size: int
    hash: str
    terms: str
    reader: str
    origin: str | None = None
    package: str | None = None
    cut_from: str | None = None
    words: int | None = None


_WIKIPEDIA = "text of Wikipedia, CC BY-SA"

_KNOWN = (
    Corpus(
        name=DEFAULT,
        title="the Wikipedia sample inside gensim",
        file="test/test_data/enwiki-latest-pages-articles1.xml-p000000010p000030302-shortened.bz2",
        size=1_695_871,
        hash="sha256:a53f4648dec40467ebdcbc7a1307eddb51fe6e28e9309f6ebde81ba0d04bea2d",
        terms=_WIKIPEDIA,
        reader="wikipedia",
        package="gensim",
    ),
    # The file that gensim.downloader.load("text8") gets, with the size and hash that its own list
    # publishes (the list knows no sha256).
    Corpus(
        name="text8",
        title="text8, the first 100 MB of cleaned Wikipedia text",
        file="text8/text8.gz",
        size=33_182_058,
        hash="md5:68799af40b6bda07dfa47a32612e5364",
        terms=_WIKIPEDIA,
        reader="text8",
        origin="https://github.com/piskvorky/gensim-data/releases/download/text8/text8.gz",
    ),
    Corpus(
        name="text8-prefix",
        title="the first 6.9 MB of text8",
        file="text8/text8-prefix.gz",
        size=2_298_689,
        hash="sha256:a729c144d0eeef852aae0fb2290c52119ac013b105e12a56e703649000cbb574",
        terms=_WIKIPEDIA,
        reader="text8",
        cut_from="text8",
        words=1_171_946,
    ),
)

CORPORA = {corpus.name: corpus for corpus in _KNOWN}


def find(name):
    """Return the corpus of that name.

    Raises
    ------
    DataError
        If no corpus has that name; the message lists those that exist.
    """
    if name not in CORPORA:
        known = ", ".join(CORPORA)
        raise DataError(
            f"There is no corpus named {name!r}. Known: {known}. Pass one of these, or set "
            "TRANSFORMER_BOOK_CORPUS to one of them.",
            reason=f"no corpus has the name {name!r}",
        )
    return CORPORA[name]
