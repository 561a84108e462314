"""Plots of numbers: lines and bars. Labels stand at what they name."""

import numpy as np

from ..kit import checks
from ..kit.axes import DASHES, MARKERS, coordinates, frame, limits, series_roles, spread
from ..kit.canvas import DASHED, Canvas
from ..kit.figure import render
from ..kit.grid import number
from ..kit.palette import colour
from ..kit.style import BODY, points, text_width, word_width

GAP = 12


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
        checked[str(name)] = coordinates(pair[0], pair[1], str(name), log_x, log_y)
    found = series_roles(list(checked), roles)
    marks = {str(name): float(x) for name, x in (marks or {}).items()}
    every_x = np.concatenate([x for x, _ in checked.values()])
    low, high = every_x.min(), every_x.max()
    for name, x in marks.items():
        if not low <= x <= high:
            raise ValueError(
                f"marks[{name!r}]: got {x:.4g}, expected a number from {low:.4g} to "
                f"{high:.4g}; a mark stands on the x axis of the series"
            )

    return render(
        _lines,
        height,
        checked,
        found,
        (x_label, y_label),
        (log_x, log_y),
        marks,
        title=title,
        alt=alt,
    )


def _lines(width, height, series, roles, names, logs, marks):
    right = max(text_width(name, BODY) for name in series) + 14
    if right > width * 0.42:  # long names go above the plot instead of squeezing it
        right = 16
    xs, ys = (np.concatenate([pair[i] for pair in series.values()]) for i in (0, 1))
    above = 22 * len(series) + 6 if right == 16 else 0
    drawing, ax = frame(
        width,
        height + above,
        limits(xs, logs[0], 0),
        limits(ys, logs[1]),
        names,
        logs,
        right=right,
        above=above,
        xs=xs,
    )
    for name, x in marks.items():
        ax.axvline(x, color=colour("quiet"), linewidth=points(1), linestyle=DASHED)
        before = ax.transData.transform((x, ys.min()))[0] - ax.get_window_extent().x0
        side = (
            -1 if text_width(name, BODY) + 12 < before else 1
        )  # where there is room for it
        ax.annotate(
            name,
            (x, 1),
            xycoords=("data", "axes fraction"),
            va="top",
            ha="right" if side < 0 else "left",
            xytext=(side * points(6), 0),
            textcoords="offset points",
            color=colour("quiet"),
        )
    ends = []
    for i, ((name, (x, y)), role) in enumerate(zip(series.items(), roles, strict=True)):
        marker = MARKERS[i % len(MARKERS)] if len(x) <= 16 else None
        ax.plot(
            x,
            y,
            color=colour(role),
            linestyle=DASHES[i % len(DASHES)],
            marker=marker,
            solid_capstyle="round",
            clip_on=False,
        )
        last = int(np.argmax(x))
        ends.append((name, role, i, x[last], y[last]))
    if right == 16:
        _names_above(ax, ends, above)
    else:
        _names_at_ends(ax, ends)
    return drawing


def _names_at_ends(ax, ends):
    box = ax.get_window_extent()
    places = [ax.transData.transform((x, y))[1] for *_, x, y in ends]
    for (name, role, _, _, _), at in zip(
        ends, spread(places, 17, box.y0, box.y1), strict=True
    ):
        fraction = (at - box.y0) / box.height
        ax.annotate(
            name,
            (1, fraction),
            xycoords="axes fraction",
            xytext=(points(10), -points(4)),
            textcoords="offset points",
            color=colour(role),
            va="baseline",
            annotation_clip=False,
        )


def _names_above(ax, ends, above):
    box = ax.get_window_extent()
    for row, (name, role, i, _, _) in enumerate(ends):
        y = 1 + (above - 22 * row + 8) / box.height
        ax.plot(
            [0, 26 / box.width],
            [y, y],
            transform=ax.transAxes,
            color=colour(role),
            linestyle=DASHES[i % len(DASHES)],
            clip_on=False,
        )
        ax.text(
            34 / box.width,
            y - 4.5 / box.height,
            name,
            transform=ax.transAxes,
            color=colour(role),
            va="baseline",
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
    names = [checks.label(name) for name in values]
    sizes = checks.vector(list(values.values()), "values")
    found = series_roles(names, roles if roles is not None else role)

    return render(_bars, names, sizes, found, x_label, fmt, title=title, alt=alt)


def _bars(width, names, sizes, roles, x_label, fmt):
    texts = [number(value, fmt) for value in sizes]
    side = max(word_width(name) for name in names)
    stacked = side > width * 0.4  # a long name stands above its bar
    tall, thick = (46, 16) if stacked else (32, 18)
    left = 2 if stacked else side + GAP
    tail = max(text_width(text) for text in texts) + 10
    low, high = min(sizes.min(), 0), max(sizes.max(), 0)
    head = tail if low < 0 else 0
    scale = (width - left - tail - head) / ((high - low) or 1)
    zero = left + head - low * scale
    foot = 4 + len(names) * tall
    canvas = Canvas(width, foot + 26)
    for i, (name, size, text) in enumerate(zip(names, sizes, texts, strict=True)):
        y = 4 + i * tall + (tall - thick - 4 if stacked else (tall - thick) / 2)
        start, length = (
            (zero, size * scale) if size >= 0 else (zero + size * scale, -size * scale)
        )
        canvas.rectangle(start, y, max(length, 1), thick, role=roles[i], opacity=0.75)
        if stacked:
            canvas.word(left, y - 12, name, anchor="left", beside=True)
        else:
            canvas.word(left - GAP, y + thick / 2, name, anchor="right")
        end = (start + length + 6, "left") if size >= 0 else (start - 6, "right")
        canvas.label(end[0], y + thick / 2, text, anchor=end[1])
    canvas.stroke([(zero, 2), (zero, foot)])
    canvas.label(left, foot + 14, x_label, role="quiet", anchor="left")
    return canvas.figure
