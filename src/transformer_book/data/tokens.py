"""Sentences cut into tokens, as NLTK cuts them and as Moses does, and put together again."""

import html
import re
from itertools import cycle

from ..expect import refusal
from .errors import DataError


def word_tokens(text):
    """Cut a text into words and punctuation marks.

    NLTK's tokeniser with ``preserve_line=True``, which needs no downloaded model. It takes the
    text for one sentence: a full stop inside it stays with its word, as in ``couch.It``.

    Parameters
    ----------
    text : str

    Returns
    -------
    list of str

    Raises
    ------
    DataError
        If the text is not a string, or holds no word.
    """
    _check_text("word_tokens", text)
    from nltk import word_tokenize  # takes a second to import

    return word_tokenize(text, preserve_line=True)


def moses_tokens(text) -> list:
    """Cut an English sentence as the text of Multi30k was cut: lower case, and Moses's rules.

    The rules of ``tokenizer.perl`` of Moses (Koehn et al., 2007) without its list of
    abbreviations, after quotation marks have become straight: hyphens stay, ``isn't`` becomes
    ``isn`` and ``'t``, and a full stop stays with its word where a lower-case word follows, as in
    ``mr. smith``. Signs that mean something in XML or to Moses are escaped: ``&apos;t``.

    Parameters
    ----------
    text : str

    Returns
    -------
    list of str

    Raises
    ------
    DataError
        If the text is not a string, or holds no word.
    """
    _check_text("moses_tokens", text)
    text = " ".join(text.lower().translate(_STRAIGHT_QUOTES).split())
    for pattern, parted in _MOSES_RULES:
        text = pattern.sub(parted, text)
    return [token.translate(_MOSES_ESCAPES) for token in text.split()]


def unescape_moses(words) -> list:
    """Return words that ``moses_tokens`` has escaped as :func:`detokenize` takes them.

    Parameters
    ----------
    words : iterable of str

    Returns
    -------
    list of str
    """
    # Moses has one sign for both ends of a quotation; detokenize needs two, as NLTK writes them.
    marks = cycle(("``", "''"))
    return [next(marks) if word == "&quot;" else html.unescape(word) for word in words]


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


_STRAIGHT_QUOTES = str.maketrans("‘’“”", "''\"\"")
_MOSES_ESCAPES = str.maketrans(
    {
        "&": "&amp;",
        "|": "&#124;",
        "<": "&lt;",
        ">": "&gt;",
        "'": "&apos;",
        '"': "&quot;",
        "[": "&#91;",
        "]": "&#93;",
    }
)
_LETTER_PATTERN = r"[^\W\d_]"
_MOSES_RULES = [
    (re.compile(pattern), parted)
    for pattern, parted in (
        (r"([^\w\s.'`,-]|_)", r" \1 "),
        (r"(\.{2,})", r" \1 "),
        (r"(?<!\d),|,(?!\d)", " , "),
        (rf"(?<!\w)'|'(?!{_LETTER_PATTERN})", " ' "),
        (r"(?<=\w)'", " '"),
        # The last full stop of a word, unless it has others, as "u.s." has.
        (rf"(?<!\S)([^\s.]+|[\d.,]*\d)\.(?!\S| {_LETTER_PATTERN})", r"\1 ."),
    )
]


def _check_text(function_name, text):
    if not isinstance(text, str):
        raise refusal(
            DataError,
            function_name,
            f"the text is a {type(text).__name__}",
            "a string",
            "Join a list of words with ' '.join(words).",
        )
    if not text.strip():
        raise refusal(
            DataError,
            function_name,
            f"the text is empty ({text!r})",
            "at least one word",
            "Check what it was read from.",
        )
