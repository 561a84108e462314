"""How information travels: from word to word, and from a source to a target."""

import itertools

from ..kit import checks
from ..kit.canvas import Canvas
from ..kit.figure import render_figure
from ..kit.palette import colour
from ..kit.style import BODY, NARROW, SMALL, text_width

WORD_LINE_STEP = 18  # px; from one line of a word to the next
LOOP_STEP = (
    9  # px; the ring below a position that stands for an operation that stays there
)


def paths(routes, n, *, roles=None, unit="operations", title, alt):
    """Draw n positions once for each route, and an arc for each operation on the way.

    An operation that stays at its position is a small ring below it.

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
    checks.mapping(routes, "routes", "label -> positions")
    if not isinstance(n, int) or n < 2:
        raise ValueError(
            f"n: got {n!r}, expected a length of at least 2; give that of the sentence"
        )
    rows = []
    for name, route in routes.items():
        stops = [checks.index(stop, n, f"routes[{name!r}]") for stop in route]
        if len(stops) < 2:
            raise ValueError(
                f"routes[{name!r}]: got {len(stops)} positions, expected at least 2; "
                "give the start and where each operation leads"
            )
        role = (roles or {}).get(name, "ink")
        colour(role)
        rows.append((str(name), stops, role))

    return render_figure(_draw_paths, rows, n, unit, title=title, alt=alt)


def _draw_paths(width, rows: list[tuple[str, list[int], str]], n, unit):
    left, step = 8, (width - 16) / (n - 1)
    places, y = [], 0.0
    for _, stops, _ in rows:
        y += 30 + _highest_arc(stops, step) + 8
        places.append(y)
        y += 8 + LOOP_STEP * _most_stays(stops)
    canvas = Canvas(width, y + 24)
    for (name, stops, role), base in zip(rows, places, strict=True):
        head = base - _highest_arc(stops, step) - 24
        canvas.label(1, head, name, anchor="left", role=role, bold=True)
        plural = unit if len(stops) > 2 else unit.removesuffix("s")
        count = f"{len(stops) - 1:,} {plural}"
        canvas.label(width - 1, head, count, anchor="right", role=role)
        _draw_route(canvas, stops, role, base, left, step, n)
    canvas.note(1, y + 10, "position 0", anchor="left")
    canvas.note(width - 1, y + 10, f"position {n - 1}", anchor="right")
    return canvas.figure


def _highest_arc(stops: list[int], px_per_position) -> float:
    """Return how high the highest arc of a route rises, in px."""
    return max(
        _arc_height(abs(b - a) * px_per_position) for a, b in itertools.pairwise(stops)
    )


def _arc_height(span) -> float:
    return min(max(0.5 * span, 11), 54)


def _most_stays(stops: list[int]) -> int:
    """Return how many operations stay at the position where most do."""
    stays = [a for a, b in itertools.pairwise(stops) if a == b]
    return max((stays.count(stop) for stop in stays), default=0)


def _draw_route(canvas, stops: list[int], role, base_y, left, px_per_position, n):
    """Draw the positions as dots, those on the way in full, and the arcs between them."""
    for i in range(n):
        size, hue = (4.4, role) if i in stops else (2.4, "quiet")
        dot = left + i * px_per_position - size / 2, base_y - size / 2, size, size
        fill = {"thickness": 0, "facecolor": colour(hue)}
        canvas.outline(*dot, radius=size / 2.01, role=hue, **fill)
    stays = {}
    for a, b in itertools.pairwise(stops):
        start, end = left + a * px_per_position, left + b * px_per_position
        if a == b:
            stays[a] = stays.get(a, 0) + 1
            ring = (start - 4, base_y - 5 + LOOP_STEP * stays[a], 8, 8)
            canvas.outline(*ring, radius=3.98, role=role, thickness=1.5)
            continue
        foot = base_y - 3
        top = foot - _arc_height(abs(end - start)) * 4 / 3
        corners = [(start, foot), (start, top), (end, top), (end, foot)]
        canvas.line(corners, role, curve=True)


def encoder_decoder(source, target, *, start="<s>", title, alt):
    """Draw a source read at once and a target that comes out one word at a time.

    Each word that comes out of the decoder goes back in at the next step.

    Parameters
    ----------
    source : sequence of str
        The words the encoder reads. A word may have a second line, its translation.
    target : sequence of str
        The words that come out, the mark of the end included.
    start : str
        What the decoder reads at its first step.

    Raises
    ------
    ValueError
        If the source or the target is empty.
    """
    source, target = [str(word) for word in source], [str(word) for word in target]
    for name, words in (("source", source), ("target", target)):
        if not words:
            raise ValueError(
                f"{name}: got no words, expected at least one; tokenise a text first"
            )

    return render_figure(
        _draw_encoder_decoder, source, [start, *target], title=title, alt=alt
    )


def _draw_encoder_decoder(width, source, words):
    slot = max(_widest_line(word) for word in source) + 12
    pad, gap = (8, 20) if width > NARROW else (2, 14)
    column = max(max(_widest_line(word) for word in words) + pad, 56)
    steps = len(words) - 1
    left, right = max(len(source) * slot, 84), steps * (column + gap) - gap
    beside = left + 100 + right + 4 <= width
    below, above = _extra_height(source), _extra_height(words)
    x, y = (left + 100, 46 + above) if beside else (2, 226 + below + above)
    across = x + right + 4 if beside else max(left + 60, right + 18) + 4
    canvas = Canvas(across, y + max(above, below if beside else 0) + 122)
    _draw_encoder(canvas, 2, y if beside else 6, source, left)
    _draw_decoder(canvas, x, y, column, gap, words)
    vectors = f"{len(source)} vectors" if len(source) > 1 else "1 vector"
    # Where the encoder's vectors leave, and how high they arrive.
    exit_, entry = left + 4, y + 30
    if beside:
        canvas.note((exit_ + x) / 2, entry - 14, vectors, role="attention")
        canvas.arrow([(exit_, entry), (x - 2, entry)], "attention")
    else:
        canvas.note(exit_ + 8, 22, vectors, role="attention", anchor="left")
        lane = across - 10
        corners = [(exit_, 36), (lane, 36), (lane, entry), (x + right + 3, entry)]
        canvas.arrow(corners, "attention")
    return canvas.figure


def _widest_line(word: str, *font) -> float:
    return max(text_width(line, *font) for line in word.split("\n"))


def _extra_height(words) -> float:
    """Return how much higher than one line the highest of these words is, in px."""
    return WORD_LINE_STEP * max(word.count("\n") for word in words)


def _draw_encoder(canvas, x, y, source, width):
    canvas.outline(x, y, width, 60, radius=6, thickness=1.5)
    canvas.label(x + width / 2, y + 30, "encoder", size=SMALL, bold=True)
    for i, word in enumerate(source):
        middle = x + (i + 0.5) * width / len(source)
        canvas.label(
            middle, y + 102 + _extra_height([word]) / 2, word, leading=WORD_LINE_STEP
        )
        canvas.arrow([(middle, y + 90), (middle, y + 62)], "quiet")


def _draw_decoder(canvas, x, y, column, gap, words):
    """Draw the decoder's steps: a word in below, the next word out above, and its way back in."""
    steps = len(words) - 1
    canvas.outline(x, y, steps * (column + gap) - gap, 60, radius=6, thickness=1.5)
    canvas.label(x + 6, y + 18, "decoder", size=SMALL, bold=True, anchor="left")
    for i in range(steps):
        middle = x + i * (column + gap) + column / 2
        word, end = words[i : i + 2]
        low = y + 102 + _extra_height([word]) / 2
        high = y - 32 - _extra_height([end]) / 2
        canvas.note(middle, y + 43, f"step {i + 1}")
        role = "ink" if i else "quiet"
        canvas.label(middle, low, word, role=role, leading=WORD_LINE_STEP)
        canvas.arrow([(middle, y + 90), (middle, y + 62)], "quiet")
        canvas.arrow([(middle, y - 2), (middle, y - 20)], "quiet")
        canvas.label(middle, high, end, bold=True, leading=WORD_LINE_STEP)
        if i + 1 < steps:
            lane, back = middle + (column + gap) / 2, y + 102 + _extra_height([end]) / 2
            start = middle + _widest_line(end, BODY, "bold") / 2 + 4
            stop = middle + column + gap - _widest_line(end) / 2 - 4
            corners = [(start, high), (lane, high), (lane, back), (stop, back)]
            canvas.stroke(corners, thickness=1.5, dashed=True)
