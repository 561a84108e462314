"""Attention step by step: a softmax row by row, and one word that reads the others."""

import numpy as np

from . import checks, draw, grid
from .figure import render
from .style import NARROW, SMALL, canvas, text_width

GAP = 12
TALL = 30
FMT = "{:.2f}"


def row_softmax(scores, weights, *, cell=(0, 0), rows=None, title, alt):
    """Draw scores, their exponentials with the sum of each row, and the weights they become.

    Parameters
    ----------
    scores, weights : array, shape (m, n)
        Weights are checked: they must be the softmax of the scores, row by row.
    cell : (int, int)
        The weight to explain.
    rows : sequence of str, optional
        m labels, the words that look.

    Raises
    ------
    ValueError
        If a matrix is not finite, weights are not the softmax of the rows, or there is no such cell.
    """
    scores, weights = checks.matrix(scores, "scores"), checks.matrix(weights, "weights")
    _same(weights, _softmax(scores), "weights", "the softmax of each row of scores")
    rows = checks.labels(rows, len(scores), "rows", "rows of scores")
    cell = checks.cell(cell, scores.shape, "cell")

    def draw_at(width):
        return _row_softmax(width, scores, weights, cell, rows)

    return render(draw_at, title=title, alt=alt)


def _softmax(scores):
    return np.exp(scores) / np.exp(scores).sum(axis=-1, keepdims=True)


def _same(given, expected, name, what):
    if given.shape != expected.shape:
        raise ValueError(f"{name}: got shape {given.shape}, expected {expected.shape}; "
                         f"give {what}")
    if not np.allclose(given, expected):
        at = tuple(int(i) for i in np.argwhere(~np.isclose(given, expected))[0])
        raise ValueError(f"{name}: got {given[at]:.6g} at {list(at)}, expected "
                         f"{expected[at]:.6g}; give {what}")


def _row_softmax(width, scores, weights, cell, rows):
    e = np.exp(scores)
    m, n = scores.shape
    named = (("scores", scores, "ink"), ("exp(scores)", e, "ink"), ("weights", weights, "attention"))
    wide = max(grid.numbers_width(M, FMT) for _, M, _ in named) + 12
    totals = [f"sum {total:.2f}" for total in e.sum(axis=1)]
    tail, left = grid.labels_width(totals) + 14, 8 + grid.labels_width(rows) + GAP
    across = left + 3 * n * wide + 2 * tail + 44 + 60 <= width
    places = [(left, 30)]
    for before in (0, tail):
        x, y = places[-1]
        places.append((x + n * wide + before + 44, y) if across else (left, y + m * TALL + 52))
    pieces = _share(scores[cell[0]], e[cell[0]], weights[cell], cell[1])
    lines = grid.wrap(pieces, width - 16)
    foot = places[-1][1] + m * TALL + 32
    reach = max([places[-1][0] + n * wide + tail] + [16 + text_width(line) for line in lines])
    drawing, ax = canvas(reach, foot + 22 * len(lines) - 8)
    for (name, M, role), (x, y) in zip(named, places, strict=True):
        draw.label(ax, x + n * wide / 2, y - 17, name, role=role, bold=True)
        signed = bool(M.min() < 0)
        grid.cells(ax, M, x, y, wide, TALL, role=role, fmt=FMT, signed=signed)
        grid.bracket(ax, x, y, n * wide, m * TALL)
        if x == left:
            grid.row_labels(ax, rows, left - GAP, y, TALL)
    _sums(ax, places[1][0] + n * wide + 10, places[1][1], totals)
    _sums(ax, places[2][0] + n * wide + 10, places[2][1], ["sum 1"] * m)
    _softmax_marks(ax, places, wide, n, cell)
    if across:
        for (x, y), start in zip(places[1:], (0, tail), strict=True):
            _arrow(ax, x - 36, y + m * TALL / 2)
    for i, line in enumerate(lines):
        draw.label(ax, 4, foot + 22 * i, line, anchor="left")
    return drawing


def _share(scores, e, weight, j):
    """Return the pieces of "exp(2.83) / sum = 16.92 / (1.00 + 16.92 + 4.11) ≈ 0.77"."""
    terms = [grid.number(v, FMT) for v in e]
    total = [f"{terms[0]}", *(f"+ {term}" for term in terms[1:])]
    total[0], total[-1] = f"({total[0]}", f"{total[-1]})"
    return [f"exp({grid.number(scores[j], FMT)})", "/ sum of its row", f"≈ {terms[j]} /", *total,
            f"≈ {grid.number(weight, FMT)}"]


def _sums(ax, x, y, texts):
    for i, text in enumerate(texts):
        draw.label(ax, x, y + (i + 0.5) * TALL, text, size=SMALL, role="quiet", anchor="left")


def _softmax_marks(ax, places, wide, n, cell):
    i, j = cell
    (sx, sy), (ex, ey), (wx, wy) = places
    draw.outline(ax, sx + j * wide, sy + i * TALL, wide, TALL)
    draw.outline(ax, ex, ey + i * TALL, n * wide, TALL)
    draw.outline(ax, wx + j * wide, wy + i * TALL, wide, TALL)


def _arrow(ax, x, y):
    draw.stroke(ax, [(x, y), (x + 20, y)], thickness=1.5)
    draw.stroke(ax, [(x + 14, y - 5), (x + 20, y), (x + 14, y + 5)], thickness=1.5)


def reading(words, reader, *, query, keys, scores, weights, values, output, title, alt):
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
        If shapes do not fit, a number is not what the step before makes it, or there is no such
        word.
    """
    query, output = checks.vector(query, "query"), checks.vector(output, "output")
    scores, weights = checks.vector(scores, "scores"), checks.vector(weights, "weights")
    keys, values = checks.matrix(keys, "keys"), checks.matrix(values, "values")
    words = checks.labels(words, len(keys), "words", "keys")
    reader = checks.index(reader, len(words), "reader")
    if keys.shape[1] != len(query) or len(values) != len(keys):
        raise ValueError(f"keys: got shapes {query.shape}, {keys.shape}, {values.shape}, expected "
                         "(d_k,), (n, d_k), (n, d_v); transpose or cut one of them")
    _same(scores, keys @ query / np.sqrt(len(query)), "scores", "keys @ query / sqrt(d_k)")
    _same(weights, _softmax(scores), "weights", "the softmax of the scores")
    _same(output, weights @ values, "output", "weights @ values")
    given = (query, keys, scores, weights, values, output)

    def draw_at(width):
        return _reading(width, words, reader, given)

    return render(draw_at, title=title, alt=alt)


BAR = 70
BETWEEN = 26


def _reading(width, words, reader, given):
    query, keys, scores, weights, values, output = given
    parts = weights[:, None] * values
    asks = f"{words[reader]} asks"
    cells = [max(36, grid.numbers_width(M, grid.usual(M)) + 12) for M in (keys, values)]
    taken = max(grid.numbers_width(M, FMT) for M in (parts, output[None])) + 12
    left = 8 + grid.labels_width([*words, asks, "sum"]) + GAP
    first = len(query) * cells[0] + BETWEEN + 44 + BETWEEN + 40 + BAR
    second = values.shape[1] * (cells[1] + taken) + BETWEEN
    across = left + first + 2 * BETWEEN + second + 8 <= width
    x, y = (left + first + 2 * BETWEEN, 0) if across else (left, (len(words) + 1) * TALL + 50)
    reach = (x + second if across else left + max(first, second)) + 8
    drawing, ax = canvas(reach, y + (len(words) + 2) * TALL + 50)
    _asking(ax, left, words, asks, given[:4], cells[0])
    if not across:
        grid.row_labels(ax, words, left - GAP, y + 30 + TALL, TALL)
    _taking(ax, x, y + 30 + TALL, values, parts, output, (cells[1], taken))
    return drawing


def _asking(ax, x, words, asks, given, cell):
    """Draw the query above the keys, and each key's score and weight beside it."""
    query, keys, scores, weights = given
    n, d_k = keys.shape
    wide, top = d_k * cell, 30 + TALL + 8
    draw.label(ax, x - GAP, 30 + TALL / 2 - 4, asks, role="q", anchor="right", bold=True)
    grid.cells(ax, query[None], x, 26, cell, TALL, role="q", fmt=grid.usual(query),
               signed=bool(query.min() < 0))
    grid.row_labels(ax, words, x - GAP, top - 8, TALL)
    grid.cells(ax, keys, x, top - 8, cell, TALL, role="k", fmt=grid.usual(keys),
               signed=bool(keys.min() < 0))
    at = x + wide + BETWEEN
    draw.label(ax, x + wide / 2, 10, "query, keys", role="k", bold=True)
    draw.label(ax, at + 22, 10, "score", bold=True)
    for i, (score, weight) in enumerate(zip(scores, weights, strict=True)):
        middle = top - 8 + (i + 0.5) * TALL
        draw.label(ax, at + 44, middle, grid.number(score, FMT), anchor="right")
        bar = at + 44 + BETWEEN
        draw.label(ax, bar + 34, middle, grid.number(weight, FMT), anchor="right")
        draw.rectangle(ax, bar + 42, middle - 8, max(weight * (BAR - 8), 1), 16, role="attention",
                       opacity=0.75)
    draw.label(ax, at + 44 + BETWEEN, 10, "weight", role="attention", anchor="left", bold=True)


def _taking(ax, x, y, values, parts, output, cells):
    """Draw the values, each times its weight, and the sum."""
    n, d_v = values.shape
    at = x + d_v * cells[0] + BETWEEN
    draw.label(ax, x + d_v * cells[0] / 2, y - 20, "values", role="v", bold=True)
    draw.label(ax, at + d_v * cells[1] / 2, y - 20, "weight × value", role="attention", bold=True)
    grid.cells(ax, values, x, y, cells[0], TALL, role="v", fmt=grid.usual(values),
               signed=bool(values.min() < 0))
    grid.cells(ax, parts, at, y, cells[1], TALL, role="attention", fmt=FMT,
               signed=bool(parts.min() < 0))
    draw.label(ax, at - GAP, y + (n + 0.5) * TALL + 6, "sum", anchor="right", bold=True)
    grid.cells(ax, output[None], at, y + n * TALL + 6, cells[1], TALL, role="attention", fmt=FMT,
               signed=bool(output.min() < 0))
    draw.outline(ax, at, y + n * TALL + 6, d_v * cells[1], TALL)
