"""What happens inside a head of attention, and how heads work side by side."""

import numpy as np

from ..kit import draw, grid
from ..kit.figure import render
from ..kit.style import BODY, NARROW, SMALL, canvas, text_width

KINDS = {
    "self": "self-attention",
    "masked": "masked self-attention",
    "cross": "cross-attention",
}
SCALE, MASK, SOFTMAX = (
    "divide\nby √d_k",
    "mask: −∞\nwhere hidden",
    "softmax\nof each row",
)
STAGES = ("dot products\nQ Kᵀ", SCALE, MASK, SOFTMAX)
MOST = 8  # heads that fit on a phone
TALL, BAR = 36, 28  # px: a box; a matrix drawn as a bar, as long as it is wide
STEP, ENTRY = (
    32,
    46,
)  # px: an arrow with its name beside it; one with its shape below the name
CELL = 5  # px: one cell of the small mask


def scaled_dot_product(kinds=("self",), *, title, alt):
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
    if not 1 <= len(kinds) <= 2 or any(kind not in KINDS for kind in kinds):
        raise ValueError(
            f"kinds: got {kinds!r}, expected one or two of {', '.join(KINDS)}; "
            "name the attention to draw, or the two to compare"
        )

    return render(_heads, kinds, title=title, alt=alt)


def _heads(width, kinds):
    both = len(kinds) == 2
    tight = both and width <= NARROW
    panel, between = (176, 6) if tight else (300, 60)
    stages = [stage for stage in STAGES if stage != MASK or "masked" in kinds]
    base = 26 * both + STEP + TALL + len(stages) * (STEP + TALL) + ENTRY + TALL + STEP
    drawing, ax = canvas(len(kinds) * (panel + between) - between, base + 36)
    for column, kind in enumerate(kinds):
        x = column * (panel + between) + 2
        if both:
            draw.label(
                ax,
                x,
                9,
                KINDS[kind],
                size=SMALL if tight else BODY,
                anchor="left",
                bold=True,
            )
        _one_head(ax, x, base, kind, stages, tight)
    return drawing


def _one_head(ax, x, base, kind, stages, tight):
    """Draw one head upwards: projections, scores, weights, and the average of the values."""
    apart, half, size = (53, 24, SMALL) if tight else (98, 45, BODY)
    q, k, v = columns = [x + half + i * apart for i in range(3)]
    asks, left, middle = "m" if kind == "cross" else "n", q - half, (q + v) / 2
    y = base - STEP
    _inputs(ax, columns, base, kind, tight)
    made = ((q, "q", asks, "d_k"), (k, "k", "n", "d_k"), (v, "v", "n", "d_v"))
    for at, name, rows, wide in made:
        draw.box(
            ax,
            at - half,
            y - TALL,
            2 * half,
            TALL,
            f"W_{name.upper()}",
            name,
            size=size,
        )
        top = y - TALL - ENTRY
        draw.label(
            ax, at + 6, top + 17, name.upper(), role=name, anchor="left", bold=True
        )
        draw.label(
            ax,
            at + 6,
            top + 33,
            _shape(rows, wide, tight),
            role="quiet",
            size=SMALL,
            anchor="left",
        )
    y -= TALL + ENTRY
    for at, role in ((q, "q"), (k, "k")):
        draw.arrow(ax, [(at, y + ENTRY), (at, y)], role)
    values = y + ENTRY
    y = _scores(ax, left, (q + k) / 2, y, kind, stages, tight)
    draw.arrow(ax, [(v, values), (v, y)], "v")
    _text_box(ax, left, y, v + half, "A V: weighted averages", "attention", tight)
    draw.arrow(ax, [(middle, y - TALL), (middle, y - TALL - STEP + 4)], "attention")
    _named(ax, middle, y - TALL - STEP / 2, "Z", f"{asks} × d_v", "attention")


def _scores(ax, left, middle, y, kind, stages, tight):
    """Draw the stages from queries and keys to weights; return the y where these arrive."""
    right, start = 2 * middle - left, None
    rows = "m × n" if kind == "cross" else "n × n"
    for stage in stages:
        if stage == MASK and kind != "masked":
            y -= TALL + STEP
            continue
        if start:
            draw.arrow(ax, [(middle, start), (middle, y)])
        role = {MASK: "wrong", SOFTMAX: "attention"}.get(stage, "ink")
        _text_box(ax, left, y, right, stage, role, tight)
        start, y = y - TALL, y - TALL - STEP
        if stage == SCALE:
            _named(ax, middle, y + STEP / 2, "S", rows, "ink")
        if stage == MASK:
            grid.cells(
                ax,
                np.tri(4),
                right + 4,
                start + TALL / 2 - 2 * CELL,
                CELL,
                CELL,
                role="attention",
            )
    draw.arrow(ax, [(middle, start), (middle, y)], "attention")
    _named(ax, middle, y + STEP / 2, "A", rows, "attention")
    return y


def _text_box(ax, left, low, right, text, role, tight):
    text, size = (text, SMALL) if tight else (text.replace("\n", " "), BODY)
    draw.box(ax, left, low - TALL, right - left, TALL, text, role, size=size)


def _inputs(ax, columns, base, kind, tight):
    """Draw what enters, and its way to the projections that read it."""
    q, k, v = columns
    parts = (
        [("X", "n", columns)]
        if kind != "cross"
        else [("Y", "m", [q]), ("X", "n", [k, v])]
    )
    fork = base - STEP / 2
    for name, rows, readers in parts:
        at = (readers[0] + readers[-1]) / 2
        draw.stroke(ax, [(at, base), (at, fork)], role="ink", thickness=1.5)
        for x in readers:
            draw.arrow(ax, [(at, fork), (x, fork), (x, base - STEP)])
        draw.label(ax, at, base + 10, name, bold=True)
        draw.label(
            ax, at, base + 27, _shape(rows, "d_model", tight), role="quiet", size=SMALL
        )


def _shape(rows, columns, tight):
    return f"{rows}×{columns}" if tight else f"{rows} × {columns}"


def _named(ax, x, y, name, shape, role):
    """Write what an arrow carries, and its shape, to its right."""
    draw.label(ax, x + 9, y, name, role=role, anchor="left", bold=True)
    draw.label(
        ax,
        x + 15 + text_width(name, weight="bold"),
        y,
        shape,
        role="quiet",
        size=SMALL,
        anchor="left",
    )


def multi_head(h=8, d_model=512, *, title, alt):
    """Draw heads side by side: each reads all of X and fills its own columns of Z.

    Parameters
    ----------
    h : int
        Number of heads, 1 to 8.
    d_model : int
        Columns of X, Z and H; a head makes `d_model / h` of those of Z.

    Raises
    ------
    ValueError
        If h is not a whole number from 1 to 8, or does not divide d_model.
    """
    whole = all(isinstance(v, int) and not isinstance(v, bool) for v in (h, d_model))
    if not whole or not 1 <= h <= MOST or d_model < 1 or d_model % h:
        raise ValueError(
            f"h: got {h!r} for d_model {d_model!r}, expected a whole number from 1 to "
            f"{MOST} that divides it; choose another h"
        )

    return render(_multi_head, h, d_model, title=title, alt=alt)


def _multi_head(width, h, d_model):
    slot, size = (72, BODY) if width > NARROW else (42, SMALL)
    whole = max(h * slot, 280)
    x, slot, middle = 2, whole / h, 2 + whole / 2
    H, W_O = 2, 2 + BAR + STEP
    Z = W_O + TALL + ENTRY
    heads = Z + BAR + STEP - 8
    X = heads + TALL + ENTRY
    drawing, ax = canvas(whole + 4, X + BAR + 2)
    for y, name, role in ((H, "H", "attention"), (X, "X", "ink")):
        draw.box(ax, x, y, whole, BAR, f"{name}, n × {d_model:,}", role)
    draw.box(ax, middle - 50, W_O, 100, TALL, "W_O")
    draw.arrow(ax, [(middle, W_O), (middle, H + BAR)])
    draw.arrow(ax, [(middle, Z), (middle, W_O + TALL)], "attention")
    for text, y, role in (
        (f"Z: {h} × {d_model // h:,} = {d_model:,} columns", Z - 12, "attention"),
        ("each head has its own W_Q, W_K, W_V", X - 12, "quiet"),
    ):
        draw.label(ax, x, y, text, size=SMALL, role=role, anchor="left")
    rail, end = X - 24, x + whole - 8
    draw.stroke(
        ax, [(x + slot / 2, rail), (end, rail), (end, X)], role="ink", thickness=1.5
    )
    for i in range(h):
        _one_of_many(ax, x + i * slot, slot, i + 1, (Z, heads, rail), size)
    return drawing


def _one_of_many(ax, x, slot, number, heights, size):
    """Draw one head between the rail that brings X and its columns of Z."""
    Z, y, rail = heights
    middle = x + slot / 2
    draw.arrow(ax, [(middle, rail), (middle, y + TALL)])
    draw.box(ax, x + 3, y, slot - 6, TALL, f"head\n{number}", "attention", size=SMALL)
    draw.arrow(ax, [(middle, y), (middle, Z + BAR)], "attention")
    draw.rectangle(ax, x, Z, slot, BAR, role="attention", opacity=0.1)
    draw.outline(ax, x, Z, slot, BAR, role="attention", thickness=1.5)
    draw.label(ax, middle, Z + BAR / 2, f"Z_{number}", size=size)
