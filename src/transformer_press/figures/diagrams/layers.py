"""A layer with its sub-layers around the residual stream, and the two stacks made of layers."""

from ..kit import draw
from ..kit.figure import render
from ..kit.style import BODY, NARROW, SMALL, canvas

SUBLAYERS = {
    "encoder": ("self-attention", "feed-forward"),
    "decoder": ("masked\nself-attention", "cross-attention", "feed-forward"),
    "decoder-only": ("masked\nself-attention", "feed-forward"),
}
WIRINGS = {"post": "Post-LN, the paper's", "pre": "Pre-LN"}
# px: heights of boxes, radius of the plus, room between
BOX, NORM, PLUS, GAP = 40, 24, 10, 16
BLOCK = BOX + NORM + 2 * PLUS + 3 * GAP  # one sub-layer with its norm and its addition
RISE = 26  # px between the boxes of a stack


def layer(kind, *, norm=None, title, alt):
    """Draw one layer around its residual stream, wired as Post-LN and as Pre-LN.

    Parameters
    ----------
    kind : "encoder", "decoder" or "decoder-only"
    norm : "post", "pre" or None
        Draw only this wiring; by default both, side by side.

    Raises
    ------
    ValueError
        If `kind` or `norm` is none of them.
    """
    if kind not in SUBLAYERS:
        raise ValueError(
            f"kind: got {kind!r}, expected one of {', '.join(SUBLAYERS)}; "
            "name the stack that the layer belongs to"
        )

    if norm not in (None, *WIRINGS):
        raise ValueError(
            f"norm: got {norm!r}, expected one of {', '.join(WIRINGS)}, or None for both; "
            "it says where the normalisation stands"
        )
    wirings = [norm] if norm else [*WIRINGS]
    return render(_layer, SUBLAYERS[kind], wirings, title=title, alt=alt)


def _layer(width, sublayers, wirings):
    panel, between, size = (230, 60, BODY) if width > NARROW else (172, 6, SMALL)
    base = 30 + 26 + len(sublayers) * (BLOCK + GAP)
    room = len(wirings) * (panel + between) - between
    drawing, ax = canvas(room, base + 30)
    for column, norm in enumerate(wirings):
        x = column * (panel + between)
        if len(wirings) > 1:
            draw.label(ax, x + 2, 9, WIRINGS[norm], size=size, anchor="left", bold=True)
        _stream(ax, x + 30, base, sublayers, norm == "pre", size, panel - 30)
        draw.note(ax, x + 2, base + 14, "from the layer below", anchor="left")
    return drawing


def _stream(ax, x, base, sublayers, pre, size, room):
    """Draw the stream upwards from `base`; a branch to the right for each sub-layer."""
    top = base - 8 - len(sublayers) * (BLOCK + GAP)
    draw.arrow(ax, [(x, base), (x, top)], "position", thickness=3)
    draw.note(ax, x + 12, top + 2, "to the layer above", anchor="left")
    left, half = x + 24, (room - 24 - 28) / 2
    middle = left + half
    for i, name in enumerate(sublayers):
        y = base - 8 - i * (BLOCK + GAP)  # where the branch leaves the stream
        plus = y - BLOCK + PLUS if pre else y - BLOCK + NORM + GAP + PLUS
        low = y - GAP
        if pre:
            draw.arrow(ax, [(x, y), (middle, y), (middle, low)])
            draw.box(
                ax, middle - 27, low - NORM, 54, NORM, "norm", "position", size=size
            )
            draw.arrow(ax, [(middle, low - NORM), (middle, low - NORM - GAP)])
            low -= NORM + GAP
        else:
            draw.arrow(ax, [(x, y), (middle, y), (middle, low)])
            draw.box(ax, x - 27, y - BLOCK, 54, NORM, "norm", "position", size=size)
        role = "ink" if name == "feed-forward" else "attention"
        draw.box(ax, left, low - BOX, 2 * half, BOX, name, role, size=size)
        draw.arrow(ax, [(middle, low - BOX), (middle, plus), (x + PLUS, plus)])
        draw.circle(ax, x, plus, PLUS, role="position", fill="paper", zorder=2)
        draw.label(ax, x, plus, "+", role="position", bold=True)
        if name == "cross-attention":
            draw.label(
                ax, middle + 11, low + GAP / 2, "Q", role="q", size=SMALL, bold=True
            )
            _memory(ax, x + room, left + 2 * half, low - BOX / 2)


def _memory(ax, right, edge, y):
    """Draw the keys and values that come from the memory, at the right of the panel."""
    for shift, role in ((-9, "k"), (9, "v")):
        draw.arrow(ax, [(right - 12, y + shift), (edge, y + shift)], role)
        draw.label(
            ax, right - 5, y + shift, role.upper(), role=role, size=SMALL, bold=True
        )
    draw.label(ax, right, y - BOX / 2 - 8, "memory", size=SMALL, anchor="right")


def stacks(N=3, *, pairs=False, title, alt):
    """Draw the two stacks of N layers, what enters them, and how they are connected.

    Parameters
    ----------
    N : int
        Layers in each stack, 1 to 6.
    pairs : bool
        Draw the usual mistake instead: each decoder layer reads the encoder layer beside it.

    Raises
    ------
    ValueError
        If `N` is not a whole number from 1 to 6.
    """
    if not isinstance(N, int) or isinstance(N, bool) or not 1 <= N <= 6:
        raise ValueError(
            f"N: got {N!r}, expected a whole number from 1 to 6; "
            "three show how it goes on"
        )

    return render(_stacks, N, pairs, title=title, alt=alt)


def _stacks(width, N, pairs):
    column, lane = (180, 150) if width > NARROW else (136, 72)
    decoder = 2 + column + lane
    tall = BOX - 6
    step = tall + RISE
    # Layer 1 lies lowest.
    levels = [16 + RISE + (2 + i) * step for i in range(N)][::-1]
    base = levels[0] + step  # the top of the embeddings
    drawing, ax = canvas(decoder + column + 2, base + BOX + RISE + 20)
    for x, name, words in (
        (2, "encoder", "source"),
        (decoder, "decoder", "target so far"),
    ):
        middle = x + column / 2
        draw.label(ax, middle, base + BOX + RISE + 9, words, role="quiet")
        draw.arrow(ax, [(middle, base + BOX + RISE - 2), (middle, base + BOX)])
        draw.box(ax, x, base, column, BOX, "embedding\n+ positions", "position")
        for i, y in enumerate(levels):
            draw.arrow(
                ax,
                [(middle, y + tall + RISE), (middle, y + tall)],
                "position",
                thickness=3,
            )
            draw.box(ax, x, y, column, tall, f"{name} layer {i + 1}", "attention")
    top, middle = levels[-1], decoder + column / 2
    for name in ("linear", "softmax"):
        draw.arrow(ax, [(middle, top), (middle, top - RISE)])
        top -= step
        draw.box(ax, decoder, top, column, tall, name)
    draw.arrow(ax, [(middle, top), (middle, top - RISE + 4)])
    draw.label(ax, middle, top - RISE - 6, "probabilities", role="quiet")
    _bridge(ax, 2 + column, decoder, [y + tall / 2 for y in levels], levels[-1], pairs)
    return drawing


def _bridge(ax, left, right, levels, top, pairs):
    """Lead the encoder over to the decoder: from its end to all layers, or wrongly in pairs."""
    if pairs:
        for y in levels:
            draw.arrow(ax, [(left, y), (right, y)], "wrong", dashed=True)
        return
    start, lane = (left - 2) / 2 + 2, right - 28
    draw.stroke(
        ax,
        [(start, top), (start, top - RISE), (lane, top - RISE), (lane, levels[0])],
        role="ink",
        thickness=1.5,
    )
    draw.label(ax, start, top - RISE - 13, "memory", bold=True)
    for y in levels:
        draw.arrow(ax, [(lane, y), (right, y)])
