"""Words on a map: points in the plane, each named beside it."""

import itertools

import numpy as np

from ..kit import axes, checks
from ..kit.figure import render_figure
from ..kit.palette import colour
from ..kit.style import BODY, SMALL, text_width, to_points


def word_map(points, words, *, groups=None, highlight=None, height=440, title, alt):
    """Draw words where their vectors lie in the plane.

    Parameters
    ----------
    points : array, shape (n, 2)
    words : sequence of str
        n words.
    groups : sequence of str, optional
        The group of each word; groups differ by colour and by mark.
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
        raise ValueError(
            f"points: got shape {points.shape}, expected (n, 2); "
            "project the vectors to the plane first"
        )
    words = checks.labels(words, len(points), "words", "points")
    groups = checks.labels(groups, len(points), "groups", "points")
    highlighted = [highlight] if isinstance(highlight, str) else list(highlight or ())
    for word in highlighted:
        if word not in words:
            raise ValueError(
                f"highlight: got {word!r}, expected one of the words; add it to them"
            )

    return render_figure(
        _draw_word_map, height, points, words, groups, highlighted, title=title, alt=alt
    )


def _draw_word_map(width, height, points, words, groups, highlighted_words):
    kinds = list(dict.fromkeys(groups or [""]))
    roles = axes.series_roles(kinds, None if groups else "attention")
    x, y = points.T
    ax = axes.new_axes(width, height)
    ax.set_axis_off()
    ax.margins(0.09, 0.06)
    for kind, role, marker in zip(kinds, roles, itertools.cycle(axes.MARKERS)):
        chosen = [not groups or group == kind for group in groups or words]
        style = {"color": colour(role), "markeredgewidth": 0, "label": kind}
        ax.plot(x[chosen], y[chosen], marker, clip_on=False, **style)
    marked = [word in highlighted_words for word in words]
    ring = {"markerfacecolor": "none", "markeredgecolor": colour("ink")}
    ax.plot(x[marked], y[marked], "o", markersize=to_points(15), clip_on=False, **ring)
    if groups:
        axes.draw_legend(ax, "upper")
    figure = axes.lay_out(ax)
    role_of = dict(zip(kinds, roles, strict=True)) if groups else {}
    inks = [role_of.get(group, "ink") for group in groups or words]
    name_points(ax, x, y, words, inks, marked)
    return figure


def name_points(ax, x, y, names, roles, is_bold: list[bool]):
    """Write a name beside each point, on the side where it covers least."""
    spots = ax.transData.transform(np.column_stack([x, y]))
    size = SMALL if len(names) > 40 else BODY
    taken = [(px - 5, py - 5, px + 5, py + 5) for px, py in spots]
    frame_box = ax.figure.bbox
    for i in sorted(range(len(names)), key=lambda k: not is_bold[k]):
        wide = text_width(names[i], size, "bold" if is_bold[i] else "normal")
        px, py = spots[i]
        choices = []
        ring = 4 if is_bold[i] else 0
        for dx, dy, anchor in (
            (9, 0, "left"),
            (-9, 0, "right"),
            (0, 13, "center"),
            (0, -14, "center"),
            (7, 11, "left"),
            (-7, 11, "right"),
            (7, -12, "left"),
            (-7, -12, "right"),
        ):
            dx, dy = dx + ring * np.sign(dx), dy + ring * np.sign(dy)
            start = px + dx - {"left": 0, "center": wide / 2, "right": wide}[anchor]
            box = (start, py + dy - size / 2, start + wide, py + dy + size / 2)
            cost = sum(
                _overlap_area(box, other) for k, other in enumerate(taken) if k != i
            )
            cost += 1e4 * (box[0] < 0 or box[2] > frame_box.width)
            choices.append((cost, len(choices), box, dx, dy, anchor))
        _, _, box, dx, dy, anchor = min(choices)
        taken.append(box)
        ax.annotate(
            names[i],
            (x[i], y[i]),
            xytext=(to_points(dx), to_points(dy - 0.36 * size)),
            textcoords="offset points",
            ha=anchor,
            va="baseline",
            fontsize=to_points(size),
            color=colour(roles[i]),
            fontweight="bold" if is_bold[i] else "normal",
            annotation_clip=False,
        )


def _overlap_area(box, other_box) -> float:
    wide = min(box[2], other_box[2]) - max(box[0], other_box[0])
    high = min(box[3], other_box[3]) - max(box[1], other_box[1])
    return wide * high if wide > 0 and high > 0 else 0.0
