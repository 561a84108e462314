"""BPE-dropout: words cut into other subwords each time (Provilkov, Emelianenko and Voita, 2020)."""

import math
from itertools import pairwise

from ..options import is_finite_number
from .errors import DataError
from .subwords import initial_symbols


class BPEDropout:
    """Cut words by byte pair encoding, where each merge is skipped with a probability.

    Algorithm 1 of Provilkov, Emelianenko and Voita (2020). From the characters of a word on, each
    place where a merge could be applied is left out with probability p; of the merges that remain the
    oldest is applied, wherever it remains; then all places are looked at anew. It ends when none
    remains. With p = 0 that is byte pair encoding, with p = 1 every character is a subword.

    Parameters
    ----------
    subwords : Subwords
    p : float
        Probability of a merge to be skipped; the paper's is 0.1.
    known_subwords : container of str, optional
        Subwords to keep to, such as a vocabulary. Another one is cut again where it was merged, as
        ``Subwords.cut`` does; where not even that helps, the word is cut without dropout.

    Raises
    ------
    DataError
        If p is no probability.
    """

    def __init__(self, subwords, p, known_subwords=None):
        if not (is_finite_number(p) and 0 <= p <= 1):
            raise DataError(
                f"BPEDropout: p is {p!r}; expected a probability, from 0 to 1."
            )
        self.subwords, self.p, self.known_subwords = subwords, p, known_subwords
        self._plain = {}

    def cut(self, words, rng) -> list:
        """Cut words into subwords, each word by separate draws.

        Parameters
        ----------
        words : iterable of str
        rng : random.Random

        Returns
        -------
        list of list of str
            The subwords of each word. All but the last end in ``@@``.

        Raises
        ------
        DataError
            If a word is empty or has white space, or ends in ``@@`` itself.
        """
        skips = _MergeSkips(self.p, rng)
        return [self._cut_word(word, skips) for word in words]

    def _cut_word(self, word, skips):
        if word not in self._plain:
            counted = _MergeSkips(0.0, None)
            self._apply_merges(word, counted)
            self._plain[word] = (
                self.subwords.cut([word], self.known_subwords),
                counted.passed,
            )
        plain, places = self._plain[word]
        if skips.pass_if_none_skipped(places):  # as of most words, which are short
            return plain
        pieces = self.subwords.spell_subwords(
            self._apply_merges(word, skips), self.known_subwords
        )
        known = self.known_subwords is None or all(
            piece in self.known_subwords for piece in pieces
        )
        return pieces if known else plain

    def _apply_merges(self, word, skips):
        symbols, rank = initial_symbols(word), self.subwords.rank
        while True:
            pairs = enumerate(pairwise(symbols))
            places = [(rank[pair], i) for i, pair in pairs if pair in rank]
            for k in reversed(skips.pass_and_list_skipped(len(places))):
                del places[k]
            if not places:
                return symbols
            oldest, _ = min(places)
            symbols = _join_symbols(symbols, [i for age, i in places if age == oldest])


class _MergeSkips:
    """Which of many merges are skipped, each with probability p.

    It draws how many are applied until the next is skipped, rather than a number for each.
    """

    def __init__(self, p, rng):
        self.p, self.rng, self.passed = p, rng, 0
        self.next = self._draw_applied_count()  # that is skipped, counted as passed is

    def pass_if_none_skipped(self, n):
        """Say whether the next n are all applied, and pass them if so."""
        if self.passed + n > self.next:
            return False
        self.passed += n
        return True

    def pass_and_list_skipped(self, n):
        """Return which of the next n are skipped, from 0 on, and pass them."""
        skipped, first = [], self.passed
        self.passed += n
        while self.next < self.passed:
            skipped.append(self.next - first)
            self.next += 1 + self._draw_applied_count()
        return skipped

    def _draw_applied_count(self):
        if self.p in (0, 1):
            return math.inf if self.p == 0 else 0
        return int(math.log1p(-self.rng.random()) / math.log1p(-self.p))


def _join_symbols(symbols, places: list[int]):
    """Join the symbols at some places with the ones that follow, from left to right."""
    joined, end = [], 0
    for i in places:
        if i >= end:  # else the symbol is part of the one before: aaa is aa, a
            joined += [*symbols[end:i], symbols[i] + symbols[i + 1]]
            end = i + 2
    return joined + symbols[end:]
