"""The canvas of a diagram and the marks on it; positions and sizes in px, y down."""

from collections.abc import Sequence
from math import hypot

from matplotlib.figure import Figure as Drawing
from matplotlib.patches import Circle, FancyBboxPatch, PathPatch, Polygon, Rectangle
from matplotlib.path import Path

from .palette import colour
from .style import BODY, GLOSS_GAP, PX_PER_INCH, SMALL, text_width, to_points

DASH_PATTERN = (0, (4, 3))
_ALIGNMENT_BY_ANCHOR = {"left": "left", "middle": "center", "right": "right"}


class Canvas:
    """A drawing surface whose unit is the CSS pixel, with y pointing down.

    Parameters
    ----------
    width, height : float
    left, top : float
        The coordinates of its upper left corner.
    """

    def __init__(self, width, height, *, left=0, top=0):
        self.figure = Drawing(figsize=(width / PX_PER_INCH, height / PX_PER_INCH))
        self.axes = self.figure.add_axes((0, 0, 1, 1))
        # Without ticks, else matplotlib makes some to look through, and shows none.
        ends = {"xlim": (left, left + width), "ylim": (top + height, top)}
        self.axes.set(**ends, xticks=[], yticks=[])
        self.axes.set_axis_off()

    def label(
        self,
        x,
        y,
        text: str,
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
            self.axes.text(
                x,
                y + (leading or 1.25 * size) * (i - (len(lines) - 1) / 2) + 0.36 * size,
                line,
                fontsize=to_points(size),
                color=colour(role),
                ha=_ALIGNMENT_BY_ANCHOR[anchor],
                va="baseline",
                fontweight="bold" if bold else "normal",
                **kwargs,
            )

    def note(self, x, y, text: str, **kwargs):
        """Write a small, quiet text."""
        self.label(x, y, text, **{"size": SMALL, "role": "quiet"} | kwargs)

    def role_letter(self, x, y, role: str):
        """Write what a line carries: Q, K or V, small and bold."""
        self.label(x, y, role.upper(), role=role, size=SMALL, bold=True)

    def word_with_gloss(
        self, x, y, text, *, size=BODY, anchor="middle", gloss_beside=False, **kwargs
    ):
        """Write a word; its gloss, behind a line break, is small and quiet below or beside it."""
        word, _, gloss = text.partition("\n")
        if not gloss:
            self.label(x, y, word, size=size, anchor=anchor, **kwargs)
        elif gloss_beside:
            self.label(x, y, word, size=size, anchor="left", **kwargs)
            self.note(x + text_width(word, size) + GLOSS_GAP, y, gloss, anchor="left")
        else:
            self.label(x, y - size / 2, word, size=size, anchor=anchor, **kwargs)
            self.note(x, y + size / 2 + 1, gloss, anchor=anchor)

    def slanted_word(self, x, y, text: str, size=BODY):
        """Write a word, with its gloss behind it, that rises to the right from (x, y)."""
        word, _, gloss = text.partition("\n")
        along = (text_width(word, size) + GLOSS_GAP) * 0.707
        for line, start, role, font_size in (
            (word, (x, y), "ink", size),
            (gloss, (x + along, y - along), "quiet", SMALL),
        ):
            if line:
                self.axes.text(
                    *start,
                    line,
                    rotation=45,
                    rotation_mode="anchor",
                    ha="left",
                    va="baseline",
                    fontsize=to_points(font_size),
                    color=colour(role),
                )

    def rectangle(self, x, y, width, height, *, role, opacity=1.0, **kwargs):
        """Fill a rectangle without an edge."""
        style = {"facecolor": colour(role), "alpha": opacity, "linewidth": 0}
        return self._add_patch(Rectangle((x, y), width, height, **style, **kwargs))

    def outline(
        self,
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
        """Draw the edge of a box, with round corners if it has a radius."""
        style = {"facecolor": "none"} | _pen_style(role, thickness, dashed) | kwargs
        if radius:
            style["boxstyle"] = f"round,pad=0,rounding_size={radius}"
            return self._add_patch(FancyBboxPatch((x, y), width, height, **style))
        return self._add_patch(Rectangle((x, y), width, height, **style))

    def box(
        self,
        x,
        y,
        width,
        height,
        text="",
        role="ink",
        *,
        size=BODY,
        radius=5,
        thickness=1.5,
    ):
        """Draw a tinted box, which hides the lines below it, and the text in it."""
        shape = {"x": x, "y": y, "width": width, "height": height, "radius": radius}
        for tint, alpha in (("paper", 1), (role, 0.1)):
            fill = {"facecolor": colour(tint), "alpha": alpha, "linewidth": 0}
            self.outline(**shape, zorder=2, **fill)
        self.outline(**shape, role=role, thickness=thickness, zorder=2)
        self.label(x + width / 2, y + height / 2, text, size=size)

    def circle(self, x, y, radius, *, role="ink", thickness=1.5, fill="none", **kwargs):
        """Draw a circle around (x, y); `fill` is "none" or the role that fills it."""
        style = {
            "facecolor": fill if fill == "none" else colour(fill),
            "edgecolor": colour(role) if thickness else "none",
            "linewidth": to_points(thickness),
        }
        self._add_patch(Circle((x, y), radius, **style | kwargs))

    def plus(self, x, y, radius: float):
        """Draw the addition of a residual connection, which hides the lines below it."""
        self.circle(x, y, radius, role="position", fill="paper", zorder=2)
        self.label(x, y, "+", role="position", bold=True)

    def hatch(self, x, y, width, height, *, role="wrong", pattern="////", opacity=0.7):
        """Hatch a box; in the role "wrong" it is masked out."""
        style = {"thickness": 0, "hatch": pattern, "alpha": opacity}
        self.outline(x, y, width, height, role=role, **style)

    def polygon(self, corners: list[tuple[float, float]], *, role, opacity=1.0):
        """Fill the area between corners."""
        style = {"facecolor": colour(role), "alpha": opacity, "linewidth": 0}
        self.axes.add_patch(Polygon(corners, **style))

    def stroke(
        self,
        corners: Sequence[tuple[float, float]],
        *,
        role="quiet",
        thickness=1,
        opacity=1.0,
        curve=False,
        dashed=False,
        **kwargs,
    ):
        """Draw a line through the corners, or a cubic curve whose control points they are."""
        step = Path.CURVE4 if curve else Path.LINETO
        path = Path(corners, [Path.MOVETO] + [step] * (len(corners) - 1))
        style = {"facecolor": "none", "alpha": opacity}
        self._add_patch(
            PathPatch(path, **style | _pen_style(role, thickness, dashed) | kwargs)
        )

    def line(self, corners, role="ink", *, thickness=1.5, **kwargs):
        """Draw a line as thick as an arrow."""
        self.stroke(corners, role=role, thickness=thickness, **kwargs)

    def arrow(
        self,
        corners: Sequence[tuple[float, float]],
        role: str = "ink",
        *,
        thickness=1.5,
        barb=(6, 4),
        both_ends=False,
        **kwargs,
    ):
        """Draw a line or a curve as `stroke` does, with a head at its end, or at both ends."""
        self.line(corners, role, thickness=thickness, **kwargs)
        for before, tip in (corners[-2:], corners[1::-1])[: 1 + both_ends]:
            direction = tip[0] - before[0], tip[1] - before[1]
            self.arrow_head(tip, direction, role=role, barb=barb)

    def arrow_head(
        self,
        tip: tuple[float, float],
        direction: tuple[float, float],
        *,
        role="ink",
        barb=(6, 4),
    ):
        """Draw the head of an arrow; `barb` is its length and half of its width."""
        length, half_width = (side / hypot(*direction) for side in barb)
        (x, y), (dx, dy) = tip, direction
        left, right = (
            (
                x - length * dx + side * half_width * dy,
                y - length * dy - side * half_width * dx,
            )
            for side in (1, -1)
        )
        self.line([left, tip, right], role)

    def _add_patch(self, patch):
        """Add a patch that nothing clips: a canvas is as large as its figure."""
        # Not add_patch, which measures it for limits that a canvas has already.
        self.axes.add_artist(patch).set_clip_on(False)
        return patch


def _pen_style(role: str, thickness: float, dashed: bool) -> dict:
    return {
        "edgecolor": colour(role),
        "linewidth": to_points(thickness),
        "linestyle": DASH_PATTERN if dashed else "-",
    }
