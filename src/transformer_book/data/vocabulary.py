"""From tokens to ids and back."""

import difflib
from collections import Counter

from ..expect import refusal
from ..ids import ids_or_none
from ..special_ids import UNK
from .errors import DataError

# By the ids that special_ids has for them.
SPECIAL_TOKENS = ("<pad>", "<unk>", "<bos>", "<eos>")


class Vocabulary:
    """Number the tokens of a text: special tokens first, then the most frequent first.

    Tokens that occur equally often stand in alphabetical order, so the same text always gives the
    same ids.

    Parameters
    ----------
    tokens : iterable of str
        The text, token by token.
    specials : sequence of str
        Tokens that get the first ids, whether the text has them or not.

    Raises
    ------
    DataError
        If there is no token, or ``tokens`` is one string instead of a list of them.
    """

    def __init__(self, tokens, specials=SPECIAL_TOKENS):
        self.counts = Counter(_listed_tokens(tokens))
        if not self.counts:
            raise refusal(
                DataError,
                "Vocabulary",
                "the text is empty",
                "at least one token",
                "Check what the text was read from.",
            )
        self.specials = tuple(dict.fromkeys(specials))
        ordinary = sorted(
            self.counts.keys() - set(self.specials), key=lambda t: (-self.counts[t], t)
        )
        self._token = [*self.specials, *ordinary]
        self._id = {token: i for i, token in enumerate(self._token)}

    def __len__(self):
        return len(self._token)

    def __contains__(self, token):
        return token in self._id

    def __iter__(self):
        return iter(self._token)

    def __repr__(self):
        return (
            f"Vocabulary of {len(self):,} tokens, {len(self.specials)} of them special"
        )

    def ids(self, tokens, unknown=None) -> list:
        """Return the id of each token; a special token is one of them.

        Of words from a text, of which one may be spelled like a special token, :func:`text_ids`.

        Parameters
        ----------
        tokens : iterable of str
        unknown : str, optional
            The token whose id stands for tokens that the vocabulary lacks, usually ``"<unk>"``.

        Returns
        -------
        list of int

        Raises
        ------
        DataError
            If the vocabulary lacks a token and ``unknown`` is None.
        """
        stand_in = None if unknown is None else self._id_of(unknown)
        return [
            self._id_of(token) if stand_in is None else self._id.get(token, stand_in)
            for token in _listed_tokens(tokens)
        ]

    def tokens(self, ids) -> list:
        """Return the token of each id.

        Parameters
        ----------
        ids : iterable of int
            Each from 0 to ``len(self) - 1``.

        Returns
        -------
        list of str

        Raises
        ------
        DataError
            If no token has that id, or one is no whole number.
        """
        listed = ids_or_none(ids)
        if listed is None:
            raise refusal(
                DataError,
                "Vocabulary.tokens",
                f"ids is {str(ids)[:60]}",
                f"whole numbers from 0 to {len(self) - 1}, none of them True or False",
                "Check where the ids come from.",
            )
        return [self._token_of(i) for i in listed]

    def _id_of(self, token):
        if token not in self._id:
            near = difflib.get_close_matches(str(token), self._token, n=1, cutoff=0)
            raise refusal(
                DataError,
                "Vocabulary",
                f"it has no token {token!r}",
                f"one of its {len(self):,} tokens, of which {near[0]!r} is the nearest",
                "Check the spelling and the case, or pass unknown='<unk>'.",
            )
        return self._id[token]

    def _token_of(self, i):
        if not 0 <= i < len(self):
            raise refusal(
                DataError,
                "Vocabulary",
                f"it has no id {i}",
                f"0 to {len(self) - 1}",
                "Check that the ids come from this vocabulary.",
            )
        return self._token[i]


def text_ids(vocabulary, tokens) -> list:
    """Number the tokens of a text, none as a mark: what the text spells ``<eos>`` is a word.

    Parameters
    ----------
    vocabulary : Vocabulary
        The marks have ids 0 to 3.
    tokens : sequence of str

    Returns
    -------
    list of int
        UNK for tokens that the vocabulary lacks, and for words that are spelled like a mark.
    """
    ids = vocabulary.ids(tokens, unknown="<unk>")
    return [UNK if token in SPECIAL_TOKENS else i for token, i in zip(tokens, ids)]


def _listed_tokens(tokens) -> list:
    if isinstance(tokens, str):
        raise refusal(
            DataError,
            "Vocabulary",
            f"tokens is the string {tokens[:40]!r}",
            "a list of tokens",
            "Cut it first, for example with word_tokens(text).",
        )
    return list(tokens)
