"""The stations of a word on its way through the model, each with a small picture of what is there."""

import math
from collections.abc import Sequence
from typing import Any

from ..kit import checks
from ..kit.canvas import Canvas
from ..kit.figure import render_figure
from ..kit.style import BODY, WIDE

PICTURE_WIDTH, PICTURE_HEIGHT = 66, 54
LABEL_HEIGHT = 40  # of the number and a name of two lines
LEAST_STRENGTH = 0.06  # what is weaker is not drawn
MAX_OPACITY = 0.9  # opacity of the largest number
PICTURE_KINDS = ("id", "numbers", "arcs", "maps", "layers", "ribbons", "bars")


def stations(names, pictures: Sequence[tuple[str, Any]], *, title, alt):
    """Draw the stations of the tour in their order.

    Parameters
    ----------
    names : sequence of str
        What comes into being at each station; a line break may divide a name.
    pictures : sequence of (str, object)
        What is drawn there: ("id", int), ("numbers", matrix) as coloured cells, ("arcs", weights of
        one row), ("maps", weights of several heads, (h, m, n)), ("layers", int),
        ("ribbons", matrix of weights) or ("bars", probabilities).

    Raises
    ------
    ValueError
        If there are not as many pictures as names, or a kind is unknown.
    """
    names = checks.labels(names, len(pictures), "names", "pictures")
    for kind, _ in pictures:
        if kind not in PICTURE_KINDS:
            raise ValueError(
                f"pictures: got the kind {kind!r}, expected one of {', '.join(PICTURE_KINDS)}; choose one"
            )
    return render_figure(_draw_stations, names, pictures, title=title, alt=alt)


def _draw_stations(width, names, pictures):
    columns = len(names) if width >= WIDE else 4
    pitch = width / columns
    row_height = PICTURE_HEIGHT + LABEL_HEIGHT + 26
    rows = math.ceil(len(names) / columns)
    canvas = Canvas(width, rows * row_height)
    for number, (name, (kind, content)) in enumerate(zip(names, pictures)):
        row, column = divmod(number, columns)
        left = column * pitch + (pitch - PICTURE_WIDTH) / 2
        top = row * row_height + 4
        _DRAW_FUNCTION_BY_KIND[kind](canvas, left, top, content)
        middle, below = left + PICTURE_WIDTH / 2, top + PICTURE_HEIGHT
        canvas.label(middle, below + 16, str(number + 1), bold=True, role="q")
        canvas.note(middle, below + 34 + 7 * name.count("\n"), name)
        if column + 1 < columns and number + 1 < len(names):
            start = left + PICTURE_WIDTH + 2
            y = top + PICTURE_HEIGHT / 2
            end = start + pitch - PICTURE_WIDTH - 4
            canvas.arrow([(start, y), (end, y)], "quiet", thickness=1, barb=(4, 3))
    return canvas.figure


def _draw_id(canvas, left, top, number: int):
    middle = left + PICTURE_WIDTH / 2
    canvas.box(left + 11, top + 12, PICTURE_WIDTH - 22, 30, str(number), "k", size=BODY)
    canvas.line([(middle, top + 2), (middle, top + 12)], "quiet", thickness=1)


def _draw_numbers(canvas, left, top, matrix):
    """Cells whose colour is the sign of a number and whose strength is its size."""
    matrix = checks.matrix(matrix, "numbers")
    largest = abs(matrix).max() or 1
    _draw_cells(
        canvas, left, top, abs(matrix) / largest, (PICTURE_WIDTH, PICTURE_HEIGHT),
        lambda i, j: "q" if matrix[i, j] >= 0 else "k",
    )  # fmt: skip


def _draw_maps(canvas, left, top, weights):
    """The weights of the first four heads, two by two."""
    weights = checks.array(weights, "maps", 3)
    size = (PICTURE_HEIGHT - 4) / 2
    for head, matrix in enumerate(weights[:4]):
        x = left + (PICTURE_WIDTH - 2 * size - 4) / 2 + head % 2 * (size + 4)
        y = top + head // 2 * (size + 4)
        canvas.outline(x, y, size, size, role="quiet", thickness=0.5)
        _draw_cells(canvas, x, y, matrix, (size, size), lambda i, j: "attention")


def _draw_cells(
    canvas, left, top, strengths, width_and_height: tuple[float, float], role_of_cell
):
    height, width = (
        edge / count for edge, count in zip(width_and_height[::-1], strengths.shape)
    )
    for i, row in enumerate(strengths):
        for j, strength in enumerate(row):
            if strength > LEAST_STRENGTH:
                canvas.rectangle(
                    left + j * width, top + i * height, width, height,
                    role=role_of_cell(i, j), opacity=round(MAX_OPACITY * float(strength), 2),
                )  # fmt: skip


def _draw_arcs(canvas, left, top, weights):
    """Arcs from the word with which the row ends to those before it, as wide as their weights."""
    weights = checks.array(weights, "arcs", 1)
    step = PICTURE_WIDTH / len(weights)
    base = top + PICTURE_HEIGHT - 8
    places = [left + (i + 0.5) * step for i in range(len(weights))]
    for x, weight in zip(places, weights):
        reach = min(PICTURE_HEIGHT - 10, 14 + 0.8 * (places[-1] - x))
        path = [
            (places[-1], base),
            (places[-1], base - reach),
            (x, base - reach),
            (x, base),
        ]
        canvas.stroke(
            path, role="attention", thickness=0.5 + 7 * weight, opacity=0.7, curve=True
        )
        canvas.circle(x, base + 4, 2, role="ink", fill="ink", thickness=0)


def _draw_layers(canvas, left, top, layer_count: int):
    height = (PICTURE_HEIGHT - 4 * (layer_count - 1)) / layer_count
    for layer in range(layer_count):
        y = top + layer * (height + 4)
        canvas.box(left + 8, y, PICTURE_WIDTH - 16, height, "", "v", radius=3)


def _draw_ribbons(canvas, left, top, weights):
    weights = checks.matrix(weights, "ribbons")
    for j, row in enumerate(weights):
        x = left + (j + 0.5) * PICTURE_WIDTH / len(weights)
        for i, weight in enumerate(row):
            above = left + (i + 0.5) * PICTURE_WIDTH / weights.shape[1]
            half = top + PICTURE_HEIGHT / 2
            path = [(above, top), (above, half), (x, half), (x, top + PICTURE_HEIGHT)]
            if weight > 0.08:
                canvas.stroke(
                    path,
                    role="attention",
                    thickness=6 * weight,
                    opacity=0.6,
                    curve=True,
                )


def _draw_bars(canvas, left, top, probabilities):
    probabilities = checks.array(probabilities, "bars", 1)
    pitch = PICTURE_HEIGHT / len(probabilities)
    for i, probability in enumerate(probabilities):
        canvas.rectangle(
            left, top + i * pitch + 2, max(PICTURE_WIDTH * probability, 1), pitch - 4,
            role="attention", opacity=0.8,
        )  # fmt: skip


_DRAW_FUNCTION_BY_KIND = {
    "id": _draw_id,
    "numbers": _draw_numbers,
    "arcs": _draw_arcs,
    "maps": _draw_maps,
    "layers": _draw_layers,
    "ribbons": _draw_ribbons,
    "bars": _draw_bars,
}
