"""Where each number goes when heads are split and merged, and where it lies in memory."""

import numpy as np

from ..kit import checks, grid
from ..kit.canvas import Canvas
from ..kit.figure import render_figure
from ..kit.palette import colour
from ..kit.style import BODY, SMALL, text_width

GAP, CUT = 12, 10  # px, after the labels and between the heads of a row
ROW_HEIGHT = 28
PANEL_GAP, BELOW = 44, 34  # from one stage to the next, from one head to the next
PHONE_STAGE_GAP = 34  # the same on a phone, where the next stage stands below
NAME_HEIGHT, HIGH, LOW = 46, 32, 13  # above a stage: all, its name, its shape
# Above the first head: the name and the shape of all heads, then the name of this one.
HEADS_TOP = NAME_HEIGHT + 24
STRIP_LINE_STEP = 50  # from one line of a strip to the next
ALL_HEADS = "all heads"
# Of the heads: the first is filled.
HATCHES = ("", "////", "----", "xxxx")


def split_and_merge(
    entries, h, *, name="Q", role="q", row_labels=None, mark=None, title, alt
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
    row_labels : sequence of str, optional
        n labels, the words.
    mark : (int, int), optional
        The cell of the matrix to outline at every stage.

    Raises
    ------
    ValueError
        If there is no matrix, h does not divide its columns or is above 4, or there is no such
        cell.
    """
    entries = _entry_texts(entries)
    n, width = entries.shape
    h = _check_head_count(h, width)
    colour(role)
    row_labels = checks.labels(row_labels, n, "row_labels", "rows of entries")
    mark = None if mark is None else checks.cell(mark, (n, width), "mark")

    return render_figure(
        _draw_split_and_merge,
        entries,
        h,
        str(name),
        role,
        row_labels,
        mark,
        title=title,
        alt=alt,
    )


def _entry_texts(entries: np.ndarray):
    entries = np.asarray(entries)
    if entries.ndim != 2 or entries.size == 0:
        raise ValueError(
            f"entries: got shape {entries.shape}, expected (n, h * d) with at least one "
            "entry; give one sentence of a batch"
        )
    if entries.dtype.kind == "U":
        return np.vectorize(checks.printable_text, otypes=[object])(entries)
    numbers = checks.matrix(entries, "entries")
    fmt = grid.common_format(numbers)
    texts = [[grid.format_number(v, fmt) for v in row] for row in numbers]
    return np.array(texts, dtype=object)


def _check_head_count(h, columns: int) -> int:
    integer = isinstance(h, (int, np.integer)) and not isinstance(h, bool)
    if not integer or not 1 <= h <= len(HATCHES) or columns % h:
        raise ValueError(
            f"h: got {h!r} for {columns} columns, expected a whole number from 1 to "
            f"{len(HATCHES)} that divides them; choose another h"
        )
    return int(h)


class _SplitLayout:
    """Where the three stages stand: beside each other, or on a phone below each other."""

    def __init__(self, room, shape, h, cell, left):
        n, columns = shape
        self.h, self.d, self.cell = h, columns // h, cell
        height = n * ROW_HEIGHT
        self.matrix_width = columns * cell
        self.rows_width = self.matrix_width + (h - 1) * CUT
        # A head, or the name above it, which may be wider.
        self.head_width = max(self.d * cell, text_width(ALL_HEADS, weight="bold"))
        widths = left + self.matrix_width + self.rows_width + self.head_width
        self.across = widths + 2 * PANEL_GAP + left <= room
        if self.across:
            x = left + self.matrix_width + PANEL_GAP
            end = x + self.rows_width
            y = HEADS_TOP + (h - 1) * (height + BELOW) / 2
            self.matrix, self.cut_rows = (left, y), (x, y)
            first = end + PANEL_GAP + left - GAP, HEADS_TOP
            self.arrows = [(x - 32, y + height / 2), (end + 12, y + height / 2)]
        else:
            self.matrix, self.cut_rows = (
                (left, NAME_HEIGHT),
                (left, 2 * NAME_HEIGHT + height + PHONE_STAGE_GAP),
            )
            first = left, self.cut_rows[1] + height + PHONE_STAGE_GAP + HEADS_TOP
            x = left + self.d * cell / 2
            tops = NAME_HEIGHT, self.cut_rows[1]
            self.arrows = [(x, top + height + 10) for top in tops]
        x, y = first
        self.heads = [(x, y + k * (height + BELOW)) for k in range(h)]
        reach = max(self.cut_rows[0] + self.rows_width, x + self.head_width)
        self.size = (reach + 8, self.heads[-1][1] + height + 8)

    def entry_corners_at_stages(self, i: int, j: int) -> tuple:
        """Return (x, y) of the entry in row i and column j, at each of the three stages."""
        head, column = divmod(j, self.d)
        (x, y), (cut_x, cut_y), (head_x, head_y) = (
            self.matrix,
            self.cut_rows,
            self.heads[head],
        )
        return (
            (x + j * self.cell, y + i * ROW_HEIGHT),
            (cut_x + j * self.cell + head * CUT, cut_y + i * ROW_HEIGHT),
            (head_x + column * self.cell, head_y + i * ROW_HEIGHT),
        )


def _draw_split_and_merge(width, entries, h, name, role, row_labels, mark):
    cell = max(max(text_width(text) for text in entries.flat) + 10, 30)
    left = 4 + (grid.labels_width(row_labels) + GAP if row_labels else 4)
    layout = _SplitLayout(width, entries.shape, h, cell, left)
    canvas = Canvas(*layout.size)
    for stage in range(3):
        for (i, j), text in np.ndenumerate(entries):
            x, y = layout.entry_corners_at_stages(i, j)[stage]
            _draw_entry(canvas, x, y, cell, text, j // layout.d, role)
        if mark is not None:
            x, y = layout.entry_corners_at_stages(*mark)[stage]
            canvas.outline(x, y, cell, ROW_HEIGHT, thickness=2.5)
    _write_stage_names(canvas, layout, entries.shape, name, role)
    second = [] if layout.across else [layout.cut_rows]
    for x, y in [layout.matrix, *second, *layout.heads]:
        cells = grid.Grid(canvas, x, y, entries.shape, cell, ROW_HEIGHT)
        cells.write_row_labels(row_labels, GAP - 4)
    for x, y in layout.arrows:
        end = (x + 20, y) if layout.across else (x, y + 20)
        canvas.arrow([(x, y), end], "quiet", barb=(5, 5), both_ends=True)
    return canvas.figure


def _draw_entry(canvas, x, y, width, text: str, head: int, role, text_size=BODY):
    """Draw one entry in the pattern of its head, a thin frame around it."""
    if HATCHES[head]:
        style = {"role": role, "pattern": HATCHES[head], "opacity": 0.45}
        canvas.hatch(x, y, width, ROW_HEIGHT, **style)
    else:
        canvas.rectangle(x, y, width, ROW_HEIGHT, role=role, opacity=0.3)
    canvas.outline(x, y, width, ROW_HEIGHT, role="quiet", thickness=1, alpha=0.5)
    canvas.label(x + width / 2, y + ROW_HEIGHT / 2, text, size=text_size)


def _write_stage_names(canvas, layout, shape: tuple[int, int], name, role):
    """Write above each stage what it is, and which shape it has."""
    n, h, d = shape[0], layout.h, layout.d

    def write_stage_name(
        place: tuple[float, float], width, text, axis_lengths, role="ink"
    ):
        x, y = place
        canvas.label(x + width / 2, y - HIGH, text, role=role, bold=True)
        canvas.note(x + width / 2, y - LOW, str(axis_lengths))

    write_stage_name(layout.matrix, layout.matrix_width, name, shape, role)
    write_stage_name(layout.cut_rows, layout.rows_width, "each row cut", (n, h, d))
    for k, (x, y) in enumerate(layout.heads, start=1):
        middle = x + d * layout.cell / 2
        canvas.label(middle, y - LOW, f"head {k}", role=role, bold=True)
    x, y = layout.heads[0]
    write_stage_name(
        (x, y - HEADS_TOP + NAME_HEIGHT), layout.head_width, ALL_HEADS, (h, n, d)
    )


def memory_strips(entries_by_memory: dict[str, list], *, role="q", title, alt):
    """Draw numbers in the order in which they lie in memory, each in the pattern of its head.

    Parameters
    ----------
    entries_by_memory : dict
        Name -> sequence of (str, int): an entry and its head, counted from 1, address by address.
    role : str
        The colour, by role.

    Raises
    ------
    ValueError
        If there is no strip, one is empty, or a head is not from 1 to 4.
    """
    checks.mapping(entries_by_memory, "entries_by_memory", "name -> entries")
    colour(role)
    checked = {}
    for name, entries in entries_by_memory.items():
        entries = list(entries)
        if not entries or any(
            not isinstance(e, (tuple, list)) or len(e) != 2 for e in entries
        ):
            raise ValueError(
                f"entries_by_memory[{str(name)!r}]: got {entries!r}, expected (entry, head) for "
                "each address; give both"
            )
        checked[str(name)] = [
            (checks.printable_text(text), checks.index(head, len(HATCHES), "head", 1))
            for text, head in entries
        ]

    return render_figure(_draw_strips, checked, role, title=title, alt=alt)


def _draw_strips(width, entries_by_memory: dict[str, list], role):
    cell = 9 + max(
        text_width(text, SMALL)
        for entries in entries_by_memory.values()
        for text, _ in entries
    )
    longest = max(map(len, entries_by_memory.values()))
    lines = -(-longest // max(int((width - 4) // cell), 1))
    across = -(-longest // lines)  # halves or thirds, so that lines have one length
    heights = [
        24 + -(-len(entries) // across) * STRIP_LINE_STEP + 8
        for entries in entries_by_memory.values()
    ]
    names = max(text_width(name, weight="bold") for name in entries_by_memory) + 8
    reach = max(across * cell, names) + 4
    canvas = Canvas(reach, sum(heights))
    y = 0
    for (name, entries), height in zip(entries_by_memory.items(), heights, strict=True):
        canvas.label(2, y + 10, name, anchor="left", bold=True)
        for address, (text, head) in enumerate(entries):
            x, top = (
                2 + address % across * cell,
                y + 24 + address // across * STRIP_LINE_STEP,
            )
            _draw_entry(canvas, x, top, cell, text, head, role, SMALL)
            canvas.note(x + cell / 2, top + ROW_HEIGHT + 9, str(address))
        y += height
    return canvas.figure
