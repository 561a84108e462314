"""Axes of the plots: matplotlib's, with few round ticks and plain numbers."""

import math

import numpy as np
from matplotlib.figure import Figure as Drawing
from matplotlib.ticker import (
    FixedLocator,
    LogLocator,
    MaxNLocator,
    NullLocator,
    StrMethodFormatter,
)

from . import checks
from .palette import colour
from .style import BODY, NARROW, PX_PER_INCH, SMALL, TICK_STEPS, text_width, to_points

TICK_FORMAT = StrMethodFormatter("{x:,.7g}")  # 1,000 and not 10^3, within reason

# Series differ by colour and by these, so that colour is never the only carrier.
ROLES_IN_ORDER = ("q", "k", "v", "attention", "position", "quiet", "ink")
DASHES = (
    "-",
    (0, (6, 2)),
    (0, (1.5, 1.5)),
    (0, (6, 2, 1.5, 2)),
    (0, (9, 3)),
    (0, (3, 1.5)),
)
MARKERS = ("o", "s", "^", "D", "v", "P", "X")


def series_roles(names: list[str], roles) -> list[str]:
    """Return a role for each name, from a dict, a sequence, one role, or the book's order."""
    if roles is None:
        return [ROLES_IN_ORDER[i % len(ROLES_IN_ORDER)] for i in range(len(names))]
    if isinstance(roles, dict):
        missing = [name for name in names if name not in roles]
        if missing:
            raise ValueError(
                f"roles: got none for {missing[0]!r}, expected one for each of "
                f"{names}; add it"
            )
        series = [roles[name] for name in names]
    else:
        series = [roles] * len(names) if isinstance(roles, str) else list(roles)
        checks.labels(series, len(names), "roles", "series")
    for role in series:
        colour(role)
    return series


def check_coordinates(x, y, name: str, log_x=False, log_y=False) -> tuple:
    """Return two finite vectors of equal length, above 0 where their axis is logarithmic."""
    x, y = checks.vector(x, f"x of {name}"), checks.vector(y, f"y of {name}")
    if len(x) != len(y):
        raise ValueError(
            f"{name}: got {len(x)} x and {len(y)} y, expected as many of each; "
            "give one y for each x"
        )
    for values, log, axis in ((x, log_x, "x"), (y, log_y, "y")):
        if log and values.min() <= 0:
            raise ValueError(
                f"{axis} of {name}: got {values.min():.4g}, expected numbers above 0 "
                f"on a logarithmic axis; leave log_{axis} out or drop those points"
            )
    return x, y


def new_axes(width: float, height, x_label="", y_label="", *, log_x=False, log_y=False):
    """Return axes without ticks that fill a figure of width x height px."""
    size = width / PX_PER_INCH, height / PX_PER_INCH
    ax = Drawing(figsize=size, layout="constrained").add_subplot()
    ax.set(xscale=("linear", "log")[log_x], yscale=("linear", "log")[log_y])
    for axis in (ax.xaxis, ax.yaxis):
        set_ticks(axis, [])
    ax.set_xlabel(x_label, loc="left", labelpad=to_points(6))
    ax.set_title(y_label, loc="left", color=colour("quiet"), pad=to_points(8))
    ax.tick_params(pad=to_points(6))
    return ax


def set_ticks(axis, tick_values: list[float]):
    """Set the ticks of an axis, and leave its ends where they are."""
    axis.set_major_locator(FixedLocator(tick_values))
    axis.set_major_formatter(TICK_FORMAT)
    axis.set_minor_locator(NullLocator())


def name_rows(ax, names: list[str], middles, *, shift_up=0, pad=12):
    """Name rows by their middles, at the left; each name has its gloss small below it.

    Names that are too long for that stand `shift_up` data units above the middles.
    """
    style = {"labelsize": to_points(BODY), "labelcolor": colour("ink")}
    if shift_up:
        names = [name.replace("\n", " ") for name in names]
        ax.set_yticks(np.subtract(middles, shift_up), names, ha="left")
        ax.tick_params("y", pad=0, **style)
        for label in ax.get_yticklabels():
            label.set_in_layout(False)
        return
    words, _, glosses = zip(*(name.partition("\n") for name in names), strict=True)
    high, low = (np.array([shift if g else 0 for g in glosses]) for shift in (6.5, 7.5))
    ax.set_yticks(middles - high, words)
    ax.tick_params("y", pad=to_points(pad), **style)
    if any(glosses):
        ax.set_yticks(middles + low, glosses, minor=True)
        ax.tick_params("y", which="minor", pad=to_points(pad))


def write_end_label(ax, text: str, y, role="ink"):
    """Write a text at the right end, at the height of y; return it."""
    place = {"xycoords": ("axes fraction", "data"), "textcoords": "offset points"}
    style = {"va": "center_baseline", "color": colour(role), "annotation_clip": False}
    return ax.annotate(text, (1, y), xytext=(to_points(10), 0), **place, **style)


def draw_legend(ax, side: str, columns: int | None = None):
    """Name what has a label, "upper" or "lower", in so many columns or in those that fit."""
    artists, names = ax.get_legend_handles_labels()
    room = ax.figure.get_figwidth() * PX_PER_INCH
    widths = [text_width(name) + 40 for name in names]
    fitting = [
        count
        for count in range(1, len(names) + 1)
        if sum(max(column) for column in np.array_split(widths, count)) <= room
    ]
    ax.figure.legend(
        artists,
        names,
        loc=f"outside {side} left",
        ncols=columns or max(fitting, default=1),
        fontsize=to_points(BODY),
        labelcolor="linecolor" if side == "upper" else None,
        borderpad=0,
        handlelength=2 if columns == 1 else 1.2,
        handletextpad=0.6,
        columnspacing=1.2,
    )


def round_ticks(low, high, is_log: bool, max_count: int, values=None):
    """Return at most about `max_count` round numbers between two ends."""
    # Lengths that double are read best at the lengths themselves.
    lengths = np.unique(values if is_log and values is not None else [])
    if 2 <= len(lengths) <= 2 * max_count:
        return lengths[:: math.ceil(len(lengths) / max_count)].tolist()
    powers = [
        LogLocator(subs=(1, 2, 5), numticks=max_count),
        LogLocator(numticks=max_count),
    ]
    for locator in [
        *(powers if is_log else ()),
        MaxNLocator(max_count, steps=TICK_STEPS),
    ]:
        numbers = np.asarray(locator.tick_values(low, high))
        ends = np.isclose(numbers[:, None], [low, high], rtol=1e-9, atol=0).any(axis=1)
        numbers = numbers[ends | (low <= numbers) & (numbers <= high)].tolist()
        if 2 <= len(numbers) <= max_count:
            break
    return numbers


def set_x_ticks(ax, values=None):
    """Set ticks whose numbers do not touch each other, once the axes are laid out."""
    ax.figure.draw_without_rendering()
    (low, high), log = ax.get_xlim(), ax.get_xscale() == "log"
    room = ax.bbox.width
    for most in range(8 if room > NARROW else 5, 1, -1):
        numbers = round_ticks(low, high, log, most, values)
        if (
            sum(text_width(TICK_FORMAT(number), SMALL) + 12 for number in numbers)
            <= room
        ):
            break
    set_ticks(ax.xaxis, numbers)


def lay_out(ax):
    """Make room for all that stands at the axes, for good, and return their figure."""
    figure, label = ax.figure, ax.xaxis.label
    ax.autoscale_view()  # else axes that are off are measured without their limits
    figure.draw_without_rendering()
    figure.set_layout_engine("none")
    if label.get_window_extent().x1 > figure.bbox.x1:
        label.set(x=1, ha="right")
    return figure


def spread_apart(places, gap: float, low, high):
    """Move places as little as needed until neighbours are `gap` apart, in their order."""
    order = np.argsort(places, kind="stable")
    moved = np.array(places, dtype=float)[order]
    fits = (len(moved) - 1) * gap <= high - low
    for _ in range(500):
        if fits:
            moved = np.clip(moved, low, high)
        missing = np.maximum(gap - np.diff(moved), 0)
        if not (missing > 1e-3).any():
            break
        moved[:-1] -= missing / 2
        moved[1:] += missing / 2
    return moved[np.argsort(order)]
