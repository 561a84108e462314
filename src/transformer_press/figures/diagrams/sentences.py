"""One sentence: what a word attends to, and its tokens."""

import numpy as np

from ..kit import checks
from ..kit.canvas import Canvas
from ..kit.figure import render_figure
from ..kit.grid import has_gloss
from ..kit.palette import colour
from ..kit.style import BODY, SMALL, text_width, word_width


def arcs(words, weights, source, *, role="attention", fmt="{:.2f}", title, alt):
    """Draw a sentence with arcs from one word to all, the thicker the larger the weight.

    Parameters
    ----------
    words : sequence of str
        n words. What stands behind a line break, "猫\\ncat", is small below.
    weights : array, shape (n,)
        What the source gives to each word, from 0 up.
    source : int
        The index of the word that looks.
    role : str
        The colour, by role.
    fmt : str
        How a weight is written under its word.

    Raises
    ------
    ValueError
        If the weights are not n finite numbers from 0 up, or there is no such word.
    """
    weights = checks.vector(weights, "weights")
    words = checks.labels(words, len(weights), "words", "weights")
    source = checks.index(source, len(words), "source")
    colour(role)
    if weights.min() < 0:
        raise ValueError(
            f"weights: got {weights.min():.4g}, expected numbers from 0 up; "
            "take the softmax of the scores first"
        )

    return render_figure(
        _draw_arcs, words, weights, source, role, fmt, title=title, alt=alt
    )


def _word_places(words, width) -> tuple:
    """Return where the words stand: their middles and the width they all take."""
    sizes = [max(word_width(word, BODY, "bold") + 10, 34) for word in words]
    spare = width - 8 - sum(sizes)
    gap = min(max(spare / len(words), 2), 36)
    edges = np.cumsum([4 + gap / 2] + [size + gap for size in sizes])
    middles = [edge + size / 2 for edge, size in zip(edges, sizes, strict=False)]
    return middles, edges[-1], sizes


def _draw_arcs(width, words, weights, source: int, role, fmt):
    middles, reach, sizes = _word_places(words, width)
    if sum(sizes) + 2 * len(words) > width:  # even with the smallest gaps
        return _draw_arcs_in_a_column(width, words, weights, source, role, fmt)
    spans = [abs(x - middles[source]) for x in middles]
    high = min(max(max(spans) * 0.42, 48), 150)
    base = high + 14
    low = 15 if has_gloss(words) else 0
    canvas = Canvas(reach + 4, base + 54 + low)
    for i in np.argsort(weights, kind="stable"):
        up = 34 if i == source else 22 + (high - 22) * spans[i] / max(max(spans), 1)
        arc = _arc_points(middles[source], middles[i], base, up)
        _draw_arc(canvas, arc, weights[i], weights.max(), role)
    chip = middles[source] - sizes[source] / 2, base + 4, sizes[source], 24 + low
    for i, (x, word) in enumerate(zip(middles, words, strict=True)):
        if i == source:
            canvas.outline(*chip, role=role, radius=5)
        canvas.word_with_gloss(x, base + 16 + low / 2, word, bold=i == source)
        strongest = {"role": "ink", "bold": True} if weights[i] == weights.max() else {}
        canvas.note(x, base + 42 + low, fmt.format(weights[i]), **strongest)
    return canvas.figure


def _draw_arcs_in_a_column(width, words, weights, source: int, role, fmt):
    """Draw the words below each other, where they have no room beside each other."""
    row = 39 if has_gloss(words) else 24
    right = 8 + max(word_width(word, BODY, "bold") for word in words)
    base = right + 18 + max(text_width(fmt.format(w), SMALL, "bold") for w in weights)
    middles = [4 + row * (i + 0.5) for i in range(len(words))]
    spans = [abs(y - middles[source]) for y in middles]
    room = min(width - base - 12, 170)
    canvas = Canvas(base + room + 12, row * len(words) + 8)
    for i in np.argsort(weights, kind="stable"):
        up = 30 if i == source else 24 + (room - 24) * spans[i] / max(max(spans), 1)
        arc = _arc_points(middles[source], middles[i], -base, up)
        _draw_arc(canvas, [(-y, x) for x, y in arc], weights[i], weights.max(), role)
    for i, (y, word) in enumerate(zip(middles, words, strict=True)):
        if i == source:
            size = word_width(word, BODY, "bold") + 10
            chip = right + 5 - size, y - row / 2 + 1, size, row - 2
            canvas.outline(*chip, role=role, radius=5)
        canvas.word_with_gloss(right, y, word, anchor="right", bold=i == source)
        strongest = {"role": "ink", "bold": True} if weights[i] == weights.max() else {}
        canvas.note((right + base) / 2 + 2, y, fmt.format(weights[i]), **strongest)
    return canvas.figure


def _draw_arc(canvas, points, weight, largest_weight, role):
    if weight > 0:
        fraction = weight / (largest_weight or 1.0)
        canvas.stroke(
            points,
            role=role,
            thickness=0.75 + 7 * fraction,
            opacity=round(0.3 + 0.6 * fraction, 3),
            curve=True,
            capstyle="butt",
        )


def _arc_points(start_x, end_x, base_y, rise) -> list:
    """Return the control points of an arc; from a word to itself it is a small loop."""
    if start_x == end_x:
        left, right = start_x - 15, start_x + 15
        controls = [(start_x - 17, base_y - rise), (start_x + 17, base_y - rise)]
    else:
        left, right = start_x, end_x
        controls = [(start_x, base_y - rise * 4 / 3), (end_x, base_y - rise * 4 / 3)]
    return [(left, base_y), *controls, (right, base_y)]


def token_strip(pieces, ids=None, *, role="ink", title, alt):
    """Draw tokens as chips in a row, with their ids under them.

    Parameters
    ----------
    pieces : sequence of str
        The tokens. A space inside one is shown as an open box. What stands behind a line break
        between two texts, "猫\\ncat", is small below.
    ids : sequence of int, optional
        As many ids.
    role : str
        The colour, by role.

    Raises
    ------
    ValueError
        If there are no tokens, or not one id for each.
    """
    pieces = [pieces] if isinstance(pieces, str) else list(pieces)
    if not pieces:
        raise ValueError(
            "pieces: got none, expected at least one token; tokenise a text first"
        )
    ids = checks.labels(ids, len(pieces), "ids", "tokens")
    colour(role)
    texts = [
        "\n".join(
            _visible_text(part) for part in _token_and_gloss(str(piece)) or [str(piece)]
        )
        for piece in pieces
    ]

    return render_figure(_draw_strip, texts, ids, role, title=title, alt=alt)


def _token_and_gloss(piece: str):
    """Return a token and what is below it; None if there is nothing."""
    parts = piece.split("\n")
    return parts if len(parts) == 2 and all(parts) else None


def _visible_text(piece: str):
    return checks.printable_text(piece.replace(" ", "␣").replace("\n", "↵")) or "∅"


def _draw_strip(width, tokens, ids, role):
    chip = 42 if has_gloss(tokens) else 28
    tall = chip + (28 if ids else 10)
    places, x, y = [], 2.0, 3
    for i, piece in enumerate(tokens):
        id_width = text_width(ids[i], SMALL) + 6 if ids else 0
        size = max(word_width(piece) + 16, id_width, 24)
        if x + size > width - 2 and x > 2:
            x, y = 2, y + tall
        places.append((x, y, size))
        x += size + 6
    canvas = Canvas(max(x + size for x, _, size in places) + 2, y + tall - 6)
    for i, (x, y, size) in enumerate(places):
        edge = {"role": role, "radius": 6}
        canvas.outline(x, y, size, chip, thickness=1, **edge)
        fill = {"thickness": 0, "facecolor": colour(role), "alpha": 0.1}
        canvas.outline(x, y, size, chip, **edge, **fill).set_edgecolor("none")
        canvas.word_with_gloss(x + size / 2, y + chip / 2, tokens[i])
        if ids:
            canvas.note(x + size / 2, y + chip + 13, ids[i])
    return canvas.figure
