"""Plots of numbers: lines and bars. Labels stand at what they name."""

import itertools

import numpy as np

from ..kit import axes, checks
from ..kit.canvas import DASH_PATTERN
from ..kit.figure import render_figure
from ..kit.grid import format_number
from ..kit.palette import colour
from ..kit.style import BODY, text_width, to_points, word_width


def lines(
    series,
    *,
    x_label,
    y_label,
    roles=None,
    marks=None,
    log_x=False,
    log_y=False,
    height=320,
    title,
    alt,
):
    """Draw lines, each named where it ends; dashes and markers differ as well as colours.

    Parameters
    ----------
    series : dict
        Label -> (x, y), two vectors of equal length.
    x_label, y_label : str
        What the axes measure, with the unit.
    roles : dict, sequence or str, optional
        A role for each label.
    marks : dict, optional
        Label -> x, within the x of the series: an upright line, named at its top.
    log_x, log_y : bool
        Logarithmic axes; all numbers on them must be above 0.
    height : float
        Height in px.

    Raises
    ------
    ValueError
        If there is no line, x and y differ in length, a number cannot be drawn, or a mark lies
        outside the plot.
    """
    checks.mapping(series, "series", "label -> (x, y)")
    checked = {}
    for name, pair in series.items():
        if not isinstance(pair, (tuple, list)) or len(pair) != 2:
            raise ValueError(
                f"series[{name!r}]: expected (x, y), got {type(pair).__name__}; "
                "give two vectors"
            )
        checked[str(name)] = axes.check_coordinates(
            pair[0], pair[1], str(name), log_x, log_y
        )
    roles = axes.series_roles(list(checked), roles)
    marks = {str(name): float(x) for name, x in (marks or {}).items()}
    every_x = np.concatenate([x for x, _ in checked.values()])
    low, high = every_x.min(), every_x.max()
    for name, x in marks.items():
        if not low <= x <= high:
            raise ValueError(
                f"marks[{name!r}]: got {x:.4g}, expected a number from {low:.4g} to "
                f"{high:.4g}; a mark stands on the x axis of the series"
            )

    return render_figure(
        _draw_lines,
        height,
        checked,
        roles,
        (x_label, y_label),
        (log_x, log_y),
        marks,
        title=title,
        alt=alt,
    )


def _draw_lines(
    width, height, series, roles, axis_labels, log_axes: tuple[bool, bool], marks
):
    # Long names stand above the plot instead of squeezing it.
    above = max(map(text_width, series)) + 14 > width * 0.42
    height += 22 * above * len(series)
    ax = axes.new_axes(
        width, height, *axis_labels, log_x=log_axes[0], log_y=log_axes[1]
    )
    ax.margins(0, 0.06)
    looks = zip(roles, itertools.cycle(axes.DASHES), itertools.cycle(axes.MARKERS))
    for (name, (x, y)), (role, dash, marker) in zip(series.items(), looks):
        style: dict = {"color": colour(role), "linestyle": dash}
        style |= {"solid_capstyle": "round", "marker": marker if len(x) <= 16 else None}
        ax.plot(x, y, label=name, clip_on=False, **style)
    for name, x in marks.items():
        _draw_mark(ax, name, x)
    low, high = ax.get_ylim()
    axes.set_ticks(ax.yaxis, axes.round_ticks(low, high, log_axes[1], 6))
    if above:
        axes.draw_legend(ax, "upper", columns=1)
    else:
        ends = [y[np.argmax(x)] for x, y in series.values()]
        labels = [axes.write_end_label(ax, *end) for end in zip(series, ends, roles)]
    axes.set_x_ticks(ax, np.concatenate([x for x, _ in series.values()]))
    figure = axes.lay_out(ax)
    if not above:
        heights = [ax.transData.transform((1, y))[1] for y in ends]
        places = axes.spread_apart(heights, 17, ax.bbox.y0, ax.bbox.y1)
        for label, shift in zip(labels, places - heights, strict=True):
            label.set_position((to_points(10), to_points(shift)))
    return figure


def _draw_mark(ax, name: str, x: float):
    """Draw an upright line, with its name on the side that has more room."""
    ax.axvline(x, color=colour("quiet"), linewidth=to_points(1), linestyle=DASH_PATTERN)
    left = (ax.transScale + ax.transLimits).transform((x, 1))[0] > 0.5
    ax.annotate(
        name,
        (x, 1),
        xycoords=("data", "axes fraction"),
        xytext=(to_points(-6 if left else 6), 0),
        textcoords="offset points",
        ha="right" if left else "left",
        va="top",
        color=colour("quiet"),
    )


def bars(values, *, role="attention", roles=None, x_label, fmt="{:,.3g}", title, alt):
    """Draw horizontal bars, each with its name on the left and its number at the end.

    Parameters
    ----------
    values : dict
        Label -> number. What stands behind a line break in a label, "猫\\ncat", is small below.
    role : str
        The colour of all bars, by role.
    roles : dict or sequence, optional
        A role for each bar instead.
    x_label : str
        What the bars measure, with the unit.
    fmt : str
        How a number is written.

    Raises
    ------
    ValueError
        If there is no bar or a number is not finite.
    """
    checks.mapping(values, "values", "label -> number")
    names = [checks.clean_label(name) for name in values]
    sizes = checks.vector(list(values.values()), "values")
    roles = axes.series_roles(names, roles if roles is not None else role)

    return render_figure(
        _draw_bars, names, sizes, roles, x_label, fmt, title=title, alt=alt
    )


def _draw_bars(width, names, sizes: np.ndarray, roles, x_label, fmt):
    numbers = [format_number(size, fmt) for size in sizes]
    stacked = max(map(word_width, names)) > width * 0.4
    tall, thick = (46, 16) if stacked else (32, 18)
    middles = tall * np.arange(len(names)) + (
        tall - thick / 2 - 4 if stacked else tall / 2
    )
    ax = axes.new_axes(width, tall * len(names) + 30, x_label)
    look = {"color": [colour(role) for role in roles], "alpha": 0.75}
    bars = ax.barh(middles, sizes, height=thick, clip_on=False, **look)
    ax.bar_label(bars, numbers, padding=to_points(6), fontsize=to_points(BODY))
    ax.axvline(0, color=colour("quiet"), linewidth=to_points(1))
    ax.set_ylim(tall * len(names), 0)
    ax.margins(x=0)
    # A number below zero stands between its bar and the names.
    room = max(map(text_width, numbers)) + 10 if sizes.min() < 0 else 0
    axes.name_rows(ax, names, middles, shift_up=20 * stacked, pad=12 + room)
    ax.grid(False)
    ax.spines["bottom"].set_visible(False)
    return axes.lay_out(ax)
