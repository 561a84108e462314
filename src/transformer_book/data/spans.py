"""Parts of an English sentence that a mark can stand for: numbers, times, names, addresses."""

import re
from dataclasses import dataclass

SPAN_KINDS = "ntyow"  # number, time, what may be a year, ordinal, word
_LETTER_PATTERN = r"[A-Za-z\u00C0-\u024F]"
_WORD_PATTERN = rf"{_LETTER_PATTERN}+(?:-{_LETTER_PATTERN}+)*"
_ADDRESS_PATTERN = (
    r"(?:https?://|www\.)[^ \"<>]*[A-Za-z0-9/]"
    r"|[A-Za-z0-9._+-]+@[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)+"
    r"|[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)*\.(?:com|org|net|edu|gov|io|cn|de|fr|jp|uk|info)"
    r"(?:/[^ \"<>]*[A-Za-z0-9/])?(?![A-Za-z0-9])"
)
_NUMBER_PATTERN = r"(?:(?<![^ (])-)?[0-9]+(?:[.,:/-][0-9]+)*%?"
_ZEROS_BY_SCALE = {
    "hundred": 2,
    "thousand": 3,
    "million": 6,
    "billion": 9,
    "trillion": 12,
}
_SCALE_PATTERN = rf" (?:{'|'.join(_ZEROS_BY_SCALE)})(?![A-Za-z])"
# Their order counts: the first that fits is taken.
_SPAN_PATTERN = re.compile(
    rf"(?P<address>{_ADDRESS_PATTERN})"
    rf"|(?P<code>(?<![A-Za-z0-9])(?:{_LETTER_PATTERN}+|[A-Z]{_LETTER_PATTERN}*-)[0-9][A-Za-z0-9]*)"
    r"|(?P<t>[0-9]{1,2}:[0-9][0-9](?::[0-9][0-9])?(?![0-9:]))"
    r"|(?P<o>[0-9]+)(?=(?:st|nd|rd|th)(?![A-Za-z]))"
    r"|(?P<large>[0-9]+(?:,[0-9]{3})*(?:\.[0-9]+)?" + _SCALE_PATTERN + ")"
    r"|(?P<y>(?:1[0-9]|20)[0-9][0-9])(?![0-9%]|[.,:/-][0-9])"
    rf"|(?P<n>{_NUMBER_PATTERN})"
    rf"|(?P<name>(?<![A-Za-z0-9])(?:O')?{_WORD_PATTERN})(?!{_LETTER_PATTERN}|['’]t(?![A-Za-z]))"
)
_ORDINAL_ENDING = re.compile("st|nd|rd|th")
_WORD_BY_CURRENCY_SIGN = {"$": "dollars", "€": "euros", "£": "pounds", "¥": "yen"}
_PRICE_PATTERN = re.compile(
    rf"([{''.join(_WORD_BY_CURRENCY_SIGN)}]) ?({_NUMBER_PATTERN}(?:{_SCALE_PATTERN})?)"
)
_PERCENT_PATTERN = re.compile(r"(?<=[0-9])(?: %| percent(?![A-Za-z]))")
# A first word has its capital anyway: it is a name only where what follows says so.
_SENTENCE_START_PATTERN = re.compile(
    r"(?:^|[\"“(]|(?<!Mr)(?<!Mrs)(?<!Ms)(?<!Dr)(?<![A-Z])[.?!][\"”]? )$"
)
_AFTER_NAME_PATTERN = re.compile(
    r"['’]s(?![A-Za-z])"
    r"|(?: [A-Z][a-z]+)* (?:(?!(?:this|its|his|us|as)(?![a-z]))[a-z]+s|[a-z]+ed|and|or|will|would"
    r"|can|could|may|might|must|should|had|did|said|told|went|came|got|made|never|always)(?![A-Za-z])"
)
# Marks are such characters while a text is cut into words.
_PRIVATE_CHARACTERS = re.compile("[\ue000-\uf8ff]")


@dataclass(frozen=True)
class Span:
    """A part of a sentence that a mark can stand for.

    Parameters
    ----------
    start, end : int
        Its place, in characters.
    kind : str
        One of ``SPAN_KINDS``.
    text : str
        What the translation shall have: of ``3rd`` the 3.
    """

    start: int
    end: int
    kind: str
    text: str


def plain_sentence(sentence):
    """Return a sentence as ``find_spans`` reads it: single spaces, amounts of money with a word.

    Parameters
    ----------
    sentence : str

    Returns
    -------
    str
        ``$40`` is ``40 dollars``, which the sentences learned from have more often, and
        ``40 percent`` is ``40%``.
    """
    text = _PRIVATE_CHARACTERS.sub("\ufffd", " ".join(sentence.split()))
    text = _PRICE_PATTERN.sub(lambda m: f"{m[2]} {_WORD_BY_CURRENCY_SIGN[m[1]]}", text)
    return _PERCENT_PATTERN.sub("%", text)


def find_spans(text, known_words):
    """Find what marks can stand for in a sentence.

    Parameters
    ----------
    text : str
        As ``plain_sentence`` returns it.
    known_words : container of str
        Words that the model translates: a word with a capital is a name if neither it nor its
        small form is among them.

    Returns
    -------
    list of Span
        In their order; none overlaps another.
    """
    parts: list[Span] = []
    shouts = not re.search("[a-z]", text)  # then a capital says nothing
    for match in _SPAN_PATTERN.finditer(text):
        kind, (start, end), word = str(match.lastgroup), match.span(), match[0]
        if kind == "name":
            if shouts or not _is_name(word, known_words, text[:start], text[end:]):
                continue
            before = parts[-1] if parts else None
            if before and before.kind == "w" and text[before.end : start] == " ":
                parts[-1] = Span(before.start, end, "w", text[before.start : end])
                continue
        if kind == "o" and (suffix := _ORDINAL_ENDING.match(text, end)):
            end = suffix.end()
        if kind == "large":
            kind, word = "n", number_in_myriads(word)
        kind = "w" if kind in ("name", "address", "code") else kind
        parts.append(Span(start, end, kind, word))
    return parts


def _is_name(word, known_words, text_before, text_after):
    small = word.lower()
    if small == word or word in known_words or small in known_words:
        return False
    if len(word) == 1 and text_after[:1] == ".":  # of U.S., or of J. Smith
        return False
    if _SENTENCE_START_PATTERN.search(text_before) and not _AFTER_NAME_PATTERN.match(
        text_after
    ):
        return False
    # What English makes of a word that is known.
    return not any(
        small.endswith(end) and small.removesuffix(end) in known_words
        for end in ("s", "ly", "ed", "ing")
    )


def number_in_myriads(text):
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
    integer, _, decimals = number.partition(".")
    zeros = _ZEROS_BY_SCALE[scale] - len(decimals)
    if zeros < 0:
        return text
    digits = (integer + decimals).lstrip("0") + "0" * zeros
    for sign, count in (("亿", 8), ("万", 4)):
        if digits.endswith("0" * count):
            return digits[:-count] + sign
    return digits
