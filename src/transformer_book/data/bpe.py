"""Byte pair encoding, learned and applied by hand (Sennrich, Haddow and Birch, 2016)."""

import itertools
from collections import Counter

from ..expect import expect_integer, is_integer, refusal
from .errors import DataError

# The paper's mark for the end of a word. It tells "est" at the end from "est" inside.
END_OF_WORD = "·"


def learn(words, n_merges):
    """Learn merges: again and again, join the pair that occurs most often.

    Of pairs that occur equally often, the one with the older symbols wins: characters are as old
    as their place in Unicode, and every merged symbol is younger than all before it. The
    ``tokenizers`` library decides the same way.

    Parameters
    ----------
    words : str or dict of str to int
        A text, cut into words at white space, or words with their counts.
    n_merges : int
        How many merges to learn; fewer come back when every word is one symbol before that.

    Returns
    -------
    list of (str, str)
        The merges, in the order learned.

    Raises
    ------
    DataError
        If there is no word, a count is not a positive whole number, ``n_merges`` is negative, or
        a word contains ``END_OF_WORD``.
    """
    counts = _count_words(words, n_merges)
    symbols = {word: _initial_symbols(word) for word in counts}
    age = {c: i for i, c in enumerate(sorted(set().union(*symbols.values())))}
    merges = []
    while len(merges) < n_merges:
        pairs = count_pairs(symbols, counts)
        if not pairs:
            break
        best = min(pairs, key=lambda p: (-pairs[p], age[p[0]], age[p[1]]))
        merges.append(best)
        age["".join(best)] = len(age)
        symbols = {w: merge(pieces, best) for w, pieces in symbols.items()}
    return merges


def count_pairs(symbols, counts: dict[str, int]):
    """Count how often two symbols are neighbours, over all words.

    Parameters
    ----------
    symbols : dict of str to list of str
        The symbols of each word.
    counts : dict of str to int
        How often each word occurs.

    Returns
    -------
    collections.Counter of (str, str)
    """
    pairs = Counter()
    for word, pieces in symbols.items():
        for pair in itertools.pairwise(pieces):
            pairs[pair] += counts[word]
    return pairs


def merge(pieces, pair):
    """Join the two symbols wherever they meet, from left to right.

    Parameters
    ----------
    pieces : list of str
    pair : (str, str)

    Returns
    -------
    list of str
    """
    merged = []
    for piece in pieces:
        if merged and (merged[-1], piece) == pair:
            merged[-1] += piece
        else:
            merged.append(piece)
    return merged


def encode(word, merges):
    """Cut one word into subwords: apply the merges in the order learned.

    Parameters
    ----------
    word : str
        One word, without white space.
    merges : list of (str, str)
        As ``learn`` returns them.

    Returns
    -------
    list of str
        The subwords; the last one ends in ``END_OF_WORD``. Joined, they give the word and ``END_OF_WORD``.

    Raises
    ------
    DataError
        If the word is empty, or contains white space or ``END_OF_WORD``.
    """
    pieces = _initial_symbols(word)
    for pair in merges:
        pieces = merge(pieces, tuple(pair))
    return pieces


def decode(pieces):
    """Put subwords back together into words.

    Parameters
    ----------
    pieces : list of str

    Returns
    -------
    list of str
    """
    return "".join(pieces).removesuffix(END_OF_WORD).split(END_OF_WORD)


def _initial_symbols(word) -> list:
    if not isinstance(word, str) or word.split() != [word] or END_OF_WORD in word:
        raise refusal(
            DataError,
            "BPE",
            f"the word is {word!r}",
            f"one word, not empty, without white space and without {END_OF_WORD!r}, which marks the end of a "
            "word",
            "Split the text first.",
        )
    return [*word, END_OF_WORD]


def _count_words(words, n_merges):
    remedy = "Choose 0 for single characters."
    expect_integer(DataError, "BPE", "n_merges", n_merges, minimum=0, remedy=remedy)
    counts = Counter(words.split()) if isinstance(words, str) else Counter(words)
    if not counts:
        raise refusal(
            DataError,
            "BPE",
            f"the text is empty ({words!r})",
            "at least one word",
            "Check what it was read from.",
        )
    for word, count in counts.items():
        if not is_integer(count) or count < 1:
            raise refusal(
                DataError,
                "BPE",
                f"the count of {word!r} is {count!r}",
                "a whole number of at least 1",
                "Leave words out that do not occur.",
            )
    return counts
