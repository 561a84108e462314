"""The feed-forward network of a layer: the same widening and narrowing for every word."""

from ..kit import checks
from ..kit.canvas import Canvas
from ..kit.figure import render_figure
from ..kit.style import NARROW, SMALL, text_width

MAX_WORDS = 4  # that fit on a phone
BAR, SLOPE, BEND = 26, 64, 62  # px: a vector, a matrix product, the room of the ReLU


def feed_forward(words, d_model: int, d_ff: int, *, title, alt):
    """Draw the network once for each word, with vectors as long as they have numbers.

    Parameters
    ----------
    words : sequence of one to four str
    d_model, d_ff : int
        How many numbers a word has, and how many hidden units.

    Raises
    ------
    ValueError
        If there is no word, there are more than four, or a width is not an integer above 0.
    """
    words = [
        checks.printable_text(word)
        for word in ([words] if isinstance(words, str) else words)
    ]
    if not 1 <= len(words) <= MAX_WORDS:
        raise ValueError(
            f"words: got {len(words)}, expected 1 to {MAX_WORDS}; "
            "three show that each goes alone"
        )
    for name, size in (("d_model", d_model), ("d_ff", d_ff)):
        if not isinstance(size, int) or isinstance(size, bool) or size < 1:
            raise ValueError(
                f"{name}: got {size!r}, expected a whole number above 0; "
                "give a width of the network"
            )

    return render_figure(_draw_feed_forward, words, d_model, d_ff, title=title, alt=alt)


def _draw_feed_forward(width, words: list[str], d_model: int, d_ff):
    between = 30 if width > NARROW else 12
    column = min((width - 4 - (len(words) - 1) * between) / len(words), 200)
    column = max(column, *map(text_width, words))
    canvas = Canvas(
        4 + len(words) * (column + between) - between,
        26 + 4 * BAR + 2 * SLOPE + BEND + 26,
    )
    unit = column / max(d_model, d_ff)
    for i, word in enumerate(words):
        x = 2 + i * (column + between)
        _draw_word(canvas, x + column / 2, word, (d_model, d_ff), unit)
    return canvas.figure


def _draw_word(canvas, middle_x, word: str, sizes: tuple[int, int], px_per_number):
    """Draw the vector of a word, its hidden units before and after ReLU, and the result."""
    d_model, d_ff = sizes
    widths = {
        size: max(size * px_per_number, text_width(f"{size:,}", SMALL) + 6)
        for size in sizes
    }
    narrow, wide = widths[d_model], widths[d_ff]
    out = 26
    after = out + BAR + SLOPE
    before = after + BAR + BEND
    x = before + BAR + SLOPE
    _draw_matrix(canvas, middle_x, (x, narrow), (before + BAR, wide), "W_1, b_1")
    _draw_matrix(canvas, middle_x, (after, wide), (out + BAR, narrow), "W_2, b_2")
    for y, size, role in (
        (x, d_model, "ink"),
        (before, d_ff, "quiet"),
        (after, d_ff, "ink"),
        (out, d_model, "attention"),
    ):
        left = middle_x - widths[size] / 2
        canvas.box(left, y, widths[size], BAR, f"{size:,}", role, size=SMALL)
    canvas.arrow([(middle_x, before), (middle_x, after + BAR)])
    canvas.box(middle_x - 24, after + BAR + BEND / 2 - 11, 48, 22, "ReLU", size=SMALL)
    canvas.label(middle_x, x + BAR + 14, word)
    canvas.arrow([(middle_x, out), (middle_x, 4)])


def _draw_matrix(canvas, middle_x, lower_y_and_width, upper_y_and_width, name):
    """Draw a matrix as what leads from each number of one vector to each of another.

    Both are (y, width).
    """
    (low, below), (high, above) = lower_y_and_width, upper_y_and_width
    corners = [
        (middle_x - below / 2, low),
        (middle_x - above / 2, high),
        (middle_x + above / 2, high),
        (middle_x + below / 2, low),
    ]
    canvas.polygon(corners, role="quiet", opacity=0.13)
    for side in (corners[:2], corners[2:]):
        canvas.stroke(side, thickness=1, opacity=0.6)
    canvas.label(middle_x, (low + high) / 2, name, size=SMALL)
