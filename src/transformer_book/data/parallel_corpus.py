"""Sentences in two languages: for training, validation and test, and their ids."""

import difflib
from collections.abc import Callable
from dataclasses import dataclass

from . import placeholders
from .errors import DataError
from .subwords import Subwords
from .tokens import detokenize, moses_tokens, tokenize, unescape_moses
from .vocabulary import SPECIAL_TOKENS, Vocabulary, text_ids

# The pair that the book follows. The grammar has it, and "brown dog" is held out.
FOLLOWED_PAIR = (
    "The black cat sat on the couch and the brown dog slept on the rug.",
    "黑猫坐在沙发上，棕狗睡在地毯上。",
)


@dataclass(frozen=True)
class ParallelCorpus:
    """Sentences with their translations, as tokens.

    Parameters
    ----------
    name, title, terms : str
        What the code calls it, what a page calls it, on what terms it may be used.
    source_language, target_language : str
        Language codes, as in ``"en"``.
    train, validation, test : tuple of (tuple of str, tuple of str)
        Tokens of the source and of the target sentence.
    source_vocabulary, target_vocabulary : Vocabulary
        Of the training sentences alone; the marks have ids 0 to 3.
    subwords : Subwords or None
        What cut the words into tokens; None where each word is a token.
    moses : bool
        Whether words are in lower case and cut and escaped as ``moses_tokens`` does.
    all_translations_of : callable or None
        Gives all right translations of a source sentence; None where the corpus knows one.
    known : frozenset of str or None
        Where numbers, names and addresses are read as marks, see ``placeholders``: the words that
        are no names to copy. None where all is read as it stands.
    """

    name: str
    title: str
    terms: str
    source_language: str
    target_language: str
    train: tuple
    validation: tuple
    test: tuple
    source_vocabulary: Vocabulary
    target_vocabulary: Vocabulary
    subwords: Subwords | None = None
    moses: bool = False
    all_translations_of: Callable | None = None
    known: frozenset[str] | None = None

    @classmethod
    def from_pairs(cls, train, validation, test, joint_vocabulary=False, **fields):
        """Make a corpus of pairs of tokens, with the vocabularies of ``train``.

        Parameters
        ----------
        train, validation, test : tuple of (tuple of str, tuple of str)
        joint_vocabulary : bool
            Whether both languages have one vocabulary, of both sides, as a model needs
            whose embeddings are all one matrix.
        **fields
            The other fields.

        Returns
        -------
        ParallelCorpus
        """
        sides = [[token for pair in train for token in pair[side]] for side in (0, 1)]
        marks = SPECIAL_TOKENS + placeholders.PLACEHOLDER_MARKS * (
            fields.get("known") is not None
        )
        if joint_vocabulary:
            source = target = Vocabulary(sides[0] + sides[1], marks)
        else:
            source, target = (Vocabulary(tokens, marks) for tokens in sides)
        return cls(
            train=train,
            validation=validation,
            test=test,
            source_vocabulary=source,
            target_vocabulary=target,
            **fields,
        )

    @property
    def copied_ids(self):
        """The ids of the marks of ``placeholders``, alike in both languages; () without them."""
        if self.known is None:
            return ()
        return tuple(
            range(
                len(SPECIAL_TOKENS),
                len(SPECIAL_TOKENS) + len(placeholders.PLACEHOLDER_MARKS),
            )
        )

    def ids(self, pairs) -> list:
        """Number pairs of tokens, as ``collate`` and ``bucketed_batches`` take them.

        Parameters
        ----------
        pairs : sequence of (sequence of str, sequence of str)
            For example ``corpus.train``.

        Returns
        -------
        list of (list of int, list of int)
            Without marks; UNK for tokens that the training sentences lack, and for words that are
            spelled like a mark.
        """
        return [
            (
                text_ids(self.source_vocabulary, source),
                text_ids(self.target_vocabulary, target),
            )
            for source, target in pairs
        ]

    def references(self, pair) -> set:
        """Return all right translations of a pair's source sentence.

        Parameters
        ----------
        pair : (sequence of str, sequence of str)
            For example one of ``corpus.test``.

        Returns
        -------
        set of tuple of str
            The tokens of each. Those of the pair alone, unless the corpus has ``all_translations_of``.

        Raises
        ------
        DataError
            If the corpus has ``all_translations_of``, and they do not know the sentence.
        """
        source, target = pair
        if self.all_translations_of is None:
            return {tuple(target)}
        sentence = detokenize(self._join_subwords(source), self.source_language)
        return {
            tuple(tokenize(right, self.target_language))
            for right in self.all_translations_of(sentence)
        }

    def source_ids(self, sentence):
        """Number the words of a source sentence, or their subwords, without marks.

        Parameters
        ----------
        sentence : str

        Returns
        -------
        list of int

        Raises
        ------
        DataError
            If the sentence is empty, or has words that the vocabulary lacks; each
            is named with the nearest word there is. A corpus with subwords has them for
            every word, unless training never saw one of its characters.
        """
        tokens = self.source_tokens(sentence)
        known = list(self.source_vocabulary)[len(SPECIAL_TOKENS) :]
        unknown = [token for token in dict.fromkeys(tokens) if token not in known]
        if unknown:
            near = [difflib.get_close_matches(w, known, 1, 0)[0] for w in unknown]
            listed = "; ".join(
                f"{w!r} (nearest: {other!r})" for w, other in zip(unknown, near)
            )
            raise DataError(
                f"{self.name}: the sentence has words that are not among the "
                f"{len(known):,} of the vocabulary: {listed}. Use words of "
                "corpus.source_vocabulary."
            )
        return self.source_vocabulary.ids(tokens)

    def source_tokens(self, sentence):
        """Cut a source sentence into tokens, as those of ``test`` are cut.

        Parameters
        ----------
        sentence : str

        Returns
        -------
        list of str
            With a ``Placeholder`` for each number, name and address, if the corpus has ``known``.

        Raises
        ------
        DataError
            If the sentence is empty.
        """
        if self.known is not None:
            tokens = placeholders.mark_sentence(sentence, self.known)
        elif self.moses:
            tokens = moses_tokens(sentence)
        else:
            tokens = tokenize(sentence, self.source_language)
        if self.subwords is not None:
            tokens = self.subwords.cut(tokens, self.source_vocabulary)
        return tokens

    def target_words(self, ids, source=()) -> list:
        """Return the words of a target sentence: up to the first EOS, other marks left out.

        These are what is scored. Subwords are joined; Chinese characters stay single.

        Parameters
        ----------
        ids : iterable of int
        source : sequence of str
            Tokens of the sentence that it translates, by which marks are replaced with what they
            stand for.

        Returns
        -------
        list of str

        Raises
        ------
        DataError
            If the vocabulary lacks an id.
        """
        return [w for w in self.spaced_target_words(ids, source) if w != " "]

    def spaced_target_words(self, ids, source=()):
        """Return the words that ``target_words`` does, and the spaces in what is copied.

        Parameters
        ----------
        ids, source
            As in ``target_words``.

        Returns
        -------
        list of str
        """
        tokens = self.target_vocabulary.tokens(ids)
        if "<eos>" in tokens:
            tokens = tokens[: tokens.index("<eos>")]
        tokens = [token for token in tokens if token not in ("<pad>", "<bos>")]
        return self._join_subwords(placeholders.restore_marked_text(tokens, source))

    def target_sentence(self, ids, source=()):
        """Write out a target sentence: the words of ``target_words``, spaced for a reader.

        Parameters
        ----------
        ids : iterable of int
        source : sequence of str
            As in ``target_words``. Spaces in what is copied stay.

        Returns
        -------
        str

        Raises
        ------
        DataError
            If the vocabulary lacks an id.
        """
        return self.write_sentence(self.spaced_target_words(ids, source))

    def join_tokens(self, tokens) -> list[str]:
        """Put tokens together into words: subwords are joined, Chinese characters stay single.

        Parameters
        ----------
        tokens : iterable of str
            Of either language, without marks but those that a ``Placeholder`` says the text of.

        Returns
        -------
        list of str
        """
        return [
            w
            for w in self._join_subwords(placeholders.restore_marked_text(tokens))
            if w != " "
        ]

    def _join_subwords(self, tokens):
        return list(tokens) if self.subwords is None else self.subwords.join(tokens)

    def write_sentence(self, words):
        """Write out words of the target language as a sentence, spaced for a reader.

        Parameters
        ----------
        words : sequence of str
            As ``join_tokens`` returns them.

        Returns
        -------
        str
        """
        if self.moses:
            words = unescape_moses(words)
        return detokenize(words, self.target_language)
