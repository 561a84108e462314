"""Which head of queries reads which head of keys and values, and what is kept of a word."""

from ..kit import draw
from ..kit.figure import render
from ..kit.style import SMALL, canvas

BOX, GAP, TALL = 32, 6, 26  # px: a head, between two, how high
BETWEEN, LINES = 28, 44  # from one panel to the next; the room for the lines
HEAD, FOOT = 48, 24
MOST = 6


def shared_heads(h, shares, *, latent=False, title, alt):
    """Draw heads of queries and below them the heads of keys and values that they read.

    Parameters
    ----------
    h : int
        Number of heads of queries, 1 to 6.
    shares : sequence of int
        For each drawing the number of heads of keys and values; each divides h.
    latent : bool
        Whether one more drawing follows, in which all keys and values are made of one vector c.

    Raises
    ------
    ValueError
        If h is not a whole number from 1 to 6, or a share does not divide it.
    """
    if not isinstance(h, int) or isinstance(h, bool) or not 1 <= h <= MOST:
        raise ValueError(
            f"h: got {h!r}, expected a whole number from 1 to {MOST}; four show how it goes"
        )
    shares = list(shares)
    for g in shares:
        if not isinstance(g, int) or isinstance(g, bool) or g < 1 or h % g:
            raise ValueError(
                f"shares: got {g!r}, expected whole numbers that divide h, which is {h}; "
                "choose others"
            )
    if not shares:
        raise ValueError("shares: got none, expected at least one; give (h, 1)")

    return render(
        _panels, h, shares + [None] * bool(latent), bool(latent), title=title, alt=alt
    )


def _panels(room, h, shares, latent):
    wide = max(h * BOX + (h - 1) * GAP, 118)
    tall = HEAD + 2 * TALL + LINES + FOOT + (LINES + TALL if latent else 0)
    fitting = max(1, min(len(shares), int((room - 4 + BETWEEN) // (wide + BETWEEN))))
    across = -(-len(shares) // -(-len(shares) // fitting))  # rows of one length
    down = -(-len(shares) // across)
    drawing, ax = canvas(
        across * (wide + BETWEEN) - BETWEEN + 4, down * (tall + BETWEEN) - BETWEEN
    )
    for i, g in enumerate(shares):
        row, column = divmod(i, across)
        x, y = 2 + column * (wide + BETWEEN), row * (tall + BETWEEN)
        _panel(ax, x, y, wide, h, g)
    return drawing


def _panel(ax, x, y, wide, h, g):
    draw.label(ax, x + wide / 2, y + 18, _name(h, g), bold=True)
    left = x + (wide - h * BOX - (h - 1) * GAP) / 2
    at = [left + i * (BOX + GAP) + BOX / 2 for i in range(h)]  # middles of the heads
    heads, keys = y + HEAD, y + HEAD + TALL + LINES
    for i, middle in enumerate(at):
        draw.box(ax, middle - BOX / 2, heads, BOX, TALL, f"Q{i + 1}", "q", size=SMALL)
    own = g or h
    group = h // own
    for j in range(own):
        served = at[j * group : (j + 1) * group]
        middle = (served[0] + served[-1]) / 2
        for above in served:
            draw.stroke(
                ax, [(above, heads + TALL), (middle, keys)], role="quiet", thickness=1.2
            )
        _pair(ax, middle, keys, kept=g is not None)
        if g is None:
            low = keys + TALL + LINES
            draw.stroke(ax, [(middle, keys + TALL), (x + wide / 2, low)], dashed=True)
    if g is None:
        draw.box(ax, x + wide / 2 - 18, low, 36, TALL, "c", "attention", thickness=2)
        draw.note(ax, x + wide / 2, low + TALL + 13, "kept: c")
    else:
        kept = f"kept: {own} K, {own} V"
        draw.note(ax, x + wide / 2, keys + TALL + 13, kept)


def _pair(ax, middle, y, kept):
    """Draw the keys and the values of a head side by side; dashed where they are not kept."""
    for role, left in (("k", middle - BOX / 2), ("v", middle)):
        place = (ax, left, y, BOX / 2, TALL)
        if kept:
            draw.box(*place, role.upper(), role, size=SMALL, radius=3)
        else:
            draw.outline(*place, role=role, thickness=1, radius=3, dashed=True)
            draw.label(
                ax, left + BOX / 4, y + TALL / 2, role.upper(), role=role, size=SMALL
            )


def _name(h, g):
    if g is None:
        return "latent"
    kind = {h: "multi-head", 1: "multi-query"}.get(g, "grouped-query")
    return f"{kind}\ng = {g}"
