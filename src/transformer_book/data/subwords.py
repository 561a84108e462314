"""Words cut into subwords in the notation of published corpora, ``play@@ house``, and joined."""

from itertools import pairwise
from pathlib import Path

from . import bpe
from .aligned import read_lines
from .errors import DataError
from .placeholders import PLACEHOLDER_MARKS

# Behind every piece but the last of its word; and, in merges, behind the last character.
JOINT_MARK = "@@"
END_OF_WORD = "</w>"


class Subwords:
    """Cut words into subwords by byte pair encoding (Sennrich, Haddow and Birch, 2016).

    ``bpe`` teaches the method on words whose end is a separate symbol. Corpora with ``@@``
    come from subword-nmt, where the end is part of the last character.

    Parameters
    ----------
    merges : iterable of (str, str)
        In the order learned, with ``</w>`` behind the last character of a word, as in
        ``("e", "r</w>")``.

    Raises
    ------
    DataError
        If a merge is not two symbols.

    Attributes
    ----------
    rank : dict of (str, str) to int
        The place of each merge in the order learned, from 0.
    """

    def __init__(self, merges):
        self.merges = tuple(tuple(pair) for pair in merges)
        for pair in self.merges:
            if len(pair) != 2 or not all(pair):
                raise DataError(
                    f"Subwords was given the merge {pair!r}; expected two symbols, as in "
                    "('e', 'r</w>'). Check what the merges were read from."
                )
        # Of a pair that stands there twice the first place counts, as in subword-nmt.
        self.rank = {pair: i for i, pair in reversed([*enumerate(self.merges)])}
        self._parts = {"".join(pair): pair for pair in reversed(self.merges)}
        self._cut = {}

    def __repr__(self):
        return f"Subwords of {len(self.merges):,} merges"

    @classmethod
    def read(cls, path):
        """Read a file of merges as subword-nmt writes it: a line of version, then pairs.

        Lines may end as on Windows, and empty ones may follow the last.

        Parameters
        ----------
        path : path-like

        Returns
        -------
        Subwords

        Raises
        ------
        DataError
            If the file cannot be read, is not UTF-8, has a line that is not a pair, or merges of
            another kind.
        """
        version, *lines = [line.removesuffix("\r") for line in read_lines(path)]
        while lines and not lines[-1]:
            lines.pop()
        if version != "#version: 0.2":
            raise DataError(
                f"{path}, line 1 is {version[:40]!r}; expected '#version: 0.2', with which a "
                "file of merges by subword-nmt begins. Check that this is such a file."
            )
        pairs = [tuple(line.split(" ")) for line in lines]
        for number, pair in enumerate(pairs, start=2):
            if len(pair) != 2 or not all(pair):
                raise DataError(
                    f"{Path(path)}, line {number} is {' '.join(pair)[:40]!r}; expected two symbols "
                    "with a space between. Check that the file is whole."
                )
        # GPT-2's begin with the same line; cut with its merges, words would be nonsense.
        if pairs and not any(
            symbol.endswith(END_OF_WORD) for pair in pairs for symbol in pair
        ):
            raise DataError(
                f"{path}: of its {len(pairs):,} merges none has {END_OF_WORD!r}; expected merges by "
                "subword-nmt, which mark the end of a word with it. Those of GPT-2 and its like mark "
                "the beginning, and join bytes: read them with the library that they were made for."
            )
        return cls(pairs)

    @classmethod
    def learn(cls, words, n_merges):
        """Learn merges with the ``tokenizers`` library.

        Parameters
        ----------
        words : iterable of str
            The text, word by word.
        n_merges : int
            How many merges to learn; fewer come back when every word is one symbol before that.

        Returns
        -------
        Subwords

        Raises
        ------
        DataError
            If there is no word, or one that ``cut`` refuses, or ``n_merges`` is negative.
        """
        import json

        from tokenizers import Tokenizer, models, pre_tokenizers, trainers

        words = [_check_word(word) for word in words]
        if not words or n_merges < 0:
            raise DataError(
                f"Subwords.learn was given {len(words)} words and n_merges={n_merges}; expected at "
                "least one word, and 0 merges or more. Check what the text was read from."
            )
        inside, last = (
            {c for word in words for c in word},
            {word[-1] + END_OF_WORD for word in words},
        )
        tokenizer = Tokenizer(models.BPE())
        tokenizer.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
        trainer = trainers.BpeTrainer(
            vocab_size=len(inside) + len(last) + n_merges,
            # The library numbers these in any order unless they are named, and of pairs that occur
            # equally often takes the one with the lowest numbers.
            special_tokens=sorted(last),
            end_of_word_suffix=END_OF_WORD,
            show_progress=False,
        )
        tokenizer.train_from_iterator(words, trainer)
        return cls(json.loads(tokenizer.to_str())["model"]["merges"])

    def cut(self, words, known_subwords=None) -> list:
        """Cut words into subwords.

        Parameters
        ----------
        words : iterable of str
        known_subwords : container of str, optional
            Subwords to keep to, such as a vocabulary: another one is cut again where it was
            merged, down to its characters if need be.

        Returns
        -------
        list of str
            Every subword but the last of its word ends in ``@@``. A mark of ``placeholders`` is one.

        Raises
        ------
        DataError
            If a word is empty or has white space, or ends in ``@@`` itself.
        """
        return [
            piece
            for word in words
            for piece in (
                [word]
                if word in PLACEHOLDER_MARKS
                else self._pieces(word, known_subwords)
            )
        ]

    @staticmethod
    def join(pieces):
        """Put subwords together into words; one without its last piece is a word as it stands.

        Parameters
        ----------
        pieces : iterable of str

        Returns
        -------
        list of str
        """
        words, begun = [], ""
        for piece in pieces:
            begun += piece.removesuffix(JOINT_MARK)
            if not piece.endswith(JOINT_MARK):
                words.append(begun)
                begun = ""
        return [*words, begun] if begun else words

    def spell_subwords(self, symbols, known_subwords=None):
        """Return the symbols of one word as subwords, with ``@@`` behind all but the last.

        Parameters
        ----------
        symbols : sequence of str
            The last ends in ``</w>``.
        known_subwords : container of str, optional
            As in :meth:`cut`.

        Returns
        -------
        list of str
        """
        # The place says which symbol ends the word: the text itself may spell "</w>".
        *inside, last = symbols
        pieces = [
            p
            for symbol in inside
            for p in self._split_symbol(symbol, known_subwords, False)
        ]
        return pieces + self._split_symbol(last, known_subwords, True)

    def _pieces(self, word, known_subwords):
        if word not in self._cut:
            self._cut[word] = self._apply_merges(word)
        return self.spell_subwords(self._cut[word], known_subwords)

    def _apply_merges(self, word):
        symbols = initial_symbols(word)
        while pairs := self.rank.keys() & pairwise(symbols):
            symbols = bpe.merge(symbols, min(pairs, key=self.rank.__getitem__))
        return symbols

    def _split_symbol(self, symbol, known_subwords, ends_word):
        piece = symbol.removesuffix(END_OF_WORD) if ends_word else symbol + JOINT_MARK
        if (
            known_subwords is None
            or piece in known_subwords
            or symbol not in self._parts
        ):
            return [piece]
        first, second = self._parts[symbol]
        return self._split_symbol(first, known_subwords, False) + self._split_symbol(
            second, known_subwords, ends_word
        )


def initial_symbols(word) -> list:
    """Return the symbols that a word is merged of; the last is one with the end of the word.

    Parameters
    ----------
    word : str

    Returns
    -------
    list of str

    Raises
    ------
    DataError
        If the word is empty or has white space, or ends in ``@@`` itself.
    """
    _check_word(word)
    return [*word[:-1], word[-1] + END_OF_WORD]


def _check_word(word):
    if not isinstance(word, str) or word.split() != [word] or word.endswith(JOINT_MARK):
        raise DataError(
            f"Subwords was given the word {word!r}; expected one word, not empty, without white "
            f"space and without {JOINT_MARK!r} at its end, which says that a word goes on."
        )
    return word
