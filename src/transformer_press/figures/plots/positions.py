"""The positional encoding as one picture."""

import numpy as np
from matplotlib.ticker import MaxNLocator

from ..kit import checks, grid
from ..kit.canvas import Canvas
from ..kit.figure import render_figure
from ..kit.style import SMALL, text_width


def position_map(PE, *, x_label="dimension", y_label="position", title, alt):
    """Draw a positional encoding, rows positions and columns dimensions.

    Blue ("q") is above zero, orange ("k") below, the fuller the larger.

    Parameters
    ----------
    PE : array, shape (n, d_model)
    x_label, y_label : str
        What columns and rows are.

    Raises
    ------
    ValueError
        If PE is no finite matrix.
    """
    PE = checks.matrix(PE, "PE")

    return render_figure(_draw_position_map, PE, x_label, y_label, title=title, alt=alt)


def _draw_position_map(width: int, PE: np.ndarray, x_label, y_label):
    n, d = PE.shape
    left = 46
    wide = width - left - 14
    tall = float(np.clip(wide * n / d, 180, 330))
    top = 26
    canvas = Canvas(width, top + tall + 66)
    cells = grid.Grid(canvas, left, top, (n, d), wide / d, tall / n)
    cells.draw(PE, role="q", signed=True, max_cells=0)
    canvas.label(1, 9, f"{y_label} ↓", role="quiet", anchor="left")
    for i in _round_indices(n, 8):
        canvas.note(left - 7, top + (i + 0.5) / n * tall, str(i), anchor="right")
    for j in _round_indices(d, 8 if width > 400 else 5):
        canvas.note(left + (j + 0.5) / d * wide, top + tall + 13, str(j))
    canvas.label(left, top + tall + 35, f"{x_label} →", role="quiet", anchor="left")
    largest = np.abs(PE).max()
    ends = (
        grid.format_number(-largest, "{:.3g}"),
        grid.format_number(largest, "{:+.3g}"),
    )
    key_width = 102 + sum(text_width(end, SMALL) for end in ends)
    x, y = left + wide - key_width, top + tall + 35
    grid.draw_color_key(canvas, x, y, ends, "q", signed=True)
    return canvas.figure


def _round_indices(count: int, max_count: int) -> list[int]:
    """Return round indices from 0, at most about `max_count` of them."""
    numbers = MaxNLocator(max_count, steps=(1, 2, 5, 10), integer=True)
    return [int(i) for i in numbers.tick_values(0, count - 1) if i < count]
