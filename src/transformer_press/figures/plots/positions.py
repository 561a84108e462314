"""The positional encoding as one picture."""

import numpy as np

from ..kit import checks
from ..kit.canvas import Canvas
from ..kit.figure import render
from ..kit.grid import NEGATIVE, number, picture
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

    return render(_position_map, PE, x_label, y_label, title=title, alt=alt)


def _position_map(width, PE, x_label, y_label):
    n, d = PE.shape
    left = 46
    wide = width - left - 14
    tall = float(np.clip(wide * n / d, 180, 330))
    top = 26
    canvas = Canvas(width, top + tall + 66)
    most = np.abs(PE).max() or 1.0
    for hue, part in (("q", PE), (NEGATIVE, -PE)):
        picture(canvas, np.clip(part / most, 0, 1), hue, left, top, wide, tall)
    canvas.outline(left, top, wide, tall, role="quiet", thickness=1, alpha=0.5)
    canvas.label(1, 9, f"{y_label} ↓", role="quiet", anchor="left")
    for i in _ticks(n, 8):
        canvas.note(left - 7, top + (i + 0.5) / n * tall, str(i), anchor="right")
    for j in _ticks(d, 8 if width > 400 else 5):
        canvas.note(left + (j + 0.5) / d * wide, top + tall + 13, str(j))
    canvas.label(left, top + tall + 35, f"{x_label} →", role="quiet", anchor="left")
    _key(canvas, left + wide, top + tall + 35, most)
    return canvas.figure


def _ticks(count, most):
    """Return round indices from 0, at most about `most` of them."""
    steps = (s * 10**k for k in range(6) for s in (1, 2, 5))
    step = next(step for step in steps if (count - 1) / step <= most)
    return range(0, count, step)


def _key(canvas, right, y, most):
    """Draw the colour key, ending at `right`."""
    steps, wide = 11, 9
    high, low = number(most, "{:+.3g}"), number(-most, "{:.3g}")
    canvas.note(right, y, high, anchor="right")
    x = right - text_width(high, SMALL) - 6 - steps * wide
    for i, value in enumerate(np.linspace(-1, 1, steps)):
        canvas.rectangle(
            x + i * wide,
            y - 5,
            wide,
            10,
            role="q" if value > 0 else NEGATIVE,
            opacity=round(abs(value), 2),
        )
    canvas.outline(x, y - 5, steps * wide, 10, role="quiet", thickness=1, alpha=0.5)
    canvas.note(x - 6, y, low, anchor="right")
