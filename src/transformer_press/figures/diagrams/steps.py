"""Attention step by step: a softmax row by row, and one word that reads the others."""

import numpy as np

from ..kit import checks, draw, grid
from ..kit.figure import render
from ..kit.style import SMALL, canvas, text_width, wrap

GAP = 12
TALL = 30
BETWEEN = 46
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
        If a matrix is not finite, weights are not the softmax of the rows, or there is no such
        cell.
    """
    scores, weights = checks.matrix(scores, "scores"), checks.matrix(weights, "weights")
    _same(weights, _softmax(scores), "weights", "the softmax of each row of scores")
    rows = checks.labels(rows, len(scores), "rows", "rows of scores")
    cell = checks.cell(cell, scores.shape, "cell")

    return render(_row_softmax, scores, weights, cell, rows, title=title, alt=alt)


def _softmax(scores):
    return np.exp(scores) / np.exp(scores).sum(axis=-1, keepdims=True)


def _same(given, expected, name, what):
    if given.shape != expected.shape:
        raise ValueError(
            f"{name}: got shape {given.shape}, expected {expected.shape}; give {what}"
        )
    if not np.allclose(given, expected):
        at = tuple(int(i) for i in np.argwhere(~np.isclose(given, expected))[0])
        raise ValueError(
            f"{name}: got {given[at]:.6g} at {list(at)}, expected "
            f"{expected[at]:.6g}; give {what}"
        )


def _row_softmax(width, scores, weights, cell, rows):
    e = np.exp(scores)
    m, n = scores.shape
    sums = [FMT.format(total) for total in e.sum(axis=1)]
    named = (
        ("scores", scores, "ink", None),
        ("exp(scores)", e, "ink", sums),
        ("weights", weights, "attention", ["1"] * m),
    )
    wide = [max(grid.numbers_width(M, FMT) + 12, 44) for _, M, *_ in named]
    tails = [0, grid.labels_width(sums, SMALL) + 16, 36]
    left = 8 + grid.labels_width(rows) + GAP
    across = left + n * sum(wide) + sum(tails) + 2 * BETWEEN <= width
    places = [(left, 30)]
    for cells, tail in zip(wide[:2], tails, strict=False):
        x, y = places[-1]
        step = (n * cells + tail + BETWEEN, 0) if across else (0, m * TALL + 46)
        places.append((x + step[0], y + step[1]))
    lines = wrap(
        _softmax_of(scores[cell[0]], e[cell[0]], weights[cell], cell[1]), width - 16
    )
    foot = places[-1][1] + m * TALL + 32
    ends = [
        x + n * cells + tail
        for (x, _), cells, tail in zip(places, wide, tails, strict=True)
    ]
    drawing, ax = canvas(
        max(ends + [16 + text_width(line) for line in lines]),
        foot + 22 * len(lines) - 8,
    )
    for (name, M, role, totals), (x, y), cells in zip(named, places, wide, strict=True):
        _bracketed(ax, name, M, role, x, y, cells)
        _sums(ax, x + n * cells + 10, y, totals)
        grid.row_labels(ax, rows if x == left else (), left - GAP, y, TALL)
    _softmax_marks(ax, places, wide, n, cell)
    for x, y in places[1:] if across else ():
        draw.arrow(
            ax,
            [(x - 33, y + m * TALL / 2), (x - 13, y + m * TALL / 2)],
            "quiet",
            barb=(6, 5),
        )
    for i, line in enumerate(lines):
        draw.label(ax, 4, foot + 22 * i, line, anchor="left")
    return drawing


def _bracketed(ax, name, M, role, x, y, cell):
    draw.label(ax, x + M.shape[1] * cell / 2, y - 17, name, role=role, bold=True)
    grid.cells(ax, M, x, y, cell, TALL, role=role, fmt=FMT, signed=bool(M.min() < 0))
    grid.bracket(ax, x, y, M.shape[1] * cell, M.shape[0] * TALL)


def _softmax_of(scores, e, weight, j):
    """Return the pieces of "exp(2.83) / sum = 16.92 / (1.00 + 16.92 + 4.11) ≈ 0.77"."""
    terms = [grid.number(v, FMT) for v in e]
    total = [f"{terms[0]}", *(f"+ {term}" for term in terms[1:])]
    total[0], total[-1] = f"({total[0]}", f"{total[-1]})"
    return [
        f"exp({grid.number(scores[j], FMT)})",
        "/ sum of its row",
        f"≈ {terms[j]} /",
        *total,
        f"≈ {grid.number(weight, FMT)}",
    ]


def _sums(ax, x, y, texts):
    if texts:
        draw.label(ax, x, y - 17, "sum", size=SMALL, role="quiet", anchor="left")
    for i, text in enumerate(texts or ()):
        draw.label(
            ax, x, y + (i + 0.5) * TALL, text, size=SMALL, role="quiet", anchor="left"
        )


def _softmax_marks(ax, places, wide, n, cell):
    i, j = cell
    (sx, sy), (ex, ey), (wx, wy) = places
    draw.outline(ax, sx + j * wide[0], sy + i * TALL, wide[0], TALL)
    draw.outline(ax, ex, ey + i * TALL, n * wide[1], TALL)
    draw.outline(ax, wx + j * wide[2], wy + i * TALL, wide[2], TALL)


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
        raise ValueError(
            f"keys: got shapes {query.shape}, {keys.shape}, {values.shape}, expected "
            "(d_k,), (n, d_k), (n, d_v); transpose or cut one of them"
        )
    _same(
        scores, keys @ query / np.sqrt(len(query)), "scores", "keys @ query / sqrt(d_k)"
    )
    _same(weights, _softmax(scores), "weights", "the softmax of the scores")
    _same(output, weights @ values, "output", "weights @ values")
    given = (query, keys, scores, weights, values, output)

    return render(_reading, words, reader, given, title=title, alt=alt)


BAR, SPACE = 70, 26


def _reading(width, words, reader, given):
    query, keys, scores, weights, values, output = given
    parts = weights[:, None] * values
    asks = f"{words[reader]} asks"
    cells = [max(36, grid.numbers_width(M, grid.usual(M)) + 12) for M in (keys, values)]
    taken = max(grid.numbers_width(M, FMT) for M in (parts, output[None])) + 12
    left = 8 + grid.labels_width([*words, asks, "sum"]) + GAP
    first = max(len(query) * cells[0], 40) + 3 * SPACE + 84 + BAR
    d_v = values.shape[1]
    product = text_width("weight × value", weight="bold")
    second = d_v * cells[1] + SPACE + max(d_v * taken, (d_v * taken + product) / 2)
    top, tall = (
        2 + TALL + 36,
        len(words) * TALL,
    )  # the query, then a line of names, then the words
    across = left + first + SPACE + second + 8 <= width
    x, y = (left + first + SPACE, top) if across else (left, top + tall + 44)
    reach = (x + second if across else left + max(first, second)) + 8
    drawing, ax = canvas(reach, y + tall + TALL + 14)
    draw.label(ax, left - GAP, 2 + TALL / 2, asks, role="q", anchor="right", bold=True)
    _plain(ax, query[None], left, 2, cells[0], "q")
    grid.row_labels(ax, words, left - GAP, top, TALL)
    _asking(ax, left, top, keys, scores, weights, cells[0])
    if not across:
        grid.row_labels(ax, words, left - GAP, y, TALL)
    _taking(ax, x, y, values, parts, output, (cells[1], taken))
    return drawing


def _plain(ax, M, x, y, cell, role, fmt=None):
    grid.cells(
        ax,
        M,
        x,
        y,
        cell,
        TALL,
        role=role,
        fmt=fmt or grid.usual(M),
        signed=bool(M.min() < 0),
    )


def _asking(ax, x, y, keys, scores, weights, cell):
    """Draw the keys, and each key's score and weight beside it."""
    wide = max(keys.shape[1] * cell, 40)
    _plain(ax, keys, x, y, cell, "k")
    score = x + wide + SPACE + 42  # where numbers end
    weight = score + SPACE + 42
    draw.label(ax, x + keys.shape[1] * cell / 2, y - 18, "keys", role="k", bold=True)
    draw.label(ax, score, y - 18, "score", anchor="right", bold=True)
    draw.label(
        ax, weight + 8, y - 18, "weight", role="attention", anchor="right", bold=True
    )
    for i, (s, w) in enumerate(zip(scores, weights, strict=True)):
        middle = y + (i + 0.5) * TALL
        draw.label(ax, score, middle, grid.number(s, FMT), anchor="right")
        draw.label(ax, weight, middle, grid.number(w, FMT), anchor="right")
        draw.rectangle(
            ax,
            weight + 8,
            middle - 8,
            max(w * BAR, 1),
            16,
            role="attention",
            opacity=0.75,
        )


def _taking(ax, x, y, values, parts, output, cells):
    """Draw the values, each times its weight, and the sum."""
    n, d_v = values.shape
    at, last = x + d_v * cells[0] + SPACE, y + n * TALL + 6
    draw.label(ax, x + d_v * cells[0] / 2, y - 18, "values", role="v", bold=True)
    draw.label(
        ax,
        at + d_v * cells[1] / 2,
        y - 18,
        "weight × value",
        role="attention",
        bold=True,
    )
    _plain(ax, values, x, y, cells[0], "v")
    _plain(ax, parts, at, y, cells[1], "attention", FMT)
    draw.label(ax, at - GAP, last + TALL / 2, "sum", anchor="right", bold=True)
    _plain(ax, output[None], at, last, cells[1], "attention", FMT)
    draw.outline(ax, at, last, d_v * cells[1], TALL)
