"""Attention step by step: a softmax row by row, and one word that reads the others."""

import numpy as np

from ..kit import arithmetic, checks, grid
from ..kit.canvas import Canvas
from ..kit.figure import render_figure
from ..kit.style import SMALL, text_width, wrap

ROW_HEIGHT = 30
PANEL_GAP = 46
NUMBER_FORMAT = "{:.2f}"


def row_softmax(scores, weights, *, cell=(0, 0), row_labels=None, title, alt):
    """Draw scores, their exponentials with the sum of each row, and the weights they become.

    Parameters
    ----------
    scores, weights : array, shape (m, n)
        Weights are checked: they must be the softmax of the scores, row by row.
    cell : (int, int)
        The weight to explain.
    row_labels : sequence of str, optional
        m labels, the words that look.

    Raises
    ------
    ValueError
        If a matrix is not finite, weights are not the softmax of the rows, or there is no such
        cell.
    """
    scores, weights = checks.matrix(scores, "scores"), checks.matrix(weights, "weights")
    _check_equal(
        weights, _softmax(scores), "weights", "the softmax of each row of scores"
    )
    row_labels = checks.labels(row_labels, len(scores), "row_labels", "rows of scores")
    cell = checks.cell(cell, scores.shape, "cell")

    return render_figure(
        _draw_row_softmax, scores, weights, cell, row_labels, title=title, alt=alt
    )


def _softmax(scores: np.ndarray):
    return np.exp(scores) / np.exp(scores).sum(axis=-1, keepdims=True)


def _check_equal(matrix, expected, name, description: str):
    if matrix.shape != expected.shape:
        raise ValueError(
            f"{name}: got shape {matrix.shape}, expected {expected.shape}; give {description}"
        )
    if not np.allclose(matrix, expected):
        at = tuple(int(i) for i in np.argwhere(~np.isclose(matrix, expected))[0])
        raise ValueError(
            f"{name}: got {matrix[at]:.6g} at {list(at)}, expected "
            f"{expected[at]:.6g}; give {description}"
        )


def _draw_row_softmax(width, scores, weights, cell: tuple[int, int], row_labels):
    exponentials = np.exp(scores)
    m, n = scores.shape
    i, j = cell
    sums = [NUMBER_FORMAT.format(total) for total in exponentials.sum(axis=1)]
    stages = (
        ("scores", scores, "ink", None, (i, j)),
        ("exp(scores)", exponentials, "ink", sums, (i, None)),
        ("weights", weights, "attention", ["1"] * m, (i, j)),
    )
    cells = [max(grid.numbers_width(M, NUMBER_FORMAT) + 12, 44) for _, M, *_ in stages]
    sum_widths = [0, grid.labels_width(sums, SMALL) + 16, 36]
    left = 8 + grid.labels_width(row_labels) + grid.GAP
    across = left + n * sum(cells) + sum(sum_widths) + 2 * PANEL_GAP <= width
    places, ends, x, y = [], [], left, 30
    for cell_width, sum_width in zip(cells, sum_widths, strict=True):
        places.append((x, y))
        ends.append(x + n * cell_width + sum_width)
        if across:
            x = x + (n * cell_width + sum_width + PANEL_GAP)
        else:
            y = y + (m * ROW_HEIGHT + 46)
    pieces = _softmax_terms(scores[i], exponentials[i], weights[cell], j)
    lines = wrap(pieces, width - 16)
    foot = places[-1][1] + m * ROW_HEIGHT + 32
    reach, height = arithmetic.lines_extent(lines, foot)
    canvas = Canvas(max(*ends, reach), height)
    grids = []
    for (name, M, role, totals, _), (x, y), cell_width in zip(stages, places, cells):
        matrix = grid.draw_matrix(
            canvas, name, M, x, y, cell_width, ROW_HEIGHT, role=role, fmt=NUMBER_FORMAT
        )
        _write_sums(canvas, x + n * cell_width + 10, y, totals)
        if x == left:
            matrix.write_row_labels(row_labels)
        grids.append(matrix)
    for matrix, (*_, mark) in zip(grids, stages, strict=True):
        matrix.outline(*mark)
    for x, y in places[1:] if across else ():
        middle = y + m * ROW_HEIGHT / 2
        canvas.arrow([(x - 33, middle), (x - 13, middle)], "quiet", barb=(6, 5))
    arithmetic.write_lines(canvas, lines, foot)
    return canvas.figure


def _softmax_terms(scores, exponentials, weight: float, j: int) -> list[str]:
    """Return the pieces of "exp(2.83) / sum = 16.92 / (1.00 + 16.92 + 4.11) ≈ 0.77"."""
    terms = [grid.format_number(v, NUMBER_FORMAT) for v in exponentials]
    total = [f"{terms[0]}", *(f"+ {term}" for term in terms[1:])]
    total[0], total[-1] = f"({total[0]}", f"{total[-1]})"
    return [
        f"exp({grid.format_number(scores[j], NUMBER_FORMAT)})",
        "/ sum of its row",
        f"≈ {terms[j]} /",
        *total,
        f"≈ {grid.format_number(weight, NUMBER_FORMAT)}",
    ]


def _write_sums(canvas, x, y, sum_texts: list[str] | None):
    if sum_texts:
        canvas.note(x, y - 17, "sum", anchor="left")
    for i, text in enumerate(sum_texts or ()):
        canvas.note(x, y + (i + 0.5) * ROW_HEIGHT, text, anchor="left")


def one_word_attention(
    words, reader, *, query, keys, scores, weights, values, output, title, alt
):
    """Draw one word that reads the others: its query against every key, and what it takes home.

    Parameters
    ----------
    words : sequence of str
        n words.
    reader : int
        The index of the word that reads.
    query, keys : arrays, shapes (d_k,) and (n, d_k)
    scores, weights : arrays, shape (n,)
        Checked: keys @ query / sqrt(d_k), and their softmax.
    values, output : arrays, shapes (n, d_v) and (d_v,)
        Checked: weights @ values.

    Raises
    ------
    ValueError
        If shapes do not fit, a number does not follow from the step before, or there is no such
        word.
    """
    query, output = checks.vector(query, "query"), checks.vector(output, "output")
    scores, weights = checks.vector(scores, "scores"), checks.vector(weights, "weights")
    keys, values = checks.matrix(keys, "keys"), checks.matrix(values, "values")
    words = checks.labels(words, len(keys), "words", "keys")
    reader = checks.index(reader, len(words), "reader")
    if keys.shape[1] != len(query) or len(values) != len(keys):
        raise ValueError(
            f"keys: got shapes {query.shape}, {keys.shape}, {values.shape}, expected "
            "(d_k,), (n, d_k), (n, d_v); transpose or cut one of them"
        )
    _check_equal(
        scores, keys @ query / np.sqrt(len(query)), "scores", "keys @ query / sqrt(d_k)"
    )
    _check_equal(weights, _softmax(scores), "weights", "the softmax of the scores")
    _check_equal(output, weights @ values, "output", "weights @ values")
    arrays = (query, keys, scores, weights, values, output)

    return render_figure(
        _draw_one_word_attention, words, reader, arrays, title=title, alt=alt
    )


BAR, SPACE = 70, 26


def _draw_one_word_attention(width, words, reader: int, arrays):
    query, keys, scores, weights, values, output = arrays
    weighted = weights[:, None] * values
    question = f"{words[reader]} asks"
    key_cell, value_cell = (
        max(36, grid.numbers_width(M, grid.common_format(M)) + 12)
        for M in (keys, values)
    )
    cell = (
        max(grid.numbers_width(M, NUMBER_FORMAT) for M in (weighted, output[None])) + 12
    )
    left = 8 + grid.labels_width([*words, question, "sum"]) + grid.GAP
    asking = max(len(query) * key_cell, 40) + 3 * SPACE + 84 + BAR
    d_v = values.shape[1]
    product = text_width("weight × value", weight="bold")
    taking = d_v * value_cell + SPACE + max(d_v * cell, (d_v * cell + product) / 2)
    # The query, then a line of names, then the words.
    top, height = 2 + ROW_HEIGHT + 36, len(words) * ROW_HEIGHT
    across = left + asking + SPACE + taking + 8 <= width
    x, y = (left + asking + SPACE, top) if across else (left, top + height + 44)
    reach = (x + taking if across else left + max(asking, taking)) + 8
    canvas = Canvas(reach, y + height + ROW_HEIGHT + 14)
    label = {"role": "q", "anchor": "right", "bold": True}
    canvas.label(left - grid.GAP, 2 + ROW_HEIGHT / 2, question, **label)
    query_cells = _matrix_grid(canvas, left, 2, key_cell, query[None])
    query_cells.draw(query[None], role="q", fmt=grid.common_format(query))
    key_cells = _matrix_grid(canvas, left, top, key_cell, keys)
    key_cells.write_row_labels(words)
    _draw_keys_and_weights(key_cells, keys, scores, weights)
    value_cells = _matrix_grid(canvas, x, y, value_cell, values)
    if not across:
        value_cells.write_row_labels(words)
    _draw_weighted_values(value_cells, values, weighted, output, cell)
    return canvas.figure


def _matrix_grid(canvas, x, y, cell_width, M: np.ndarray) -> grid.Grid:
    return grid.Grid(canvas, x, y, M.shape, cell_width, ROW_HEIGHT)


def _write_column_title(canvas, x, y, text: str, role="ink", anchor="middle"):
    canvas.label(x, y - 18, text, role=role, anchor=anchor, bold=True)


def _draw_keys_and_weights(cells: grid.Grid, keys, scores, weights):
    """Draw the keys, and each key's score and weight beside it."""
    canvas, y = cells.canvas, cells.y
    cells.draw(keys, role="k", fmt=grid.common_format(keys))
    score = cells.x + max(cells.width, 40) + SPACE + 42  # where numbers end
    weight = score + SPACE + 42
    _write_column_title(canvas, cells.x + cells.width / 2, y, "keys", "k")
    _write_column_title(canvas, score, y, "score", anchor="right")
    _write_column_title(canvas, weight + 8, y, "weight", "attention", "right")
    for i, (s, w) in enumerate(zip(scores, weights, strict=True)):
        middle = y + (i + 0.5) * ROW_HEIGHT
        canvas.label(
            score, middle, grid.format_number(s, NUMBER_FORMAT), anchor="right"
        )
        canvas.label(
            weight, middle, grid.format_number(w, NUMBER_FORMAT), anchor="right"
        )
        bar = weight + 8, middle - 8, max(w * BAR, 1), 16
        canvas.rectangle(*bar, role="attention", opacity=0.75)


def _draw_weighted_values(cells, values, weighted_values, output, cell_width):
    """Draw the values, each times its weight, and the sum."""
    canvas, y = cells.canvas, cells.y
    x, foot = cells.x + cells.width + SPACE, y + cells.height + 6
    products = _matrix_grid(canvas, x, y, cell_width, weighted_values)
    total = _matrix_grid(canvas, x, foot, cell_width, output[None])
    _write_column_title(canvas, cells.x + cells.width / 2, y, "values", "v")
    middle = x + products.width / 2
    _write_column_title(canvas, middle, y, "weight × value", "attention")
    cells.draw(values, role="v", fmt=grid.common_format(values))
    products.draw(weighted_values, role="attention", fmt=NUMBER_FORMAT)
    canvas.label(x - grid.GAP, foot + ROW_HEIGHT / 2, "sum", anchor="right", bold=True)
    total.draw(output[None], role="attention", fmt=NUMBER_FORMAT)
    total.outline()
