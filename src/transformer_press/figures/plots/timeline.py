"""Who is served when: one bar for each row, over time, divided by what happens in it."""

from numbers import Real

import numpy as np

from ..kit import axes, checks
from ..kit.figure import render_figure
from ..kit.palette import colour

# Of the kinds: how full the first two are, the hatches of the others.
OPACITIES, HATCHES = (0.75, 0.3, 0, 0, 0), ("", "", "////", "....", "xxxx")
ROW_HEIGHT, BAR_HEIGHT, NAME_HEIGHT = (
    20,
    15,
    28,
)  # px: a row, its bar, the name of a panel


def timeline(panels: dict, kinds: dict[str, str], *, x_label, title, alt):
    """Draw panels of rows on one time axis, each row a few spans of some kind.

    Parameters
    ----------
    panels : dict
        Name of a panel -> dict of row -> list of (start, end, kind).
    kinds : dict
        Kind -> role, at most 5. The first two are filled, the others hatched.
    x_label : str
        What the axis measures, with the unit.

    Raises
    ------
    ValueError
        If there is no panel or row, too many kinds, or a span of no kind or of no length.
    """
    rows = [row for panel in panels.values() for row in panel.items()]
    if not rows or not all(panels.values()):
        raise ValueError(
            "panels: got none, or one without rows, expected name -> row -> spans; "
            "give each panel a row"
        )
    if not 1 <= len(kinds) <= len(HATCHES):
        raise ValueError(
            f"kinds: got {len(kinds)}, expected 1 to {len(HATCHES)}; "
            "put similar ones together"
        )
    for name, spans in rows:
        for start, end, kind in spans:
            numbers = isinstance(start, Real) and isinstance(end, Real)
            if not numbers or not 0 <= start < end or kind not in kinds:
                raise ValueError(
                    f"{name!r}: got the span {(start, end, kind)!r}, expected (start, end, "
                    f"kind) with 0 <= start < end and a kind of {list(kinds)}; mend it"
                )
    roles = axes.series_roles(list(kinds), kinds)
    checked = {
        checks.printable_text(title): {
            checks.printable_text(n): spans for n, spans in of.items()
        }
        for title, of in panels.items()
    }
    return render_figure(
        _draw_timeline, checked, dict(zip(kinds, roles)), x_label, title=title, alt=alt
    )


def _draw_timeline(width, panels, role_of_kind, x_label):
    names, middles, spans = [], [], []
    foot = sum(NAME_HEIGHT + ROW_HEIGHT * len(panel) for panel in panels.values())
    ax = axes.new_axes(width, foot + 80, x_label)
    top = 0
    for title, panel in panels.items():
        ax.text(
            0, top + NAME_HEIGHT / 2, title, fontweight="bold", va="center_baseline"
        )
        top += NAME_HEIGHT
        for name, row in panel.items():
            names.append(name)
            middles.append(top + ROW_HEIGHT / 2)
            spans += [(middles[-1], *span) for span in row]
            top += ROW_HEIGHT
    for (kind, role), opacity, hatch in zip(role_of_kind.items(), OPACITIES, HATCHES):
        bars = [(y, start, end - start) for y, start, end, k in spans if k == kind]
        y, left, lengths = np.array(bars).reshape(-1, 3).T
        face, edge = (colour(role), opacity), colour(role)
        style = {"facecolor": face, "edgecolor": edge, "hatch": hatch, "label": kind}
        ax.barh(y, lengths, left=left, height=BAR_HEIGHT, clip_on=False, **style)
    ax.set_ylim(foot, 0)
    ax.set_xlim(0, max(end for _, _, end, _ in spans))
    ax.grid(False)
    axes.name_rows(ax, names, np.array(middles))
    axes.draw_legend(ax, "lower")
    axes.set_x_ticks(ax)
    return axes.lay_out(ax)
