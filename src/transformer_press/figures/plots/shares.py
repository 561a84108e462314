"""How wholes are made up of the same parts: one divided bar for each whole."""

import itertools

import numpy as np

from ..kit import checks
from ..kit.axes import series_roles
from ..kit.canvas import Canvas
from ..kit.figure import render
from ..kit.style import SMALL, text_width

HATCHES = (
    "",
    "////",
    "----",
    "xxxx",
    "\\\\\\\\",
)  # parts differ by these as well as by colour
THICK, TALL, SWATCH, LINE = 20, 66, 14, 22


def shares(wholes, *, roles=None, title, alt):
    """Draw one bar of full width for each whole, divided in proportion to its parts.

    Parameters
    ----------
    wholes : dict
        Name of a whole -> dict of part -> number, not negative. All wholes have the same parts,
        at most 5, in the same order.
    roles : dict or sequence, optional
        A role for each part.

    Raises
    ------
    ValueError
        If there is no whole, one has other parts, a number is negative or all of them are 0.
    """
    checks.mapping(wholes, "wholes", "name -> parts")
    parts = [str(part) for part in next(iter(wholes.values()))]
    if not 1 <= len(parts) <= len(HATCHES):
        raise ValueError(
            f"wholes: got {len(parts)} parts, expected 1 to {len(HATCHES)}; "
            "put small ones together"
        )
    checked = {}
    for name, sizes in wholes.items():
        if [str(part) for part in sizes] != parts:
            raise ValueError(
                f"wholes[{name!r}]: got the parts {list(sizes)}, expected {parts}; "
                "give all wholes the same, 0 where there is nothing"
            )
        found = checks.vector(list(sizes.values()), str(name))
        if found.min() < 0 or found.sum() <= 0:
            raise ValueError(
                f"wholes[{name!r}]: got {found.tolist()}, expected numbers from 0 on, "
                "not all 0; a share is part of a sum"
            )
        checked[str(name)] = found / found.sum()
    found = series_roles(parts, roles)

    return render(_shares, checked, parts, found, title=title, alt=alt)


def _shares(width, wholes, parts, roles):
    places, x, y = [], 2, len(wholes) * TALL + 12
    for part in parts:
        wide = SWATCH + 6 + text_width(part) + 18
        if places and x + wide - 18 > width:
            x, y = 2, y + LINE
        places.append((x, y))
        x += wide
    canvas = Canvas(width, y + 14)
    for row, (name, sizes) in enumerate(wholes.items()):
        top = row * TALL
        canvas.label(2, top + 10, name, anchor="left", bold=True)
        ends = 2 + np.cumsum([0, *sizes]) * (width - 4)
        for i, (start, end) in enumerate(itertools.pairwise(ends)):
            _part(canvas, start, top + 22, end - start, THICK, roles[i], HATCHES[i])
            text = f"{sizes[i]:.0%}"
            if end - start > text_width(text, SMALL):
                canvas.label((start + end) / 2, top + 22 + THICK + 9, text, size=SMALL)
    for i, (x, y) in enumerate(places):
        _part(canvas, x, y - SWATCH / 2, SWATCH, SWATCH, roles[i], HATCHES[i])
        canvas.label(x + SWATCH + 6, y, parts[i], anchor="left")
    return canvas.figure


def _part(canvas, x, y, width, height, role, hatch):
    canvas.rectangle(x, y, width, height, role=role, opacity=0.16 if hatch else 0.6)
    if hatch:
        canvas.outline(
            x, y, width, height, role=role, thickness=0, hatch=hatch, alpha=0.6
        )
    canvas.outline(x, y, width, height, role=role, thickness=1)
