"""A layer with its sub-layers around the residual stream, and the two stacks of layers."""

from ..kit import checks
from ..kit.canvas import Canvas
from ..kit.figure import render_figure
from ..kit.style import BODY, NARROW, SMALL

SUBLAYERS_BY_LAYER_KIND = {
    "encoder": ("self-attention", "feed-forward"),
    "decoder": ("masked\nself-attention", "cross-attention", "feed-forward"),
    "decoder-only": ("masked\nself-attention", "feed-forward"),
}
TITLE_BY_WIRING = {"post": "Post-LN, the paper's", "pre": "Pre-LN"}
# px: heights of boxes, radius of the plus, room between
BOX, NORM, PLUS, GAP = 40, 24, 10, 16
BLOCK_HEIGHT = (
    BOX + NORM + 2 * PLUS + 3 * GAP
)  # one sub-layer with its norm and its addition
BOX_GAP = 26  # px between the boxes of a stack


def layer(kind: str, *, norm=None, title, alt):
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
    if kind not in SUBLAYERS_BY_LAYER_KIND:
        raise ValueError(
            f"kind: got {kind!r}, expected one of {', '.join(SUBLAYERS_BY_LAYER_KIND)}; "
            "name the stack that the layer belongs to"
        )

    if norm not in (None, *TITLE_BY_WIRING):
        raise ValueError(
            f"norm: got {norm!r}, expected one of {', '.join(TITLE_BY_WIRING)}, or None for both; "
            "it says where the normalisation stands"
        )
    wirings = [norm] if norm else [*TITLE_BY_WIRING]
    return render_figure(
        _draw_layer, SUBLAYERS_BY_LAYER_KIND[kind], wirings, title=title, alt=alt
    )


def _draw_layer(width, sublayers, wirings):
    panel, between, size = (230, 60, BODY) if width > NARROW else (172, 6, SMALL)
    base = 30 + 26 + len(sublayers) * (BLOCK_HEIGHT + GAP)
    room = len(wirings) * (panel + between) - between
    canvas = Canvas(room, base + 30)
    for column, norm in enumerate(wirings):
        x = column * (panel + between)
        if len(wirings) > 1:
            canvas.label(
                x + 2, 9, TITLE_BY_WIRING[norm], size=size, anchor="left", bold=True
            )
        _draw_stream(canvas, x + 30, base, sublayers, norm == "pre", size, panel - 30)
        canvas.note(x + 2, base + 14, "from the layer below", anchor="left")
    return canvas.figure


def _draw_stream(canvas, x, base_y, sublayers, is_pre_norm, text_size, panel_width):
    """Draw the stream upwards from `base_y`; a branch to the right for each sub-layer."""
    top = base_y - 8 - len(sublayers) * (BLOCK_HEIGHT + GAP)
    canvas.arrow([(x, base_y), (x, top)], "position", thickness=3)
    canvas.note(x + 12, top + 2, "to the layer above", anchor="left")
    left, half = x + 24, (panel_width - 24 - 28) / 2
    middle = left + half
    for i, name in enumerate(sublayers):
        y = base_y - 8 - i * (BLOCK_HEIGHT + GAP)  # where the branch leaves the stream
        plus = (
            y - BLOCK_HEIGHT + PLUS
            if is_pre_norm
            else y - BLOCK_HEIGHT + NORM + GAP + PLUS
        )
        low = y - GAP
        canvas.arrow([(x, y), (middle, y), (middle, low)])
        if is_pre_norm:
            canvas.box(
                middle - 27, low - NORM, 54, NORM, "norm", "position", size=text_size
            )
            canvas.arrow([(middle, low - NORM), (middle, low - NORM - GAP)])
            low -= NORM + GAP
        else:
            canvas.box(
                x - 27, y - BLOCK_HEIGHT, 54, NORM, "norm", "position", size=text_size
            )
        role = "ink" if name == "feed-forward" else "attention"
        canvas.box(left, low - BOX, 2 * half, BOX, name, role, size=text_size)
        canvas.arrow([(middle, low - BOX), (middle, plus), (x + PLUS, plus)])
        canvas.plus(x, plus, PLUS)
        if name == "cross-attention":
            canvas.role_letter(middle + 11, low + GAP / 2, "q")
            _draw_memory(canvas, x + panel_width, left + 2 * half, low - BOX / 2)


def _draw_memory(canvas, panel_right, box_right, y):
    """Draw the keys and values that come from the memory, at the right of the panel."""
    for shift, role in ((-9, "k"), (9, "v")):
        canvas.arrow([(panel_right - 12, y + shift), (box_right, y + shift)], role)
        canvas.role_letter(panel_right - 5, y + shift, role)
    canvas.label(panel_right, y - BOX / 2 - 8, "memory", size=SMALL, anchor="right")


def stacks(N: int = 3, *, paired_layers=False, title, alt):
    """Draw the two stacks of N layers, what enters them, and how they are connected.

    Parameters
    ----------
    N : int
        Layers in each stack, 1 to 6.
    paired_layers : bool
        Draw the usual mistake instead: each decoder layer reads the encoder layer beside it.

    Raises
    ------
    ValueError
        If `N` is not an integer from 1 to 6.
    """
    checks.count(N, "N", 6, "three show how it goes on")

    return render_figure(_draw_stacks, N, paired_layers, title=title, alt=alt)


def _draw_stacks(width, N: int, paired_layers):
    column, lane = (180, 150) if width > NARROW else (136, 72)
    decoder = 2 + column + lane
    tall = BOX - 6
    step = tall + BOX_GAP
    # Layer 1 lies lowest.
    levels = [16 + BOX_GAP + (2 + i) * step for i in range(N)][::-1]
    base = levels[0] + step  # the top of the embeddings
    canvas = Canvas(decoder + column + 2, base + BOX + BOX_GAP + 20)
    for x, name, words in (
        (2, "encoder", "source"),
        (decoder, "decoder", "target so far"),
    ):
        middle = x + column / 2
        canvas.label(middle, base + BOX + BOX_GAP + 9, words, role="quiet")
        canvas.arrow([(middle, base + BOX + BOX_GAP - 2), (middle, base + BOX)])
        canvas.box(x, base, column, BOX, "embedding\n+ positions", "position")
        for i, y in enumerate(levels):
            stream = [(middle, y + tall + BOX_GAP), (middle, y + tall)]
            canvas.arrow(stream, "position", thickness=3)
            canvas.box(x, y, column, tall, f"{name} layer {i + 1}", "attention")
    top, middle = levels[-1], decoder + column / 2
    for name in ("linear", "softmax"):
        canvas.arrow([(middle, top), (middle, top - BOX_GAP)])
        top -= step
        canvas.box(decoder, top, column, tall, name)
    canvas.arrow([(middle, top), (middle, top - BOX_GAP + 4)])
    canvas.label(middle, top - BOX_GAP - 6, "probabilities", role="quiet")
    middles = [y + tall / 2 for y in levels]
    if paired_layers:
        for level in middles:
            ends = [(2 + column, level), (decoder, level)]
            canvas.arrow(ends, "wrong", dashed=True)
    else:
        _draw_bridge(canvas, 2 + column / 2, decoder, middles, levels[-1])
    return canvas.figure


def _draw_bridge(canvas, encoder_x, decoder_x, layer_ys: list[float], top):
    """Lead the end of the encoder over to all layers of the decoder."""
    lane, over = decoder_x - 28, top - BOX_GAP
    canvas.line(
        [(encoder_x, top), (encoder_x, over), (lane, over), (lane, layer_ys[0])]
    )
    canvas.label(encoder_x, over - 13, "memory", bold=True)
    for y in layer_ys:
        canvas.arrow([(lane, y), (decoder_x, y)])
