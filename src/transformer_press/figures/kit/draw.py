"""The few marks all drawings on a canvas are made of; positions and sizes in px, y down."""

from matplotlib.patches import FancyBboxPatch, PathPatch, Rectangle
from matplotlib.path import Path

from .palette import colour
from .style import BODY, points

_ANCHOR = {"left": "left", "middle": "center", "right": "right"}


def label(
    ax, x, y, text, *, size=BODY, role="ink", anchor="middle", bold=False, **kwargs
):
    """Write a text whose small letters are centred on y, whatever letters they are."""
    return ax.text(
        x,
        y + 0.36 * size,
        text,
        fontsize=points(size),
        color=colour(role),
        ha=_ANCHOR[anchor],
        va="baseline",
        fontweight="bold" if bold else "normal",
        **kwargs,
    )


def rectangle(ax, x, y, width, height, *, role, opacity=1.0, **kwargs):
    """Fill a rectangle without an edge."""
    return _add(
        ax,
        Rectangle(
            (x, y),
            width,
            height,
            facecolor=colour(role),
            alpha=opacity,
            linewidth=0,
            **kwargs,
        ),
    )


def outline(
    ax,
    x,
    y,
    width,
    height,
    *,
    role="ink",
    thickness=2,
    radius=0,
    dashed=False,
    **kwargs,
):
    """Draw the edge of a box, with round corners where a radius is given."""
    style = {
        "facecolor": "none",
        "edgecolor": colour(role),
        "linewidth": points(thickness),
        "linestyle": (0, (4, 3)) if dashed else "-",
    } | kwargs
    if radius:
        shape = f"round,pad=0,rounding_size={radius}"
        return _add(ax, FancyBboxPatch((x, y), width, height, boxstyle=shape, **style))
    return _add(ax, Rectangle((x, y), width, height, **style))


def hatch(ax, x, y, width, height, *, role="wrong"):
    """Hatch a box: what is masked out."""
    _add(
        ax,
        Rectangle(
            (x, y),
            width,
            height,
            facecolor="none",
            edgecolor=colour(role),
            hatch="////",
            linewidth=0,
            alpha=0.7,
        ),
    )


def stroke(
    ax, corners, *, role="quiet", thickness=1, opacity=1.0, curve=False, **kwargs
):
    """Draw a line through the corners, or a cubic curve whose control points they are."""
    codes = [Path.MOVETO] + [Path.CURVE4 if curve else Path.LINETO] * (len(corners) - 1)
    patch = PathPatch(
        Path(corners, codes),
        facecolor="none",
        edgecolor=colour(role),
        linewidth=points(thickness),
        alpha=opacity,
        **kwargs,
    )
    return _add(ax, patch)


def _add(ax, patch):
    """Add a patch that nothing clips: a canvas is as large as its figure."""
    ax.add_patch(patch).set_clip_on(False)
    return patch
