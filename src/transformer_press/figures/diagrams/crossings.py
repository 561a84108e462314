"""Several products of one matrix, laid out so that a cell lies where its row and column cross."""

import numpy as np

from ..kit import arithmetic, checks, grid
from ..kit.canvas import Canvas
from ..kit.figure import render_figure
from ..kit.palette import colour
from ..kit.style import BODY, NARROW, SMALL, wrap

ROW_HEIGHT = 30  # px: a row


def crossings(
    A, products, *, name="X", role="ink", row=0, row_labels=None, fmt=None, title, alt
):
    """Draw A at the left, every B above its product A B, and the row and columns of some cells.

    A cell of a product lies where its row of A and its column of B cross (Falk's scheme).

    Parameters
    ----------
    A : array, shape (m, k)
    products : sequence of (str, array, str, array, str, int)
        Name and matrix B (k, n), name and matrix of the product (m, n), role, and the column of
        the cell to explain. The products are checked.
    name, role : str
        What A is called, and its role.
    row : int
        The row of the cells to explain.
    row_labels : sequence of str, optional
        m labels, the words of A's rows.
    fmt : str, optional
        How a number is written; by default integers bare, others with two decimals.

    Raises
    ------
    ValueError
        If a matrix is not finite, a product is not the product, or there is no such cell.
    """
    A = checks.matrix(A, "A")
    products = [_check_product(A, product) for product in products]
    if not products:
        raise ValueError(
            "products: got none, expected at least one product of A; give one"
        )
    row_labels = checks.labels(row_labels, len(A), "row_labels", "rows of A")
    row = checks.index(row, len(A), "row")
    colour(role)

    return render_figure(
        _draw_crossings,
        A,
        products,
        name,
        role,
        row,
        row_labels,
        fmt,
        title=title,
        alt=alt,
    )


def _check_product(A, product) -> tuple:
    if not isinstance(product, (tuple, list)) or len(product) != 6:
        parts = (
            f"{len(product)} parts" if hasattr(product, "__len__") else repr(product)
        )
        raise ValueError(
            f"products: got {parts}, expected (name, B, name, A @ B, role, column); "
            "give all six"
        )
    above, B, below, C, role, column = product
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


def _draw_crossings(width, A, products, name, role, row, row_labels, fmt):
    m, k = A.shape
    size = BODY if width > NARROW else SMALL
    matrices = [A, *(M for product in products for M in (product[1], product[3]))]
    widest = max(
        grid.numbers_width(M, fmt or grid.common_format(M), size) for M in matrices
    )
    cell = max(widest + (10 if width > NARROW else 6), 36 if width > NARROW else 24)
    between = 34 if width > NARROW else 20
    left, top = 8 + grid.labels_width(row_labels) + grid.GAP, 30
    low = top + k * ROW_HEIGHT + 36
    lines = []
    for _, B, below, C, _, column in products:
        fmts = [fmt or grid.common_format(M) for M in (A, B, C)]
        pieces = arithmetic.product_terms((A, B, C), (row, column), fmts)
        lines += wrap([f"{below}:  {pieces[0]}", *pieces[1:]], width - 16)
    reach = (
        left
        + k * cell
        + sum(between + product[1].shape[1] * cell for product in products)
        + 10
    )
    first_line_y = low + m * ROW_HEIGHT + 32
    across, down = arithmetic.lines_extent(lines, first_line_y)
    canvas = Canvas(max(reach, across), down)
    style = {"fmt": fmt, "size": size}

    def draw_matrix(title: str, M: np.ndarray, x, y, role):
        return grid.draw_matrix(
            canvas, title, M, x, y, cell, ROW_HEIGHT, role=role, **style
        )

    left_matrix = draw_matrix(name, A, left, low, role)
    left_matrix.write_row_labels(row_labels)
    left_matrix.outline(row=row)
    x = left + k * cell + between
    for above, B, below, C, role, column in products:
        right_matrix = draw_matrix(above, B, x, top, role)
        product = draw_matrix(below, C, x, low, role)
        right_matrix.outline(column=column)
        product.outline(row, column)
        x += B.shape[1] * cell + between
    arithmetic.write_lines(canvas, lines, first_line_y)
    return canvas.figure
