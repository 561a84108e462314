"""Pairs of sentences with marks on both sides: what a model learns copying from."""

import random
import re
from collections.abc import Sequence

from . import numerals, placeholders
from .counterparts import find_counterparts
from .placeholders import MARKS_PER_KIND, Placeholder
from .spans import SPAN_KINDS, Span, plain_sentence
from .spans import find_spans as spans_of

# Names that the corpus translates and has often: a mark in their place is what an unknown name gets.
CHINESE_BY_ENGLISH_NAME = {
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
_NAME_PATTERN = re.compile(
    rf"(?<![A-Za-z])(?:{'|'.join(CHINESE_BY_ENGLISH_NAME)})(?![A-Za-z])"
)
_O_CLOCK = " o'clock"
# Of a number word: "one" and 一 stand in too many sentences that do not count.
LEAST_MARKED_NUMBER = 2
# Of so many pairs that have names alone, one is learned with marks, too.
NAME_PAIRS_PER_COPY = 3
# Of a pair that has digits, or a name that nobody translates: there are few.
COPIES_OF_A_PAIR = 3
# Share of numbers that get the mark of a year: 1500 may count something.
NUMBERS_AS_YEARS_SHARE = 0.1


def mark_pair(
    text, chinese, spans: Sequence[tuple[Span, Span | None]], rng=None
) -> tuple:
    """Write a pair with marks for some of its spans.

    Parameters
    ----------
    text, chinese : str
    spans : sequence of (Span, Span or None)
        As of :func:`find_counterparts`; with None a mark stands in the English sentence alone.
    rng : random.Random, optional
        What draws the numbers of the marks; without it those of a kind are numbered in their order.

    Returns
    -------
    words, tokens : list of str
        English words and Chinese characters, and the same marks among both.
    """
    numbered = placeholders.assign_marks([ours for ours, _ in spans])
    if rng is not None:
        numbers = {
            kind: rng.sample(range(1, MARKS_PER_KIND + 1), MARKS_PER_KIND)
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
    return placeholders.words_with_marks(text, numbered), [*tokens, *chinese[end:]]


def aligned_word_spans(text, chinese):
    """Find number words and well-known names that could as well be digits and unknown names.

    Parameters
    ----------
    text : str
        As of ``spans.plain_sentence``.
    chinese : str

    Returns
    -------
    list of (Span, Span)
        As of :func:`find_counterparts`.
    """
    return _drop_overlapping_pairs(
        [
            *_aligned_number_word_spans(text, chinese),
            *_aligned_ordinal_spans(text, chinese),
            *_aligned_name_spans(text, chinese),
        ]
    )


def _aligned_number_word_spans(text, chinese):
    for match in numerals.ENGLISH_NUMERAL_PATTERN.finditer(text):
        value, (start, end) = numerals.english_numeral_value(match[0]), match.span()
        if value is None or value < LEAST_MARKED_NUMBER:
            continue
        # "at ten" and "ten o'clock" are times where their translation is: 十点.
        to = end + len(_O_CLOCK) * text.startswith(_O_CLOCK, end)
        time = find_counterparts(chinese, [Span(start, to, "t", f"{value}:00")])
        yield from time or find_counterparts(
            chinese, [Span(start, end, "n", str(value))]
        )


def _aligned_ordinal_spans(text, chinese):
    for match in re.finditer("[A-Za-z]+", text):
        rank = numerals.RANKS_BY_ORDINAL.get(match[0].lower(), 0)
        if rank >= LEAST_MARKED_NUMBER:
            yield from find_counterparts(chinese, [Span(*match.span(), "o", str(rank))])


def _aligned_name_spans(text, chinese):
    names = [*_NAME_PATTERN.finditer(text)]
    for match in names:
        translated = [
            name for name in CHINESE_BY_ENGLISH_NAME[match[0]] if name in chinese
        ]
        alone = sum(other[0] == match[0] for other in names) == 1
        if alone and len(translated) == 1 and chinese.count(translated[0]) == 1:
            start = chinese.index(translated[0])
            counterpart = Span(start, start + len(translated[0]), "w", translated[0])
            yield Span(*match.span(), "w", match[0]), counterpart


def _drop_overlapping_pairs(pairs) -> list:
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
    """Yield pairs with the English as ``plain_sentence`` rewrites it, and no space in the Chinese."""
    for english, chinese in pairs:
        yield plain_sentence(english), "".join(chinese.split())


def training_pairs(pairs, known_words):
    """Yield the pairs to learn from: the sentences as they are read, then :func:`extra_copying_pairs`.

    Parameters
    ----------
    pairs : sequence of (str, str)
        Of training.
    known_words : container of str
        As of ``spans.find_spans``.

    Yields
    ------
    words, tokens : list of str
        What has no counterpart stays as it stands.
    """
    for text, chinese in _yield_plain_pairs(pairs):
        yield mark_pair(
            text, chinese, find_counterparts(chinese, spans_of(text, known_words))
        )
    yield from extra_copying_pairs(pairs, known_words)


def held_out_pairs(pairs, known_words):
    """Yield the pairs to translate: the source as :func:`placeholders.mark_sentence` reads it.

    Parameters
    ----------
    pairs : sequence of (str, str)
    known_words : container of str
        As of ``spans.find_spans``.

    Yields
    ------
    words, tokens : list of str
        What the translation has otherwise, such as an amount without its last digits, stays there
        as it stands.
    """
    for text, chinese in _yield_plain_pairs(pairs):
        spans = spans_of(text, known_words)
        counterparts = dict(find_counterparts(chinese, spans))
        yield mark_pair(
            text, chinese, [(span, counterparts.get(span)) for span in spans]
        )


def extra_copying_pairs(pairs, known_words):
    """Make further pairs to learn copying from: number words and names become marks.

    Parameters
    ----------
    pairs : sequence of (str, str)
        Of training.
    known_words : container of str
        As of ``spans.find_spans``.

    Yields
    ------
    words, tokens : list of str
        As of :func:`mark_pair`. Every pair with a number, a time or an ordinal comes once more with
        its numbers; of those that have names alone, one in ``NAME_PAIRS_PER_COPY``. The numbers of the
        marks are drawn, so that none of them is rare.
    """
    rng = random.Random(0)
    for text, chinese in _yield_plain_pairs(pairs):
        copied = find_counterparts(chinese, spans_of(text, known_words))
        spans = _drop_overlapping_pairs([*copied, *aligned_word_spans(text, chinese)])
        if not spans:
            continue
        only_names = all(ours.kind == "w" for ours, _ in spans)
        if only_names and rng.random() > 1 / NAME_PAIRS_PER_COPY:
            continue
        for _ in range(COPIES_OF_A_PAIR if copied else 1):
            with_years = [
                pair if rng.random() > NUMBERS_AS_YEARS_SHARE else _with_year_kind(pair)
                for pair in spans
            ]
            yield mark_pair(
                text, chinese, with_years, rng if rng.random() < 0.5 else None
            )


def _with_year_kind(pair) -> tuple:
    """Give a number the mark of a year; what is no number stays."""
    ours, theirs = pair
    kind = "y" if ours.kind == "n" else ours.kind
    return Span(ours.start, ours.end, kind, ours.text), theirs
