"""Pairs of sentences with marks on both sides: what a model learns copying from."""

import random
import re

from . import numerals, placeholders
from .counterparts import align
from .placeholders import MARKS_PER_KIND, Placeholder
from .spans import SPAN_KINDS, Span, plain
from .spans import spans as spans_of

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
_O_CLOCK = " o'clock"
# Of a number word: "one" and 一 stand in too many sentences that do not count.
LEAST_NUMBER_WORD = 2
# Of so many pairs that have names alone, one is learned with marks, too.
PAIRS_PER_NAMED_COPY = 3
COPIES = 3  # of a pair that has digits, or a name that nobody translates: there are few
# Share of numbers that get the mark of a year: 1500 may count something.
ODD_YEAR_SHARE = 0.1


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
    numbered = placeholders.number_marks([ours for ours, _ in spans])
    if draw is not None:
        numbers = {
            kind: draw.sample(range(1, MARKS_PER_KIND + 1), MARKS_PER_KIND)
            for kind in SPAN_KINDS
        }
        numbered = [
            (s, f"<{s.kind}{numbers[s.kind][int(m[2]) - 1]}>") for s, m in numbered
        ]
    marks = dict(numbered)
    tokens, end = [], 0
    counterparts = [
        (theirs, marks[ours]) for ours, theirs in spans if theirs and ours in marks
    ]
    for theirs, mark in sorted(counterparts, key=lambda pair: pair[0].start):
        tokens += [*chinese[end : theirs.start], Placeholder(mark, theirs.text)]
        end = theirs.end
    return placeholders.words_of(text, numbered), [*tokens, *chinese[end:]]


def word_spans(text, chinese):
    """Find number words and well-known names that could as well be digits and unknown names.

    Parameters
    ----------
    text : str
        As of ``spans.plain``.
    chinese : str

    Returns
    -------
    list of (Span, Span)
        As of :func:`align`.
    """
    return _without_overlaps(
        [*_numbers(text, chinese), *_ordinals(text, chinese), *_names(text, chinese)]
    )


def _numbers(text, chinese):
    for match in numerals.ENGLISH_NUMERAL.finditer(text):
        value, (start, end) = numerals.english_value(match[0]), match.span()
        if value is None or value < LEAST_NUMBER_WORD:
            continue
        # "at ten" and "ten o'clock" are times where their translation is: 十点.
        to = end + len(_O_CLOCK) * text.startswith(_O_CLOCK, end)
        time = align(chinese, [Span(start, to, "t", f"{value}:00")])
        yield from time or align(chinese, [Span(start, end, "n", str(value))])


def _ordinals(text, chinese):
    for match in re.finditer("[A-Za-z]+", text):
        rank = numerals.ORDINALS.get(match[0].lower(), 0)
        if rank >= LEAST_NUMBER_WORD:
            yield from align(chinese, [Span(*match.span(), "o", str(rank))])


def _names(text, chinese):
    names = [*_NAME.finditer(text)]
    for match in names:
        translated = [name for name in NAMES[match[0]] if name in chinese]
        alone = sum(other[0] == match[0] for other in names) == 1
        if alone and len(translated) == 1 and chinese.count(translated[0]) == 1:
            start = chinese.index(translated[0])
            counterpart = Span(start, start + len(translated[0]), "w", translated[0])
            yield Span(*match.span(), "w", match[0]), counterpart


def _without_overlaps(pairs):
    """Leave out all that share a place on either side; sorted by their English places."""
    disjoint = [
        pair
        for pair in pairs
        if not any(
            other is not pair
            and any(a.start < b.end and b.start < a.end for a, b in zip(pair, other))
            for other in pairs
        )
    ]
    return sorted(disjoint, key=lambda pair: pair[0].start)


def _yield_plain_pairs(pairs):
    """Yield pairs with the English as ``plain`` rewrites it, and no space in the Chinese."""
    for english, chinese in pairs:
        yield plain(english), "".join(chinese.split())


def training_pairs(pairs, known_words):
    """Yield the pairs to learn from: the sentences as they are read, then :func:`more_pairs`.

    Parameters
    ----------
    pairs : sequence of (str, str)
        Of training.
    known_words : container of str
        As of ``spans.spans``.

    Yields
    ------
    words, tokens : list of str
        What has no counterpart stays as it stands.
    """
    for text, chinese in _yield_plain_pairs(pairs):
        yield marked(text, chinese, align(chinese, spans_of(text, known_words)))
    yield from more_pairs(pairs, known_words)


def held_out(pairs, known_words):
    """Yield the pairs to translate: the source as :func:`placeholders.mask` reads it.

    Parameters
    ----------
    pairs : sequence of (str, str)
    known_words : container of str
        As of ``spans.spans``.

    Yields
    ------
    words, tokens : list of str
        What the translation has otherwise, such as an amount without its last digits, stays there
        as it stands.
    """
    for text, chinese in _yield_plain_pairs(pairs):
        spans = spans_of(text, known_words)
        counterparts = dict(align(chinese, spans))
        yield marked(text, chinese, [(span, counterparts.get(span)) for span in spans])


def more_pairs(pairs, known_words):
    """Make further pairs to learn copying from: number words and names become marks.

    Parameters
    ----------
    pairs : sequence of (str, str)
        Of training.
    known_words : container of str
        As of ``spans.spans``.

    Yields
    ------
    words, tokens : list of str
        As of :func:`marked`. Every pair with a number, a time or an ordinal comes once more with
        its numbers; of those that have names alone, one in ``PAIRS_PER_NAMED_COPY``. The numbers of the
        marks are drawn, so that none of them is rare.
    """
    draw = random.Random(0)
    for text, chinese in _yield_plain_pairs(pairs):
        copied = align(chinese, spans_of(text, known_words))
        spans = _without_overlaps([*copied, *word_spans(text, chinese)])
        if not spans:
            continue
        only_names = all(ours.kind == "w" for ours, _ in spans)
        if only_names and draw.random() > 1 / PAIRS_PER_NAMED_COPY:
            continue
        for _ in range(COPIES if copied else 1):
            with_years = [
                pair if draw.random() > ODD_YEAR_SHARE else _as_year(pair)
                for pair in spans
            ]
            yield marked(
                text, chinese, with_years, draw if draw.random() < 0.5 else None
            )


def _as_year(pair):
    """Give a number the mark of a year; what is no number stays."""
    ours, theirs = pair
    kind = "y" if ours.kind == "n" else ours.kind
    return Span(ours.start, ours.end, kind, ours.text), theirs
