"""The three uses of attention in one picture: where queries, keys and values come from."""

from ..kit import checks
from ..kit.canvas import Canvas
from ..kit.figure import render_figure
from ..kit.style import BODY, NARROW, SMALL

CHIP, ENTRY = 28, 40  # px: the box of an attention; the room for the arrows below it
NAME_HEIGHT = 22  # px: the name of a layer
ENCODER_HEIGHT, DECODER_HEIGHT = (
    NAME_HEIGHT + CHIP + 8,
    NAME_HEIGHT + 2 * CHIP + ENTRY + 8,
)


def attention_uses(layers: int = 2, *, title, alt):
    """Draw encoder and decoder with the attention of each layer, and what feeds it.

    Feed-forward layers, residuals and norms are left out.

    Parameters
    ----------
    layers : int
        How many layers each stack has, 1 to 6.

    Raises
    ------
    ValueError
        If `layers` is not an integer from 1 to 6.
    """
    checks.count(layers, "layers", 6, "two show how it goes on")

    return render_figure(_draw_three_uses, layers, title=title, alt=alt)


def _draw_three_uses(width, layers: int):
    encoder, lane, decoder = (180, 130, 210) if width > NARROW else (112, 74, 160)
    base = layers * (DECODER_HEIGHT + ENTRY) + 30
    canvas = Canvas(4 + encoder + lane + decoder, base + 26)
    x = 2 + encoder + lane
    canvas.label(2 + encoder / 2, base + 12, "source, n rows", role="quiet")
    canvas.label(x + decoder / 2, base + 12, "target, m rows", role="quiet")
    top, turns = base, []
    for layer in range(1, layers + 1):
        top = _draw_encoder_layer(canvas, 2, top, encoder, layer)
    _draw_memory(canvas, 2 + encoder / 2, top, x - 44)
    memory, top = top - 24, base
    for layer in range(1, layers + 1):
        top, turn = _draw_decoder_layer(canvas, x, top, decoder, layer)
        turns.append(turn)
    low, high = max(*turns, memory), min(*turns, memory)
    canvas.line([(x - 44, low + 7), (x - 44, high - 7)])
    canvas.arrow([(x + decoder / 2, top), (x + decoder / 2, top - 22)])
    return canvas.figure


def _draw_encoder_layer(canvas, x, y_below: int, width, layer_number: int):
    """Draw one layer whose input comes from `y_below`; return the y of its top."""
    top = y_below - ENTRY - ENCODER_HEIGHT
    _draw_layer_frame(
        canvas, x, top, width, ENCODER_HEIGHT, f"encoder layer {layer_number}"
    )
    _draw_chip(canvas, x, top + NAME_HEIGHT, width, "self-attention")
    _draw_fork(canvas, x + width / 2, y_below, top + NAME_HEIGHT + CHIP)
    return top


def _draw_decoder_layer(canvas, x, y_below: int, width, layer_number: int) -> tuple:
    """Draw one layer; return the y of its top, and the y where the memory enters."""
    top = y_below - ENTRY - DECODER_HEIGHT
    _draw_layer_frame(
        canvas, x, top, width, DECODER_HEIGHT, f"decoder layer {layer_number}"
    )
    _draw_chip(canvas, x, top + NAME_HEIGHT, width, "cross-attention", bold=True)
    masked = top + NAME_HEIGHT + CHIP + ENTRY
    _draw_chip(canvas, x, masked, width, "masked self-attention")
    _draw_fork(canvas, x + width / 2, y_below, masked + CHIP)
    middle = x + width / 2
    canvas.arrow([(middle, masked), (middle, top + NAME_HEIGHT + CHIP + 1)], "q")
    canvas.role_letter(middle + 12, masked - ENTRY / 2, "q")
    turn = top + NAME_HEIGHT + CHIP / 2
    for shift, role in ((-7, "k"), (7, "v")):
        canvas.arrow([(x - 44, turn + shift), (x + 7, turn + shift)], role)
        canvas.role_letter(x - 24, turn + shift * 2.3, role)
    return top, turn


def _draw_memory(canvas, x, top, lane_x):
    """Draw the way of the last encoder layer's output, up and over to the decoder."""
    canvas.line([(x, top), (x, top - 24), (lane_x, top - 24)])
    canvas.label(x, top - 38, "memory, n rows", size=BODY, bold=True)


def _draw_layer_frame(canvas, x, y, width, height, name: str):
    canvas.outline(x, y, width, height, role="quiet", radius=6, thickness=1)
    canvas.note(x + 8, y + 12, name, anchor="left")


def _draw_chip(canvas, x, y, width, name: str, bold=False):
    style = {"role": "attention", "radius": 5, "thickness": 1.5}
    canvas.outline(x + 8, y, width - 16, CHIP, **style)
    canvas.label(x + width / 2, y + CHIP / 2, name, size=SMALL, bold=bold)


def _draw_fork(canvas, x, y_below, y_above):
    """Split one input into the arrows of queries, keys and values."""
    fork = y_below - 12
    canvas.line([(x, y_below), (x, fork)])
    canvas.line([(x - 30, fork), (x + 30, fork)])
    for shift, role in zip((-30, 0, 30), "qkv", strict=True):
        canvas.arrow([(x + shift, fork), (x + shift, y_above + 1)], role)
        canvas.role_letter(x + shift + 11, (fork + y_above) / 2 - 2, role)
