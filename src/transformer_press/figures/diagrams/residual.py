"""The direct way: a row of sub-layers with the residual connection, and the same without it."""

from ..kit import draw
from ..kit.figure import render
from ..kit.style import BODY, NARROW, SMALL, canvas

MOST = 4  # sub-layers that fit on a phone
BOX, PLUS = 32, 9  # px: the height of a sub-layer, the radius of a plus


def direct_way(N=3, *, title, alt):
    """Draw N sub-layers twice, with the sum around each and without, and the gradient's way back.

    Parameters
    ----------
    N : int
        Sub-layers in a row, 1 to 4.

    Raises
    ------
    ValueError
        If `N` is not a whole number from 1 to 4.
    """
    if not isinstance(N, int) or isinstance(N, bool) or not 1 <= N <= MOST:
        raise ValueError(
            f"N: got {N!r}, expected a whole number from 1 to {MOST}; "
            "three show how it goes on"
        )

    return render(_direct_way, N, title=title, alt=alt)


def _direct_way(width, N):
    size = BODY if width > NARROW else SMALL
    left, right = 22, width - 2
    step = (right - 16 - left) / N
    drawing, ax = canvas(width, 300)
    ends = left, right, step

    draw.label(ax, 0, 9, "with the sum: x + f(x)", anchor="left", size=size, bold=True)
    _with_the_sum(ax, ends, N, 106, size)
    free = "the gradient has a way back that meets no f"
    _way_back(ax, ends, 134, "position", free, size)
    draw.label(ax, 0, 189, "without: f(x)", anchor="left", size=size, bold=True)
    _without(ax, ends, N, 228, size)
    only = "its only way back leads through every f"
    _way_back(ax, ends, 266, "wrong", only, size)
    return drawing


def _with_the_sum(ax, ends, N, y, size):
    """Draw the line, and above it the sub-layers, each on its branch."""
    left, right, step = ends
    draw.label(ax, left - 12, y, "x", size=size)
    draw.arrow(ax, [(left, y), (right, y)], "position", thickness=3)
    for i in range(N):
        x, top = left + i * step, y - 36 - BOX
        box, plus = (x + 0.28 * step, 0.4 * step), x + 0.88 * step
        middle = top + BOX / 2
        draw.arrow(
            ax, [(x + 0.1 * step, y), (x + 0.1 * step, middle), (box[0], middle)]
        )
        draw.box(ax, box[0], top, box[1], BOX, f"f_{i + 1}", "attention", size=size)
        draw.arrow(ax, [(sum(box), middle), (plus, middle), (plus, y - PLUS)])
        draw.circle(ax, plus, y, PLUS, role="position", fill="paper", zorder=2)
        draw.label(ax, plus, y, "+", role="position", bold=True)


def _without(ax, ends, N, y, size):
    """Draw the sub-layers on the line itself."""
    left, right, step = ends
    draw.label(ax, left - 12, y, "x", size=size)
    start = left
    for i in range(N):
        x = left + (i + 0.28) * step
        draw.arrow(ax, [(start, y), (x, y)])
        place = (x, y - BOX / 2, 0.4 * step, BOX)
        draw.box(ax, *place, f"f_{i + 1}", "attention", size=size)
        start = x + 0.4 * step
    draw.arrow(ax, [(start, y), (right, y)])


def _way_back(ax, ends, y, role, text, size):
    """Draw the gradient's way, from right to left, and what it meets."""
    left, right, _ = ends
    draw.arrow(ax, [(right, y), (left, y)], role, dashed=True)
    draw.label(ax, (left + right) / 2, y + 16, text, role=role, size=size)
