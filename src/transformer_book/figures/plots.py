"""Plots of numbers: lines, bars, points, words on a map. Labels stand at what they name."""

import numpy as np

from . import checks, draw
from .axes import DASHES, MARKERS, TEXT_ROLES, frame, limits, spread
from .figure import render
from .grid import number
from .palette import colour
from .style import BODY, SMALL, canvas, points, text_width


def _roles(names, roles):
    """Return a role for each name, from a dict, a sequence, one role, or the book's order."""
    if roles is None:
        return [TEXT_ROLES[i % len(TEXT_ROLES)] for i in range(len(names))]
    if isinstance(roles, dict):
        missing = [name for name in names if name not in roles]
        if missing:
            raise ValueError(f"roles: got none for {missing[0]!r}, expected one for each of "
                             f"{names}; add it")
        found = [roles[name] for name in names]
    else:
        found = [roles] * len(names) if isinstance(roles, str) else list(roles)
        checks.labels(found, len(names), "roles", "series")
    for role in found:
        colour(role)
    return found


def lines(series, *, x_label, y_label, roles=None, log_x=False, log_y=False, height=320, title,
          alt):
    """Draw lines, each named where it ends; dashes and markers differ as well as colours.

    Parameters
    ----------
    series : dict
        Label -> (x, y), two vectors of equal length.
    x_label, y_label : str
        What the axes measure, with the unit.
    roles : dict, sequence or str, optional
        A role for each label.
    log_x, log_y : bool
        Logarithmic axes; all numbers on them must be above 0.
    height : float
        Height in px.

    Raises
    ------
    ValueError
        If there is no line, x and y differ in length, or a number cannot be drawn.
    """
    if not isinstance(series, dict) or not series:
        raise ValueError("series: got none, expected a dict of label -> (x, y); give at least one")
    checked = {}
    for name, pair in series.items():
        if not isinstance(pair, (tuple, list)) or len(pair) != 2:
            raise ValueError(f"series[{name!r}]: expected (x, y), got {type(pair).__name__}; "
                             "give two vectors")
        checked[str(name)] = _pair(pair[0], pair[1], str(name), log_x, log_y)
    found = _roles(list(checked), roles)

    def draw_at(width):
        return _lines(width, height, checked, found, (x_label, y_label), (log_x, log_y))

    return render(draw_at, title=title, alt=alt)


def _pair(x, y, name, log_x=False, log_y=False):
    x, y = checks.vector(x, f"x of {name}"), checks.vector(y, f"y of {name}")
    if len(x) != len(y):
        raise ValueError(f"{name}: got {len(x)} x and {len(y)} y, expected as many of each; "
                         "give one y for each x")
    for values, log, axis in ((x, log_x, "x"), (y, log_y, "y")):
        if log and values.min() <= 0:
            raise ValueError(f"{axis} of {name}: got {values.min():.4g}, expected numbers above 0 "
                             f"on a logarithmic axis; leave log_{axis} out or drop those points")
    return x, y


def _lines(width, height, series, roles, names, logs):
    right = max(text_width(name, BODY) for name in series) + 14
    if right > width * 0.42:  # long names go above the plot instead of squeezing it
        right = 16
    xs, ys = (np.concatenate([pair[i] for pair in series.values()]) for i in (0, 1))
    above = 22 * len(series) + 6 if right == 16 else 0
    drawing, ax = frame(width, height + above, limits(xs, logs[0], 0), limits(ys, logs[1]), names,
                        logs, right=right, above=above, xs=xs)
    ends = []
    for i, ((name, (x, y)), role) in enumerate(zip(series.items(), roles, strict=True)):
        marker = MARKERS[i % len(MARKERS)] if len(x) <= 16 else None
        ax.plot(x, y, color=colour(role), linestyle=DASHES[i % len(DASHES)], marker=marker,
                solid_capstyle="round", clip_on=False)
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
    for (name, role, _, _, _), at in zip(ends, spread(places, 17, box.y0, box.y1), strict=True):
        fraction = (at - box.y0) / box.height
        ax.annotate(name, (1, fraction), xycoords="axes fraction", xytext=(points(10), -points(4)),
                    textcoords="offset points", color=colour(role), va="baseline",
                    annotation_clip=False)


def _names_above(ax, ends, above):
    box = ax.get_window_extent()
    for row, (name, role, i, _, _) in enumerate(ends):
        y = 1 + (above - 22 * row + 8) / box.height
        ax.plot([0, 26 / box.width], [y, y], transform=ax.transAxes, color=colour(role),
                linestyle=DASHES[i % len(DASHES)], clip_on=False)
        ax.text(34 / box.width, y - 4.5 / box.height, name, transform=ax.transAxes,
                color=colour(role), va="baseline")


def bars(values, *, role="attention", roles=None, x_label, fmt="{:,.3g}", title, alt):
    """Draw horizontal bars, each with its name on the left and its number at the end.

    Parameters
    ----------
    values : dict
        Label -> number.
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
    if not isinstance(values, dict) or not values:
        raise ValueError("values: got none, expected a dict of label -> number; give at least one")
    names = [str(name) for name in values]
    sizes = checks.vector(list(values.values()), "values")
    found = _roles(names, roles if roles is not None else role)

    def draw_at(width):
        return _bars(width, names, sizes, found, x_label, fmt)

    return render(draw_at, title=title, alt=alt)


def _bars(width, names, sizes, roles, x_label, fmt):
    texts = [number(value, fmt) for value in sizes]
    side = max(text_width(name) for name in names)
    stacked = side > width * 0.4  # a long name stands above its bar
    tall, thick = (46, 16) if stacked else (32, 18)
    left = 2 if stacked else side + GAP
    tail = max(text_width(text) for text in texts) + 10
    low, high = min(sizes.min(), 0), max(sizes.max(), 0)
    head = tail if low < 0 else 0
    scale = (width - left - tail - head) / ((high - low) or 1)
    zero = left + head - low * scale
    foot = 4 + len(names) * tall
    drawing, ax = canvas(width, foot + 26)
    for i, (name, size, text) in enumerate(zip(names, sizes, texts, strict=True)):
        y = 4 + i * tall + (tall - thick - 4 if stacked else (tall - thick) / 2)
        start, length = (zero, size * scale) if size >= 0 else (zero + size * scale, -size * scale)
        draw.rectangle(ax, start, y, max(length, 1), thick, role=roles[i], opacity=0.75)
        if stacked:
            draw.label(ax, left, y - 12, name, anchor="left")
        else:
            draw.label(ax, left - GAP, y + thick / 2, name, anchor="right")
        end = (start + length + 6, "left") if size >= 0 else (start - 6, "right")
        draw.label(ax, end[0], y + thick / 2, text, anchor=end[1])
    draw.stroke(ax, [(zero, 2), (zero, foot)])
    draw.label(ax, left, foot + 14, x_label, role="quiet", anchor="left")
    return drawing


GAP = 12


def scatter(x, y, labels=None, *, role="attention", x_label, y_label, log_x=False, log_y=False,
            height=340, title, alt):
    """Draw points, each named where there are labels.

    Parameters
    ----------
    x, y : array, shape (n,)
    labels : sequence of str, optional
        n names.
    role : str
        The colour, by role.
    x_label, y_label : str
        What the axes measure, with the unit.
    log_x, log_y : bool
        Logarithmic axes.
    height : float
        Height in px.

    Raises
    ------
    ValueError
        If x, y and labels differ in length or a number cannot be drawn.
    """
    x, y = _pair(x, y, "the points", log_x, log_y)
    labels = checks.labels(labels, len(x), "labels", "points")
    colour(role)

    def draw_at(width):
        drawing, ax = frame(width, height, limits(x, log_x, 0.06), limits(y, log_y),
                            (x_label, y_label), (log_x, log_y), right=16)
        size = 34 if len(x) <= 60 else 12
        ax.scatter(x, y, s=points(size), facecolor=colour(role), edgecolor="none",
                   alpha=0.85 if len(x) <= 60 else 0.5, clip_on=False)
        if labels:
            name_points(ax, x, y, labels, ["ink"] * len(x), [False] * len(x))
        return drawing

    return render(draw_at, title=title, alt=alt)


def word_map(points, words, *, groups=None, highlight=None, height=440, title, alt):
    """Draw words where their vectors lie in the plane.

    Parameters
    ----------
    points : array, shape (n, 2)
    words : sequence of str
        n words.
    groups : sequence of str, optional
        The group of each word; each group has its own colour and its own mark.
    highlight : str or sequence of str, optional
        Words to set in bold with a ring.
    height : float
        Height in px.

    Raises
    ------
    ValueError
        If the points are not n pairs of finite numbers, or a highlighted word is not on the map.
    """
    points = checks.matrix(points, "points")
    if points.shape[1] != 2:
        raise ValueError(f"points: got shape {points.shape}, expected (n, 2); "
                         "project the vectors to the plane first")
    words = checks.labels(words, len(points), "words", "points")
    groups = checks.labels(groups, len(points), "groups", "points")
    wanted = [highlight] if isinstance(highlight, str) else list(highlight or ())
    for word in wanted:
        if word not in words:
            raise ValueError(f"highlight: got {word!r}, expected one of the words; add it to them")

    def draw_at(width):
        return _word_map(width, height, points, words, groups, wanted)

    return render(draw_at, title=title, alt=alt)


def _word_map(width, height, places, words, groups, wanted):
    kinds = list(dict.fromkeys(groups)) if groups else [""]
    roles = dict(zip(kinds, _roles(kinds, None if groups else "attention"), strict=True))
    x, y = places.T
    above = 26 if groups else 0
    drawing, ax = frame(width, height, limits(x, False, 0.09), limits(y, False), None,
                        (False, False), right=10, above=above)
    for i, kind in enumerate(kinds):
        chosen = [k for k in range(len(words)) if not groups or groups[k] == kind]
        ax.plot(x[chosen], y[chosen], linestyle="none", marker=MARKERS[i % len(MARKERS)],
                color=colour(roles[kind]), markeredgewidth=0, clip_on=False)
    marked = [word in wanted for word in words]
    if any(marked):
        ax.plot(x[marked], y[marked], linestyle="none", marker="o", markersize=points(15),
                markerfacecolor="none", markeredgecolor=colour("ink"), clip_on=False)
    inks = [roles[groups[k]] if groups else "ink" for k in range(len(words))]
    name_points(ax, x, y, words, inks, marked)
    if groups:
        _kinds_above(ax, kinds, roles)
    return drawing


def _kinds_above(ax, kinds, roles):
    box = ax.get_window_extent()
    at = 5
    for i, kind in enumerate(kinds):
        y = 1 + 16 / box.height
        ax.plot([at / box.width], [y], transform=ax.transAxes, marker=MARKERS[i % len(MARKERS)],
                color=colour(roles[kind]), markeredgewidth=0, clip_on=False)
        ax.text((at + 10) / box.width, y - 4.5 / box.height, kind, transform=ax.transAxes,
                color=colour(roles[kind]), va="baseline")
        at += text_width(kind) + 32


def name_points(ax, x, y, names, inks, bold):
    """Write a name beside each point, on the side where it covers least."""
    spots = ax.transData.transform(np.column_stack([x, y]))
    size = SMALL if len(names) > 40 else BODY
    taken = [(px - 5, py - 5, px + 5, py + 5) for px, py in spots]
    frame_box = ax.figure.bbox
    for i in sorted(range(len(names)), key=lambda k: not bold[k]):
        wide = text_width(names[i], size, "bold" if bold[i] else "normal")
        px, py = spots[i]
        choices = []
        ring = 4 if bold[i] else 0
        for dx, dy, anchor in ((9, 0, "left"), (-9, 0, "right"), (0, 13, "center"),
                               (0, -14, "center"), (7, 11, "left"), (-7, 11, "right"),
                               (7, -12, "left"), (-7, -12, "right")):
            dx, dy = dx + ring * np.sign(dx), dy + ring * np.sign(dy)
            start = px + dx - {"left": 0, "center": wide / 2, "right": wide}[anchor]
            box = (start, py + dy - size / 2, start + wide, py + dy + size / 2)
            cost = sum(_overlap(box, other) for k, other in enumerate(taken) if k != i)
            cost += 1e4 * (box[0] < 0 or box[2] > frame_box.width)
            choices.append((cost, len(choices), box, dx, dy, anchor))
        _, _, box, dx, dy, anchor = min(choices)
        taken.append(box)
        ax.annotate(names[i], (x[i], y[i]), xytext=(points(dx), points(dy - 0.36 * size)),
                    textcoords="offset points", ha=anchor, va="baseline", fontsize=points(size),
                    color=colour(inks[i]), fontweight="bold" if bold[i] else "normal",
                    annotation_clip=False)


def _overlap(one, other):
    wide = min(one[2], other[2]) - max(one[0], other[0])
    high = min(one[3], other[3]) - max(one[1], other[1])
    return wide * high if wide > 0 and high > 0 else 0.0
