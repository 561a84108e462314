"""One style for every figure: sizes, fonts, and texts measured in CSS pixels."""

import unicodedata
import warnings
from contextlib import contextmanager
from functools import lru_cache

import matplotlib
from matplotlib import font_manager
from matplotlib.figure import Figure as Drawing
from matplotlib.ft2font import FT2Font
from matplotlib.rcsetup import cycler
from matplotlib.ticker import MaxNLocator

from .palette import colour

PX_PER_INCH = 96  # a CSS pixel is 1/96 inch: figures are drawn in the units of the page
BODY, SMALL = 13, 11  # the two text sizes of the book, in px
GLOSS_GAP = 6  # px between a word and the gloss beside it
TICK_STEPS = (1, 2, 2.5, 5, 10)  # round numbers, from tick to tick
WIDE, NARROW = 690, 350  # what a figure may fill: the text column of the site, a phone

# DejaVu ships with matplotlib. The others are asked for only where they are installed: they give
# the picture (PNG) its Chinese; on a page the browser has others.
_CHINESE_FONTS = (
    "Noto Sans CJK SC",
    "Noto Sans CJK JP",
    "Source Han Sans SC",
    "PingFang SC",
    "Microsoft YaHei",
    "WenQuanYi Micro Hei",
    "Arial Unicode MS",
)


def to_points(px) -> float:
    """Return a length in points (1/72 inch), which matplotlib wants, for one in CSS pixels."""
    return px * 72 / PX_PER_INCH


@lru_cache(maxsize=1)
def _font_families() -> list[str]:
    installed = {font.name for font in font_manager.fontManager.ttflist}
    return ["DejaVu Sans", *(name for name in _CHINESE_FONTS if name in installed)]


def rc_params() -> dict:
    """Return the rcParams of the book."""
    ink, quiet = colour("ink"), colour("quiet")
    return {
        "font.family": _font_families(),
        "font.size": to_points(BODY),
        "text.color": ink,
        "text.parse_math": False,  # a "$" in a sentence is a dollar
        "axes.labelcolor": quiet,
        "axes.labelsize": to_points(BODY),
        "axes.titlesize": to_points(BODY),
        "axes.edgecolor": quiet,
        "axes.linewidth": to_points(1),
        "axes.facecolor": "none",
        "axes.spines.top": False,
        "axes.spines.right": False,
        "axes.spines.left": False,
        "axes.grid": True,
        "axes.grid.axis": "y",
        "axes.axisbelow": True,
        "axes.prop_cycle": cycler(
            color=[
                colour(role)
                for role in ("q", "k", "v", "attention", "position", "quiet")
            ]
        ),
        "grid.color": quiet,
        "grid.alpha": 0.22,
        "grid.linewidth": to_points(1),
        "xtick.color": quiet,
        "ytick.color": quiet,
        "xtick.labelsize": to_points(SMALL),
        "ytick.labelsize": to_points(SMALL),
        "xtick.major.size": 0,
        "ytick.major.size": 0,
        "xtick.minor.size": 0,
        "ytick.minor.size": 0,
        "legend.frameon": False,
        "legend.fontsize": to_points(SMALL),
        "lines.linewidth": to_points(2),
        "lines.markersize": to_points(6),
        "patch.linewidth": to_points(1),
        "hatch.linewidth": to_points(1),
        "figure.facecolor": "none",
        "figure.dpi": PX_PER_INCH,
        "savefig.facecolor": "none",
        "svg.fonttype": "none",  # text stays text
        "svg.hashsalt": "transformer_book",  # the same ids in every run
        "image.composite_image": False,  # two fills must stay two masks
    }


@contextmanager
def book_style():
    """Draw in the book's style, and keep matplotlib's remarks about fonts off the page."""
    with matplotlib.rc_context(rc_params()), warnings.catch_warnings():
        warnings.filterwarnings("ignore", message=r"Glyph .* missing from")
        yield


def new_figure(width=6.6, height=3.2) -> tuple:
    """Return a matplotlib figure and axes in the book's style, to draw on and give to `finish`.

    The style stays set in this process, so that what you add to the axes has it too.

    Parameters
    ----------
    width, height : float
        In inches of 96 px; 6.6 inches is 634 px. The site's column takes 7.2 inches.

    Raises
    ------
    ValueError
        If a side is not a positive number of inches up to 40.
    """
    for name, side in (("width", width), ("height", height)):
        if not isinstance(side, (int, float)) or not 0 < side <= 40:
            raise ValueError(
                f"{name}: got {side!r}, expected inches above 0 and up to 40; 6.6 by 3.2 is usual"
            )
    matplotlib.rcParams.update(rc_params())
    drawing = Drawing(figsize=(width, height), layout="constrained")
    ax = drawing.add_subplot()
    for axis in (ax.xaxis, ax.yaxis):
        axis.set_major_locator(MaxNLocator(6, steps=TICK_STEPS))
    return drawing, ax


@lru_cache(maxsize=1)
def _measuring_font() -> tuple[FT2Font, set]:
    font = FT2Font(font_manager.findfont("DejaVu Sans"))
    font.set_size(100, 72)
    return font, set(font.get_charmap())


def text_width(text: str, size=BODY, weight="normal") -> float:
    """Return the width of a text in px, the same on every machine.

    DejaVu Sans is wider than the fonts pages are set in, so a text measured with it fits in any
    of them. What DejaVu lacks, Chinese above all, counts as one em when it is wide.
    """
    font, characters = _measuring_font()
    plain = "".join(char for char in text if ord(char) in characters)
    font.set_text(plain, 0.0)
    width = font.get_width_height()[0] / 64 / 100
    for char in text:
        if ord(char) not in characters:
            width += 1.0 if unicodedata.east_asian_width(char) in "WF" else 0.6
    return width * size * (1.1 if weight == "bold" else 1.0)


def word_width(word, size=BODY, weight="normal", gloss_beside=False) -> float:
    """Return the width in px of a word with its gloss, if it has one, below or beside it."""
    first, _, gloss = word.partition("\n")
    widths = [text_width(first, size, weight), text_width(gloss, SMALL)]
    return sum(widths) + (GLOSS_GAP if gloss else 0) if gloss_beside else max(widths)


def wrap(pieces: list[str], width, weight="normal") -> list[str]:
    """Return lines of at most so many px, broken between pieces."""
    lines = [pieces[0]]
    for piece in pieces[1:]:
        longer = f"{lines[-1]} {piece}"
        if text_width(longer, weight=weight) <= width:
            lines[-1] = longer
        else:
            lines.append(piece)
    return lines
