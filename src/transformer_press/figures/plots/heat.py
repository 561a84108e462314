"""A matrix as a heat map: cells the fuller the larger, rows and columns labelled by word."""

import numpy as np

from ..kit import checks, grid
from ..kit.canvas import Canvas
from ..kit.figure import render_figure
from ..kit.palette import colour
from ..kit.style import BODY, NARROW, SMALL, text_width, word_width

LABEL_GAP = 12


def heat_map(
    M,
    *,
    row_labels=None,
    column_labels=None,
    role="attention",
    signed=False,
    fmt="{:.2f}",
    mask=None,
    highlight=None,
    row_title=None,
    column_title=None,
    title,
    alt,
):
    """Draw a matrix as cells, the fuller the larger, each with its number.

    Parameters
    ----------
    M : array, shape (m, n)
        The numbers; the largest in size gets the fullest cell.
    row_labels, column_labels : sequence of str, optional
        m and n labels, the words. What stands behind a line break, "猫\\ncat", is small below.
    role : str
        The colour, by role. A signed map takes blue ("q") above zero and orange ("k") below.
    signed : bool
        Whether M has negative numbers.
    fmt : str or None
        How a number is written; None leaves the numbers out and adds a key to the colour.
    mask : bool array, shape (m, n), optional
        True = may attend. The other cells are hatched, whatever stands in them (-inf may).
    highlight : (int or None, int or None), optional
        The row, the column, or the cell to outline.
    row_title, column_title : str, optional
        What rows and columns are.

    Raises
    ------
    ValueError
        If M is no finite matrix, has unannounced negatives, or a label is missing.
    """
    M = checks.matrix(M, "M", mask)
    mask = None if mask is None else np.asarray(mask)
    row_labels = checks.labels(row_labels, M.shape[0], "row_labels", "rows of M")
    column_labels = checks.labels(
        column_labels, M.shape[1], "column_labels", "columns of M"
    )
    colour(role)
    if not signed and M.min() < 0:
        raise ValueError(
            f"M: got {M.min():.4g}, expected numbers from 0 up; pass signed=True to draw "
            "negative numbers in another colour"
        )
    marks = _check_highlight(highlight, M.shape)
    options = {"role": role, "signed": signed, "fmt": fmt, "mask": mask}
    titles = (row_title, column_title)

    return render_figure(
        _draw_heat_map,
        M,
        row_labels,
        column_labels,
        options,
        marks,
        titles,
        title=title,
        alt=alt,
    )


def _check_highlight(highlight, shape: tuple[int, int]):
    if highlight is None:
        return None
    if not isinstance(highlight, (tuple, list)) or len(highlight) != 2:
        raise ValueError(
            f"highlight: got {highlight!r}, expected (row, column); "
            "give None for either to mark all of the other"
        )
    return tuple(
        None if v is None else checks.index(v, n, "highlight")
        for v, n in zip(highlight, shape, strict=True)
    )


def _draw_heat_map(
    width, M, row_labels, column_labels, options, highlighted, axis_titles
):
    m, n = M.shape
    fmt = options["fmt"]
    row_title, column_title = axis_titles
    side = max(
        grid.labels_width(row_labels), text_width(f"{row_title} ↓") if row_title else 0
    )
    left = 1 + (side + LABEL_GAP if side else 0)
    room = (width - left - 2) / n
    cell, size = _cell_and_text_size(M, fmt, room, width)
    words = grid.labels_width(column_labels) + 8
    if words > cell and words <= room:
        cell = words
    slanted = words > cell + 2
    if slanted:
        words = grid.labels_width(column_labels, gloss_beside=True) + 8
    tall = min(cell, 28) if fmt is None else (32 if size == BODY else 28)
    if grid.has_gloss(row_labels):
        tall = max(tall, grid.TWO_LINE_HEIGHT)
    head = 0.0
    if column_labels:
        head = (
            (words * 0.72 + 18)
            if slanted
            else 42
            if grid.has_gloss(column_labels)
            else 26
        )
    top = head + (24 if column_title else 2)
    if row_title and not column_labels:
        top = max(top, 24)
    bottom = top + m * tall
    reach = left + n * cell + 2
    if slanted:
        ends = [
            (j + 0.5) * cell + word_width(word, gloss_beside=True) * 0.72 + 10
            for j, word in enumerate(column_labels)
        ]
        reach = max(reach, left + max(ends))
    keyed = fmt is None
    canvas = Canvas(
        max(reach, left + 180 if keyed else 0), bottom + (40 if keyed else 4)
    )
    cells = grid.Grid(canvas, left, top, (m, n), cell, tall)
    cells.draw(M, size=size, **options)
    cells.write_row_labels(row_labels, LABEL_GAP - 3)
    for j, word in enumerate(column_labels or ()):
        middle = left + (j + 0.5) * cell
        if slanted:
            canvas.slanted_word(middle - 2, top - 6, word)
        else:
            canvas.word_with_gloss(middle, top - (21 if "\n" in word else 13), word)
    if column_title:
        canvas.label(left, 9, f"{column_title} →", role="quiet", anchor="left")
    if row_title:
        canvas.label(
            left - LABEL_GAP + 3,
            top - 13,
            f"{row_title} ↓",
            role="quiet",
            anchor="right",
        )
    if highlighted:
        cells.outline(*highlighted)
    if keyed:
        signed, largest = options["signed"], np.abs(M).max()
        ends = [
            grid.format_number(v, "{:.3g}")
            for v in (-largest if signed else 0, largest)
        ]
        place = left, bottom + 16
        grid.draw_color_key(canvas, *place, ends, options["role"], signed=signed)
    return canvas.figure


def _cell_and_text_size(M: np.ndarray, fmt, cell_room, width) -> tuple:
    """Return the width of a cell and the size of its numbers."""
    if fmt is None:
        return max(min(cell_room, 28, 480 / max(M.shape)), 4), BODY
    for size in (BODY, SMALL):
        need = grid.numbers_width(M, fmt, size) + (12 if width > NARROW else 6)
        if need <= cell_room:
            return max(need, min(cell_room, 56)), size
    return need, SMALL
