"""Scores in a row: points on a common scale, each row with its name, its mean, and marks."""

import numpy as np

from ..kit import axes, checks
from ..kit.canvas import DASH_PATTERN
from ..kit.figure import render_figure
from ..kit.grid import format_number
from ..kit.palette import colour
from ..kit.style import text_width, to_points

POINT_STYLE = {
    "markersize": to_points(9),
    "alpha": 0.7,
    "markeredgewidth": 0,
    "clip_on": False,
}


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
        checks.printable_text(name): checks.vector(np.atleast_1d(values), str(name))
        for name, values in rows.items()
    }
    marks = marks or {}
    if marks:
        checks.vector(list(marks.values()), "marks")
    marks = {checks.printable_text(name): float(value) for name, value in marks.items()}

    return render_figure(
        _draw_dots, checked, marks, role, x_label, fmt, title=title, alt=alt
    )


def _draw_dots(width, values_by_name, marks: dict[str, float], role, x_label, fmt):
    stacked = max(map(text_width, values_by_name)) > width * 0.4
    tall = 46 if stacked else 32
    middles = tall * np.arange(len(values_by_name)) + (32 if stacked else 16)
    foot = tall * len(values_by_name)
    ax = axes.new_axes(width, foot + 60 + 20 * bool(marks), x_label)
    for name, value in marks.items():
        line = {"linewidth": to_points(1.5), "linestyle": DASH_PATTERN}
        ax.axvline(value, color=colour("ink"), **line)
        style = {"xycoords": ("data", "axes fraction"), "ha": "center"}
        above = {"xytext": (0, to_points(6)), "textcoords": "offset points"}
        ax.annotate(name, (value, 1), **above, **style)
    for y, values in zip(middles, values_by_name.values(), strict=True):
        mean = format_number(values.mean(), fmt)
        ax.axhline(y, color=colour("quiet"), linewidth=to_points(1), alpha=0.4)
        ax.plot(values, np.full(len(values), y), "o", color=colour(role), **POINT_STYLE)
        if len(values) > 1:
            mean = f"mean {mean}"
            ax.vlines(values.mean(), y - 9, y + 9, color=colour(role))
        axes.write_end_label(ax, mean, y)
    ax.margins(x=0.06)
    ax.set_ylim(foot, 0)
    ax.grid(axis="x")
    ax.grid(False, axis="y")
    ax.spines["bottom"].set_visible(False)
    axes.name_rows(ax, list(values_by_name), middles, shift_up=19 * stacked)
    axes.set_x_ticks(ax)
    return axes.lay_out(ax)
