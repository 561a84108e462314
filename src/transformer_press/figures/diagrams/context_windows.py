"""The window of word2vec: which word predicts which, in skip-gram and in CBOW."""

from ..kit import checks
from ..kit.canvas import Canvas
from ..kit.figure import render_figure
from ..kit.style import BODY, NARROW, text_width

CHIP, HIGH = 28, 128  # px: a word's box; a panel
GAP, BARB = 6, (7, 4)
ELLIPSIS = "\N{HORIZONTAL ELLIPSIS}"
PANEL_NAMES = (
    "skip-gram: the word predicts each neighbour",
    "CBOW: their mean predicts the word",
)


def context_window(words: list[str], centre, window: int, *, title, alt):
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
    visible = (
        [ELLIPSIS] * (first > 0)
        + words[first : last + 1]
        + [ELLIPSIS] * (last < len(words) - 1)
    )
    middle = centre - first + (first > 0)

    return render_figure(_draw_context_window, visible, middle, title=title, alt=alt)


def _draw_context_window(width, words: list[str], centre_index: int):
    sizes = [text_width(word, BODY, "bold") + 12 for word in words]
    panel = max(sum(sizes) + GAP * (len(words) - 1), *map(text_width, PANEL_NAMES))
    beside = width > NARROW and 2 * panel + 24 <= width
    canvas = Canvas(
        2 * panel + 28 if beside else panel + 4, HIGH if beside else 2 * HIGH + 12
    )
    second = (panel + 26, 0) if beside else (2, HIGH + 12)
    draw_arrows = _draw_skip_gram_arrows, _draw_cbow_arrows
    for name, (x, y), arrows in zip(PANEL_NAMES, [(2, 0), second], draw_arrows):
        canvas.label(x, y + 10, name, anchor="left", role="quiet")
        base = y + HIGH - CHIP - 4
        centre, neighbours = _draw_chips(canvas, x, base, words, sizes, centre_index)
        arrows(canvas, centre, neighbours, base)
    return canvas.figure


def _draw_chips(canvas, x, y, words, widths: list[float], centre_index) -> tuple:
    """Draw the words in their boxes; return the middles of the centre and its neighbours."""
    middles = {}
    for i, (word, size) in enumerate(zip(words, widths, strict=True)):
        role = "quiet" if word == ELLIPSIS else "ink"
        if word != ELLIPSIS:
            middles[i] = x + size / 2
            edge = {"role": "quiet", "thickness": 1} if i != centre_index else {}
            canvas.outline(x, y, size, CHIP, radius=6, **edge)
        canvas.label(
            x + size / 2, y + CHIP / 2, word, bold=i == centre_index, role=role
        )
        x += size + GAP
    return middles.pop(centre_index), list(middles.values())


def _draw_skip_gram_arrows(canvas, centre_x, neighbour_xs: list[float], base_y):
    """Lead skip-gram's arrows from the centre to its neighbours."""
    farthest = max(abs(end - centre_x) for end in neighbour_xs)
    for end in neighbour_xs:
        top = base_y - 14 - 50 * abs(end - centre_x) / farthest
        corners = [
            (centre_x, base_y - 2),
            (centre_x, top),
            (end, top),
            (end, base_y - 3),
        ]
        canvas.arrow(corners, curve=True, barb=BARB)


def _draw_cbow_arrows(canvas, centre_x, neighbour_xs: list[float], base_y):
    """Lead CBOW's neighbours to their mean, and that to the centre."""
    mean = base_y - 52
    for start in neighbour_xs:
        corners = [(start, base_y - 2), (start, mean), (start, mean), (centre_x, mean)]
        canvas.line(corners, curve=True)
    canvas.outline(centre_x - 4, mean - 4, 8, 8, radius=4)
    canvas.label(centre_x, mean - 14, "mean")
    canvas.arrow([(centre_x, mean + 5), (centre_x, base_y - 3)], barb=BARB)
