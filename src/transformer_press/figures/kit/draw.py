"""The few marks all drawings on a canvas are made of; positions and sizes in px, y down."""

from math import hypot

from matplotlib.patches import Circle, FancyBboxPatch, PathPatch, Rectangle
from matplotlib.path import Path

from .palette import colour
from .style import APART, BODY, SMALL, points, text_width

DASHED = (0, (4, 3))
_ANCHOR = {"left": "left", "middle": "center", "right": "right"}


def label(
    ax,
    x,
    y,
    text,
    *,
    size=BODY,
    role="ink",
    anchor="middle",
    bold=False,
    leading=None,
    **kwargs,
):
    """Write lines of text around y; the small letters of one line are centred on it."""
    lines = text.split("\n")
    for i, line in enumerate(lines):
        ax.text(
            x,
            y + (leading or 1.25 * size) * (i - (len(lines) - 1) / 2) + 0.36 * size,
            line,
            fontsize=points(size),
            color=colour(role),
            ha=_ANCHOR[anchor],
            va="baseline",
            fontweight="bold" if bold else "normal",
            **kwargs,
        )


def note(ax, x, y, text, **kwargs):
    """Write a small, quiet text."""
    label(ax, x, y, text, **{"size": SMALL, "role": "quiet"} | kwargs)


def word(ax, x, y, text, *, size=BODY, anchor="middle", beside=False, **kwargs):
    """Write a word; its gloss, behind a line break, is small and quiet below or beside it."""
    first, _, gloss = text.partition("\n")
    if not gloss:
        label(ax, x, y, first, size=size, anchor=anchor, **kwargs)
    elif beside:
        label(ax, x, y, first, size=size, anchor="left", **kwargs)
        note(ax, x + text_width(first, size) + APART, y, gloss, anchor="left")
    else:
        label(ax, x, y - size / 2, first, size=size, anchor=anchor, **kwargs)
        note(ax, x, y + size / 2 + 1, gloss, anchor=anchor)


def slanted(ax, x, y, text, size=BODY):
    """Write a word, with its gloss behind it, that rises to the right from (x, y)."""
    first, _, gloss = text.partition("\n")
    along = (text_width(first, size) + APART) * 0.707
    for part, place, role, high in (
        (first, (x, y), "ink", size),
        (gloss, (x + along, y - along), "quiet", SMALL),
    ):
        if part:
            ax.text(
                *place,
                part,
                rotation=45,
                rotation_mode="anchor",
                ha="left",
                va="baseline",
                fontsize=points(high),
                color=colour(role),
            )


def rectangle(ax, x, y, width, height, *, role, opacity=1.0, **kwargs):
    """Fill a rectangle without an edge."""
    style = {"facecolor": colour(role), "alpha": opacity, "linewidth": 0}
    return _add(ax, Rectangle((x, y), width, height, **style, **kwargs))


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
        "linestyle": DASHED if dashed else "-",
    } | kwargs
    if radius:
        shape = f"round,pad=0,rounding_size={radius}"
        return _add(ax, FancyBboxPatch((x, y), width, height, boxstyle=shape, **style))
    return _add(ax, Rectangle((x, y), width, height, **style))


def box(
    ax, x, y, width, height, text="", role="ink", *, size=BODY, radius=5, thickness=1.5
):
    """Draw a tinted box, which hides the lines below it, and the text in it."""
    place = (ax, x, y, width, height)
    for tint, alpha in (("paper", 1), (role, 0.1)):
        fill = {"facecolor": colour(tint), "alpha": alpha, "linewidth": 0}
        outline(*place, radius=radius, zorder=2, **fill)
    outline(*place, role=role, radius=radius, thickness=thickness, zorder=2)
    label(ax, x + width / 2, y + height / 2, text, size=size)


def circle(ax, x, y, radius, *, role="ink", thickness=1.5, fill="none", **kwargs):
    """Draw a circle around (x, y), filled with a role's colour where one is named."""
    style = {
        "facecolor": fill if fill == "none" else colour(fill),
        "edgecolor": colour(role) if thickness else "none",
        "linewidth": points(thickness),
    }
    _add(ax, Circle((x, y), radius, **style | kwargs))


def hatch(ax, x, y, width, height, *, role="wrong"):
    """Hatch a box: what is masked out."""
    style = {"thickness": 0, "hatch": "////", "alpha": 0.7}
    outline(ax, x, y, width, height, role=role, **style)


def stroke(
    ax,
    corners,
    *,
    role="quiet",
    thickness=1,
    opacity=1.0,
    curve=False,
    dashed=False,
    **kwargs,
):
    """Draw a line through the corners, or a cubic curve whose control points they are."""
    codes = [Path.MOVETO] + [Path.CURVE4 if curve else Path.LINETO] * (len(corners) - 1)
    style = {
        "facecolor": "none",
        "edgecolor": colour(role),
        "linewidth": points(thickness),
        "linestyle": DASHED if dashed else "-",
        "alpha": opacity,
    } | kwargs
    return _add(ax, PathPatch(Path(corners, codes), **style))


def arrow(ax, corners, role="ink", *, thickness=1.5, barb=(6, 4), both=False, **kwargs):
    """Draw a line or a curve as `stroke` does, with a head at its end, or at both ends."""
    stroke(ax, corners, role=role, thickness=thickness, **kwargs)
    for before, tip in (corners[-2:], corners[1::-1])[: 1 + both]:
        along = tip[0] - before[0], tip[1] - before[1]
        head(ax, tip, along, role=role, barb=barb)


def head(ax, tip, along, *, role="ink", barb=(6, 4)):
    """Draw the head of an arrow that points in the direction `along`, barbs so long and half so wide."""
    long, half = (side / hypot(*along) for side in barb)
    (x, y), (dx, dy) = tip, along
    corners = [
        (x - long * dx + side * half * dy, y - long * dy - side * half * dx)
        for side in (1, -1)
    ]
    stroke(ax, [corners[0], tip, corners[1]], role=role, thickness=1.5)


def _add(ax, patch):
    """Add a patch that nothing clips: a canvas is as large as its figure."""
    # Not add_patch, which measures it for limits that a canvas has already.
    ax.add_artist(patch).set_clip_on(False)
    return patch
