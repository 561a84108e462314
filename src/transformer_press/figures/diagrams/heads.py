"""Where each number goes when heads are split and merged, and where it lies in memory."""

import numpy as np

from ..kit import checks, draw, grid
from ..kit.figure import render
from ..kit.palette import colour
from ..kit.style import BODY, SMALL, canvas, text_width

GAP, CUT = 12, 10  # px, after the labels and between the heads of a row
TALL = 28
BETWEEN, BELOW = 44, 34  # from one stage to the next, from one head to the next
TURN = 34  # the same on a phone, where the next stage stands below
HEAD, HIGH, LOW = 46, 32, 13  # above a stage: all, its name, its shape
SPLIT = (
    HEAD + 24
)  # above the first head: the name and the shape of all heads, then its own name
STEP = 50  # from one line of a strip to the next
ALL = "all heads"
HEADS = ("", "////", "----", "xxxx")  # the first is filled, the others are hatched


def split_and_merge(
    entries, h, *, name="Q", role="q", rows=None, mark=None, title, alt
):
    """Draw a matrix, its rows cut into heads, and one matrix for each head.

    Parameters
    ----------
    entries : array of str or of numbers, shape (n, h * d)
        What stands in the cells; a cell keeps its text and its pattern wherever it goes.
    h : int
        Number of heads, 1 to 4.
    name, role : str
        What the matrix is called, and its role.
    rows : sequence of str, optional
        n labels, the words.
    mark : (int, int), optional
        The cell of the matrix to outline at every stage.

    Raises
    ------
    ValueError
        If there is no matrix, h does not divide its columns or is above 4, or there is no such
        cell.
    """
    entries = _entries(entries)
    n, width = entries.shape
    h = _count(h, width)
    colour(role)
    rows = checks.labels(rows, n, "rows", "rows of entries")
    mark = None if mark is None else checks.cell(mark, (n, width), "mark")

    return render(
        _split, entries, h, (str(name), role), rows, mark, title=title, alt=alt
    )


def _entries(entries):
    found = np.asarray(entries)
    if found.ndim != 2 or found.size == 0:
        raise ValueError(
            f"entries: got shape {found.shape}, expected (n, h * d) with at least one "
            "entry; give one sentence of a batch"
        )
    if found.dtype.kind == "U":
        return np.vectorize(checks.printable, otypes=[object])(found)
    numbers = checks.matrix(found, "entries")
    fmt = grid.usual(numbers)
    return np.array(
        [[grid.number(v, fmt) for v in row] for row in numbers], dtype=object
    )


def _count(h, width):
    whole = isinstance(h, (int, np.integer)) and not isinstance(h, bool)
    if not whole or not 1 <= h <= len(HEADS) or width % h:
        raise ValueError(
            f"h: got {h!r} for {width} columns, expected a whole number from 1 to "
            f"{len(HEADS)} that divides them; choose another h"
        )
    return int(h)


def _split_width(d, cell):
    """Return how wide the last stage is: a head, or the name above, which may be wider."""
    return max(d * cell, text_width(ALL, weight="bold"))


class _Layout:
    """Where the three stages stand: beside each other, or on a phone below each other."""

    def __init__(self, room, sizes, cell, left):
        n, h, d = sizes
        tall, whole = n * TALL, h * d * cell
        cut = whole + (h - 1) * CUT
        self.across = (
            left + whole + cut + _split_width(d, cell) + 2 * BETWEEN + left <= room
        )
        if self.across:
            x = left + whole + BETWEEN
            end = x + cut + BETWEEN + left - GAP
            y = SPLIT + (h - 1) * (tall + BELOW) / 2
            self.whole, self.cut = (left, y), (x, y)
            first = end, SPLIT
            self.arrows = [(x - 32, y + tall / 2), (x + cut + 12, y + tall / 2)]
        else:
            self.whole, self.cut = (left, HEAD), (left, 2 * HEAD + tall + TURN)
            first = left, self.cut[1] + tall + TURN + SPLIT
            self.arrows = [
                (left + d * cell / 2, y + tall + 10) for _, y in (self.whole, self.cut)
            ]
        self.split = [(first[0], first[1] + k * (tall + BELOW)) for k in range(h)]
        x, y = self.split[-1]
        self.size = (
            max(self.cut[0] + cut, x + _split_width(d, cell)) + 8,
            y + tall + 8,
        )

    def cells(self, sizes, cell):
        """Return, for each stage, where entry (row, head, column of the head) stands."""
        _, _, d = sizes
        (x, y), (cx, cy) = self.whole, self.cut
        return (
            lambda i, k, j: (x + (k * d + j) * cell, y + i * TALL),
            lambda i, k, j: (cx + (k * d + j) * cell + k * CUT, cy + i * TALL),
            lambda i, k, j: (self.split[k][0] + j * cell, self.split[k][1] + i * TALL),
        )


def _split(room, entries, h, named, rows, mark):
    n, width = entries.shape
    sizes = n, h, width // h
    cell = max(max(text_width(text) for text in entries.flat) + 10, 30)
    left = 4 + (grid.labels_width(rows) + GAP if rows else 4)
    layout = _Layout(room, sizes, cell, left)
    drawing, ax = canvas(*layout.size)
    for at in layout.cells(sizes, cell):
        for (i, j), text in np.ndenumerate(entries):
            head, column = divmod(j, sizes[2])
            x, y = at(i, head, column)
            _cell(ax, x, y, cell, text, head, named[1])
        if mark is not None:
            head, column = divmod(mark[1], sizes[2])
            x, y = at(mark[0], head, column)
            draw.outline(ax, x, y, cell, TALL, thickness=2.5)
    _names(ax, layout, sizes, cell, named)
    labelled = layout.split if layout.across else [layout.cut, *layout.split]
    for x, y in [layout.whole, *labelled]:
        grid.row_labels(ax, rows, x - GAP + 4, y, TALL)
    for x, y in layout.arrows:
        end = (x + 20, y) if layout.across else (x, y + 20)
        draw.arrow(ax, [(x, y), end], "quiet", barb=(5, 5), both=True)
    return drawing


def _cell(ax, x, y, width, text, head, role, size=BODY):
    """Draw one entry in the pattern of its head, a thin frame around it."""
    if HEADS[head]:
        draw.outline(
            ax, x, y, width, TALL, role=role, thickness=0, hatch=HEADS[head], alpha=0.45
        )
    else:
        draw.rectangle(ax, x, y, width, TALL, role=role, opacity=0.3)
    draw.outline(ax, x, y, width, TALL, role="quiet", thickness=1, alpha=0.5)
    draw.label(ax, x + width / 2, y + TALL / 2, text, size=size)


def _names(ax, layout, sizes, cell, named):
    """Write above each stage what it is, and which shape it has."""
    n, h, d = sizes
    (name, role), wide = named, h * d * cell
    cut = wide + (h - 1) * CUT
    x, y = layout.whole
    _named(ax, x, y, wide, name, (n, h * d), role)
    x, y = layout.cut
    _named(ax, x, y, cut, "each row cut", (n, h, d), "ink")
    for k, (x, y) in enumerate(layout.split):
        draw.label(ax, x + d * cell / 2, y - LOW, f"head {k + 1}", role=role, bold=True)
    x, y = layout.split[0]
    _named(ax, x, y - SPLIT + HEAD, _split_width(d, cell), ALL, (h, n, d), "ink")


def _named(ax, x, y, wide, text, shape, role):
    draw.label(ax, x + wide / 2, y - HIGH, text, role=role, bold=True)
    _shape(ax, x + wide / 2, y, shape)


def _shape(ax, x, y, shape):
    draw.label(ax, x, y - LOW, str(shape), role="quiet", size=SMALL)


def memory_strips(strips, *, role="q", title, alt):
    """Draw numbers in the order in which they lie in memory, each in the pattern of its head.

    Parameters
    ----------
    strips : dict
        Name -> sequence of (str, int): an entry and its head, counted from 1, address by address.
    role : str
        The colour, by role.

    Raises
    ------
    ValueError
        If there is no strip, one is empty, or a head is not from 1 to 4.
    """
    if not isinstance(strips, dict) or not strips:
        raise ValueError(
            "strips: got none, expected a dict of name -> entries; give at least one"
        )
    colour(role)
    checked = {}
    for name, entries in strips.items():
        entries = list(entries)
        if not entries or any(
            not isinstance(e, (tuple, list)) or len(e) != 2 for e in entries
        ):
            raise ValueError(
                f"strips[{str(name)!r}]: got {entries!r}, expected (entry, head) for "
                "each address; give both"
            )
        checked[str(name)] = [
            (checks.printable(text), checks.index(head, len(HEADS), "head", 1))
            for text, head in entries
        ]

    return render(_strips, checked, role, title=title, alt=alt)


def _strips(width, strips, role):
    cell = 9 + max(
        text_width(text, SMALL) for entries in strips.values() for text, _ in entries
    )
    longest = max(map(len, strips.values()))
    lines = -(-longest // max(int((width - 4) // cell), 1))
    across = -(
        -longest // lines
    )  # whole halves or thirds, so that lines are of one length
    tall = [24 + -(-len(entries) // across) * STEP + 8 for entries in strips.values()]
    reach = (
        max(across * cell, max(text_width(name, weight="bold") for name in strips) + 8)
        + 4
    )
    drawing, ax = canvas(reach, sum(tall))
    y = 0
    for (name, entries), high in zip(strips.items(), tall, strict=True):
        draw.label(ax, 2, y + 10, name, anchor="left", bold=True)
        for address, (text, head) in enumerate(entries):
            x, top = 2 + address % across * cell, y + 24 + address // across * STEP
            _cell(ax, x, top, cell, text, head, role, SMALL)
            draw.label(
                ax, x + cell / 2, top + TALL + 9, str(address), size=SMALL, role="quiet"
            )
        y += high
    return drawing
