"""One text for a language model: cut into subwords, numbered, a part of it held back."""

from dataclasses import dataclass

import numpy as np
from jaxtyping import Int

from ..expect import refusal
from ..special_ids import EOS
from .errors import DataError
from .subwords import JOINT_MARK, Subwords
from .vocabulary import Vocabulary, text_ids


@dataclass(frozen=True)
class Text:
    """A corpus as ids of subwords, each article ended by EOS.

    Parameters
    ----------
    subwords : Subwords
        Learned from the training articles alone.
    vocabulary : Vocabulary
        Of the training articles.
    train, validation : integer array, (tokens,)
        Article after article.
    """

    subwords: Subwords
    vocabulary: Vocabulary
    train: Int[np.ndarray, "tokens"]
    validation: Int[np.ndarray, "tokens"]

    @classmethod
    def from_articles(cls, train, validation, n_merges):
        """Learn subwords and vocabulary from training articles, and number both parts.

        Parameters
        ----------
        train, validation : list of list of str
            Articles as words, as ``load`` returns them.
        n_merges : int
            As in ``Subwords.learn``.

        Returns
        -------
        Text

        Raises
        ------
        DataError
            If a part has no article, or a word or ``n_merges`` is not one.
        """
        if not train or not validation:
            raise refusal(
                DataError,
                "Text.from_articles",
                f"{len(train)} articles to learn from and {len(validation)} to hold back",
                "at least one of each",
                "Give more, or hold back fewer.",
            )
        subwords = Subwords.learn((w for words in train for w in words), n_merges)
        pieces = [subwords.cut(words) for words in train]
        vocabulary = Vocabulary(piece for cut in pieces for piece in cut)
        return cls(
            subwords,
            vocabulary,
            _join_article_ids(text_ids(vocabulary, cut) for cut in pieces),
            _join_article_ids(
                text_ids(vocabulary, subwords.cut(words)) for words in validation
            ),
        )

    def ids(self, text):
        """Return the ids of a text, words with white space between, without EOS.

        Raises
        ------
        DataError
            If the text has no word.
        """
        if not text.split():
            raise refusal(
                DataError,
                "Text.ids",
                f"the text is {text!r}",
                "at least one word",
                "Begin with a word.",
            )
        return text_ids(self.vocabulary, self.subwords.cut(text.split()))

    def decode_text(self, ids) -> str:
        """Return the text of some ids; a last word that is not complete stands as it is."""
        return " ".join(Subwords.join(self.vocabulary.tokens(ids)))

    def pieces(self, ids):
        """Return the subwords of some ids; each but the last of its word ends in ``@@``."""
        return self.vocabulary.tokens(ids)

    def count_words(self, ids):
        """Count the words that end among some ids; the mark at an article's end is one too."""
        return sum(not piece.endswith(JOINT_MARK) for piece in self.pieces(ids))

    def as_dict(self) -> dict:
        """Return all of it as lists, to be written as JSON."""
        return {
            "merges": [list(pair) for pair in self.subwords.merges],
            "vocabulary": list(self.vocabulary),
            "train": self.train.tolist(),
            "validation": self.validation.tolist(),
        }

    @classmethod
    def from_dict(cls, dictionary):
        """Return the text that ``as_dict`` has written down."""
        tokens, train = dictionary["vocabulary"], dictionary["train"]
        return cls(
            Subwords(dictionary["merges"]),
            Vocabulary(
                tokens[i] for i in train
            ),  # in the same order: it has counted these
            np.array(train),
            np.array(dictionary["validation"]),
        )


def _join_article_ids(articles):
    return np.array([i for ids in articles for i in [*ids, EOS]])
