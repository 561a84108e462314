"""From a file to words: load a corpus, say which one it is, and tell the build what is in use."""

import bz2
import gzip
import os

from . import corpus_registry, downloads
from .corpus_registry import Corpus
from .errors import DataError

CORPUS_SETTING = "TRANSFORMER_BOOK_CORPUS"
WORDS_PER_PIECE = 1_000  # words

# What the last load of each setting returned: its corpus, pieces, words, and why it fell back.
_load_facts_by_setting = {}


def load(name=None):
    """Return a corpus as lists of words, one list per article or piece.

    Parameters
    ----------
    name : str, optional
        A name of ``CORPORA``. Without one, the corpus that ``TRANSFORMER_BOOK_CORPUS`` names is
        loaded, and if that cannot be had, the default; ``describe()`` then says so.

    Returns
    -------
    list of list of str

    Raises
    ------
    DataError
        If no corpus has that name, or the corpus named here cannot be had.
    """
    corpus = corpus_registry.find_corpus(name or _chosen_corpus_name())
    why_not = None
    try:
        pieces = _read_pieces(corpus)
    except DataError as error:
        if name or corpus.name == corpus_registry.DEFAULT_CORPUS:
            raise
        why_not = error.reason
        corpus = corpus_registry.find_corpus(corpus_registry.DEFAULT_CORPUS)
        pieces = _read_pieces(corpus)
    _load_facts_by_setting[name or _chosen_corpus_name(), name is None] = (
        corpus,
        len(pieces),
        sum(map(len, pieces)),
        why_not,
    )
    return pieces


def describe(name=None) -> str:
    """Say in one sentence which corpus ``load(name)`` gives, how long it is, and why this one.

    Parameters
    ----------
    name : str, optional
        As for ``load``.

    Returns
    -------
    str

    Raises
    ------
    DataError
        As for ``load``, which is called if it was not called before.
    """
    setting = name or _chosen_corpus_name()
    if (setting, name is None) not in _load_facts_by_setting:
        load(name)
    corpus, pieces, words, why_not = _load_facts_by_setting[setting, name is None]
    parts = "articles" if corpus.reader == "wikipedia" else "pieces"
    summary = f"{corpus.title}, {words:,} words in {pieces:,} {parts}"
    if why_not:
        return (
            f"{CORPUS_SETTING} asks for {setting}, which cannot be had here: {why_not}. "
            f"In its place stands {summary}."
        )
    if name:
        why = "asked for by name"
    elif os.environ.get(CORPUS_SETTING):
        why = f"chosen by {CORPUS_SETTING}"
    else:
        why = f"the default, as {CORPUS_SETTING} is not set"
    return f"The text is {summary} ({why})."


def data_fingerprint() -> str:
    """Identify the data that ``load()`` would use, so that a cache of results knows when it is old.

    Nothing is downloaded or parsed, and no path of this machine appears in the answer.

    Returns
    -------
    str
        The setting, then the file's name, size in bytes and sha256, or "absent".
    """
    corpus = corpus_registry.find_corpus(_chosen_corpus_name())
    parts = [corpus.name]
    for candidate in (corpus.name, corpus.cut_from, corpus_registry.DEFAULT_CORPUS):
        if candidate is None:
            continue
        try:
            path = downloads.find_file(corpus_registry.find_corpus(candidate))
        except DataError as error:
            parts.append(error.reason)
            continue
        if path is not None:
            return " ".join(
                [
                    *parts,
                    path.name,
                    str(path.stat().st_size),
                    downloads.file_digest(path),
                ]
            )
        parts.append(f"{candidate} absent")
    return " ".join(parts)


def _chosen_corpus_name():
    return os.environ.get(CORPUS_SETTING) or corpus_registry.DEFAULT_CORPUS


def _read_pieces(corpus: Corpus):
    if corpus.cut_from and downloads.find_file(corpus) is None:
        return _cut_words_into_pieces(
            _text8_words(downloads.fetch(corpus_registry.find_corpus(corpus.cut_from)))[
                : corpus.words
            ]
        )
    assert corpus.reader is not None
    return READERS_BY_FORMAT[corpus.reader](downloads.fetch(corpus))


def _read_text8(path):
    return _cut_words_into_pieces(_text8_words(path))


def _text8_words(path):
    with gzip.open(path, "rt", encoding="utf-8") as file:
        return file.read().split()


def _cut_words_into_pieces(words: list[str]) -> list:
    # text8 is one line without a sentence mark. gensim's trainer drops what a sentence has beyond
    # 10,000 words, so the line must be cut. Of 1,000 words four have a window of two words broken.
    return [
        words[i : i + WORDS_PER_PIECE] for i in range(0, len(words), WORDS_PER_PIECE)
    ]


def _read_wikipedia(path):
    # What gensim's WikiCorpus(processes=1, token_min_len=1) yields, without its pool of processes,
    # which some systems refuse to start from a plain script. gensim takes seconds to import.
    from gensim.corpora import wikicorpus

    articles = []
    with bz2.open(path, "rb") as file:
        for title, markup, _ in wikicorpus.extract_pages(
            file, filter_namespaces=("0",)
        ):
            text = wikicorpus.filter_wiki(markup)
            words = wikicorpus.tokenize(text, 1, wikicorpus.TOKEN_MAX_LEN, True)
            if len(words) >= wikicorpus.ARTICLE_MIN_WORDS and not _is_ignored_title(
                title, wikicorpus
            ):
                articles.append(words)
    return articles


def _is_ignored_title(title, wikicorpus_module):
    return any(
        title.startswith(f"{space}:") for space in wikicorpus_module.IGNORED_NAMESPACES
    )


READERS_BY_FORMAT = {"wikipedia": _read_wikipedia, "text8": _read_text8}
