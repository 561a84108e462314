"""Which head of queries reads which head of keys and values, and what the cache holds of a word."""

import numpy as np

from ..kit import checks
from ..kit.canvas import Canvas
from ..kit.figure import render_figure
from ..kit.style import SMALL

BOX, GAP, ROW_HEIGHT = 32, 6, 26  # px: a head, between two, how high
PANEL_GAP, LINES = 28, 44  # from one panel to the next; the room for the lines
NAME_HEIGHT, FOOT = 48, 24
MAX_HEADS = 6


def shared_heads(h, shares, *, latent=False, title, alt):
    """Draw heads of queries and below them the heads of keys and values that they read.

    Parameters
    ----------
    h : int
        Number of heads of queries, 1 to 6.
    shares : sequence of int
        For each drawing the number of heads of keys and values; each divides h.
    latent : bool
        Whether one more drawing follows, in which one vector c gives all keys and values.

    Raises
    ------
    ValueError
        If h is not an integer from 1 to 6, or a share does not divide it.
    """
    checks.count(h, "h", MAX_HEADS, "four show how it goes")
    shares = list(shares)
    for g in shares:
        if not isinstance(g, int) or isinstance(g, bool) or g < 1 or h % g:
            raise ValueError(
                f"shares: got {g!r}, expected whole numbers that divide h, which is {h}; "
                "choose others"
            )
    if not shares:
        raise ValueError("shares: got none, expected at least one; give (h, 1)")

    return render_figure(
        _draw_panels,
        h,
        shares + [None] * bool(latent),
        bool(latent),
        title=title,
        alt=alt,
    )


def _draw_panels(width, h, key_head_counts: list[int | None], latent):
    wide = max(h * BOX + (h - 1) * GAP, 118)
    tall = (
        NAME_HEIGHT
        + 2 * ROW_HEIGHT
        + LINES
        + FOOT
        + (LINES + ROW_HEIGHT if latent else 0)
    )
    fitting = max(
        1, min(len(key_head_counts), int((width - 4 + PANEL_GAP) // (wide + PANEL_GAP)))
    )
    across = -(
        -len(key_head_counts) // -(-len(key_head_counts) // fitting)
    )  # rows of one length
    down = -(-len(key_head_counts) // across)
    canvas = Canvas(
        across * (wide + PANEL_GAP) - PANEL_GAP + 4,
        down * (tall + PANEL_GAP) - PANEL_GAP,
    )
    for i, g in enumerate(key_head_counts):
        row, column = divmod(i, across)
        x, y = 2 + column * (wide + PANEL_GAP), row * (tall + PANEL_GAP)
        _draw_panel(canvas, x, y, wide, h, g)
    return canvas.figure


def _draw_panel(canvas, x, y, width, h, g):
    """Draw h heads of queries over g of keys and values, or over the latent vector if g is None."""
    middle = x + width / 2
    canvas.label(middle, y + 18, _attention_kind(h, g), bold=True)
    left = x + (width - h * BOX - (h - 1) * GAP) / 2 + BOX / 2
    queries = [left + i * (BOX + GAP) for i in range(h)]  # middles of the heads
    heads, keys = y + NAME_HEIGHT, y + NAME_HEIGHT + ROW_HEIGHT + LINES
    for i, head in enumerate(queries):
        canvas.box(head - BOX / 2, heads, BOX, ROW_HEIGHT, f"Q{i + 1}", "q", size=SMALL)
    pairs = g or h
    latent = keys + ROW_HEIGHT + LINES
    for group in np.split(np.array(queries), pairs):
        pair = (group[0] + group[-1]) / 2
        for head in group:
            canvas.stroke([(head, heads + ROW_HEIGHT), (pair, keys)], thickness=1.2)
        _draw_key_value_head(canvas, pair, keys, dashed=g is None)
        if g is None:
            canvas.stroke([(pair, keys + ROW_HEIGHT), (middle, latent)], dashed=True)
    if g is None:
        canvas.box(middle - 18, latent, 36, ROW_HEIGHT, "c", "attention", thickness=2)
        canvas.note(middle, latent + ROW_HEIGHT + 13, "kept: c")
    else:
        canvas.note(middle, keys + ROW_HEIGHT + 13, f"kept: {pairs} K, {pairs} V")


def _draw_key_value_head(canvas, middle_x, y, dashed):
    """Draw the keys and the values of a head side by side; dashed where no cache holds them."""
    for role, left in (("k", middle_x - BOX / 2), ("v", middle_x)):
        place = (left, y, BOX / 2, ROW_HEIGHT)
        letter = {"text": role.upper(), "size": SMALL}
        if dashed:
            canvas.outline(*place, role=role, thickness=1, radius=3, dashed=True)
            canvas.label(left + BOX / 4, y + ROW_HEIGHT / 2, role=role, **letter)
        else:
            canvas.box(*place, role=role, radius=3, **letter)


def _attention_kind(h, g) -> str:
    if g is None:
        return "latent"
    kind = {h: "multi-head", 1: "multi-query"}.get(g, "grouped-query")
    return f"{kind}\ng = {g}"
