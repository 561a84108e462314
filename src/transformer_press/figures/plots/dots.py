"""Scores in a row: points on a common scale, each row with its name, its mean, and marks."""

import numpy as np

from ..kit import checks
from ..kit.axes import limits, plain, ticks
from ..kit.canvas import Canvas
from ..kit.figure import render
from ..kit.grid import number
from ..kit.palette import colour
from ..kit.style import NARROW, points, text_width

GAP, HEAD, FOOT = 20, 26, 48


def dots(rows, *, marks=None, role="attention", x_label, fmt="{:.2f}", title, alt):
    """Draw rows of points on one scale that need not begin at 0, each with its mean at the end.

    Parameters
    ----------
    rows : dict
        Name -> a number, or several of the same kind, such as one for each seed. Where there are
        several a stroke marks their mean.
    marks : dict, optional
        Name -> number: an upright line through all rows, named at its top.
    role : str
        The colour of the points, by role.
    x_label : str
        What the scale measures, with the unit.
    fmt : str
        How a mean is written.

    Raises
    ------
    ValueError
        If there is no row, or a number is not finite.
    """
    checks.mapping(rows, "rows", "name -> numbers")
    checked = {
        checks.printable(name): checks.vector(np.atleast_1d(values), str(name))
        for name, values in rows.items()
    }
    marks = marks or {}
    if marks:
        checks.vector(list(marks.values()), "marks")
    marks = {checks.printable(name): float(value) for name, value in marks.items()}

    return render(_dots, checked, marks, role, x_label, fmt, title=title, alt=alt)


def _dots(width, rows, marks, role, x_label, fmt):
    means = [
        ("mean " if len(values) > 1 else "") + number(values.mean(), fmt)
        for values in rows.values()
    ]
    side = max(text_width(name) for name in rows)
    stacked = side > width * 0.4  # a long name stands above its row
    tall = 46 if stacked else 32
    left = 10 if stacked else side + GAP
    right = width - max(text_width(text) for text in means) - GAP
    low, high = limits(np.concatenate([*rows.values(), [*marks.values()]]), False)
    top = HEAD if marks else 4
    foot = top + tall * len(rows)
    canvas = Canvas(width, foot + FOOT)

    def place(value):
        return left + (value - low) / (high - low) * (right - left)

    for value in ticks(low, high, False, 6 if width > NARROW else 4):
        canvas.stroke([(place(value), top), (place(value), foot)], opacity=0.22)
        canvas.note(place(value), foot + 12, plain(value))
    start = max(2, min(left, width - text_width(x_label)))
    canvas.label(start, foot + 34, x_label, role="quiet", anchor="left")
    for name, value in marks.items():
        _mark(canvas, place(value), foot, name, width)
    for i, (name, values) in enumerate(rows.items()):
        y = top + i * tall + (32 if stacked else tall / 2)
        canvas.stroke([(left, y), (right, y)], opacity=0.4)
        canvas.axes.plot(
            [place(value) for value in values],
            [y] * len(values),
            linestyle="none",
            marker="o",
            markersize=points(9),
            color=colour(role),
            alpha=0.7,
            markeredgewidth=0,
            clip_on=False,
        )
        if len(values) > 1:
            at = place(values.mean())
            canvas.stroke([(at, y - 9), (at, y + 9)], role=role, thickness=2)
        if stacked:
            canvas.label(2, y - 19, name, anchor="left")
        else:
            canvas.label(left - GAP / 2, y, name, anchor="right")
        canvas.label(right + GAP / 2, y, means[i], anchor="left")
    return canvas.figure


def _mark(canvas, x, foot, name, width):
    canvas.stroke([(x, 20), (x, foot)], role="ink", thickness=1.5, dashed=True)
    half = text_width(name) / 2
    canvas.label(min(max(x, half), width - half), 9, name)
