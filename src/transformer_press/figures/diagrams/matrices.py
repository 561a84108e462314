"""Matrices as a reader writes them: side by side, and one product cell by cell."""

from ..kit import arithmetic, checks, grid
from ..kit.canvas import Canvas
from ..kit.figure import render_figure
from ..kit.palette import colour
from ..kit.style import NARROW, text_width, wrap

ROW_HEIGHT = 30  # px: a row


def matrices(items, *, row_labels=None, fmt=None, title, alt):
    """Draw labelled matrices side by side, on a new line where the page is too narrow.

    Parameters
    ----------
    items : sequence of (str, array, str)
        Name, matrix (m, n), role.
    row_labels : sequence of str, optional
        The words of the rows; every matrix then has that many rows.
    fmt : str, optional
        How a number is written; by default integers bare, others with two decimals.

    Raises
    ------
    ValueError
        If there is no matrix, or one is not finite or not of as many rows as there are labels.
    """
    items = list(items)
    if not items:
        raise ValueError(
            "items: got none, expected at least one (name, matrix, role); give one"
        )
    checked = []
    for item in items:
        name, M, role = checks.triple(item, "name, matrix, role")
        M = checks.matrix(M, str(name))
        checks.labels(row_labels, M.shape[0], "row_labels", f"rows of {name}")
        colour(role)
        checked.append((str(name), M, role))
    labels = None if row_labels is None else [str(word) for word in row_labels]

    return render_figure(_draw_matrices, checked, labels, fmt, title=title, alt=alt)


def _draw_matrices(width, items, row_labels, fmt):
    side = grid.labels_width(row_labels)
    start = 8 + (side + grid.GAP if side else 0)
    wide = max(grid.numbers_width(M, fmt or grid.common_format(M)) for _, M, _ in items)
    cell = min(
        max(wide + 12, 32),
        max((width - start - 8) / max(M.shape[1] for _, M, _ in items), wide + 4),
    )
    places, x, y, tallest, reach = [], start, 0, 0, 0
    for name, M, _ in items:
        size = M.shape[1] * cell
        if places and x + size + 8 > width:
            x, y, tallest = start, y + tallest + 22, 0
        places.append((x, y + 30))
        reach = max(reach, x + max(size, text_width(name)) + 8)
        x += max(size, text_width(name)) + 34
        tallest = max(tallest, 30 + M.shape[0] * ROW_HEIGHT)
    canvas = Canvas(reach, y + tallest + 6)
    for (name, M, role), (x, top) in zip(items, places, strict=True):
        cells = grid.draw_matrix(
            canvas, name, M, x, top, cell, ROW_HEIGHT, role=role, fmt=fmt
        )
        if x == start:
            cells.write_row_labels(row_labels)
    return canvas.figure


def matrix_product(
    A,
    B,
    C,
    *,
    names=("X", "W_Q", "Q"),
    roles=("ink", "q", "q"),
    cell=(0, 0),
    row_labels=None,
    fmt=None,
    title,
    alt,
):
    """Draw A B = C with the row and the column that make one cell, and its arithmetic.

    Parameters
    ----------
    A, B, C : array, shapes (m, k), (k, n), (m, n)
        C is checked: it must be the product.
    names, roles : three str
        The names above the matrices, and their roles.
    cell : (int, int)
        The cell of C to explain.
    row_labels : sequence of str, optional
        m labels, the words of A's rows.
    fmt : str, optional
        How a number is written; by default integers bare, others with two decimals.

    Raises
    ------
    ValueError
        If a matrix is not finite, shapes do not fit, C is not the product or has no such cell.
    """
    A, B, C = (checks.matrix(M, n) for M, n in ((A, "A"), (B, "B"), (C, "C")))
    checks.product(A, B, C, ("B", "C"))
    for labels, name in ((names, "names"), (roles, "roles")):
        checks.labels(labels, 3, name, "matrices")
    for role in roles:
        colour(role)
    row_labels = checks.labels(row_labels, A.shape[0], "row_labels", "rows of A")
    cell = checks.cell(cell, C.shape, "cell")

    return render_figure(
        _draw_product,
        (A, B, C),
        tuple(names),
        tuple(roles),
        cell,
        row_labels,
        fmt,
        title=title,
        alt=alt,
    )


def _draw_product(width, matrices, names, roles, cell, row_labels, fmt):
    A, B, _ = matrices
    fmts = [fmt or grid.common_format(M) for M in matrices]
    widths = map(grid.numbers_width, matrices, fmts)
    cell_width = max(max(widths) + 10, 36 if width > NARROW else 26)
    side = grid.labels_width(row_labels)
    left = 8 + (side + grid.GAP if side else 0)
    columns = sum(M.shape[1] for M in matrices)
    between = 40 if width > NARROW else 30
    one_line = left + columns * cell_width + 2 * between + 10 <= width
    places, x, y = [], left, 30
    highest = max(M.shape[0] for M in matrices) * ROW_HEIGHT
    for index, M in enumerate(matrices):
        if index == 2 and not one_line:
            x, y = left, y + highest + 46
            highest = M.shape[0] * ROW_HEIGHT
        places.append((x, y + (highest - M.shape[0] * ROW_HEIGHT) / 2))
        x += M.shape[1] * cell_width + between
    ends = [x + M.shape[1] * cell_width for (x, _), M in zip(places, matrices)]
    lines = wrap(arithmetic.product_terms(matrices, cell, fmts), width - 16)
    first_line_y = y + highest + 34
    across, down = arithmetic.lines_extent(lines, first_line_y)
    canvas = Canvas(max(max(ends) + 10, ends[1] + between, across), down)
    left_matrix, right_matrix, product = (
        grid.draw_matrix(
            canvas, name, M, x, y, cell_width, ROW_HEIGHT, role=role, fmt=f
        )
        for M, name, role, (x, y), f in zip(matrices, names, roles, places, fmts)
    )
    left_matrix.outline(row=cell[0])
    right_matrix.outline(column=cell[1])
    product.outline(*cell)
    left_matrix.write_row_labels(row_labels)
    if not one_line:
        product.write_row_labels(row_labels)
    middle = 30 + max(len(A), len(B)) * ROW_HEIGHT / 2
    canvas.label(places[1][0] - between / 2, middle, "×", role="quiet")
    canvas.label(ends[1] + between / 2, middle, "=", role="quiet")
    arithmetic.write_lines(canvas, lines, first_line_y)
    return canvas.figure
