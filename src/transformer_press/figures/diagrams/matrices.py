"""Matrices as a reader writes them: side by side, and one product cell by cell."""

from ..kit import arithmetic, checks, draw, grid
from ..kit.figure import render
from ..kit.palette import colour
from ..kit.style import NARROW, canvas, text_width, wrap

GAP = 12


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
        raise ValueError(
            "items: got none, expected at least one (name, matrix, role); give one"
        )
    checked = []
    for item in items:
        if not isinstance(item, (tuple, list)) or len(item) != 3:
            found = (
                len(item)
                if isinstance(item, (tuple, list))
                else f"a {type(item).__name__}"
            )
            raise ValueError(
                f"items: got an item of {found}, expected (name, matrix, role); "
                "give all three"
            )
        name, M, role = item
        M = checks.matrix(M, str(name))
        checks.labels(rows, M.shape[0], "rows", f"rows of {name}")
        colour(role)
        checked.append((str(name), M, role))
    labels = None if rows is None else [str(word) for word in rows]

    return render(_matrices, checked, labels, fmt, title=title, alt=alt)


def _matrices(width, items, rows, fmt):
    side = grid.labels_width(rows)
    start = 8 + (side + GAP if side else 0)
    wide = max(grid.numbers_width(M, fmt or grid.usual(M)) for _, M, _ in items)
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
        tallest = max(tallest, 30 + M.shape[0] * 30)
    drawing, ax = canvas(reach, y + tallest + 6)
    for (name, M, role), (x, top) in zip(items, places, strict=True):
        grid.matrix(ax, name, M, x, top, cell, 30, role=role, fmt=fmt)
        if rows and x == start:
            grid.row_labels(ax, rows, x - GAP, top, 30)
    return drawing


def matrix_product(
    A,
    B,
    C,
    *,
    names=("X", "W_Q", "Q"),
    roles=("ink", "q", "q"),
    cell=(0, 0),
    rows=None,
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
    rows : sequence of str, optional
        m labels, the words of A's rows.
    fmt : str, optional
        How a number is written; by default whole numbers bare, others with two decimals.

    Raises
    ------
    ValueError
        If a matrix is not finite, shapes do not fit, C is not the product or has no such cell.
    """
    A, B, C = (checks.matrix(M, n) for M, n in ((A, "A"), (B, "B"), (C, "C")))
    checks.product(A, B, C, ("B", "C"))
    for given, what in ((names, "names"), (roles, "roles")):
        checks.labels(given, 3, what, "matrices")
    for role in roles:
        colour(role)
    rows = checks.labels(rows, A.shape[0], "rows", "rows of A")
    cell = checks.cell(cell, C.shape, "cell")

    return render(
        _product,
        (A, B, C),
        tuple(names),
        tuple(roles),
        cell,
        rows,
        fmt,
        title=title,
        alt=alt,
    )


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
    lines = wrap(arithmetic.product(three, cell, fmts), width - 16)
    reach = max(
        [px + M.shape[1] * ideal + 10 for (px, _), M in zip(places, three, strict=True)]
        + [places[1][0] + three[1].shape[1] * ideal + between]
    )
    foot = y + highest + 34
    across, down = arithmetic.room(lines, foot)
    drawing, ax = canvas(max(reach, across), down)
    for M, name, role, (px, py), f in zip(
        three, names, roles, places, fmts, strict=True
    ):
        grid.matrix(ax, name, M, px, py, ideal, tall, role=role, fmt=f)
    _product_marks(ax, three, places, ideal, tall, cell)
    grid.row_labels(ax, rows, left - GAP, places[0][1], tall)
    if rows and not one_line:
        grid.row_labels(ax, rows, left - GAP, places[2][1], tall)
    middle = 30 + max(three[0].shape[0], three[1].shape[0]) * tall / 2
    draw.label(ax, places[1][0] - between / 2, middle, "×", role="quiet")
    end = places[1][0] + three[1].shape[1] * ideal
    draw.label(ax, end + between / 2, middle, "=", role="quiet")
    arithmetic.written(ax, lines, foot)
    return drawing


def _product_marks(ax, three, places, cell, tall, at):
    (i, j), (A, B, _) = at, three
    (ax_, ay), (bx, by), (cx, cy) = places
    draw.outline(ax, ax_, ay + i * tall, A.shape[1] * cell, tall)
    draw.outline(ax, bx + j * cell, by, cell, B.shape[0] * tall)
    draw.outline(ax, cx + j * cell, cy + i * tall, cell, tall)
