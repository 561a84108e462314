"""A finished figure: inline SVG for a page, a picture for everything else."""

import io
from functools import cached_property

import numpy as np
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure as Drawing
from PIL import Image

from . import checks, symbols
from .canvas import Canvas
from .style import BODY, NARROW, PX_PER_INCH, SMALL, WIDE, book_style, wrap
from .svg import page_svg

DPI = 144
PHONE_WIDTH = 358  # px a phone of 390 px leaves a figure
# Px; a figure shrinks until its smallest text is this high, then scrolls.
LEGIBLE_HEIGHT = 10


class Figure:
    """What every function of this module returns; as the last line of a cell it shows itself.

    On a page it is inline SVG that follows the theme, drawn once for the text column and, where
    that is too wide for a phone, once more for a phone. Elsewhere it is a PNG with its title.

    Parameters
    ----------
    wide : matplotlib.figure.Figure
        The drawing, in the book's style and colours.
    title : str
        The finding, shown above the figure.
    alt : str
        What the figure shows, for someone who cannot see it.
    narrow : matplotlib.figure.Figure or float, optional
        The same for a phone; a number is a width in px at which `wide` lays itself out again.
    links_by_group : dict, optional
        For a figure with links: group name -> (href or None, accessible name).
    smallest : float
        The size of its smallest text, in px.
    """

    def __init__(
        self, wide, *, title, alt, narrow=None, links_by_group=None, smallest=SMALL
    ):
        self.title = checks.text(title, "title")
        self.alt = checks.text(alt, "alt")
        self._wide, self._narrow, self._links_by_group = wide, narrow, links_by_group
        self._room = max_legible_width(smallest)
        self.svg  # a colour outside the palette is refused here, not when the page is built

    def __repr__(self):
        return f"{self.title}\n{self.alt}"

    @property
    def width(self) -> float:
        """The natural width, in px."""
        return self._wide.get_figwidth() * PX_PER_INCH

    @cached_property
    def svg(self) -> str:
        """The SVG for the text column, as a string."""
        with book_style():
            return page_svg(self._wide, self.alt, self._links_by_group)

    @cached_property
    def narrow_svg(self):
        """The SVG for a phone; None where the other one serves there too."""
        if self._narrow is None:
            return None
        with book_style():
            if not isinstance(self._narrow, Drawing):
                return self._render_at_width(self._narrow)
            return page_svg(self._narrow, self.alt, self._links_by_group)

    def _render_at_width(self, width: int):
        inches = self._wide.get_size_inches().copy()
        try:
            self._wide.set_size_inches(width / PX_PER_INCH, inches[1])
            return page_svg(self._wide, self.alt, self._links_by_group)
        finally:
            self._wide.set_size_inches(inches)

    @cached_property
    def html(self) -> str:
        """A `<figure>` element, with the title as text and the SVG below it."""
        if self._narrow is None:
            body = _scroll_if_wide(self.svg, self.width, self._room)
        else:
            small = self._narrow
            if isinstance(small, Drawing):
                small = small.get_figwidth() * PX_PER_INCH
            # Without the site's style sheet (a notebook) only the wide one shows.
            wide = _scroll_if_wide(self.svg, self.width, WIDE)
            narrow = _scroll_if_wide(self.narrow_svg, small, self._room)
            body = (
                f'<div class="tb-wide">{wide}</div>'
                f'<div class="tb-narrow" style="display:none">{narrow}</div>'
            )
        return (
            '<figure class="tb-figure">'
            '<figcaption class="tb-title" style="font-weight:600;margin:0 0 0.75rem">'
            f"{symbols.subscripts_in_html(self.title)}</figcaption>{body}</figure>"
        )

    @cached_property
    def png(self) -> bytes:
        """A picture in the light colours on white, title included; the same bytes every time."""
        with book_style():
            parts = [
                _rasterise(_draw_heading(self.title, self.width)),
                _rasterise(self._wide),
            ]
        widest = max(part.shape[1] for part in parts)
        parts = [
            np.pad(
                part, ((0, 0), (0, widest - part.shape[1]), (0, 0)), constant_values=255
            )
            for part in parts
        ]
        out = io.BytesIO()
        Image.fromarray(np.vstack(parts)).save(out, format="PNG", dpi=(DPI, DPI))
        return out.getvalue()

    def _repr_mimebundle_(self, include=None, exclude=None) -> tuple:
        height = int.from_bytes(self.png[20:24], "big")
        width = int.from_bytes(self.png[16:20], "big")
        scale = PX_PER_INCH / DPI
        data = {"text/html": self.html, "image/png": self.png, "text/plain": repr(self)}
        size = {"width": round(width * scale), "height": round(height * scale)}
        return data, {"image/png": size}


def finish(fig, *, title, alt) -> Figure:
    """Turn a matplotlib figure drawn with the book's style into a `Figure`.

    Parameters
    ----------
    fig : matplotlib.figure.Figure
        From `new`, drawn in the colours of `colour`.
    title : str
        The finding, in a sentence.
    alt : str
        What the figure shows, for someone who cannot see it.

    Raises
    ------
    ValueError
        If `fig` is no matplotlib figure, a colour is not the book's, or a text is missing.
    """
    if not isinstance(fig, Drawing):
        raise ValueError(
            f"fig: got {type(fig).__name__}, expected a matplotlib figure; give the first of the "
            "two that figures.new_figure() returns"
        )
    wide = fig.get_figwidth() * PX_PER_INCH > max_legible_width(SMALL)
    again = NARROW if wide and fig.get_layout_engine() is not None else None
    return Figure(fig, title=title, alt=alt, narrow=again)


def render_figure(draw_at_width, *arguments, title, alt) -> Figure:
    """Return the `Figure` of `draw(width, *arguments)`: for the text column, and for a phone."""
    with book_style():
        wide = draw_at_width(WIDE, *arguments)
        narrow = None
        if wide.get_figwidth() * PX_PER_INCH > max_legible_width(SMALL):
            narrow = draw_at_width(NARROW, *arguments)
            if narrow.get_figwidth() >= wide.get_figwidth():
                narrow = None
    return Figure(wide, title=title, alt=alt, narrow=narrow)


def max_legible_width(smallest_text) -> float:
    """Return the widest, in px, that a figure may be and still be read when a phone shrinks it."""
    return PHONE_WIDTH * smallest_text / LEGIBLE_HEIGHT


def _scroll_if_wide(svg: str, width, room_width) -> str:
    """Let an SVG wider than the room it gets scroll in a box, so that the page never does."""
    if width <= room_width + 0.5:
        return svg
    svg = svg.replace("max-width:100%", "max-width:none", 1)
    return (
        '<div class="tb-scroll" style="overflow-x:auto" tabindex="0" role="group" '
        f'aria-label="Scrolls sideways">{svg}</div>'
    )


def _rasterise(drawing):
    """Return a drawing as an array (height, width, 3) of bytes, on white."""
    before = drawing.dpi
    drawing.set_dpi(DPI)
    agg = FigureCanvasAgg(drawing)
    with symbols.subscripts_in_picture(drawing):
        agg.draw()
    pixels = Image.fromarray(np.asarray(agg.buffer_rgba()))
    drawing.set_dpi(before)
    page = Image.new("RGBA", pixels.size, "white")
    page.alpha_composite(pixels)
    return np.asarray(page.convert("RGB"))


def _draw_heading(title: str, width):
    """Draw the title, broken into lines that fit."""
    lines = wrap(title.split(), width - 8, "bold")
    canvas = Canvas(width, 12 + 18 * len(lines))
    for i, line in enumerate(lines):
        y = 16 + 18 * i - 0.36 * BODY
        canvas.label(1, y, line, anchor="left", bold=True)
    return canvas.figure
