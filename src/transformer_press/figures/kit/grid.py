"""A matrix as a grid of cells on a canvas: fill, numbers, marks, hatching."""

import io

import numpy as np
from matplotlib.patches import PathPatch
from matplotlib.path import Path
from PIL import Image

from .palette import colour, largest_opacity, rgb_fractions
from .style import BODY, SMALL, text_width, to_points, word_width

# Of opacity in a picture; more would hardly be seen, and would double its bytes.
OPACITY_LEVELS = 32
MAX_CELLS = 400  # cells; beyond, a map without numbers is one picture
TWO_LINE_HEIGHT = 28  # px a row needs whose label has a gloss
GAP = 12  # px between a row's label and its cells
NEGATIVE_ROLE = "k"  # signed maps: the "q" blue is above zero, the "k" orange below


def format_number(value: float, fmt: str) -> str:
    """Write a number for a cell: a true minus sign, no minus zero."""
    text = fmt.format(value)
    if not any(digit in text for digit in "123456789"):
        text = text.replace("-", "")
    return text.replace("-", "\N{MINUS SIGN}")


def common_format(*matrices) -> str:
    """Return the format numbers are usually written in: none or two decimals."""
    integers = all(np.array_equal(M, np.round(M)) for M in matrices)
    return "{:.0f}" if integers else "{:.2f}"


def numbers_width(M: np.ndarray, fmt: str, size=BODY) -> float:
    """Return the width in px of the widest number of M."""
    return max(text_width(format_number(value, fmt), size) for value in M.flat)


class Grid:
    """m x n cells of one size on a canvas, the upper left corner at (x, y).

    Parameters
    ----------
    canvas : Canvas
    x, y : float
        In px.
    shape : (int, int)
        The numbers of rows and of columns.
    cell_width, cell_height : float
        In px.
    """

    def __init__(self, canvas, x, y, shape, cell_width, cell_height):
        self.canvas, self.x, self.y = canvas, x, y
        self.rows, self.columns = shape
        self.cell_width, self.cell_height = cell_width, cell_height
        self.width, self.height = self.columns * cell_width, self.rows * cell_height

    def bounds(self, row: int | None = None, column=None) -> tuple:
        """Return x, y, width and height of a cell, a row, a column or all cells."""
        x, width = self.x, self.width
        if column is not None:
            x, width = self.x + column * self.cell_width, self.cell_width
        y, height = self.y, self.height
        if row is not None:
            y, height = self.y + row * self.cell_height, self.cell_height
        return x, y, width, height

    def outline(self, row: int | None = None, column: int | None = None, **style):
        """Draw the edge of a cell, a row, a column or all cells."""
        self.canvas.outline(*self.bounds(row, column), **style)

    def fill(self, row: int, column: int, role: str, opacity: float, **style):
        """Fill one cell, unless it is as good as empty."""
        if opacity >= 0.005:
            style |= {"role": role, "opacity": round(float(opacity), 3)}
            self.canvas.rectangle(*self.bounds(row, column), **style)

    def draw(
        self,
        M,
        *,
        role,
        signed=None,
        fmt=None,
        mask=None,
        size=BODY,
        largest=None,
        max_cells=MAX_CELLS,
    ):
        """Draw M, each cell as full as its number is large.

        The fullest cell is `largest`, by default that of M; without numbers, more than
        `max_cells` cells are one picture.
        """
        largest = largest or np.abs(M).max() or 1.0
        signed = bool(M.min() < 0) if signed is None else signed
        if not fmt and mask is None and M.size > max_cells:
            for hue, part in [("q", M), (NEGATIVE_ROLE, -M)] if signed else [(role, M)]:
                opacities = np.clip(part / largest, 0, 1)
                draw_cell_image(self.canvas, opacities, hue, *self.bounds())
            self.draw_frame()
            return
        limits = {
            name: largest_opacity(name) if fmt else 1.0
            for name in (role, "q", NEGATIVE_ROLE)
        }
        for (i, j), value in np.ndenumerate(M):
            if mask is not None and not mask[i, j]:
                self.canvas.hatch(*self.bounds(i, j))
                continue
            hue = ("q" if value > 0 else NEGATIVE_ROLE) if signed else role
            self.fill(i, j, hue, abs(value) / largest * limits[hue])
            if fmt:
                self.write(i, j, format_number(value, fmt), size=size)
        self.draw_lines()

    def write(self, row: int, column: int, text: str, **style):
        """Write a text in the middle of a cell."""
        x, y, width, height = self.bounds(row, column)
        self.canvas.label(x + width / 2, y + height / 2, text, **style)

    def draw_frame(self):
        """Draw the hairlines around all cells."""
        Grid(self.canvas, self.x, self.y, (1, 1), self.width, self.height).draw_lines()

    def draw_lines(self):
        """Draw the hairlines between cells and around them."""
        x, y, width, height = self.bounds()
        across = [y + i * self.cell_height for i in range(self.rows + 1)]
        down = [x + j * self.cell_width for j in range(self.columns + 1)]
        ends = [point for at in across for point in ((x, at), (x + width, at))]
        ends += [point for at in down for point in ((at, y), (at, y + height))]
        several = self.rows * self.columns > 1  # small cells are quieter
        thin = several and min(self.cell_width, self.cell_height) < 22
        path = Path(ends, [Path.MOVETO, Path.LINETO] * (len(ends) // 2))
        style = {"linewidth": to_points(1), "alpha": 0.15 if thin else 0.35}
        patch = PathPatch(path, facecolor="none", edgecolor=colour("quiet"), **style)
        self.canvas.axes.add_patch(patch).set_clip_on(False)

    def write_title(self, text: str, role="ink"):
        """Write a name above the middle."""
        middle = self.x + self.width / 2
        self.canvas.label(middle, self.y - 17, text, role=role, bold=True)

    def draw_brackets(self):
        """Draw the square brackets of a matrix just outside."""
        left, right = self.x, self.x + self.width
        top, foot = self.y - 3, self.y + self.height + 3
        for side, inner in ((left - 4, left + 1), (right + 4, right - 1)):
            corners = [(inner, top), (side, top), (side, foot), (inner, foot)]
            self.canvas.stroke(corners, thickness=1.5)

    def write_row_labels(self, labels: list[str] | None, gap=GAP, **style):
        """Write the labels of the rows, ending `gap` px before the cells."""
        for i, text in enumerate(labels or ()):
            y = self.y + (i + 0.5) * self.cell_height
            self.canvas.word_with_gloss(self.x - gap, y, text, anchor="right", **style)


def draw_matrix(
    canvas, title, M, x, y, cell_width, cell_height, *, role, fmt=None, **style
):
    """Draw M with its numbers, in brackets, its title above it; return its grid."""
    grid = Grid(canvas, x, y, M.shape, cell_width, cell_height)
    grid.write_title(title, role)
    grid.draw(M, role=role, fmt=fmt or common_format(M), **style)
    grid.draw_brackets()
    return grid


def draw_color_key(canvas, x, y, end_texts, role, *, fullest_opacity=1, signed=False):
    """Draw what the colours mean, between the texts of two ends; return where it ends."""
    fractions = np.linspace(-1 if signed else 0, 1, 9)
    low, high = end_texts
    canvas.note(x, y, low, anchor="left")
    ramp = Grid(canvas, x + text_width(low, SMALL) + 6, y - 5, (1, 9), 10, 10)
    for column, fraction in enumerate(fractions):
        hue = ("q" if fraction > 0 else NEGATIVE_ROLE) if signed else role
        ramp.fill(0, column, hue, abs(fraction) * fullest_opacity)
    ramp.draw_frame()
    end = ramp.x + ramp.width + 6
    canvas.note(end, y, high, anchor="left")
    return end + text_width(high, SMALL)


def draw_cell_image(canvas, opacities: np.ndarray, role, x, y, width, height):
    """Draw many cells of one colour as one picture; on a page it becomes a themed mask.

    Parameters
    ----------
    opacities : array, shape (m, n)
        From 0 to 1.
    """
    levels = np.round(opacities * (OPACITY_LEVELS - 1)) / (OPACITY_LEVELS - 1)
    pixels = np.empty((*opacities.shape, 4))
    pixels[..., :3], pixels[..., 3] = rgb_fractions(colour(role)), levels
    image = canvas.axes.imshow(
        pixels,
        extent=(x, x + width, y + height, y),
        interpolation="nearest",
        aspect="auto",
        gid=f"tb-fill-{role}",
    )
    # Squares stay sharp; where cells are narrower than pixels, neighbours are averaged instead.
    sharp = min(width / opacities.shape[1], height / opacities.shape[0]) >= 2
    image.set_interpolation("nearest" if sharp else "antialiased")
    image.tb_fill = (_mask_png(levels), colour(role), (x, y, width, height), sharp)


def _mask_png(cell_opacities: np.ndarray) -> bytes:
    """Return a PNG with these opacities: as a palette they take half the bytes of grey."""
    indices = np.round(cell_opacities * (OPACITY_LEVELS - 1)).astype(np.uint8)
    steps = Image.fromarray(indices).convert("P")
    steps.putpalette([255] * 3 * OPACITY_LEVELS)
    opacities = bytes(
        round(255 * i / (OPACITY_LEVELS - 1)) for i in range(OPACITY_LEVELS)
    )
    out = io.BytesIO()
    steps.save(out, "PNG", optimize=True, transparency=opacities)
    return out.getvalue()


def labels_width(labels: list[str] | None, size=BODY, gloss_beside=False) -> float:
    """Return the width in px of the widest label, 0 where there are none."""
    widths = (
        word_width(text, size, gloss_beside=gloss_beside) for text in labels or ()
    )
    return max(widths, default=0)


def has_gloss(labels: list[str] | None) -> bool:
    """Whether a label has a gloss under it."""
    return any("\n" in text for text in labels or ())
