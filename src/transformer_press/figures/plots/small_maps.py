"""Several maps of the same shape side by side, on one scale, so that they can be compared."""

import numpy as np

from ..kit import checks, grid
from ..kit.canvas import Canvas
from ..kit.figure import render_figure
from ..kit.palette import colour
from ..kit.style import NARROW, SMALL, text_width

LABEL_GAP = 8
PANEL_GAP = 30


def small_maps(
    items,
    *,
    row_labels=None,
    column_labels=None,
    role="attention",
    lowest=0.0,
    title,
    alt,
):
    """Draw maps of equal shape beside each other, all on one scale.

    Parameters
    ----------
    items : sequence of (str, array)
        A name and a matrix (m, n) for each map.
    row_labels, column_labels : sequence of str, optional
        m and n labels, the same for every map. Columns are labelled once per map.
    role : str
        The colour, by role; the fullest cell is the largest number of all maps. A key says what
        the colours mean, unless every cell is empty or full.
    lowest : float
        The number that is drawn empty; smaller ones are too.

    Raises
    ------
    ValueError
        If there is no map, shapes differ, a number is not finite, or none is above `lowest`.
    """
    checked = [(str(name), checks.matrix(M, str(name))) for name, M in items]
    if not checked:
        raise ValueError(
            "items: got none, expected at least one (name, matrix); give one"
        )
    shape = checked[0][1].shape
    for name, M in checked:
        if M.shape != shape:
            raise ValueError(
                f"{name}: got shape {M.shape}, expected {shape} as in "
                f"{checked[0][0]}; maps on one scale have one shape"
            )
    highest = max(M.max() for _, M in checked)
    if not highest > lowest:
        raise ValueError(
            f"lowest: got {lowest}, expected a number below the largest, "
            f"{highest:.4g}; give a smaller one"
        )
    row_labels = checks.labels(row_labels, shape[0], "row_labels", "rows")
    column_labels = checks.labels(column_labels, shape[1], "column_labels", "columns")
    colour(role)

    return render_figure(
        _draw_small_maps,
        checked,
        row_labels,
        column_labels,
        role,
        (lowest, highest),
        title=title,
        alt=alt,
    )


def _draw_small_maps(width, items, row_labels, column_labels, role, limits):
    m, n = items[0][1].shape
    side = grid.labels_width(row_labels, SMALL)
    left = side + LABEL_GAP if row_labels else 1
    across = min(len(items), 2) if width > NARROW else 1
    room = (width - across * left - (across - 1) * PANEL_GAP - 2) / across
    need = grid.labels_width(column_labels, SMALL) + 4
    widest = max(text_width(name, weight="bold") for name, _ in items)
    cell = min(room / n, max(need, 24, widest / n))
    tall = grid.TWO_LINE_HEIGHT if grid.has_gloss(row_labels) else min(cell, 20)
    slanted = bool(column_labels) and need > cell
    if slanted:
        need = grid.labels_width(column_labels, SMALL, gloss_beside=True) + 4
    low = 12 if grid.has_gloss(column_labels) else 0
    head = 24 + (need * 0.72 + 10 if slanted else 20 + low if column_labels else 0)
    block = left + n * cell
    down = -(-len(items) // across)
    reach = across * block + (across - 1) * PANEL_GAP + (need * 0.72 if slanted else 2)
    canvas = Canvas(min(reach, width), down * (head + m * tall + PANEL_GAP) + 8)
    for index, (name, M) in enumerate(items):
        x = (index % across) * (block + PANEL_GAP) + left
        y = (index // across) * (head + m * tall + PANEL_GAP) + head
        cells = grid.Grid(canvas, x, y, (m, n), cell, tall)
        fractions = np.clip((M - limits[0]) / (limits[1] - limits[0]), 0, 1)
        # Many cells are one picture: a tenth of the bytes.
        cells.draw(fractions, role=role, largest=1, max_cells=40)
        canvas.label(x, y - head + 9, name, anchor="left", bold=True)
        cells.write_row_labels(row_labels, LABEL_GAP, size=SMALL)
        for j, word in enumerate(column_labels or ()):
            _draw_column_label(canvas, x + (j + 0.5) * cell, y - 6, word, slanted)
    if not all(
        np.isin(M, limits).all() for _, M in items
    ):  # full or empty needs no key
        y = down * (head + m * tall + PANEL_GAP) - 4
        grid.draw_color_key(
            canvas, left, y, [grid.format_number(end, "{:.3g}") for end in limits], role
        )
    return canvas.figure


def _draw_column_label(canvas, x, y, word: str, slanted: bool):
    if slanted:
        canvas.slanted_word(x - 1, y, word, SMALL)
    else:
        canvas.word_with_gloss(x, y - (10 if "\n" in word else 4), word, size=SMALL)
