"""Pairs of sentences with marks on both sides: what a model learns copying from."""

import random
import re

from . import numerals, placeholders
from .placeholders import KINDS, PER_KIND, Placeholder, Span

# Names that the corpus translates and has often: a mark in their place is what an unknown name gets.
NAMES = {
    "Tom": ("汤姆",),
    "Mary": ("玛丽",),
    "John": ("约翰",),
    "Lincoln": ("林肯",),
    "Boston": ("波士顿",),
    "Tokyo": ("东京",),
    "London": ("伦敦",),
    "New York": ("纽约",),
    "Paris": ("巴黎",),
    "Rome": ("罗马",),
    "Kyoto": ("京都",),
    "Osaka": ("大阪",),
    "Chicago": ("芝加哥",),
    "Sydney": ("悉尼",),
    "Hokkaido": ("北海道",),
    "Hawaii": ("夏威夷",),
    "Australia": ("澳大利亚", "澳洲"),
    "Canada": ("加拿大",),
    "Europe": ("欧洲",),
    "Africa": ("非洲",),
    "Italy": ("意大利",),
    "Switzerland": ("瑞士",),
}
_NAME = re.compile(rf"(?<![A-Za-z])(?:{'|'.join(NAMES)})(?![A-Za-z])")
_NUMERAL = rf"(?:[0-9][0-9,.]*[0-9]|[0-9])[十百千万亿]*|{numerals.CHINESE.pattern}"
_CLOCK = re.compile(
    rf"(?P<h>[0-9]{{1,2}}):(?P<m>[0-9]{{2}})(?![0-9])"
    rf"|(?P<hour>{_NUMERAL})点(?:(?P<half>半)|(?P<quarter>一刻)|(?P<minute>{_NUMERAL})分?|钟)?"
)
_QUANTITY = re.compile(rf"百分之(?P<percent>{_NUMERAL})|(?P<number>{_NUMERAL})(?P<sign>%?)")
_LATIN = re.compile(r"[A-Za-z\u00C0-\u024F0-9][A-Za-z\u00C0-\u024F0-9.@:/+'-]*")
_O_CLOCK = " o'clock"
LEAST = 2  # of a number word: "one" and 一 stand in too many sentences that do not count


def align(text, chinese, spans):
    """Find what spans of an English sentence are in its translation.

    Parameters
    ----------
    text : str
        As of ``placeholders.plain``.
    chinese : str
    spans : sequence of Span

    Returns
    -------
    list of (Span, Span)
        Each span that has one counterpart, with this one's place in ``chinese`` and its text
        there: the same number, in digits or numerals, the same time, the same letters. A span with
        two, or two spans with the same one, are not among them.
    """
    wanted = [(span, _value(span, text)) for span in spans]
    values = [value for _, value in wanted]
    there = _candidates(chinese)
    pairs = []
    for span, value in wanted:
        same = [one for key, one in there if key == value]
        if value is not None and len(same) == 1 == values.count(value):
            pairs.append((span, same[0]))
    ends = [(one.start, one.end) for _, one in pairs]
    # Of "2:30" the time is taken, and not the 30 in it.
    return [
        pair
        for pair, (start, end) in zip(pairs, ends)
        if not any(a < end and start < b and (a, b) != (start, end) for a, b in ends)
    ]


def _value(span, text):
    """Return what two spans must share to be one thing."""
    if span.kind == "w":
        return "w", span.text
    if span.kind == "t":
        hour, minute, *seconds = span.text.split(":")
        return None if seconds else ("t", int(hour), int(minute))
    words = text[span.start : span.end]
    number = _number(span.text.removesuffix("%"))
    if number is None and numerals.ENGLISH.fullmatch(words):
        number = numerals.english_value(words)
    return None if number is None else ("%" if "%" in span.text else "n", number)


def numbers_of(chinese):
    """Return the numbers of a Chinese sentence, in digits and in numerals: 三 is 3.

    Parameters
    ----------
    chinese : str

    Returns
    -------
    list of int or Decimal
    """
    return [key[1] for key, _ in _candidates(chinese) if key[0] in ("n", "%")]


def _candidates(chinese):
    """Return all that may be a counterpart: what it must share, and where it is."""
    text, found, taken = numerals.narrow(chinese), [], []

    def add(key, match, kind):
        start, end = match.span()
        if not any(a < end and start < b for a, b in taken):
            taken.append((start, end))
            found.append((key, Span(start, end, kind, chinese[start:end])))

    for match in _LATIN.finditer(text):
        if re.search("[A-Za-z\u00c0-\u024f]", match[0]):
            add(("w", match[0]), match, "w")
    for match in _CLOCK.finditer(text):
        hour = int(match["h"]) if match["h"] else _number(match["hour"])
        minute = int(match["m"]) if match["m"] else _minute(match)
        if hour is None or minute is None:
            continue
        if match["hour"] and match[0].endswith("点"):
            # 十点 may be 10:00, and may be a number before 点.
            number = _CLOCK_HOUR.match(text, match.start())
            found.append((("n", hour), Span(*number.span(), "n", chinese[slice(*number.span())])))
        add(("t", hour, minute), match, "t")
    for match in _QUANTITY.finditer(text):
        number = _number(match["percent"] or match["number"])
        if number is not None:
            add(("%" if match["percent"] or match["sign"] else "n", number), match, "n")
    return found


_CLOCK_HOUR = re.compile(_NUMERAL)


def _minute(match):
    if match["half"]:
        return 30
    if match["quarter"]:
        return 15
    return _number(match["minute"]) if match["minute"] else 0


def _number(text):
    """Return the value of digits or numerals, or of digits before a unit: 10万."""
    if numerals.CHINESE.fullmatch(text):
        return numerals.chinese_value(text)
    digits, units = re.fullmatch("(.*?)([十百千万亿]*)", text).groups()
    value = numerals.digits_value(digits)
    if value is None or not units:
        return value
    return value * numerals.chinese_value("一" + units)


def marked(text, chinese, spans, draw=None):
    """Write a pair with marks for some of its spans.

    Parameters
    ----------
    text, chinese : str
    spans : sequence of (Span, Span or None)
        As of :func:`align`; with None a mark stands in the English sentence alone.
    draw : random.Random, optional
        What draws the numbers of the marks; without it those of a kind are numbered in their order.

    Returns
    -------
    words, tokens : list of str
        English words and Chinese characters, and the same marks among both.
    """
    given = placeholders.numbered([ours for ours, _ in spans])
    if draw is not None:
        numbers = {kind: draw.sample(range(1, PER_KIND + 1), PER_KIND) for kind in KINDS}
        given = [(s, f"<{s.kind}{numbers[s.kind][int(m[2]) - 1]}>") for s, m in given]
    marks = {ours: mark for ours, mark in given}
    tokens, end = [], 0
    there = [(theirs, marks[ours]) for ours, theirs in spans if theirs and ours in marks]
    for theirs, mark in sorted(there, key=lambda one: one[0].start):
        tokens += [*chinese[end : theirs.start], Placeholder(mark, theirs.text)]
        end = theirs.end
    return placeholders.words_of(text, given), [*tokens, *chinese[end:]]


def word_spans(text, chinese):
    """Find number words and well-known names that could as well be digits and unknown names.

    Parameters
    ----------
    text : str
        As of ``placeholders.plain``.
    chinese : str

    Returns
    -------
    list of (Span, Span)
        As of :func:`align`.
    """
    found = []
    for match in numerals.ENGLISH.finditer(text):
        value, (start, end) = numerals.english_value(match[0]), match.span()
        if value is None or value < LEAST:
            continue
        if text.startswith(_O_CLOCK, end) or re.search(r"点(?!儿|什)", chinese):
            time = Span(start, end + len(_O_CLOCK) * text.startswith(_O_CLOCK, end), "t", f"{value}:00")
            if pair := align(text, chinese, [time]):
                found += pair
                continue
        found += align(text, chinese, [Span(start, end, "n", str(value))])
    for match in re.finditer(r"[A-Za-z]+", text):
        rank = numerals.ORDINALS.get(match[0].lower(), 0)
        if rank >= LEAST:
            found += align(text, chinese, [Span(*match.span(), "o", str(rank))])
    return _apart([*found, *_names(text, chinese)])


def _names(text, chinese):
    names = [*_NAME.finditer(text)]
    for match in names:
        there = [one for one in NAMES[match[0]] if one in chinese]
        alone = sum(other[0] == match[0] for other in names) == 1
        if alone and len(there) == 1 and chinese.count(there[0]) == 1:
            start = chinese.index(there[0])
            end = start + len(there[0])
            yield Span(*match.span(), "w", match[0]), Span(start, end, "w", there[0])


def _apart(pairs):
    """Leave out all that share a place on either side; sorted by their English places."""
    alone = [
        pair
        for pair in pairs
        if not any(
            other is not pair
            and any(
                a.start < b.end and b.start < a.end for a, b in zip(pair, other)
            )
            for other in pairs
        )
    ]
    return sorted(alone, key=lambda pair: pair[0].start)


def learned(pairs, known):
    """Yield the pairs to learn from: the sentences as they are read, then :func:`more_pairs`.

    Parameters
    ----------
    pairs : sequence of (str, str)
        Of training.
    known : container of str
        As of ``placeholders.spans``.

    Yields
    ------
    words, tokens : list of str
        What has no counterpart stays as it stands.
    """
    for english, chinese in pairs:
        text, chinese = placeholders.plain(english), "".join(chinese.split())
        found = align(text, chinese, placeholders.spans(text, known))
        yield marked(text, chinese, found)
    yield from more_pairs(pairs, known)


def held_out(pairs, known):
    """Yield the pairs to translate: the source as :func:`placeholders.mask` reads it.

    Parameters
    ----------
    pairs : sequence of (str, str)
    known : container of str
        As of ``placeholders.spans``.

    Yields
    ------
    words, tokens : list of str
        What the translation has otherwise, such as an amount without its last digits, stays there
        as it stands.
    """
    for english, chinese in pairs:
        text, chinese = placeholders.plain(english), "".join(chinese.split())
        spans = placeholders.spans(text, known)
        there = dict(align(text, chinese, spans))
        yield marked(text, chinese, [(span, there.get(span)) for span in spans])


def more_pairs(pairs, known):
    """Make further pairs to learn copying from: number words and names become marks.

    Parameters
    ----------
    pairs : sequence of (str, str)
        Of training.
    known : container of str
        As of ``placeholders.spans``.

    Yields
    ------
    words, tokens : list of str
        As of :func:`marked`. Every pair with a number, a time or an ordinal comes once more with
        its numbers; of those that have names alone, one in ``NAMED``. The numbers of the marks are
        drawn, so that none of them is rare.
    """
    draw = random.Random(0)
    for english, chinese in pairs:
        text, chinese = placeholders.plain(english), "".join(chinese.split())
        real = align(text, chinese, placeholders.spans(text, known))
        found = _apart([*real, *word_spans(text, chinese)])
        if not found:
            continue
        names = all(ours.kind == "w" for ours, _ in found)
        if names and draw.random() > 1 / NAMED:
            continue
        copies = COPIES if real else 1
        for _ in range(copies):
            some = [pair if draw.random() > ODD else _odd(pair) for pair in found]
            yield marked(text, chinese, some, draw if draw.random() < 0.5 else None)


NAMED = 3
COPIES = 3  # of a pair that has digits, or a name that nobody translates: there are few
ODD = 0.1  # so often a number is written with four digits, like a year, where it counts something


def _odd(pair):
    ours, theirs = pair
    kind = "y" if ours.kind == "n" else ours.kind
    return Span(ours.start, ours.end, kind, ours.text), theirs
