"""Sines and cosines as clocks: a pair (sin, cos) is the tip of a hand that began at 12 o'clock."""

import numpy as np

from ..kit import checks, draw
from ..kit.figure import render
from ..kit.palette import colour
from ..kit.style import NARROW, canvas, text_width

TURN_ROLES = ("q", "k", "v", "attention")


def clock_hands(
    angles,
    *,
    rows=None,
    columns=None,
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
    rows, columns : sequence of str, optional
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
    rows = checks.labels(rows, angles.shape[0], "rows", "rows of angles")
    columns = checks.labels(columns, angles.shape[1], "columns", "columns of angles")
    colour(role)

    return render(
        _clock_hands,
        angles,
        rows,
        columns,
        role,
        (row_title, column_title),
        title=title,
        alt=alt,
    )


def _clock_hands(width, angles, rows, columns, role, titles):
    m, n = angles.shape
    named = [*(rows or ()), *([f"{titles[0]} ↓"] if titles[0] else ())]
    left = max((text_width(name) for name in named), default=-10) + 12
    cell = min((width - left - 2) / n, 96)
    cell = max(
        cell, max((text_width(name) + 6 for name in columns or ()), default=0), 34
    )
    radius = min(cell * 0.4, 22)
    tall = 2 * radius + 12
    top = (22 if titles[1] else 0) + (24 if columns or titles[0] else 2)
    drawing, ax = canvas(left + n * cell + 2, top + m * tall)
    for (i, j), angle in np.ndenumerate(angles):
        _clock(ax, left + (j + 0.5) * cell, top + (i + 0.5) * tall, radius)
        _hand(ax, left + (j + 0.5) * cell, top + (i + 0.5) * tall, radius, angle, role)
    for i, name in enumerate(rows or ()):
        draw.label(ax, left - 12, top + (i + 0.5) * tall, name, anchor="right")
    for j, name in enumerate(columns or ()):
        draw.label(ax, left + (j + 0.5) * cell, top - 13, name)
    if titles[1]:
        draw.label(ax, left, 9, f"{titles[1]} →", role="quiet", anchor="left")
    if titles[0]:
        draw.label(
            ax, left - 12, top - 13, f"{titles[0]} ↓", role="quiet", anchor="right"
        )
    return drawing


def clock_turns(turns, *, title, alt):
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

    return render(_clock_turns, checked, title=title, alt=alt)


def _clock_turns(width, turns):
    names = max(text_width(name) for turn in turns for name in turn[2:])
    radius = 62 if width > NARROW else 50
    cell = 2 * (radius + names + 14)
    across = max(1, min(len(turns), int(width // cell)))
    down = -(-len(turns) // across)
    tall = 2 * radius + 56
    drawing, ax = canvas(across * cell, down * tall)
    for index, (before, after, *ends) in enumerate(turns):
        x = (index % across + 0.5) * cell
        y = (index // across + 0.5) * tall
        role = TURN_ROLES[index % len(TURN_ROLES)]
        _clock(ax, x, y, radius)
        _hand(ax, x, y, radius, before, "quiet")
        _hand(ax, x, y, radius, after, role)
        _sweep(ax, x, y, radius * 0.5, before, after, role)
        for angle, name in zip((before, after), ends, strict=True):
            side, up = np.sin(angle), np.cos(angle)
            anchor = "left" if side > 0.2 else "right" if side < -0.2 else "middle"
            draw.label(
                ax, x + side * (radius + 9), y - up * (radius + 14), name, anchor=anchor
            )
    return drawing


def _clock(ax, x, y, radius):
    draw.circle(ax, x, y, radius, role="quiet", thickness=1, alpha=0.6)
    draw.stroke(ax, [(x, y - radius), (x, y - radius * 0.86)])  # 12 o'clock


def _hand(ax, x, y, radius, angle, role):
    tip = x + radius * np.sin(angle), y - radius * np.cos(angle)
    draw.stroke(ax, [(x, y), tip], role=role, thickness=2.5, capstyle="round")
    draw.circle(ax, *tip, 3.5, thickness=0, fill=role)


def _sweep(ax, x, y, radius, before, after, role):
    """Draw the arc of a turn, with an arrow head at its end."""
    steps = np.linspace(before, after, 40)
    corners = [(x + radius * np.sin(a), y - radius * np.cos(a)) for a in steps]
    draw.stroke(ax, corners, role=role, thickness=1.5)
    along = np.array([np.cos(after), np.sin(after)]) * (np.sign(after - before) or 1.0)
    draw.head(ax, corners[-1], along, role=role, barb=(8, 4))
