"""The way from one word to another, operation by operation."""

from . import checks, draw
from .figure import render
from .palette import colour
from .style import BODY, SMALL, canvas, text_width

STAY = 11  # px; the height of the loop that stands for an operation that stays at its position


def paths(routes, n, *, roles=None, unit="operations", title, alt):
    """Draw n positions once for each route, and an arc for each operation on the way.

    An operation that hands the information on at the same position is a small loop.

    Parameters
    ----------
    routes : dict
        Label -> the positions passed, the first one included: k operations make k + 1 positions.
    n : int
        Length of the sentence.
    roles : dict, optional
        Label -> role; the others are "ink".
    unit : str
        What an arc is, in the plural.

    Raises
    ------
    ValueError
        If there is no route, or one has no operation or leaves the sentence.
    """
    if not isinstance(routes, dict) or not routes:
        raise ValueError("routes: got none, expected a dict of label -> positions; give at least one")
    if not isinstance(n, int) or n < 2:
        raise ValueError(f"n: got {n!r}, expected a length of at least 2; give that of the sentence")
    rows = []
    for name, route in routes.items():
        stops = [checks.index(stop, n, f"routes[{name!r}]") for stop in route]
        if len(stops) < 2:
            raise ValueError(f"routes[{name!r}]: got {len(stops)} positions, expected at least 2; "
                             "give the start and where each operation leads")
        role = (roles or {}).get(name, "ink")
        colour(role)
        rows.append((str(name), stops, role))

    def draw_at(width):
        return _paths(width, rows, n, unit)

    return render(draw_at, title=title, alt=alt)


def _paths(width, rows, n, unit):
    left, step = 8, (width - 16) / (n - 1)
    places, y = [], 0
    for _, stops, _ in rows:
        y += 30 + _height(stops, step) + 8
        places.append(y)
        y += 12
    drawing, ax = canvas(width, y + 24)
    for (name, stops, role), base in zip(rows, places, strict=True):
        head = base - _height(stops, step) - 24
        draw.label(ax, 1, head, name, anchor="left", role=role, bold=True)
        count = f"{len(stops) - 1:,} {unit if len(stops) > 2 else unit.removesuffix('s')}"
        draw.label(ax, width - 1, head, count, anchor="right", role=role)
        _row(ax, stops, role, base, left, step, n)
    for at, anchor in ((0, "left"), (n - 1, "right")):
        x = 1 if at == 0 else width - 1
        draw.label(ax, x, y + 10, f"position {at}", anchor=anchor, role="quiet", size=SMALL)
    return drawing


def _height(stops, step):
    """Return how high the highest arc of a route rises, in px."""
    return max(_rise(abs(b - a) * step) for a, b in zip(stops, stops[1:], strict=False))


def _rise(span):
    return min(max(0.5 * span, STAY), 54)


def _row(ax, stops, role, base, left, step, n):
    """Draw the positions as dots, those on the way in full, and the arcs between them."""
    for i in range(n):
        on_the_way = i in stops
        size = 4.4 if on_the_way else 2.4
        draw.outline(ax, left + i * step - size / 2, base - size / 2, size, size, radius=size / 2.01,
                     role=role if on_the_way else "quiet", thickness=0,
                     facecolor=colour(role if on_the_way else "quiet"))
    stays = {}
    for a, b in zip(stops, stops[1:], strict=False):
        start, end = left + a * step, left + b * step
        if a == b:  # loops at one position stand on each other, turned outwards at the left end
            low = base - 3 - 6 * stays.setdefault(a, 0)
            stays[a] += 1
            corners = [(start - 1, low), (start - 11, low - STAY), (start + 11, low - STAY),
                       (start + 1, low)]
        else:
            up = _rise(abs(end - start)) * 4 / 3
            corners = [(start, base - 3), (start, base - 3 - up), (end, base - 3 - up),
                       (end, base - 3)]
        draw.stroke(ax, corners, role=role, thickness=1.5, curve=True)


def encoder_decoder(source, target, *, start="<s>", title, alt):
    """Draw a source read at once and a target that comes out one word at a time.

    Each word that comes out of the decoder goes back in at the next step.

    Parameters
    ----------
    source : sequence of str
        The words the encoder reads.
    target : sequence of str
        The words that come out, the mark of the end included.
    start : str
        What the decoder is given at its first step.

    Raises
    ------
    ValueError
        If the source or the target is empty.
    """
    source, target = [str(word) for word in source], [str(word) for word in target]
    for name, words in (("source", source), ("target", target)):
        if not words:
            raise ValueError(f"{name}: got no words, expected at least one; tokenise a text first")

    def draw_at(width):
        return _encoder_decoder(width, source, [start, *target])

    return render(draw_at, title=title, alt=alt)


def _encoder_decoder(width, source, words):
    reading = max(text_width(word) for word in source) + 12
    column = max(max(text_width(word) for word in words) + 8, 40)
    gap = 20
    steps = len(words) - 1
    left, right = max(len(source) * reading, 84), steps * column + (steps - 1) * gap
    beside = left + 110 + right + 4 <= width
    drawing, ax = canvas(*((left + 110 + right + 4, 170) if beside
                           else (max(left, right + 40) + 4, 306)))
    _encoder(ax, 2, 46, source, left)
    x, y = (left + 110, 46) if beside else (42, 182)
    vectors = f"{len(source)} vectors" if len(source) > 1 else "1 vector"
    if beside:
        draw.label(ax, left + 56, 62, vectors, role="attention", size=SMALL)
        corners = [(left + 2, 76), (x - 2, 76)]
    else:
        draw.label(ax, 32, 146, vectors, role="attention", size=SMALL, anchor="left")
        corners = [(20, 132), (20, 212), (x - 2, 212)]
    draw.stroke(ax, corners, role="attention", thickness=2)
    _head(ax, x - 1, corners[-1][1], "attention", right=True)
    for i in range(steps):
        _step(ax, x + i * (column + gap), y, column, gap, words[i : i + 2], i, last=i == steps - 1)
    return drawing


def _encoder(ax, x, y, source, width):
    draw.outline(ax, x, y, width, 60, radius=6, thickness=1.5)
    draw.label(ax, x + width / 2, y + 30, "encoder", bold=True)
    for i, word in enumerate(source):
        middle = x + (i + 0.5) * width / len(source)
        draw.label(ax, middle, y + 102, word)
        draw.stroke(ax, [(middle, y + 90), (middle, y + 64)], role="quiet", thickness=1.5)
        _head(ax, middle, y + 62, "quiet")


def _step(ax, x, y, width, gap, words, number, *, last):
    """Draw one step of the decoder: a word in below, the next word out above, and its way back."""
    middle = x + width / 2
    draw.outline(ax, x, y, width, 60, radius=6, thickness=1.5)
    draw.label(ax, middle, y + 20, "decoder" if width > 62 else "dec.", size=SMALL, bold=True)
    draw.label(ax, middle, y + 40, f"step {number + 1}", size=SMALL, role="quiet")
    draw.label(ax, middle, y + 102, words[0], role="quiet" if number == 0 else "ink")
    draw.stroke(ax, [(middle, y + 90), (middle, y + 64)], role="quiet", thickness=1.5)
    _head(ax, middle, y + 62, "quiet")
    draw.stroke(ax, [(middle, y - 2), (middle, y - 18)], role="quiet", thickness=1.5)
    _head(ax, middle, y - 20, "quiet")
    draw.label(ax, middle, y - 32, words[1], bold=True)
    if last:
        return
    lane, start = x + width + gap / 2, x + width / 2 + text_width(words[1], BODY, "bold") / 2 + 4
    end = middle + width + gap - text_width(words[1]) / 2 - 3
    draw.stroke(ax, [(start, y - 32), (lane, y - 32), (lane, y + 102), (end, y + 102)],
                role="position", thickness=1.5, linestyle=(0, (4, 3)))
    draw.stroke(ax, [(x + width + 2, y + 30), (x + width + gap - 2, y + 30)], role="attention",
                thickness=2)
    _head(ax, x + width + gap - 1, y + 30, "attention", right=True)


def _head(ax, x, y, role, *, right=False):
    """Draw the head of an arrow that points up or to the right, its tip at (x, y)."""
    back = [(x - 6, y - 4), (x, y), (x - 6, y + 4)] if right else [(x - 4, y + 6), (x, y),
                                                                   (x + 4, y + 6)]
    draw.stroke(ax, back, role=role, thickness=1.5)
