"""A matrix as a grid of cells on a canvas: fill, numbers, marks, hatching."""

import io

import numpy as np
from matplotlib.patches import PathPatch
from matplotlib.path import Path
from PIL import Image

from . import draw
from .palette import colour, fullest, rgb
from .style import BODY, points, text_width, word_width

# Of opacity in a picture; more would hardly be seen, and would double its bytes.
LEVELS = 32
MAX_CELLS = 400  # cells; beyond, a map without numbers is one picture
TWO_LINES = 28  # px a row needs whose label has a gloss
NEGATIVE = "k"  # signed maps: the "q" blue is above zero, the "k" orange below


def number(value, fmt):
    """Write a number for a cell: a true minus sign, no minus zero."""
    text = fmt.format(value)
    if not any(digit in text for digit in "123456789"):
        text = text.replace("-", "")
    return text.replace("-", "\N{MINUS SIGN}")


def usual(*matrices):
    """Return the format numbers are usually written in: none or two decimals."""
    whole = all(np.array_equal(M, np.round(M)) for M in matrices)
    return "{:.0f}" if whole else "{:.2f}"


def numbers_width(M, fmt, size=BODY):
    """Return the width in px of the widest number of M."""
    return max(text_width(number(value, fmt), size) for value in M.flat)


def cells(
    ax,
    M,
    x,
    y,
    width,
    height,
    *,
    role,
    signed=None,
    fmt=None,
    mask=None,
    size=BODY,
    most=None,
    max_cells=MAX_CELLS,
):
    """Draw M at (x, y) with cells of width x height px, filled in proportion to their size.

    The fullest cell is `most`, by default the largest of M; without numbers, more than
    `max_cells` cells are one picture.
    """
    most = most or np.abs(M).max() or 1.0
    signed = bool(M.min() < 0) if signed is None else signed
    if not fmt and mask is None and M.size > max_cells:
        size = M.shape[1] * width, M.shape[0] * height
        for hue, part in [("q", M), (NEGATIVE, -M)] if signed else [(role, M)]:
            picture(ax, np.clip(part / most, 0, 1), hue, x, y, *size)
        lines(ax, x, y, (1, 1), *size)
        return
    limits = {name: fullest(name) if fmt else 1.0 for name in (role, "q", NEGATIVE)}
    for (i, j), value in np.ndenumerate(M):
        place = (ax, x + j * width, y + i * height, width, height)
        if mask is not None and not mask[i, j]:
            draw.hatch(*place)
            continue
        hue = ("q" if value > 0 else NEGATIVE) if signed else role
        fill(*place, hue, abs(value) / most * limits[hue])
        if fmt:
            middle = place[1] + width / 2, place[2] + height / 2
            draw.label(ax, *middle, number(value, fmt), size=size)
    lines(ax, x, y, M.shape, width, height)


def fill(ax, x, y, width, height, role, opacity, **kwargs):
    """Fill one cell, unless it is as good as empty."""
    if opacity >= 0.005:
        opacity = round(float(opacity), 3)
        draw.rectangle(ax, x, y, width, height, role=role, opacity=opacity, **kwargs)


def matrix(ax, name, M, x, y, width, height, *, role, fmt=None, size=BODY):
    """Draw M with its numbers, in brackets, its name above it."""
    draw.label(ax, x + M.shape[1] * width / 2, y - 17, name, role=role, bold=True)
    cells(ax, M, x, y, width, height, role=role, fmt=fmt or usual(M), size=size)
    bracket(ax, x, y, M.shape[1] * width, M.shape[0] * height)


def ramp(ax, x, y, fills, width=10):
    """Draw the colours of a key from x on, 10 px high around y: a (role, opacity) for each step."""
    for i, (role, opacity) in enumerate(fills):
        fill(ax, x + i * width, y - 5, width, 10, role, opacity)
    lines(ax, x, y - 5, (1, 1), len(fills) * width, 10)


def lines(ax, x, y, shape, width, height):
    """Draw the hairlines between cells and around them."""
    m, n = shape
    ends = [
        ((x, y + i * height), (x + n * width, y + i * height)) for i in range(m + 1)
    ]
    ends += [
        ((x + j * width, y), (x + j * width, y + m * height)) for j in range(n + 1)
    ]
    path = Path(
        [point for pair in ends for point in pair],
        [Path.MOVETO, Path.LINETO] * len(ends),
    )
    thin = min(width, height) < 22 and m * n > 1  # small cells are quieter
    ax.add_patch(
        PathPatch(
            path,
            facecolor="none",
            edgecolor=colour("quiet"),
            clip_on=False,
            linewidth=points(1),
            alpha=0.15 if thin else 0.35,
        )
    )


def picture(ax, alpha, hue, x, y, width, height):
    """Draw many cells of one colour as one picture; on a page it becomes a themed mask.

    Parameters
    ----------
    alpha : array, shape (m, n)
        The opacity of each cell, 0 to 1.
    """
    levels = np.round(alpha * (LEVELS - 1)) / (LEVELS - 1)
    pixels = np.empty((*alpha.shape, 4))
    pixels[..., :3], pixels[..., 3] = rgb(colour(hue)), levels
    ends = ax.get_xlim(), ax.get_ylim()
    image = ax.imshow(
        pixels,
        extent=(x, x + width, y + height, y),
        interpolation="nearest",
        aspect="auto",
        gid=f"tb-fill-{hue}",
    )
    ax.set(xlim=ends[0], ylim=ends[1])  # imshow would zoom to the picture
    # Squares stay sharp; where cells are narrower than pixels, neighbours are averaged instead.
    sharp = min(width / alpha.shape[1], height / alpha.shape[0]) >= 2
    image.set_interpolation("nearest" if sharp else "antialiased")
    image.tb_fill = (_mask_png(levels), colour(hue), (x, y, width, height), sharp)


def _mask_png(levels):
    """Return a PNG whose alpha is given: a palette of opacities takes half the bytes of grey."""
    steps = Image.fromarray(np.round(levels * (LEVELS - 1)).astype(np.uint8)).convert(
        "P"
    )
    steps.putpalette([255] * 3 * LEVELS)
    opacities = bytes(round(255 * i / (LEVELS - 1)) for i in range(LEVELS))
    out = io.BytesIO()
    steps.save(out, "PNG", optimize=True, transparency=opacities)
    return out.getvalue()


def row_labels(ax, labels, x, y, height):
    """Write the labels of rows, ending at x."""
    for i, text in enumerate(labels or ()):
        draw.word(ax, x, y + (i + 0.5) * height, text, anchor="right")


def labels_width(labels, size=BODY, beside=False):
    """Return the width in px of the widest label, 0 where there are none."""
    widths = (word_width(text, size, beside=beside) for text in labels or ())
    return max(widths, default=0)


def glossed(labels):
    """Whether a label has a gloss under it."""
    return any("\n" in text for text in labels or ())


def bracket(ax, x, y, width, height):
    """Draw the square brackets of a matrix just outside a box."""
    top, foot = y - 3, y + height + 3
    for side, inner in ((x - 4, x + 1), (x + width + 4, x + width - 1)):
        corners = [(inner, top), (side, top), (side, foot), (inner, foot)]
        draw.stroke(ax, corners, thickness=1.5)
