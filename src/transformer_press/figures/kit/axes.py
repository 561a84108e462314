"""Axes of the plots: margins counted in px, few round ticks, plain numbers."""

import math

import numpy as np
from matplotlib.ticker import FixedLocator, FuncFormatter, NullLocator

from . import checks
from .grid import number
from .palette import colour
from .style import NARROW, PX_PER_INCH, SMALL, Drawing, points, text_width

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


def series_roles(names, roles):
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
        found = [roles[name] for name in names]
    else:
        found = [roles] * len(names) if isinstance(roles, str) else list(roles)
        checks.labels(found, len(names), "roles", "series")
    for role in found:
        colour(role)
    return found


def coordinates(x, y, name, log_x=False, log_y=False):
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


def limits(values, log, margin=0.06):
    """Return the ends of an axis with some air around the values."""
    low, high = float(np.min(values)), float(np.max(values))
    if log:
        air = (high / low) ** margin if high > low else 1.5
        return low / air, high * air
    air = (high - low) * margin if high > low else (abs(high) or 1.0) * 0.5
    return low - air, high + air


def ticks(low, high, log, most, values=None):
    """Return at most about `most` round numbers between two ends."""
    if log:
        # Lengths that double are read best at the lengths themselves.
        own = np.unique(values) if values is not None else ()
        if 2 <= len(own) <= 2 * most:
            return list(own[:: math.ceil(len(own) / most)])
        return _log_ticks(low, high, most)
    step = (high - low) / most
    size = 10.0 ** math.floor(math.log10(step))
    step = next(s * size for s in (1, 2, 2.5, 5, 10) if s * size >= step * 0.999)
    first, last = math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9)
    return [round(i * step, 12) for i in range(first, last + 1)]


def _ticks_that_fit(ends, log, values, room):
    """Return ticks whose numbers do not touch each other, in so many px."""
    low, high = ends
    for most in range(8 if room > NARROW else 5, 1, -1):
        found = ticks(low, high, log, most, values)
        if sum(text_width(plain(value), SMALL) + 12 for value in found) <= room:
            break
    return found


def _log_ticks(low, high, most):
    powers = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
    for digits in ((1, 2, 5), (1,), range(1, 10)):
        found = [
            d * 10.0**k for k in powers for d in digits if low <= d * 10.0**k <= high
        ]
        if 2 <= len(found) <= most:
            return found
        if digits == (1,) and len(found) > most:
            return found[:: math.ceil(len(found) / most)]
    return ticks(low, high, False, most)


def plain(value):
    """Write a tick: 1,000 and not 10^3, 0.001 and not 1e-3, within reason."""
    if value == 0:
        return "0"
    if 1e-4 <= abs(value) < 1e7:
        return number(value, "{:,.10g}")
    return number(value, "{:.3g}")


def frame(width, height, x_ends, y_ends, names, logs, *, right, above=0, xs=None):
    """Return a figure of width x height px and its axes; names None leaves the ticks out."""
    drawing = Drawing(figsize=(width / PX_PER_INCH, height / PX_PER_INCH))
    if names is None:
        left, bottom, top = 10, 10, 10
    else:
        low, high = y_ends
        marks = ticks(low, high, logs[1], 6)
        left = max(text_width(plain(v), SMALL) for v in marks) + 14
        bottom, top = 46, 28
    top += above
    ax = drawing.add_axes(
        (
            left / width,
            bottom / height,
            (width - left - right) / width,
            (height - bottom - top) / height,
        )
    )
    ax.set(
        xscale="log" if logs[0] else "linear",
        yscale="log" if logs[1] else "linear",
        xlim=x_ends,
        ylim=y_ends,
    )
    for axis in (ax.xaxis, ax.yaxis):
        axis.set_minor_locator(NullLocator())
        axis.set_major_formatter(FuncFormatter(lambda value, _: plain(value)))
    if names is None:
        ax.set(xticks=[], yticks=[])
        ax.spines["bottom"].set_visible(False)
        return drawing, ax
    places = _ticks_that_fit(x_ends, logs[0], xs, width - left - right)
    ax.xaxis.set_major_locator(FixedLocator(places))
    ax.yaxis.set_major_locator(FixedLocator(marks))
    ax.grid(False, axis="x")
    ax.tick_params(pad=points(6))
    ax.text(
        0,
        1 + 14 / (height - bottom - top),
        names[1],
        transform=ax.transAxes,
        color=colour("quiet"),
        va="baseline",
    )
    ax.set_xlabel(names[0], loc="left", labelpad=points(6))
    return drawing, ax


def spread(places, apart, low, high):
    """Move places as little as needed until neighbours are `apart`, in the order they were."""
    order = np.argsort(places, kind="stable")
    found = np.array(places, dtype=float)[order]
    fits = (len(found) - 1) * apart <= high - low
    for _ in range(500):
        if fits:
            found = np.clip(found, low, high)
        short = np.maximum(apart - np.diff(found), 0)
        if not (short > 1e-3).any():
            break
        found[:-1] -= short / 2
        found[1:] += short / 2
    back = np.empty_like(found)
    back[order] = found
    return back
