"""How totals divide into the same parts: one divided bar for each total."""

import numpy as np

from ..kit import axes, checks
from ..kit.figure import render_figure
from ..kit.palette import colour
from ..kit.style import SMALL, text_width, to_points

# Parts differ by these as well as by colour.
HATCHES = ("", "////", "----", "xxxx", "\\\\\\\\")
ROW_HEIGHT, BAR_HEIGHT = 66, 20  # px: a bar with its name and its numbers; the bar


def shares(totals: dict[str, dict[str, float]], *, roles=None, title, alt):
    """Draw one bar of full width for each total, divided in proportion to its parts.

    Parameters
    ----------
    totals : dict
        Name of a total -> dict of part -> number, not negative. All have the same parts,
        at most 5, in the same order.
    roles : dict or sequence, optional
        A role for each part.

    Raises
    ------
    ValueError
        If there is no total, one has other parts, a number is negative or all of them are 0.
    """
    checks.mapping(totals, "totals", "name -> parts")
    parts = [str(part) for part in next(iter(totals.values()))]
    if not 1 <= len(parts) <= len(HATCHES):
        raise ValueError(
            f"totals: got {len(parts)} parts, expected 1 to {len(HATCHES)}; "
            "put small ones together"
        )
    checked = {}
    for name, sizes in totals.items():
        if [str(part) for part in sizes] != parts:
            raise ValueError(
                f"totals[{name!r}]: got the parts {list(sizes)}, expected {parts}; "
                "give all totals the same, 0 where there is nothing"
            )
        numbers = checks.vector(list(sizes.values()), str(name))
        if numbers.min() < 0 or numbers.sum() <= 0:
            raise ValueError(
                f"totals[{name!r}]: got {numbers.tolist()}, expected numbers from 0 on, "
                "not all 0; a share is part of a sum"
            )
        checked[str(name)] = numbers / numbers.sum()
    roles = axes.series_roles(parts, roles)

    return render_figure(_draw_shares, checked, parts, roles, title=title, alt=alt)


def _draw_shares(width, shares_by_name: dict[str, np.ndarray], parts, roles):
    ax = axes.new_axes(width, ROW_HEIGHT * len(shares_by_name) + 30)
    ax.set_axis_off()
    sizes = np.array(list(shares_by_name.values()))
    ends = sizes.cumsum(axis=1)
    tops = ROW_HEIGHT * np.arange(len(shares_by_name))
    for y, name in zip(tops, shares_by_name):
        ax.text(0, y + 10, name, fontweight="bold", va="center_baseline")
    looks = zip(parts, roles, HATCHES, sizes.T, ends.T)
    for part, role, hatch, lengths, right in looks:
        face, edge = (colour(role), 0 if hatch else 0.6), colour(role)
        style = {"facecolor": face, "edgecolor": edge, "hatch": hatch, "label": part}
        left = right - lengths
        ax.barh(
            tops + 32, lengths, left=left, height=BAR_HEIGHT, clip_on=False, **style
        )
    for y, row, right in zip(tops, sizes, ends):
        for size, end in zip(row, right):
            text = f"{size:.0%}"
            if size * (width - 8) > text_width(text, SMALL):
                place = end - size / 2, y + 51
                style = {"ha": "center", "va": "center_baseline"}
                ax.text(*place, text, fontsize=to_points(SMALL), **style)
    ax.set(xlim=(0, 1), ylim=(ROW_HEIGHT * len(shares_by_name), 0))
    axes.draw_legend(ax, "lower")
    return axes.lay_out(ax)
