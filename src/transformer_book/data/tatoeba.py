"""The English–Chinese sentences of Tatoeba, cut into training, validation and test for good."""

import hashlib
from collections import Counter

import numpy as np

from . import corpus_registry, downloads, marked_pairs
from .aligned import read_lines, split_tokens
from .errors import DataError
from .parallel_corpus import ParallelCorpus
from .subwords import Subwords
from .tokens import tokenize

MERGE_COUNT = 4_000
# Of the groups of pairs, each part: about 1,000 pairs of the 29,000 that there were in 2025.
HELD_OUT_SHARE = 0.036
# Times that a name must be translated in training to be translated after it.
MIN_OCCURRENCES_OF_TRANSLATED_NAME = 3
# Copied, none of them would be understood.
WORDS_NEVER_COPIED = frozenset(
    [
        "Mr",
        "Mrs",
        "Ms",
        "Dr",
        "January",
        "February",
        "August",
        "Thursday",
        "Tis",
        "Twas",
    ]
)


def load_tatoeba():
    """Return the corpus of the reader's ``cmn.txt``, English to Chinese.

    English is cut into words and these into subwords learned from the training sentences;
    Chinese is cut into characters, simplified or traditional as they stand. Numbers and what else
    is copied are marks, see ``placeholders``; ``train`` ends in further pairs to learn
    copying from.

    Returns
    -------
    ParallelCorpus

    Raises
    ------
    DataError
        If the file is missing, with how to get it; or a line is not two sentences.
    """
    train, validation, test = split_pairs(
        read_pairs(downloads.fetch(corpus_registry.TATOEBA))
    )
    words = [word for english, _ in train for word in tokenize(english, "en")]
    subwords = Subwords.learn(words, MERGE_COUNT)
    known = translated_words(words)

    def cut_pairs(pairs, pieces=None):
        return tuple(
            (tuple(subwords.cut(english, pieces)), tuple(chinese))
            for english, chinese in pairs
        )

    train_tokens = cut_pairs(marked_pairs.training_pairs(train, known))
    pieces = {token for english, _ in train_tokens for token in english}

    return ParallelCorpus.from_pairs(
        name="tatoeba",
        title=corpus_registry.TATOEBA.title,
        terms=corpus_registry.TATOEBA.terms,
        source_language="en",
        target_language="zh",
        train=train_tokens,
        validation=cut_pairs(marked_pairs.held_out_pairs(validation, known), pieces),
        test=cut_pairs(marked_pairs.held_out_pairs(test, known), pieces),
        subwords=subwords,
        known=known,
    )


def translated_words(words):
    """Return the words that are translated; another one with a capital is a name to copy.

    Parameters
    ----------
    words : iterable of str
        Of the training sentences.

    Returns
    -------
    frozenset of str
        Those in small letters, and those with a capital that occur ``MIN_OCCURRENCES_OF_TRANSLATED_NAME``
        times or more.
    """
    counts = Counter(word.rstrip(".") for word in words)
    return WORDS_NEVER_COPIED | {
        word
        for word, n in counts.items()
        if word[:1].isalpha()
        and (n >= MIN_OCCURRENCES_OF_TRANSLATED_NAME or word == word.lower())
    }


def read_pairs(path) -> list:
    """Read lines of a sentence, its translation and further columns, separated by tabs.

    Parameters
    ----------
    path : path-like

    Returns
    -------
    list of (str, str)

    Raises
    ------
    DataError
        If the file cannot be read or is not UTF-8, or a line has fewer than two columns, an empty
        sentence or one of more than ``MAX_TOKENS_PER_LINE``; with the line.
    """
    return [pair for pair, _ in _read_pairs_and_columns(path)]


def read_attributions(path):
    """Read who wrote the two sentences of each pair, as its licence asks.

    Parameters
    ----------
    path : path-like

    Returns
    -------
    dict of (str, str) to str
        Such as ``#538123 (CM) & #891077 (Martha)``: each sentence's number at Tatoeba, and the name
        of its author. Of a pair that stands there twice the first.

    Raises
    ------
    DataError
        As :func:`read_pairs`; also if a line names nobody.
    """
    attributions = {}
    for number, (pair, further) in enumerate(_read_pairs_and_columns(path), start=1):
        attribution = " ".join(further).partition("tatoeba.org ")[2]
        if not attribution:
            raise DataError(
                f"{path}, line {number} does not say who wrote it: behind its sentences stands "
                f"{' '.join(further)[:40]!r}; expected 'Attribution: tatoeba.org #1 (name) & ...'. "
                "Check that this is the file cmn.txt."
            )
        attributions.setdefault(pair, attribution)
    return attributions


def _read_pairs_and_columns(path):
    """Return each pair, and the columns behind it."""
    rows = []
    for number, line in enumerate(read_lines(path), start=1):
        where = f"{path}, line {number}"
        columns = line.split("\t")
        if len(columns) < 2:
            raise DataError(
                f"{where} has {len(columns)} column; expected an English sentence, a tab and a "
                f"Chinese one. It begins {line[:40]!r}. Check that this is the file cmn.txt."
            )
        pair = tuple(" ".join(split_tokens(text, where)) for text in columns[:2])
        rows.append((pair, columns[2:]))
    return rows


def split_pairs(pairs):
    """Cut pairs into three parts that share no sentence, in either language.

    Where a pair goes is decided by a hash of sentences, not by its place in the file: next month's
    file moves only the pairs that new ones connect.

    Parameters
    ----------
    pairs : sequence of (str, str)

    Returns
    -------
    train, validation, test : list of (str, str)
        In an order that depends on the sentences alone. Validation and test have each English
        sentence once.
    """
    pairs = sorted(set(pairs), key=lambda pair: _hash("\t".join(pair)))
    groups = _group_number_of_each_pair(pairs)
    first = {}
    for group, (english, _) in zip(groups, pairs):
        first[group] = min(first.get(group, english), english)
    parts = [], [], []
    seen = set()
    for group, pair in zip(groups, pairs):
        place = _hash(first[group]) / 2**256
        part = 2 if place < HELD_OUT_SHARE else 1 if place < 2 * HELD_OUT_SHARE else 0
        if part == 0 or _letters_and_digits(pair[0]) not in seen:
            parts[part].append(pair)
        seen.add(_letters_and_digits(pair[0]))
    return parts


def _group_number_of_each_pair(pairs):
    """Number the groups of pairs that a shared sentence connects, directly or over others."""
    # Slow to import, and needed here alone.
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    ids = [{}, {}]
    english, chinese = (
        np.array(
            [
                ids[side].setdefault(_letters_and_digits(pair[side]), len(ids[side]))
                for pair in pairs
            ]
        )
        for side in (0, 1)
    )
    n = len(ids[0]) + len(ids[1])
    edges = coo_array(
        (np.ones(len(pairs)), (english, chinese + len(ids[0]))), shape=(n, n)
    )
    return connected_components(edges, directed=False)[1][english].tolist()


def _letters_and_digits(sentence):
    # "Stop!" and "stop." are one sentence to whoever has learned one of them.
    return "".join(c for c in sentence.casefold() if c.isalnum()) or sentence


def _hash(text):
    return int(hashlib.sha256(text.encode()).hexdigest(), 16)
