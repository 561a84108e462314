"""Sentences in two languages: for training, validation and test, and their ids."""

import difflib
from dataclasses import dataclass

from .errors import DataError
from .grammar import grammar_pairs, held_out, words
from .tokens import word_tokens
from .vocabulary import Vocabulary

PAD, UNK, BOS, EOS = 0, 1, 2, 3
MARKS = ("<pad>", "<unk>", "<bos>", "<eos>")

# The pair that the book follows. The grammar has it, and "brown dog" is held out.
FOLLOWED = (
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

    @classmethod
    def of(cls, train, validation, test, **about):
        """Make a corpus of pairs of tokens, with the vocabularies of ``train``."""
        source, target = (
            Vocabulary((token for pair in train for token in pair[side]), MARKS)
            for side in (0, 1)
        )
        return cls(
            train=train, validation=validation, test=test,
            source_vocabulary=source, target_vocabulary=target, **about,
        )

    def ids(self, pairs):
        """Number pairs of tokens, as ``collate`` and ``bucketed`` take them.

        Parameters
        ----------
        pairs : sequence of (sequence of str, sequence of str)
            For example ``corpus.train``.

        Returns
        -------
        list of (list of int, list of int)
            Without marks; UNK for tokens that the training sentences lack.
        """
        return [
            (
                self.source_vocabulary.ids(source, unknown="<unk>"),
                self.target_vocabulary.ids(target, unknown="<unk>"),
            )
            for source, target in pairs
        ]

    def source_ids(self, sentence):
        """Number the words of a source sentence, without marks.

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
            is named with the nearest word there is.
        """
        tokens = tokenize(sentence, self.source_language)
        known = list(self.source_vocabulary)[len(MARKS) :]
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

    def target_sentence(self, ids):
        """Write out a target sentence: up to the first EOS, other marks left out.

        Parameters
        ----------
        ids : iterable of int

        Returns
        -------
        str

        Raises
        ------
        DataError
            If the vocabulary lacks an id.
        """
        tokens = self.target_vocabulary.tokens(ids)
        if "<eos>" in tokens:
            tokens = tokens[: tokens.index("<eos>")]
        kept = [token for token in tokens if token not in ("<pad>", "<bos>")]
        return detokenize(kept, self.target_language)


def tokenize(sentence, language):
    """Cut a sentence into tokens: Chinese into characters, the rest into words.

    Parameters
    ----------
    sentence : str
    language : str
        A language code; ``"zh"`` is Chinese.

    Returns
    -------
    list of str

    Raises
    ------
    DataError
        If the sentence is not a string, or empty.
    """
    if language == "zh" and isinstance(sentence, str) and sentence.strip():
        return list("".join(sentence.split()))
    return word_tokens(sentence)  # and its errors


def detokenize(tokens, language):
    """Write tokens as a sentence again.

    Parameters
    ----------
    tokens : sequence of str
    language : str
        A language code; ``"zh"`` is Chinese.

    Returns
    -------
    str
    """
    if language == "zh":
        return "".join(tokens)
    from nltk.tokenize.treebank import TreebankWordDetokenizer

    return TreebankWordDetokenizer().detokenize(tokens)


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
        If no corpus has that name.
    """
    if name not in PARALLEL:
        raise DataError(
            f"There is no parallel corpus named {name!r}. "
            f"Known: {', '.join(PARALLEL)}. Pass one of these.",
            reason=f"no parallel corpus has the name {name!r}",
        )
    return PARALLEL[name]()


def _grammar():
    n_train, n_validation, n_test = 40_000, 500, 1_000
    seen, unseen = [], [FOLLOWED]
    # More than enough: about one sentence in five has neighbours that are held out.
    for pair in grammar_pairs(52_000):
        (unseen if held_out(pair[0]) else seen).append(pair)
    unseen = list(dict.fromkeys(unseen))
    return ParallelCorpus.of(
        name="grammar",
        title="sentences of the book's own English–Chinese grammar",
        terms="generated here, no terms",
        source_language="en",
        target_language="zh",
        train=_cut(seen[:n_train]),
        validation=_cut(seen[n_train : n_train + n_validation]),
        test=_cut(unseen[:n_test]),
    )


def _cut(pairs):
    # What tokenize gives, as a test makes sure, without the time that NLTK takes.
    return tuple(
        ((*words(english), "."), tuple(chinese)) for english, chinese in pairs
    )


PARALLEL = {"grammar": _grammar}
