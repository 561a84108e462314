"""Sines and cosines as clocks: a pair (sin, cos) is the tip of a hand that began at 12 o'clock."""

import numpy as np

from ..kit import checks
from ..kit.canvas import Canvas
from ..kit.figure import render_figure
from ..kit.palette import colour
from ..kit.style import NARROW, text_width

TURN_ROLES = ("q", "k", "v", "attention")


def clock_hands(
    angles,
    *,
    row_labels=None,
    column_labels=None,
    role="position",
    row_title=None,
    column_title=None,
    title,
    alt,
):
    """Draw one clock per number, its hand turned clockwise by that angle.

    The tip of a hand lies at (sin, cos) of its angle, in the order of the positional encoding.

    Parameters
    ----------
    angles : array, shape (m, n)
        In radians, from 12 o'clock.
    row_labels, column_labels : sequence of str, optional
        m and n labels.
    role : str
        The colour of the hands, by role.
    row_title, column_title : str, optional
        What rows and columns are.

    Raises
    ------
    ValueError
        If the angles are no finite matrix, or a label is missing.
    """
    angles = checks.matrix(angles, "angles")
    row_labels = checks.labels(
        row_labels, angles.shape[0], "row_labels", "rows of angles"
    )
    column_labels = checks.labels(
        column_labels, angles.shape[1], "column_labels", "columns of angles"
    )
    colour(role)

    return render_figure(
        _draw_clock_hands,
        angles,
        row_labels,
        column_labels,
        role,
        (row_title, column_title),
        title=title,
        alt=alt,
    )


def _draw_clock_hands(width, angles, row_labels, column_labels, role, axis_titles):
    m, n = angles.shape
    names = [*(row_labels or ()), *([f"{axis_titles[0]} ↓"] if axis_titles[0] else ())]
    left = max((text_width(name) for name in names), default=-10) + 12
    cell = min((width - left - 2) / n, 96)
    cell = max(
        cell, max((text_width(name) + 6 for name in column_labels or ()), default=0), 34
    )
    radius = min(cell * 0.4, 22)
    tall = 2 * radius + 12
    top = (22 if axis_titles[1] else 0) + (24 if column_labels or axis_titles[0] else 2)
    canvas = Canvas(left + n * cell + 2, top + m * tall)
    middles = [left + (j + 0.5) * cell for j in range(n)]
    levels = [top + (i + 0.5) * tall for i in range(m)]
    for (i, j), angle in np.ndenumerate(angles):
        _draw_clock(canvas, middles[j], levels[i], radius)
        _draw_hand(canvas, middles[j], levels[i], radius, angle, role)
    for y, name in zip(levels, row_labels or ()):
        canvas.label(left - 12, y, name, anchor="right")
    for x, name in zip(middles, column_labels or ()):
        canvas.label(x, top - 13, name)
    if axis_titles[1]:
        canvas.label(left, 9, f"{axis_titles[1]} →", role="quiet", anchor="left")
    if axis_titles[0]:
        canvas.label(
            left - 12, top - 13, f"{axis_titles[0]} ↓", role="quiet", anchor="right"
        )
    return canvas.figure


def clock_turns(turns: list[tuple[float, float, str, str]], *, title, alt):
    """Draw clocks in which a hand turns from one place to another.

    Parameters
    ----------
    turns : sequence of (float, float, str, str)
        For each clock: the angle before and after, in radians clockwise from 12 o'clock, and the
        names of the two places. The arrow between them goes from the first to the second.

    Raises
    ------
    ValueError
        If there is no turn, one has not four parts, or an angle is not finite.
    """
    turns = list(turns)
    if not turns:
        raise ValueError(
            "turns: got none, expected at least one (before, after, name, name); "
            "give one"
        )
    checked = []
    for turn in turns:
        if not isinstance(turn, (tuple, list)) or len(turn) != 4:
            raise ValueError(
                f"turns: got {turn!r}, expected (before, after, name, name); "
                "give all four"
            )
        before, after = checks.vector(turn[:2], "turns")
        checked.append((before, after, str(turn[2]), str(turn[3])))

    return render_figure(_draw_clock_turns, checked, title=title, alt=alt)


def _draw_clock_turns(width, turns):
    names = max(text_width(name) for turn in turns for name in turn[2:])
    radius = 62 if width > NARROW else 50
    cell = 2 * (radius + names + 14)
    across = max(1, min(len(turns), int(width // cell)))
    down = -(-len(turns) // across)
    tall = 2 * radius + 56
    canvas = Canvas(across * cell, down * tall)
    for index, (before, after, *ends) in enumerate(turns):
        x = (index % across + 0.5) * cell
        y = (index // across + 0.5) * tall
        role = TURN_ROLES[index % len(TURN_ROLES)]
        _draw_clock(canvas, x, y, radius)
        _draw_hand(canvas, x, y, radius, before, "quiet")
        _draw_hand(canvas, x, y, radius, after, role)
        _draw_turn_arc(canvas, x, y, radius * 0.5, before, after, role)
        for angle, name in zip((before, after), ends, strict=True):
            side, up = np.sin(angle), np.cos(angle)
            anchor = "left" if side > 0.2 else "right" if side < -0.2 else "middle"
            end = x + side * (radius + 9), y - up * (radius + 14)
            canvas.label(*end, name, anchor=anchor)
    return canvas.figure


def _draw_clock(canvas, x, y, radius):
    canvas.circle(x, y, radius, role="quiet", thickness=1, alpha=0.6)
    canvas.stroke([(x, y - radius), (x, y - radius * 0.86)])  # 12 o'clock


def _draw_hand(canvas, x, y, radius, angle: float, role):
    tip = x + radius * np.sin(angle), y - radius * np.cos(angle)
    canvas.stroke([(x, y), tip], role=role, thickness=2.5, capstyle="round")
    canvas.circle(*tip, 3.5, thickness=0, fill=role)


def _draw_turn_arc(canvas, x, y, radius, start_angle, end_angle, role):
    """Draw the arc of a turn, with an arrow head at its end."""
    steps = np.linspace(start_angle, end_angle, 40)
    corners = [(x + radius * np.sin(a), y - radius * np.cos(a)) for a in steps]
    canvas.stroke(corners, role=role, thickness=1.5)
    direction = np.array([np.cos(end_angle), np.sin(end_angle)]) * (
        np.sign(end_angle - start_angle) or 1.0
    )
    canvas.arrow_head(corners[-1], direction, role=role, barb=(8, 4))
