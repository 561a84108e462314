"""Several products of one matrix, laid out so that a cell lies where its row and column cross."""

from ..kit import arithmetic, checks, draw, grid
from ..kit.figure import render
from ..kit.palette import colour
from ..kit.style import BODY, NARROW, SMALL, canvas, wrap

GAP = 12
TALL = 30


def crossings(
    A, items, *, name="X", role="ink", row=0, rows=None, fmt=None, title, alt
):
    """Draw A at the left, every B above its product A B, and the row and columns of some cells.

    A cell of a product lies where its row of A and its column of B cross (Falk's scheme).

    Parameters
    ----------
    A : array, shape (m, k)
    items : sequence of (str, array, str, array, str, int)
        Name and matrix B (k, n), name and matrix of the product (m, n), role, and the column of
        the cell to explain. The products are checked.
    name, role : str
        What A is called, and its role.
    row : int
        The row of the cells to explain.
    rows : sequence of str, optional
        m labels, the words of A's rows.
    fmt : str, optional
        How a number is written; by default whole numbers bare, others with two decimals.

    Raises
    ------
    ValueError
        If a matrix is not finite, a product is not the product, or there is no such cell.
    """
    A = checks.matrix(A, "A")
    items = [_item(A, item) for item in items]
    if not items:
        raise ValueError(
            "items: got none, expected at least one product of A; give one"
        )
    rows = checks.labels(rows, len(A), "rows", "rows of A")
    row = checks.index(row, len(A), "row")
    colour(role)

    return render(
        _crossings, A, items, (name, role), row, rows, fmt, title=title, alt=alt
    )


def _item(A, item):
    if not isinstance(item, (tuple, list)) or len(item) != 6:
        parts = f"{len(item)} parts" if hasattr(item, "__len__") else repr(item)
        raise ValueError(
            f"items: got {parts}, expected (name, B, name, A @ B, role, column); "
            "give all six"
        )
    above, B, below, C, role, column = item
    B, C = checks.matrix(B, str(above)), checks.matrix(C, str(below))
    checks.product(A, B, C, (above, below))
    colour(role)
    return (
        str(above),
        B,
        str(below),
        C,
        role,
        checks.index(column, C.shape[1], "column"),
    )


def _crossings(width, A, items, named, row, rows, fmt):
    m, k = A.shape
    size = BODY if width > NARROW else SMALL
    matrices = [A, *(M for item in items for M in (item[1], item[3]))]
    need = max(grid.numbers_width(M, fmt or grid.usual(M), size) for M in matrices)
    cell = max(need + (10 if width > NARROW else 6), 36 if width > NARROW else 24)
    between = 34 if width > NARROW else 20
    left, top = 8 + grid.labels_width(rows) + GAP, 30
    low = top + k * TALL + 36
    lines = []
    for _, B, below, C, _, column in items:
        fmts = [fmt or grid.usual(M) for M in (A, B, C)]
        pieces = arithmetic.product((A, B, C), (row, column), fmts)
        lines += wrap([f"{below}:  {pieces[0]}", *pieces[1:]], width - 16)
    reach = (
        left + k * cell + sum(between + item[1].shape[1] * cell for item in items) + 10
    )
    foot = low + m * TALL + 32
    across, down = arithmetic.room(lines, foot)
    drawing, ax = canvas(max(reach, across), down)
    grid.matrix(
        ax, named[0], A, left, low, cell, TALL, role=named[1], fmt=fmt, size=size
    )
    grid.row_labels(ax, rows, left - GAP, low, TALL)
    draw.outline(ax, left, low + row * TALL, k * cell, TALL)
    x = left + k * cell + between
    for above, B, below, C, role, column in items:
        grid.matrix(ax, above, B, x, top, cell, TALL, role=role, fmt=fmt, size=size)
        grid.matrix(ax, below, C, x, low, cell, TALL, role=role, fmt=fmt, size=size)
        draw.outline(ax, x + column * cell, top, cell, k * TALL)
        draw.outline(ax, x + column * cell, low + row * TALL, cell, TALL)
        x += B.shape[1] * cell + between
    arithmetic.written(ax, lines, foot)
    return drawing
