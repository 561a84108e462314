"""A matrix as a grid of cells on a canvas: fill, numbers, marks, hatching."""

import numpy as np
from matplotlib.patches import PathPatch
from matplotlib.path import Path

from . import draw
from .palette import colour, fullest
from .style import BODY, SMALL, points, text_width

NEGATIVE = "k"  # signed maps: the "q" blue is above zero, the "k" orange below


def number(value, fmt):
    """Write a number for a cell: a true minus sign, no minus zero."""
    text = fmt.format(value)
    if not any(digit in text for digit in "123456789"):
        text = text.replace("-", "")
    return text.replace("-", "\N{MINUS SIGN}")


def usual(*matrices):
    """Return the format numbers are usually written in: none or two decimals."""
    whole = all(np.array_equal(M, np.round(M)) for M in matrices)
    return "{:.0f}" if whole else "{:.2f}"


def numbers_width(M, fmt, size=BODY):
    """Return the width in px of the widest number of M."""
    return max(text_width(number(value, fmt), size) for value in M.flat)


def cells(ax, M, x, y, width, height, *, role, signed=False, fmt=None, mask=None, size=BODY):
    """Draw M at (x, y) with cells of width x height px, filled in proportion to their size."""
    most = np.abs(M).max() or 1.0
    limits = {name: fullest(name) if fmt else 1.0 for name in (role, "q", NEGATIVE)}
    for (i, j), value in np.ndenumerate(M):
        left, top = x + j * width, y + i * height
        if mask is not None and not mask[i, j]:
            draw.hatch(ax, left, top, width, height)
            continue
        hue = (("q" if value > 0 else NEGATIVE) if signed else role)
        opacity = abs(value) / most * limits[hue]
        if opacity >= 0.005:
            draw.rectangle(ax, left, top, width, height, role=hue, opacity=round(opacity, 3))
        if fmt:
            draw.label(ax, left + width / 2, top + height / 2, number(value, fmt), size=size)
    lines(ax, x, y, M.shape, width, height)


def lines(ax, x, y, shape, width, height):
    """Draw the hairlines between cells and around them."""
    m, n = shape
    ends = [((x, y + i * height), (x + n * width, y + i * height)) for i in range(m + 1)]
    ends += [((x + j * width, y), (x + j * width, y + m * height)) for j in range(n + 1)]
    path = Path([point for pair in ends for point in pair], [Path.MOVETO, Path.LINETO] * len(ends))
    ax.add_patch(PathPatch(path, facecolor="none", edgecolor=colour("quiet"),
                           linewidth=points(1), alpha=0.35))


def row_labels(ax, labels, x, y, height):
    """Write the labels of rows, ending at x."""
    for i, text in enumerate(labels or ()):
        draw.label(ax, x, y + (i + 0.5) * height, text, anchor="right")


def labels_width(labels, size=BODY):
    """Return the width in px of the widest label, 0 where there are none."""
    return max((text_width(text, size) for text in labels or ()), default=0)


def bracket(ax, x, y, width, height):
    """Draw the square brackets of a matrix just outside a box."""
    for side, inward in ((x - 4, 5), (x + width + 4, -5)):
        draw.stroke(ax, [(side + inward, y - 3), (side, y - 3), (side, y + height + 3),
                         (side + inward, y + height + 3)], thickness=1.5)


__all__ = ["SMALL", "bracket", "cells", "labels_width", "lines", "number", "numbers_width",
           "row_labels", "usual"]
