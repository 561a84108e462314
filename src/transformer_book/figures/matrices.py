"""Matrices with their numbers: heat maps, several side by side, one product cell by cell."""

import numpy as np

from . import checks, draw, grid
from .figure import render
from .palette import colour
from .style import BODY, NARROW, SMALL, canvas, text_width

GAP = 12


def heat_map(M, *, rows=None, columns=None, role="attention", signed=False, fmt="{:.2f}",
             mask=None, highlight=None, row_title=None, column_title=None, title, alt):
    """Draw a matrix as cells, the fuller the larger, each with its number.

    Parameters
    ----------
    M : array, shape (m, n)
        The numbers; the largest in size gets the fullest cell.
    rows, columns : sequence of str, optional
        m and n labels, the words.
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
    rows = checks.labels(rows, M.shape[0], "rows", "rows of M")
    columns = checks.labels(columns, M.shape[1], "columns", "columns of M")
    colour(role)
    if not signed and M.min() < 0:
        raise ValueError(
            f"M: got {M.min():.4g}, expected numbers from 0 up; pass signed=True to draw "
            "negative numbers in a colour of their own"
        )
    marks = _highlight(highlight, M.shape)
    options = {"role": role, "signed": signed, "fmt": fmt, "mask": mask}
    titles = (row_title, column_title)

    def draw_at(width):
        return _heat_map(width, M, rows, columns, options, marks, titles)

    return render(draw_at, title=title, alt=alt)


def _highlight(highlight, shape):
    if highlight is None:
        return None
    if not isinstance(highlight, (tuple, list)) or len(highlight) != 2:
        raise ValueError(f"highlight: got {highlight!r}, expected (row, column); "
                         "give None for either to mark the whole other")
    return tuple(None if v is None else checks.index(v, n, "highlight")
                 for v, n in zip(highlight, shape, strict=True))


def _heat_map(width, M, rows, columns, options, marks, titles):
    m, n = M.shape
    fmt = options["fmt"]
    row_title, column_title = titles
    side = max(grid.labels_width(rows), text_width(f"{row_title} ↓") if row_title else 0)
    left = 1 + (side + GAP if side else 0)
    room = (width - left - 2) / n
    cell, size = _cell(M, fmt, room, width)
    words = grid.labels_width(columns) + 8
    if words > cell and words <= room:
        cell = words
    slanted = words > cell + 2
    tall = min(cell, 28) if fmt is None else (32 if size == BODY else 28)
    head = 0
    if columns:
        head = (words * 0.72 + 18) if slanted else 26
    top = head + (24 if column_title else 2)
    if row_title and not columns:
        top = max(top, 24)
    bottom = top + m * tall
    reach = left + n * cell + 2
    if slanted:
        ends = [(j + 0.5) * cell + text_width(w) * 0.72 + 10 for j, w in enumerate(columns)]
        reach = max(reach, left + max(ends))
    keyed = fmt is None
    drawing, ax = canvas(max(reach, left + 180 if keyed else 0), bottom + (40 if keyed else 4))
    grid.cells(ax, M, left, top, cell, tall, size=size, **options)
    grid.row_labels(ax, rows, left - GAP + 3, top, tall)
    for j, word in enumerate(columns or ()):
        middle = left + (j + 0.5) * cell
        if slanted:
            ax.text(middle - 2, top - 6, word, rotation=45, rotation_mode="anchor", ha="left",
                    va="baseline")
        else:
            draw.label(ax, middle, top - 13, word)
    if column_title:
        draw.label(ax, left, 9, f"{column_title} →", role="quiet", anchor="left")
    if row_title:
        draw.label(ax, left - GAP + 3, top - 13, f"{row_title} ↓", role="quiet", anchor="right")
    if marks:
        _mark(ax, marks, (m, n), left, top, cell, tall)
    if keyed:
        _key(ax, left, bottom + 16, M, options["role"], options["signed"])
    return drawing


def _cell(M, fmt, room, width):
    """Return the width of a cell and the size of its numbers."""
    if fmt is None:
        return max(min(room, 28, 480 / max(M.shape)), 4), BODY
    for size in (BODY, SMALL):
        need = grid.numbers_width(M, fmt, size) + (12 if width > NARROW else 6)
        if need <= room:
            return max(need, min(room, 56)), size
    return need, SMALL


def _mark(ax, marks, shape, left, top, cell, tall):
    row, column = marks
    m, n = shape
    x, wide = (left, n * cell) if column is None else (left + column * cell, cell)
    y, high = (top, m * tall) if row is None else (top + row * tall, tall)
    draw.outline(ax, x, y, wide, high, thickness=2)


def _key(ax, x, y, M, role, signed):
    """Draw what the colour means, where no numbers say it."""
    steps, wide = 9, 10
    most = np.abs(M).max()
    ramp = np.linspace(-1 if signed else 0, 1, steps)
    low = grid.number(-most if signed else 0, "{:.3g}")
    draw.label(ax, x, y, low, size=SMALL, role="quiet", anchor="left")
    x += text_width(low, SMALL) + 6
    for i, value in enumerate(ramp):
        hue = role if not signed else ("q" if value > 0 else grid.NEGATIVE)
        draw.rectangle(ax, x + i * wide, y - 5, wide, 10, role=hue, opacity=abs(value))
    grid.lines(ax, x, y - 5, (1, 1), steps * wide, 10)
    draw.label(ax, x + steps * wide + 6, y, grid.number(most, "{:.3g}"), size=SMALL, role="quiet",
               anchor="left")


def matrices(items, *, rows=None, fmt=None, title, alt):
    """Draw labelled matrices side by side, on a new line where the page is too narrow.

    Parameters
    ----------
    items : sequence of (str, array, str)
        Name, matrix (m, n), role.
    rows : sequence of str, optional
        The words of the rows; every matrix then has that many rows.
    fmt : str, optional
        How a number is written; by default whole numbers bare, others with two decimals.

    Raises
    ------
    ValueError
        If there is no matrix, or one is not finite or not of as many rows as there are labels.
    """
    items = list(items)
    if not items:
        raise ValueError("items: got none, expected at least one (name, matrix, role); give one")
    checked = []
    for item in items:
        if not isinstance(item, (tuple, list)) or len(item) != 3:
            many = len(item) if isinstance(item, (tuple, list)) else f"a {type(item).__name__}"
            raise ValueError(f"items: got an item of {many}, expected (name, matrix, role); "
                             "give all three")
        name, M, role = item
        M = checks.matrix(M, str(name))
        checks.labels(rows, M.shape[0], "rows", f"rows of {name}")
        colour(role)
        checked.append((str(name), M, role))
    labels = None if rows is None else [str(word) for word in rows]

    def draw_at(width):
        return _matrices(width, checked, labels, fmt)

    return render(draw_at, title=title, alt=alt)


def _matrices(width, items, rows, fmt):
    side = grid.labels_width(rows)
    start = 8 + (side + GAP if side else 0)
    wide = max(grid.numbers_width(M, fmt or grid.usual(M)) for _, M, _ in items)
    cell = min(max(wide + 12, 32), max((width - start - 8) / max(M.shape[1] for _, M, _ in items),
                                       wide + 4))
    places, x, y, tallest, reach = [], start, 0, 0, 0
    for name, M, role in items:
        size = M.shape[1] * cell
        if places and x + size + 8 > width:
            x, y, tallest = start, y + tallest + 22, 0
        places.append((x, y + 30))
        reach = max(reach, x + max(size, text_width(name)) + 8)
        x += max(size, text_width(name)) + 34
        tallest = max(tallest, 30 + M.shape[0] * 30)
    drawing, ax = canvas(reach, y + tallest + 6)
    for (name, M, role), (x, top) in zip(items, places, strict=True):
        _named(ax, name, M, role, x, top, cell, 30, fmt or grid.usual(M))
        if rows and x == start:
            grid.row_labels(ax, rows, x - GAP, top, 30)
    return drawing


def _named(ax, name, M, role, x, y, cell, tall, fmt):
    draw.label(ax, x + M.shape[1] * cell / 2, y - 17, name, role=role, bold=True)
    grid.cells(ax, M, x, y, cell, tall, role=role, signed=bool(M.min() < 0), fmt=fmt)
    grid.bracket(ax, x, y, M.shape[1] * cell, M.shape[0] * tall)


def matrix_product(A, B, C, *, names=("X", "W_Q", "Q"), roles=("ink", "q", "q"), cell=(0, 0),
                   rows=None, fmt=None, title, alt):
    """Draw A B = C with the row and the column that make one cell, and its arithmetic.

    Parameters
    ----------
    A, B, C : array, shapes (m, k), (k, n), (m, n)
        C is checked: it must be the product.
    names, roles : three str
        The names above the matrices, and their roles.
    cell : (int, int)
        The cell of C to explain.
    rows : sequence of str, optional
        m labels, the words of A's rows.
    fmt : str, optional
        How a number is written; by default whole numbers bare, others with two decimals.

    Raises
    ------
    ValueError
        If a matrix is not finite, shapes do not fit, C is not the product, or there is no such cell.
    """
    A, B, C = (checks.matrix(M, n) for M, n in ((A, "A"), (B, "B"), (C, "C")))
    if A.shape[1] != B.shape[0] or C.shape != (A.shape[0], B.shape[1]):
        raise ValueError(f"C: got shapes {A.shape}, {B.shape}, {C.shape}, expected (m, k), (k, n), "
                         "(m, n); transpose or reshape one of them")
    if not np.allclose(A @ B, C):
        i, j = (int(v) for v in np.argwhere(~np.isclose(A @ B, C))[0])
        raise ValueError(f"C: got {C[i, j]:.6g} at [{i}, {j}], expected A @ B, {(A @ B)[i, j]:.6g}; "
                         "give the product itself")
    for given, what in ((names, "names"), (roles, "roles")):
        checks.labels(given, 3, what, "matrices")
    for role in roles:
        colour(role)
    rows = checks.labels(rows, A.shape[0], "rows", "rows of A")
    cell = checks.cell(cell, C.shape, "cell")

    def draw_at(width):
        return _product(width, (A, B, C), tuple(names), tuple(roles), cell, rows, fmt)

    return render(draw_at, title=title, alt=alt)


def _product(width, three, names, roles, cell, rows, fmt):
    fmts = [fmt or grid.usual(M) for M in three]
    need = max(grid.numbers_width(M, f) for M, f in zip(three, fmts, strict=True)) + 10
    side = grid.labels_width(rows)
    left = 8 + (side + GAP if side else 0)
    columns = sum(M.shape[1] for M in three)
    ideal = max(need, 36 if width > NARROW else 26)
    between = 40 if width > NARROW else 30
    one_line = left + columns * ideal + 2 * between + 10 <= width
    tall = 30
    places, x, y = [], left, 30
    highest = max(M.shape[0] for M in three) * tall
    for index, M in enumerate(three):
        if index == 2 and not one_line:
            x, y = left, y + highest + 46
            highest = M.shape[0] * tall
        places.append((x, y + (highest - M.shape[0] * tall) / 2))
        x += M.shape[1] * ideal + between
    arithmetic = _arithmetic(three, cell, fmts)
    lines = _wrap(arithmetic, width - 16)
    reach = max([px + M.shape[1] * ideal + 10 for (px, _), M in zip(places, three, strict=True)]
                + [16 + text_width(line) for line in lines]
                + [places[1][0] + three[1].shape[1] * ideal + between])
    foot = y + highest + 34
    drawing, ax = canvas(reach, foot + 22 * len(lines) - 8)
    for M, name, role, (px, py), f in zip(three, names, roles, places, fmts, strict=True):
        _named(ax, name, M, role, px, py, ideal, tall, f)
    _product_marks(ax, three, places, ideal, tall, cell)
    grid.row_labels(ax, rows, left - GAP, places[0][1], tall)
    if rows and not one_line:
        grid.row_labels(ax, rows, left - GAP, places[2][1], tall)
    middle = 30 + max(three[0].shape[0], three[1].shape[0]) * tall / 2
    draw.label(ax, places[1][0] - between / 2, middle, "×", role="quiet")
    end = places[1][0] + three[1].shape[1] * ideal
    draw.label(ax, end + between / 2, middle, "=", role="quiet")
    for i, line in enumerate(lines):
        draw.label(ax, 4, foot + 22 * i, line, anchor="left")
    return drawing


def _product_marks(ax, three, places, cell, tall, at):
    (i, j), (A, B, _) = at, three
    (ax_, ay), (bx, by), (cx, cy) = places
    draw.outline(ax, ax_, ay + i * tall, A.shape[1] * cell, tall)
    draw.outline(ax, bx + j * cell, by, cell, B.shape[0] * tall)
    draw.outline(ax, cx + j * cell, cy + i * tall, cell, tall)


def _arithmetic(three, cell, fmts):
    """Return the pieces of "1·1 + 0·0 = 1", to be broken between them.

    Where the numbers are rounded and the sum of what is shown is not what is shown, it says ≈.
    """
    (A, B, C), (i, j) = three, cell
    pieces = []
    for a, b in zip(A[i], B[:, j], strict=True):
        a, b = grid.number(a, fmts[0]), grid.number(b, fmts[1])
        b = f"({b})" if b.startswith("\N{MINUS SIGN}") else b
        pieces.append(f"{'+ ' if pieces else ''}{a}·{b}")
    shown = [[float(f.format(v)) for v in values] for values, f in
             ((A[i], fmts[0]), (B[:, j], fmts[1]), (C[i, j : j + 1], fmts[2]))]
    exact = np.isclose(np.dot(shown[0], shown[1]), shown[2][0], atol=1e-9)
    return [*pieces, f"{'=' if exact else '≈'} {grid.number(C[i, j], fmts[2])}"]


def _wrap(pieces, width):
    lines = [pieces[0]]
    for piece in pieces[1:]:
        longer = f"{lines[-1]} {piece}"
        if text_width(longer) <= width:
            lines[-1] = longer
        else:
            lines.append(piece)
    return lines
