"""A pool of blocks: which tokens' rows lie in which, and the tables of those who hold them."""

from collections import Counter

import numpy as np

from ..kit import checks
from ..kit.canvas import Canvas
from ..kit.figure import render_figure
from ..kit.style import BODY, text_width

SLOT, ROW_HEIGHT = 26, 28  # px: the least width of a slot, and its height
NUMBER, GAP = 26, 14  # before a block, and between two
ROW_GAP = 12  # from one row of blocks to the next
ENTRY_WIDTH = 28  # a number in a table


def paged_blocks(pool, tables, *, title, alt):
    """Draw a pool of blocks, and above it the tables that say whose they are and in which order.

    Parameters
    ----------
    pool : sequence of sequences of str
        For each block the tokens whose keys and values it holds; "" where it holds none yet. All
        are equally long.
    tables : dict
        Name of a request -> the numbers of its blocks, in order. A block in no table is free; in
        more than one it is shared, and has a thick edge.

    Raises
    ------
    ValueError
        If there is no block, blocks differ in length, or a table names a block that is not there.
    """
    rows = [[checks.printable_text(token) for token in block] for block in pool]
    sizes = {len(row) for row in rows}
    if len(sizes) != 1 or 0 in sizes:
        raise ValueError(
            f"pool: got blocks of {sorted(sizes)} tokens, expected one or more blocks of one "
            "size; fill a block up with ''"
        )
    block_tables = {
        checks.text(name, "tables"): [
            checks.index(block, len(rows), f"tables[{name!r}]") for block in table
        ]
        for name, table in tables.items()
    }
    return render_figure(_draw_paged_blocks, rows, block_tables, title=title, alt=alt)


def _draw_paged_blocks(width, block_tokens, tables):
    slot = max(SLOT, *(text_width(token) + 8 for row in block_tokens for token in row))
    wide = NUMBER + slot * len(block_tokens[0])
    columns = int(max(1, min(len(block_tokens), (width - 8 + GAP) // (wide + GAP))))
    columns = int(np.ceil(len(block_tokens) / np.ceil(len(block_tokens) / columns)))
    names = max([text_width(name, BODY, "bold") for name in tables] or [0]) + 14
    longest = max([len(table) for table in tables.values()] or [0])
    top = len(tables) * (ROW_HEIGHT + 8) + (16 if tables else 0)
    down = -(-len(block_tokens) // columns)
    canvas = Canvas(
        max(columns * (wide + GAP) - GAP, names + longest * (ENTRY_WIDTH + 4)) + 8,
        top + down * (ROW_HEIGHT + ROW_GAP) + 4,
    )
    for k, (name, table) in enumerate(tables.items()):
        y = 4 + k * (ROW_HEIGHT + 8)
        canvas.label(4, y + ROW_HEIGHT / 2, name, bold=True, anchor="left")
        for i, block in enumerate(table):
            canvas.box(
                4 + names + i * (ENTRY_WIDTH + 4),
                y,
                ENTRY_WIDTH,
                ROW_HEIGHT,
                str(block),
                "q",
            )
    holders = Counter(block for table in tables.values() for block in table)
    for number, row in enumerate(block_tokens):
        x = 4 + number % columns * (wide + GAP)
        y = top + 4 + number // columns * (ROW_HEIGHT + ROW_GAP)
        _draw_block(canvas, x, y, slot, number, row, holders[number])
    return canvas.figure


def _draw_block(canvas, x, y, slot_width, block_number, tokens: list, holder_count):
    ink = "quiet" if holder_count == 0 else "ink"
    canvas.label(
        x + NUMBER - 8, y + ROW_HEIGHT / 2, str(block_number), anchor="right", role=ink
    )
    x += NUMBER
    for i, token in enumerate(tokens):
        if token and holder_count:
            canvas.rectangle(
                x + i * slot_width, y, slot_width, ROW_HEIGHT, role="k", opacity=0.15
            )
        if i:
            canvas.stroke(
                [(x + i * slot_width, y), (x + i * slot_width, y + ROW_HEIGHT)]
            )
        canvas.label(x + (i + 0.5) * slot_width, y + ROW_HEIGHT / 2, token, role=ink)
    role, thickness = {0: ("quiet", 1), 1: ("k", 1.5)}.get(
        holder_count, ("attention", 4)
    )
    edge = {"role": role, "thickness": thickness, "dashed": not holder_count}
    canvas.outline(x, y, slot_width * len(tokens), ROW_HEIGHT, **edge)
