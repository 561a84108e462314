"""The window of word2vec: which word predicts which, in skip-gram and in CBOW."""

from ..kit import checks, draw
from ..kit.figure import render
from ..kit.style import BODY, NARROW, canvas, text_width

CHIP, HIGH = 28, 128  # px: a word's box; a panel
GAP, BARB = 6, (7, 4)
ELLIPSIS = "\N{HORIZONTAL ELLIPSIS}"
NAMES = (
    "skip-gram: the word predicts each neighbour",
    "CBOW: their mean predicts the word",
)


def context_window(words, centre, window, *, title, alt):
    """Draw the window around one word twice: skip-gram predicts outwards, CBOW inwards.

    Parameters
    ----------
    words : sequence of str
        n words of a sentence; those outside the window become an ellipsis.
    centre : int
        The index of the word in the middle.
    window : int
        How many words on either side are its neighbours.

    Raises
    ------
    ValueError
        If there is no such word, or it has no neighbour in the window.
    """
    words = checks.labels(words, len(words), "words", "words")
    centre = checks.index(centre, len(words), "centre")
    if not isinstance(window, int) or window < 1 or len(words) < 2:
        raise ValueError(
            f"window: got {window!r} around word {centre} of {len(words)}, expected at least one "
            "neighbour; give a whole number from 1 up and a sentence of two words or more"
        )
    first, last = max(centre - window, 0), min(centre + window, len(words) - 1)
    shown = (
        [ELLIPSIS] * (first > 0)
        + words[first : last + 1]
        + [ELLIPSIS] * (last < len(words) - 1)
    )
    middle = centre - first + (first > 0)

    return render(_both, shown, middle, title=title, alt=alt)


def _both(width, words, middle):
    sizes = [text_width(word, BODY, "bold") + 12 for word in words]
    wide = max(sum(sizes) + GAP * (len(words) - 1), *map(text_width, NAMES))
    beside = width > NARROW and 2 * wide + 24 <= width
    drawing, ax = canvas(
        2 * wide + 28 if beside else wide + 4, HIGH if beside else 2 * HIGH + 12
    )
    second = (wide + 26, 0) if beside else (2, HIGH + 12)
    for x, y, panel in ((2, 0, _skip_gram), (*second, _cbow)):
        ends, places = x, []
        for word, size in zip(words, sizes, strict=True):
            places.append((ends + size / 2, size, word))
            ends += size + GAP
        panel(ax, x, y, places, middle)
    return drawing


def _chips(ax, places, middle, y):
    for i, (x, size, word) in enumerate(places):
        outside = word == ELLIPSIS
        if not outside:
            draw.outline(
                ax,
                x - size / 2,
                y,
                size,
                CHIP,
                radius=6,
                role="ink" if i == middle else "quiet",
                thickness=2 if i == middle else 1,
            )
        draw.label(
            ax,
            x,
            y + CHIP / 2,
            word,
            bold=i == middle,
            role="quiet" if outside else "ink",
        )
    return [
        x for i, (x, _, word) in enumerate(places) if i != middle and word != ELLIPSIS
    ]


def _skip_gram(ax, x, y, places, middle):
    draw.label(ax, x, y + 10, NAMES[0], anchor="left", role="quiet")
    base = y + HIGH - CHIP - 4
    neighbours, start = _chips(ax, places, middle, base), places[middle][0]
    for end in neighbours:
        up = base - 14 - 50 * abs(end - start) / max(abs(n - start) for n in neighbours)
        corners = [(start, base - 2), (start, up), (end, up), (end, base - 3)]
        draw.arrow(ax, corners, curve=True, barb=BARB)


def _cbow(ax, x, y, places, middle):
    draw.label(ax, x, y + 10, NAMES[1], anchor="left", role="quiet")
    base = y + HIGH - CHIP - 4
    neighbours, end = _chips(ax, places, middle, base), places[middle][0]
    mean = base - 52
    for start in neighbours:
        corners = [(start, base - 2), (start, mean), (start, mean), (end, mean)]
        draw.stroke(ax, corners, curve=True, thickness=1.5, role="ink")
    draw.outline(ax, end - 4, mean - 4, 8, 8, radius=4, role="ink", facecolor="none")
    draw.label(ax, end, mean - 14, "mean")
    draw.arrow(ax, [(end, mean + 5), (end, base - 3)], barb=BARB)
