"""The arithmetic of a cell, written out below its figure."""

import numpy as np

from .grid import format_number
from .style import text_width

LINE_STEP = 22  # px from line to line


def product_terms(matrices: tuple, cell: tuple[int, int], fmts) -> list[str]:
    """Return the pieces of "1·1 + 0·0 = 1", to be broken between them.

    Where the numbers are rounded and the sum of what is shown is not what is shown, it says ≈.
    """
    (A, B, C), (i, j) = matrices, cell
    pieces = []
    for a, b in zip(A[i], B[:, j], strict=True):
        a, b = format_number(a, fmts[0]), format_number(b, fmts[1])
        b = f"({b})" if b.startswith("\N{MINUS SIGN}") else b
        pieces.append(f"{'+ ' if pieces else ''}{a}·{b}")
    rounded = [
        [float(f.format(v)) for v in values]
        for values, f in (
            (A[i], fmts[0]),
            (B[:, j], fmts[1]),
            (C[i, j : j + 1], fmts[2]),
        )
    ]
    exact = np.isclose(np.dot(rounded[0], rounded[1]), rounded[2][0], atol=1e-9)
    return [*pieces, f"{'=' if exact else '≈'} {format_number(C[i, j], fmts[2])}"]


def lines_extent(lines: list[str], first_line_y: float) -> tuple[float, float]:
    """Return how wide and how high a figure must be for lines that begin at `first_line_y`."""
    return 16 + max(map(text_width, lines)), first_line_y + LINE_STEP * len(lines) - 8


def write_lines(canvas, lines: list[str], first_line_y: float):
    """Write lines at the left, one below the other."""
    for i, line in enumerate(lines):
        canvas.label(4, first_line_y + LINE_STEP * i, line, anchor="left")
