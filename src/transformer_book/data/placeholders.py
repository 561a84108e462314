"""Numbers, times, names and addresses as marks that a model learns to copy.

A corpus of some ten thousand sentences has nearly every number once. So a sentence is read with
marks in their place, ``It costs <n1> dollars .``, the model writes the marks where they belong, and
what they stand for is put in. The idea is that of Luong et al. (2015) for rare words.

``<n1>`` is the first number of a sentence, ``<t1>`` its first clock time, ``<y1>`` what may be a year,
``<o1>`` an ordinal, ``<w1>`` a word that is copied: a name that the vocabulary does not have, or an
address.
"""

import re

from .spans import SPAN_KINDS, find_spans, plain_sentence
from .tokens import word_tokens

MARKS_PER_KIND = 4  # marks of a kind; a further number of a sentence stays as it stands
PLACEHOLDER_MARKS = tuple(
    f"<{kind}{i}>" for kind in SPAN_KINDS for i in range(1, MARKS_PER_KIND + 1)
)

# While a text is cut into words, each mark is one character that no text has.
_FIRST_PRIVATE_CODE = 0xE000
# What the cutter would leave in one word with it.
_JOINS_BEFORE_MARK = re.compile(r"[^ (\[{\"“;!?]$")
_JOINS_AFTER_MARK = re.compile(r"(?!'s(?:[ ,;:!?)\"”]|\.?$))[^ )\]}\"”,;:!?]")


class Placeholder(str):
    """A token that stands for a part of a sentence: equal to its mark, with the text beside it.

    Parameters
    ----------
    mark : str
        One of ``PLACEHOLDER_MARKS``.
    words : sequence of str
        What it stands for, in the sentence that it is in: an English word, Chinese characters.
    """

    __slots__ = ("words",)
    words: tuple[str, ...]

    def __new__(cls, mark, words):
        self = super().__new__(cls, mark)
        self.words = tuple(words)
        return self

    def __getnewargs__(self):
        return str(self), self.words

    @property
    def text(self) -> str:
        """What it stands for, in one."""
        return "".join(self.words)


def assign_marks(spans):
    """Give spans their marks, those of a kind numbered from 1; what is too many gets none.

    Parameters
    ----------
    spans : sequence of Span

    Returns
    -------
    list of (Span, str)
    """
    counts, marked = dict.fromkeys(SPAN_KINDS, 0), []
    for span in spans:
        counts[span.kind] += 1
        if counts[span.kind] <= MARKS_PER_KIND:
            marked.append((span, f"<{span.kind}{counts[span.kind]}>"))
    return marked


def words_with_marks(text, marked_spans) -> list:
    """Cut an English sentence into words, with marks for some of its parts.

    Parameters
    ----------
    text : str
        As ``plain_sentence`` returns it.
    marked_spans : sequence of (Span, str)
        As ``assign_marks`` returns them.

    Returns
    -------
    list of str
        As of ``word_tokens``; each mark is a ``Placeholder``.

    Raises
    ------
    DataError
        If there is no word.
    """
    parts, end = [], 0
    for i, (span, _) in enumerate(marked_spans):
        before = text[end : span.start]
        parts += [
            before,
            " " * bool(_JOINS_BEFORE_MARK.search(before)),
            chr(_FIRST_PRIVATE_CODE + i),
        ]
        end = span.end
        # In "13-year" a separate word follows.
        end += bool(re.match("-[A-Za-z]", text[end:]))
        parts.append(" " * bool(_JOINS_AFTER_MARK.match(text, end)))
    parts.append(text[end:])
    places = {
        chr(_FIRST_PRIVATE_CODE + i): Placeholder(mark, [span.text])
        for i, (span, mark) in enumerate(marked_spans)
    }
    return [places.get(word, word) for word in word_tokens("".join(parts))]


def mark_sentence(sentence, known_words):
    """Cut an English sentence into words, with a mark for all that is copied.

    Parameters
    ----------
    sentence : str
    known_words : container of str
        As in :func:`find_spans`.

    Returns
    -------
    list of str
        Words, and a ``Placeholder`` for each mark.

    Raises
    ------
    DataError
        If there is no word.
    """
    if not isinstance(sentence, str):
        return word_tokens(sentence)  # its error
    text = plain_sentence(sentence)
    return words_with_marks(text, assign_marks(find_spans(text, known_words)))


def restore_marked_text(tokens, source=()):
    """Put in what marks stand for.

    Parameters
    ----------
    tokens : iterable of str
        Of a translation. A mark that its source does not have stays as it is; one that stands
        there twice is filled twice.
    source : iterable of str
        The tokens of the sentence; without them a ``Placeholder`` among ``tokens`` says what it
        stands for.

    Returns
    -------
    list of str
        Where a mark stood, its words; those of the source as characters. A space parts two of
        them that would otherwise run together.
    """
    copied = {str(one): [*one.text] for one in source if isinstance(one, Placeholder)}
    words, follows_mark = [], False
    for token in tokens:
        if is_mark := token in copied:
            if follows_mark and words[-1].isalnum() and copied[token][0].isalnum():
                words.append(" ")
            words += copied[token]
        else:
            words += getattr(token, "words", [token])
        follows_mark = is_mark
    return words


def missing_copies(tokens, source) -> list:
    """Return what a translation lacks of what its source wants copied.

    Parameters
    ----------
    tokens : iterable of str
        Of a translation, with marks.
    source : iterable of str
        With a ``Placeholder`` for each mark.

    Returns
    -------
    list of str
        The texts of the marks that did not arrive, in their order.
    """
    arrived = {*tokens}
    return [
        token.text
        for token in source
        if isinstance(token, Placeholder) and token not in arrived
    ]
