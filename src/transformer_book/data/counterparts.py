"""What of an English sentence its Chinese translation has as well: numbers, times, Latin letters."""

import re

from . import numerals
from .spans import Span

_NUMERAL_PATTERN = rf"(?:[0-9][0-9,.]*[0-9]|[0-9])[十百千万亿]*|{numerals.CHINESE_NUMERAL_PATTERN.pattern}"
_CLOCK_TIME_PATTERN = re.compile(
    rf"(?P<h>[0-9]{{1,2}}):(?P<m>[0-9]{{2}})(?![0-9])"
    rf"|(?P<hour>{_NUMERAL_PATTERN})点(?:(?P<half>半)|(?P<quarter>一刻)|(?P<minute>{_NUMERAL_PATTERN})分?|钟)?"
)
_QUANTITY_PATTERN = re.compile(
    rf"百分之(?P<percent>{_NUMERAL_PATTERN})|(?P<number>{_NUMERAL_PATTERN})(?P<sign>%?)"
)
_LATIN_WORD_PATTERN = re.compile(
    r"[A-Za-z\u00C0-\u024F0-9][A-Za-z\u00C0-\u024F0-9.@:/+'-]*"
)


def find_counterparts(chinese, spans) -> list:
    """Find what spans of an English sentence are in its translation.

    Parameters
    ----------
    chinese : str
    spans : sequence of Span

    Returns
    -------
    list of (Span, Span)
        Each span that has one counterpart, with this one's place in ``chinese`` and its text
        there: the same number, in digits or numerals, the same time, the same letters. A span with
        two, or two spans with the same one, are not among them.
    """
    wanted = [(span, _matching_key(span)) for span in spans]
    values = [value for _, value in wanted]
    candidates = _find_candidates(chinese)
    pairs = []
    for span, value in wanted:
        matches = [other for key, other in candidates if key == value]
        if value is not None and len(matches) == 1 == values.count(value):
            pairs.append((span, matches[0]))
    ends = [(one.start, one.end) for _, one in pairs]
    # Of 十点 the time may be one counterpart and the number in it another: then neither is certain.
    return [
        pair
        for pair, (start, end) in zip(pairs, ends)
        if not any(a < end and start < b and (a, b) != (start, end) for a, b in ends)
    ]


def _matching_key(span):
    """Return what two spans must share to be one thing."""
    if span.kind == "w":
        return "w", span.text
    if span.kind == "t":
        hour, minute, *seconds = span.text.split(":")
        return None if seconds else ("t", int(hour), int(minute))
    number = _numeric_value(span.text.removesuffix("%"))
    return None if number is None else ("%" if "%" in span.text else "n", number)


def numbers_in_chinese(chinese) -> list:
    """Return the numbers of a Chinese sentence, in digits and in numerals: 三 is 3.

    Parameters
    ----------
    chinese : str

    Returns
    -------
    list of int or Decimal
    """
    return [key[1] for key, _ in _find_candidates(chinese) if key[0] in ("n", "%")]


def _find_candidates(chinese):
    """Return all that may be a counterpart: what it must share, and where it is."""
    text, candidates, taken = numerals.narrow_digits(chinese), [], []

    def add_candidate(key, match, kind):
        start, end = match.span()
        # Of "2:30" the time is taken, and not the 30 in it.
        if not any(a < end and start < b for a, b in taken):
            taken.append((start, end))
            candidates.append((key, Span(start, end, kind, chinese[start:end])))

    for match in _LATIN_WORD_PATTERN.finditer(text):
        if re.search("[A-Za-z\u00c0-\u024f]", match[0]):
            add_candidate(("w", match[0]), match, "w")
    for match in _CLOCK_TIME_PATTERN.finditer(text):
        hour = int(match["h"]) if match["h"] else _numeric_value(match["hour"])
        minute = int(match["m"]) if match["m"] else _matched_minute(match)
        if hour is None or minute is None:
            continue
        if match["hour"] and match[0].endswith("点"):
            # 十点 may be 10:00, and may be a number before 点.
            start, end = match.span("hour")
            candidates.append((("n", hour), Span(start, end, "n", chinese[start:end])))
        add_candidate(("t", hour, minute), match, "t")
    for match in _QUANTITY_PATTERN.finditer(text):
        number = _numeric_value(match["percent"] or match["number"])
        if number is not None:
            add_candidate(
                ("%" if match["percent"] or match["sign"] else "n", number), match, "n"
            )
    return candidates


def _matched_minute(match):
    if match["half"]:
        return 30
    if match["quarter"]:
        return 15
    return _numeric_value(match["minute"]) if match["minute"] else 0


def _numeric_value(text):
    """Return the value of digits or numerals, or of digits before a unit: 10万."""
    if numerals.CHINESE_NUMERAL_PATTERN.fullmatch(text):
        return numerals.chinese_numeral_value(text)
    digits = text.rstrip("十百千万亿")
    units = text[len(digits) :]
    value = numerals.digits_value(digits)
    if value is None or not units:
        return value
    return value * numerals.chinese_numeral_value("一" + units)
