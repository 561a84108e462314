"""What happens inside a head of attention, and how heads work side by side."""

from collections.abc import Sequence

import numpy as np

from ..kit.canvas import Canvas
from ..kit.figure import render_figure
from ..kit.grid import Grid
from ..kit.style import BODY, NARROW, SMALL, text_width

NAME_BY_KIND = {
    "self": "self-attention",
    "masked": "masked self-attention",
    "cross": "cross-attention",
}
SCALE_LABEL = "divide\nby √d_k"
MASK_LABEL = "mask: −∞\nwhere hidden"
SOFTMAX_LABEL = "softmax\nof each row"
STAGE_LABELS = ("dot products\nQ Kᵀ", SCALE_LABEL, MASK_LABEL, SOFTMAX_LABEL)
MAX_HEADS = 8  # that fit on a phone
ROW_HEIGHT, BAR = 36, 28  # px: a box; a matrix drawn as a bar, as long as it is wide
# px: an arrow with its name beside it; one with its shape below the name
ARROW_WITH_NAME, ARROW_WITH_SHAPE = 32, 46
MASK_CELL_SIDE = 5  # px: one cell of the small mask


def scaled_dot_product(kinds: Sequence[str] = ("self",), *, title, alt):
    """Draw one head from what enters it to its output, or two heads to compare.

    Two heads stand stage beside stage: what only one of them has leaves a gap in the other.

    Parameters
    ----------
    kinds : sequence of one or two str
        "self", "masked" (self-attention of the decoder) or "cross" (Y, the target, asks X).

    Raises
    ------
    ValueError
        If there is no kind, there are more than two, or one is none of the three.
    """
    kinds = [kinds] if isinstance(kinds, str) else list(kinds)
    if not 1 <= len(kinds) <= 2 or any(kind not in NAME_BY_KIND for kind in kinds):
        raise ValueError(
            f"kinds: got {kinds!r}, expected one or two of {', '.join(NAME_BY_KIND)}; "
            "name the attention to draw, or the two to compare"
        )

    return render_figure(_draw_heads, kinds, title=title, alt=alt)


def _draw_heads(width: int, kinds: Sequence[str]):
    pair = len(kinds) == 2
    compact = pair and width <= NARROW
    panel, gap = (176, 6) if compact else (300, 60)
    stages = [
        stage for stage in STAGE_LABELS if stage != MASK_LABEL or "masked" in kinds
    ]
    base = (
        26 * pair
        + ARROW_WITH_NAME
        + ROW_HEIGHT
        + len(stages) * (ARROW_WITH_NAME + ROW_HEIGHT)
        + ARROW_WITH_SHAPE
        + ROW_HEIGHT
        + ARROW_WITH_NAME
    )
    canvas = Canvas(len(kinds) * (panel + gap) - gap, base + 36)
    for column, kind in enumerate(kinds):
        x = column * (panel + gap) + 2
        if pair:
            size = SMALL if compact else BODY
            canvas.label(x, 9, NAME_BY_KIND[kind], size=size, anchor="left", bold=True)
        _HeadDrawing(canvas, kind, compact).draw(x, base, stages)
    return canvas.figure


class _HeadDrawing:
    """One head, drawn upwards: projections, scores, weights, and the average of the values."""

    def __init__(self, canvas, kind, compact):
        self.canvas, self.kind, self.compact = canvas, kind, compact
        self.query_rows = "m" if kind == "cross" else "n"

    def draw(self, x, base_y, stages):
        """Draw it from `base_y` up, its left edge at x."""
        canvas = self.canvas
        spacing, half = (53, 24) if self.compact else (98, 45)
        q, k, v = columns = [x + half + i * spacing for i in range(3)]
        self.draw_inputs(columns, base_y)
        self.draw_projections(columns, half, base_y - ARROW_WITH_NAME)
        y = values = base_y - ARROW_WITH_NAME - ROW_HEIGHT
        y -= ARROW_WITH_SHAPE
        for column, role in ((q, "q"), (k, "k")):
            canvas.arrow([(column, values), (column, y)], role)
        y = self.draw_scores(q - half, k + half, y, stages)
        canvas.arrow([(v, values), (v, y)], "v")
        self.draw_stage_box(
            q - half, v + half, y, "A V: weighted averages", "attention"
        )
        y -= ROW_HEIGHT
        middle = (q + v) / 2
        canvas.arrow([(middle, y), (middle, y - ARROW_WITH_NAME + 4)], "attention")
        shape = f"{self.query_rows} × d_v"
        self.write_matrix_name(middle, y - ARROW_WITH_NAME / 2, "Z", shape, "attention")

    def draw_inputs(self, column_xs: Sequence[float], base_y: float):
        """Draw what enters, and its way to the projections that read it."""
        q, k, v = column_xs
        inputs = [("X", "n", column_xs)]
        if self.kind == "cross":
            inputs = [("Y", "m", [q]), ("X", "n", [k, v])]
        fork = base_y - ARROW_WITH_NAME / 2
        for name, rows, readers in inputs:
            middle = (readers[0] + readers[-1]) / 2
            self.canvas.line([(middle, base_y), (middle, fork)])
            for x in readers:
                self.canvas.arrow(
                    [(middle, fork), (x, fork), (x, base_y - ARROW_WITH_NAME)]
                )
            self.canvas.label(middle, base_y + 10, name, bold=True)
            self.canvas.note(middle, base_y + 27, self.shape_text(rows, "d_model"))

    def draw_projections(self, column_xs: Sequence[float], half_width, y):
        """Draw the three products, and write above each what it gives."""
        size = SMALL if self.compact else BODY
        shapes = ((self.query_rows, "d_k"), ("n", "d_k"), ("n", "d_v"))
        for x, role, shape in zip(column_xs, "qkv", shapes, strict=True):
            box = (x - half_width, y - ROW_HEIGHT, 2 * half_width, ROW_HEIGHT)
            self.canvas.box(*box, f"W_{role.upper()}", role, size=size)
            top = y - ROW_HEIGHT - ARROW_WITH_SHAPE
            style = {"role": role, "anchor": "left", "bold": True}
            self.canvas.label(x + 6, top + 17, role.upper(), **style)
            self.canvas.note(x + 6, top + 33, self.shape_text(*shape), anchor="left")

    def draw_scores(self, left, right, y, stages):
        """Draw the stages from queries and keys to weights; return the y of the weights."""
        middle, below = (left + right) / 2, None
        shape = f"{self.query_rows} × n"
        for stage in stages:
            if stage == MASK_LABEL and self.kind != "masked":
                y -= ROW_HEIGHT + ARROW_WITH_NAME
                continue
            if below:
                self.canvas.arrow([(middle, below), (middle, y)])
            role = {MASK_LABEL: "wrong", SOFTMAX_LABEL: "attention"}.get(stage, "ink")
            self.draw_stage_box(left, right, y, stage, role)
            below, y = y - ROW_HEIGHT, y - ROW_HEIGHT - ARROW_WITH_NAME
            if stage == SCALE_LABEL:
                self.write_matrix_name(
                    middle, y + ARROW_WITH_NAME / 2, "S", shape, "ink"
                )
            if stage == MASK_LABEL:
                top = below + ROW_HEIGHT / 2 - 2 * MASK_CELL_SIDE
                mask = Grid(
                    self.canvas, right + 4, top, (4, 4), MASK_CELL_SIDE, MASK_CELL_SIDE
                )
                mask.draw(np.tri(4), role="attention")
        self.canvas.arrow([(middle, below), (middle, y)], "attention")
        self.write_matrix_name(middle, y + ARROW_WITH_NAME / 2, "A", shape, "attention")
        return y

    def draw_stage_box(self, left, right, bottom_y: float, text: str, role):
        """Draw a stage; its text has one line where there is room for it."""
        size = SMALL if self.compact else BODY
        text = text if self.compact else text.replace("\n", " ")
        self.canvas.box(
            left, bottom_y - ROW_HEIGHT, right - left, ROW_HEIGHT, text, role, size=size
        )

    def write_matrix_name(self, x, y, name: str, shape: str, role):
        """Write what an arrow carries, and its shape, to its right."""
        self.canvas.label(x + 9, y, name, role=role, anchor="left", bold=True)
        x += 15 + text_width(name, weight="bold")
        self.canvas.note(x, y, shape, anchor="left")

    def shape_text(self, rows: int | str, columns: int | str) -> str:
        """Return a shape as text."""
        return f"{rows}×{columns}" if self.compact else f"{rows} × {columns}"


def multi_head(h=8, d_model=512, *, title, alt):
    """Draw heads side by side: each reads all of X and fills some of the columns of Z.

    Parameters
    ----------
    h : int
        Number of heads, 1 to 8.
    d_model : int
        Columns of X, Z and H; a head makes `d_model / h` of those of Z.

    Raises
    ------
    ValueError
        If h is not an integer from 1 to 8, or does not divide d_model.
    """
    integers = all(isinstance(v, int) and not isinstance(v, bool) for v in (h, d_model))
    if not integers or not 1 <= h <= MAX_HEADS or d_model < 1 or d_model % h:
        raise ValueError(
            f"h: got {h!r} for d_model {d_model!r}, expected a whole number from 1 to "
            f"{MAX_HEADS} that divides it; choose another h"
        )

    return render_figure(_draw_multi_head, h, d_model, title=title, alt=alt)


def _draw_multi_head(width, h, d_model):
    slot, size = (72, BODY) if width > NARROW else (42, SMALL)
    total = max(h * slot, 280)
    x, slot, middle = 2, total / h, 2 + total / 2
    H, W_O = 2, 2 + BAR + ARROW_WITH_NAME
    Z = W_O + ROW_HEIGHT + ARROW_WITH_SHAPE
    heads = Z + BAR + ARROW_WITH_NAME - 8
    X = heads + ROW_HEIGHT + ARROW_WITH_SHAPE
    canvas = Canvas(total + 4, X + BAR + 2)
    for y, name, role in ((H, "H", "attention"), (X, "X", "ink")):
        canvas.box(x, y, total, BAR, f"{name}, n × {d_model:,}", role)
    canvas.box(middle - 50, W_O, 100, ROW_HEIGHT, "W_O")
    canvas.arrow([(middle, W_O), (middle, H + BAR)])
    canvas.arrow([(middle, Z), (middle, W_O + ROW_HEIGHT)], "attention")
    columns = f"Z: {h} × {d_model // h:,} = {d_model:,} columns"
    canvas.note(x, Z - 12, columns, role="attention", anchor="left")
    canvas.note(x, X - 12, "each head has its own W_Q, W_K, W_V", anchor="left")
    rail, end = X - 24, x + total - 8
    canvas.line([(x + slot / 2, rail), (end, rail), (end, X)])
    for number in range(1, h + 1):
        _draw_head(canvas, x, slot, number, (Z, heads, rail), size)
        x += slot
    return canvas.figure


def _draw_head(canvas, x, slot_width, head_number, Z_head_and_rail_ys, text_size):
    """Draw one head between the rail that brings X and its columns of Z."""
    Z, y, rail = Z_head_and_rail_ys
    middle = x + slot_width / 2
    canvas.arrow([(middle, rail), (middle, y + ROW_HEIGHT)])
    canvas.box(
        x + 3,
        y,
        slot_width - 6,
        ROW_HEIGHT,
        f"head\n{head_number}",
        "attention",
        size=SMALL,
    )
    canvas.arrow([(middle, y), (middle, Z + BAR)], "attention")
    canvas.rectangle(x, Z, slot_width, BAR, role="attention", opacity=0.1)
    canvas.outline(x, Z, slot_width, BAR, role="attention", thickness=1.5)
    canvas.label(middle, Z + BAR / 2, f"Z_{head_number}", size=text_size)
