"""Numbers, times, names and addresses as marks that a model learns to copy.

A corpus of some ten thousand sentences has nearly every number once. So a sentence is read with
marks in their place, ``It costs <n1> dollars .``, the model writes the marks where they belong, and
what they stand for is put in. The idea is that of Luong et al. (2015) for rare words.

``<n1>`` is the first number of a sentence, ``<t1>`` its first clock time, ``<y1>`` what may be a year,
``<o1>`` an ordinal, ``<w1>`` a word that is copied: a name that the vocabulary does not have, or an
address.
"""

import re
from dataclasses import dataclass

from .tokens import word_tokens

KINDS = "ntyow"
PER_KIND = 4  # marks of a kind; a further number of a sentence stays as it stands
MARKS = tuple(f"<{kind}{i}>" for kind in KINDS for i in range(1, PER_KIND + 1))

_LETTER = r"[A-Za-z\u00C0-\u024F]"
_WORD = rf"{_LETTER}+(?:-{_LETTER}+)*"
_ADDRESS = (
    r"(?:https?://|www\.)[^ \"<>]*[A-Za-z0-9/]"
    r"|[A-Za-z0-9._+-]+@[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)+"
    r"|[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)*\.(?:com|org|net|edu|gov|io|cn|de|fr|jp|uk|info)"
    r"(?:/[^ \"<>]*[A-Za-z0-9/])?(?![A-Za-z0-9])"
)
_NUMBER = r"(?:(?<![^ (])-)?[0-9]+(?:[.,:/-][0-9]+)*%?"
_SCALES = {"hundred": 2, "thousand": 3, "million": 6, "billion": 9, "trillion": 12}
_SCALE = rf" (?:{'|'.join(_SCALES)})(?![A-Za-z])"
# Their order counts: the first that fits is taken.
_SPAN = re.compile(
    rf"(?P<address>{_ADDRESS})"
    rf"|(?P<code>(?<![A-Za-z0-9])(?:{_LETTER}+|[A-Z]{_LETTER}*-)[0-9][A-Za-z0-9]*)"
    r"|(?P<t>[0-9]{1,2}:[0-9][0-9](?::[0-9][0-9])?(?![0-9:]))"
    r"|(?P<o>[0-9]+)(?=(?:st|nd|rd|th)(?![A-Za-z]))"
    r"|(?P<large>[0-9]+(?:,[0-9]{3})*(?:\.[0-9]+)?" + _SCALE + ")"
    r"|(?P<y>(?:1[0-9]|20)[0-9][0-9])(?![0-9%]|[.,:/-][0-9])"
    rf"|(?P<n>{_NUMBER})"
    rf"|(?P<name>(?<![A-Za-z0-9])(?:O')?{_WORD})(?!{_LETTER}|['’]t(?![A-Za-z]))"
)
_ORDINAL = re.compile("st|nd|rd|th")
_CURRENCY = {"$": "dollars", "€": "euros", "£": "pounds", "¥": "yen"}
_PRICE = re.compile(rf"([{''.join(_CURRENCY)}]) ?({_NUMBER}(?:{_SCALE})?)")
_PERCENT = re.compile(r"(?<=[0-9])(?: %| percent(?![A-Za-z]))")
# A first word has its capital anyway: it is a name only where what follows says so.
_FIRST_WORD = re.compile(r"(?:^|[\"“(]|(?<!Mr)(?<!Mrs)(?<!Ms)(?<!Dr)(?<![A-Z])[.?!][\"”]? )$")
_AFTER_NAME = re.compile(
    r"['’]s(?![A-Za-z])"
    r"|(?: [A-Z][a-z]+)* (?:(?!(?:this|its|his|us|as)(?![a-z]))[a-z]+s|[a-z]+ed|and|or|will|would|can|could|may|might"
    r"|must|should|had|did|said|told|went|came|got|made|never|always)(?![A-Za-z])"
)
# While a text is cut into words, each mark is one character that no text has.
_FIRST = 0xE000
# What the cutter would leave in one word with it.
_JOINS_BEFORE = re.compile(r"[^ (\[{\"“;!?]$")
_JOINS_AFTER = re.compile(r"(?!'s(?:[ ,;:!?)\"”]|\.?$))[^ )\]}\"”,;:!?]")
_PRIVATE = re.compile("[\ue000-\uf8ff]")


class Placeholder(str):
    """A token that stands for a part of a sentence: equal to its mark, with the text beside it.

    Parameters
    ----------
    mark : str
        One of ``MARKS``.
    words : sequence of str
        What it stands for, in the sentence that it is in: an English word, Chinese characters.
    """

    __slots__ = ("words",)

    def __new__(cls, mark, words):
        self = super().__new__(cls, mark)
        self.words = tuple(words)
        return self

    def __getnewargs__(self):
        return str(self), self.words

    @property
    def text(self):
        """What it stands for, in one."""
        return "".join(self.words)


@dataclass(frozen=True)
class Span:
    """A part of a sentence that a mark can stand for.

    Parameters
    ----------
    start, end : int
        Its place, in characters.
    kind : str
        One of ``KINDS``.
    text : str
        What the translation shall have: of ``3rd`` the 3.
    """

    start: int
    end: int
    kind: str
    text: str


def plain(sentence):
    """Return a sentence as ``spans`` reads it: single spaces, amounts of money with a word.

    Parameters
    ----------
    sentence : str

    Returns
    -------
    str
        ``$40`` is ``40 dollars``, which the sentences learned from have more often, and
        ``40 percent`` is ``40%``.
    """
    text = _PRIVATE.sub("\ufffd", " ".join(sentence.split()))
    text = _PRICE.sub(lambda m: f"{m[2]} {_CURRENCY[m[1]]}", text)
    return _PERCENT.sub("%", text)


def spans(text, known):
    """Find what marks can stand for in a sentence.

    Parameters
    ----------
    text : str
        As ``plain`` returns it.
    known : container of str
        Words that the model translates: a word with a capital is a name if neither it nor its
        small form is among them.

    Returns
    -------
    list of Span
        In their order; none overlaps another.
    """
    found = []
    shouts = not re.search("[a-z]", text)  # then a capital says nothing
    for match in _SPAN.finditer(text):
        kind, (start, end), word = match.lastgroup, match.span(), match[0]
        if kind == "name":
            around = text[:start], text[end:]
            if shouts or not _is_name(word, known, *around):
                continue
            before = found[-1] if found else None
            if before and before.kind == "w" and text[before.end : start] == " ":
                found[-1] = Span(before.start, end, "w", text[before.start : end])
                continue
        if kind == "o":
            end = _ORDINAL.match(text, end).end()
        if kind == "large":
            kind, word = "n", in_myriads(word)
        kind = "w" if kind in ("name", "address", "code") else kind
        found.append(Span(start, end, kind, word))
    return found


def _is_name(word, known, before, after):
    small = word.lower()
    if small == word or word in known or small in known:
        return False
    if len(word) == 1 and after[:1] == ".":  # of U.S., or of J. Smith
        return False
    if _FIRST_WORD.search(before) and not _AFTER_NAME.match(after):
        return False
    # What English makes of a word that is known.
    return not any(
        small.endswith(end) and small.removesuffix(end) in known
        for end in ("s", "ly", "ed", "ing")
    )


def in_myriads(text):
    """Write a large number as Chinese counts: ``2.5 million`` is ``250万``, ``3 billion`` ``30亿``.

    Parameters
    ----------
    text : str
        Digits and one of hundred, thousand, million, billion, trillion.

    Returns
    -------
    str
        As it stands, where it has more decimals than the word has zeros.
    """
    number, scale = text.replace(",", "").split(" ")
    whole, _, decimals = number.partition(".")
    zeros = _SCALES[scale] - len(decimals)
    if zeros < 0:
        return text
    digits = (whole + decimals).lstrip("0") + "0" * zeros
    for sign, count in (("亿", 8), ("万", 4)):
        if digits.endswith("0" * count):
            return digits[:-count] + sign
    return digits


def numbered(some):
    """Give spans their marks, those of a kind numbered from 1; what is too many gets none.

    Parameters
    ----------
    some : sequence of Span

    Returns
    -------
    list of (Span, str)
    """
    counts, given = dict.fromkeys(KINDS, 0), []
    for span in some:
        counts[span.kind] += 1
        if counts[span.kind] <= PER_KIND:
            given.append((span, f"<{span.kind}{counts[span.kind]}>"))
    return given


def words_of(text, marked):
    """Cut an English sentence into words, with marks for some of its parts.

    Parameters
    ----------
    text : str
        As ``plain`` returns it.
    marked : sequence of (Span, str)
        As ``numbered`` returns them.

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
    for i, (span, _) in enumerate(marked):
        before = text[end : span.start]
        parts += [before, " " * bool(_JOINS_BEFORE.search(before)), chr(_FIRST + i)]
        end = span.end
        # In "13-year" a word of its own follows.
        end += bool(re.match("-[A-Za-z]", text[end:]))
        parts.append(" " * bool(_JOINS_AFTER.match(text, end)))
    parts.append(text[end:])
    places = {
        chr(_FIRST + i): Placeholder(mark, [span.text])
        for i, (span, mark) in enumerate(marked)
    }
    return [places.get(word, word) for word in word_tokens("".join(parts))]


def mask(sentence, known):
    """Cut an English sentence into words, with a mark for all that is copied.

    Parameters
    ----------
    sentence : str
    known : container of str
        As in :func:`spans`.

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
    text = plain(sentence)
    return words_of(text, numbered(spans(text, known)))


def restore(tokens, source=()):
    """Put in what marks stand for.

    Parameters
    ----------
    tokens : iterable of str
        Of a translation. A mark that its source does not have stays as it is; one that stands
        there twice is filled twice.
    source : iterable of str
        The tokens of the sentence; unless given, a ``Placeholder`` among ``tokens`` says itself
        what it stands for.

    Returns
    -------
    list of str
        Where a mark stood, its words; those of the source as characters.
    """
    copied = {str(one): [*one.text] for one in source if isinstance(one, Placeholder)}
    return [
        word
        for token in tokens
        for word in copied.get(token) or getattr(token, "words", [token])
    ]


def missing(tokens, source):
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
    there = {*tokens}
    return [
        one.text for one in source if isinstance(one, Placeholder) and one not in there
    ]
