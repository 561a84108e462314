"""The three uses of attention in one picture: where queries, keys and values come from."""

from ..kit import draw
from ..kit.figure import render
from ..kit.style import BODY, NARROW, SMALL, canvas

CHIP, ENTRY = 28, 40  # px: the box of an attention; the room for the arrows below it
HEAD = 22  # px: the name of a layer
ENCODER, DECODER = HEAD + CHIP + 8, HEAD + 2 * CHIP + ENTRY + 8
LETTERS = ("q", "k", "v")


def three_uses(layers=2, *, title, alt):
    """Draw encoder and decoder with the attention of each layer, and what feeds it.

    Feed-forward layers, residuals and norms are left out.

    Parameters
    ----------
    layers : int
        How many layers each stack has, 1 to 6.

    Raises
    ------
    ValueError
        If `layers` is not a whole number from 1 to 6.
    """
    if not isinstance(layers, int) or isinstance(layers, bool) or not 1 <= layers <= 6:
        raise ValueError(
            f"layers: got {layers!r}, expected a whole number from 1 to 6; "
            "two show how it goes on"
        )

    return render(_three_uses, layers, title=title, alt=alt)


def _three_uses(width, layers):
    encoder, lane, decoder = (180, 130, 210) if width > NARROW else (112, 74, 160)
    base = layers * (DECODER + ENTRY) + 30
    drawing, ax = canvas(4 + encoder + lane + decoder, base + 26)
    x = 2 + encoder + lane
    draw.label(ax, 2 + encoder / 2, base + 12, "source, n rows", role="quiet")
    draw.label(ax, x + decoder / 2, base + 12, "target, m rows", role="quiet")
    top, turns = base, []
    for layer in range(1, layers + 1):
        top = _encoder_layer(ax, 2, top, encoder, layer)
    _memory(ax, 2 + encoder / 2, top, x - 44)
    memory, top = top - 24, base
    for layer in range(1, layers + 1):
        top, turn = _decoder_layer(ax, x, top, decoder, layer)
        turns.append(turn)
    low, high = max(*turns, memory), min(*turns, memory)
    draw.stroke(ax, [(x - 44, low + 7), (x - 44, high - 7)], role="ink", thickness=1.5)
    draw.arrow(ax, [(x + decoder / 2, top), (x + decoder / 2, top - 22)])
    return drawing


def _encoder_layer(ax, x, below, width, layer):
    """Draw one layer whose input comes from `below`; return the y of its top."""
    top = below - ENTRY - ENCODER
    _layer(ax, x, top, width, ENCODER, f"encoder layer {layer}")
    _chip(ax, x, top + HEAD, width, "self-attention")
    _fork(ax, x + width / 2, below, top + HEAD + CHIP)
    return top


def _decoder_layer(ax, x, below, width, layer):
    """Draw one layer; return the y of its top, and the y where the memory enters."""
    top = below - ENTRY - DECODER
    _layer(ax, x, top, width, DECODER, f"decoder layer {layer}")
    _chip(ax, x, top + HEAD, width, "cross-attention", bold=True)
    masked = top + HEAD + CHIP + ENTRY
    _chip(ax, x, masked, width, "masked self-attention")
    _fork(ax, x + width / 2, below, masked + CHIP)
    middle = x + width / 2
    draw.arrow(ax, [(middle, masked), (middle, top + HEAD + CHIP + 1)], "q")
    draw.label(
        ax, middle + 12, masked - ENTRY / 2, "Q", role="q", size=SMALL, bold=True
    )
    turn = top + HEAD + CHIP / 2
    for shift, role in ((-7, "k"), (7, "v")):
        draw.arrow(ax, [(x - 44, turn + shift), (x + 7, turn + shift)], role)
        draw.label(
            ax,
            x - 24,
            turn + shift * 2.3,
            role.upper(),
            role=role,
            size=SMALL,
            bold=True,
        )
    return top, turn


def _memory(ax, x, top, lane):
    """Draw the way of what the last encoder layer gives, up and over to the decoder."""
    draw.stroke(
        ax, [(x, top), (x, top - 24), (lane, top - 24)], role="ink", thickness=1.5
    )
    draw.label(ax, x, top - 38, "memory, n rows", size=BODY, bold=True)


def _layer(ax, x, y, width, height, name):
    draw.outline(ax, x, y, width, height, role="quiet", radius=6, thickness=1)
    draw.label(ax, x + 8, y + 12, name, role="quiet", size=SMALL, anchor="left")


def _chip(ax, x, y, width, name, bold=False):
    draw.outline(
        ax, x + 8, y, width - 16, CHIP, role="attention", radius=5, thickness=1.5
    )
    draw.label(ax, x + width / 2, y + CHIP / 2, name, size=SMALL, bold=bold)


def _fork(ax, x, below, above):
    """Split one input into the arrows of queries, keys and values."""
    fork = below - 12
    draw.stroke(ax, [(x, below), (x, fork)], role="ink", thickness=1.5)
    draw.stroke(ax, [(x - 30, fork), (x + 30, fork)], role="ink", thickness=1.5)
    for shift, role in zip((-30, 0, 30), LETTERS, strict=True):
        draw.arrow(ax, [(x + shift, fork), (x + shift, above + 1)], role)
        draw.label(
            ax,
            x + shift + 11,
            (fork + above) / 2 - 2,
            role.upper(),
            role=role,
            size=SMALL,
            bold=True,
        )
