"""The feed-forward network of a layer: the same widening and narrowing for every word."""

from matplotlib.patches import Polygon

from ..kit import checks, draw
from ..kit.figure import render
from ..kit.palette import colour
from ..kit.style import NARROW, SMALL, canvas, text_width

MOST = 4  # words that fit on a phone
BAR, SLOPE, BEND = 26, 64, 62  # px: a vector, a matrix product, the room of the ReLU


def feed_forward(words, d_model, d_ff, *, title, alt):
    """Draw the network once for each word, with vectors as long as they have numbers.

    Parameters
    ----------
    words : sequence of one to four str
    d_model, d_ff : int
        How many numbers a word has, and how many hidden units.

    Raises
    ------
    ValueError
        If there is no word, there are more than four, or a width is not a whole number above 0.
    """
    words = [
        checks.printable(word)
        for word in ([words] if isinstance(words, str) else words)
    ]
    if not 1 <= len(words) <= MOST:
        raise ValueError(
            f"words: got {len(words)}, expected 1 to {MOST}; "
            "three show that each goes alone"
        )
    for name, size in (("d_model", d_model), ("d_ff", d_ff)):
        if not isinstance(size, int) or isinstance(size, bool) or size < 1:
            raise ValueError(
                f"{name}: got {size!r}, expected a whole number above 0; "
                "give a width of the network"
            )

    return render(_feed_forward, words, d_model, d_ff, title=title, alt=alt)


def _feed_forward(width, words, d_model, d_ff):
    between = 30 if width > NARROW else 12
    column = min((width - 4 - (len(words) - 1) * between) / len(words), 200)
    column = max(column, *map(text_width, words))
    drawing, ax = canvas(
        4 + len(words) * (column + between) - between,
        26 + 4 * BAR + 2 * SLOPE + BEND + 26,
    )
    unit = column / max(d_model, d_ff)
    for i, word in enumerate(words):
        x = 2 + i * (column + between)
        _one_word(ax, x + column / 2, word, (d_model, d_ff), unit)
    return drawing


def _one_word(ax, middle, word, sizes, unit):
    """Draw the vector of a word, its hidden units before and after ReLU, and the result."""
    d_model, d_ff = sizes
    long = {
        size: max(size * unit, text_width(f"{size:,}", SMALL) + 6) for size in sizes
    }
    narrow, wide = long[d_model], long[d_ff]
    out = 26
    after = out + BAR + SLOPE
    before = after + BAR + BEND
    x = before + BAR + SLOPE
    _spread(ax, middle, x, narrow, before + BAR, wide, "W_1, b_1")
    _spread(ax, middle, after, wide, out + BAR, narrow, "W_2, b_2")
    for y, size, role in (
        (x, d_model, "ink"),
        (before, d_ff, "quiet"),
        (after, d_ff, "ink"),
        (out, d_model, "attention"),
    ):
        draw.box(
            ax,
            middle - long[size] / 2,
            y,
            long[size],
            BAR,
            f"{size:,}",
            role,
            size=SMALL,
        )
    draw.arrow(ax, [(middle, before), (middle, after + BAR)])
    draw.box(ax, middle - 24, after + BAR + BEND / 2 - 11, 48, 22, "ReLU", size=SMALL)
    draw.label(ax, middle, x + BAR + 14, word)
    draw.arrow(ax, [(middle, out), (middle, 4)])


def _spread(ax, middle, low, below, high, above, name):
    """Draw a matrix as what leads from every number of one vector to every number of another."""
    corners = [
        (middle - below / 2, low),
        (middle - above / 2, high),
        (middle + above / 2, high),
        (middle + below / 2, low),
    ]
    ax.add_patch(Polygon(corners, facecolor=colour("quiet"), alpha=0.13, linewidth=0))
    for side in (corners[:2], corners[2:]):
        draw.stroke(ax, side, thickness=1, opacity=0.6)
    draw.label(ax, middle, (low + high) / 2, name, size=SMALL)
