"""A sentence and its translation, with ribbons between the words that attention joins."""

from ..kit import checks
from ..kit.canvas import Canvas
from ..kit.figure import render_figure
from ..kit.style import SMALL, WIDE, word_width

READS, WRITES = "the encoder reads", "the decoder writes"
BOX, REACH = 26, 110  # heights: of a box, and of the ribbons between the two
ROW_HEIGHT = 22  # height of a word on a phone, where the sentences go down
WIDEST_RIBBON = 13  # px, of a ribbon of weight 1
LEAST_WEIGHT = 0.04  # what weighs less is not drawn


def attention_ribbons(words, translation, weights, *, title, alt):
    """Draw what each word of a translation attends to; on a page, the translation appears word by word.

    Parameters
    ----------
    words : sequence of str
        n words of the source.
    translation : sequence of str
        m words; what stands behind a line break, "猫\\ncat", is small below or beside.
    weights : array, shape (m, n)
        Cross-attention; a ribbon is as wide as its weight is large.

    Raises
    ------
    ValueError
        If the weights are not m × n finite numbers, or there are other labels than these.
    """
    weights = checks.matrix(weights, "weights")
    words = checks.labels(words, weights.shape[1], "words", "columns")
    translation = checks.labels(translation, weights.shape[0], "translation", "rows")
    return render_figure(
        _draw_ribbons, words, translation, weights, title=title, alt=alt
    )


def _draw_ribbons(width, words: list[str], translation, weights):
    draw = _draw_across if width >= WIDE else _draw_down
    return draw(width, words, translation, weights).figure


def _draw_across(width, words: list[str], translation, weights):
    """The source above, the translation below."""
    above, below = (_word_middles(line, width) for line in (words, translation))
    top, bottom = 30 + BOX, 30 + BOX + REACH
    canvas = Canvas(width, bottom + BOX + 52)
    for x, word in zip(above, words):
        canvas.label(x, 10, word)
        canvas.line([(x, 20), (x, 30)], "quiet", thickness=1)
    for x, (j, word) in zip(below, enumerate(translation)):
        for i, x_above in enumerate(above):
            ends = (x_above, top), (x_above, bottom - REACH / 2)
            _draw_ribbon(
                canvas, [*ends, (x, top + REACH / 2), (x, bottom)], weights[j, i], j
            )
        text, _, gloss = word.partition("\n")
        gid = _step_gid(j)
        canvas.line(
            [(x, bottom + BOX), (x, bottom + BOX + 10)], "quiet", thickness=1, gid=gid
        )
        canvas.label(x, bottom + BOX + 22, text, gid=gid)
        canvas.note(x, bottom + BOX + 41, gloss, gid=gid)
    canvas.box(1, 30, width - 2, BOX, READS, "k")
    canvas.box(1, bottom, width - 2, BOX, WRITES, "attention")
    return canvas


def _draw_down(width, words: list[str], translation, weights):
    """The source on the left, the translation on the right, for a phone."""
    left = max(word_width(word) for word in words)
    right = (
        width - max(word_width(word, gloss_beside=True) for word in translation) - 12
    )
    canvas = Canvas(width, ROW_HEIGHT * max(len(words), len(translation)) + ROW_HEIGHT)
    canvas.note(0, 8, READS, anchor="left")
    canvas.note(width, 8, WRITES, anchor="right")
    ys = [ROW_HEIGHT * (i + 1.5) for i in range(max(len(words), len(translation)))]
    for y, word in zip(ys, words):
        canvas.label(left, y, word, anchor="right")
    start, end = left + 8, right - 8
    half = (start + end) / 2
    for j, word in enumerate(translation):
        for i in range(len(words)):
            path = [(start, ys[i]), (half, ys[i]), (half, ys[j]), (end, ys[j])]
            _draw_ribbon(canvas, path, weights[j, i], j)
        text, _, gloss = word.partition("\n")
        canvas.label(right, ys[j], text, anchor="left", gid=_step_gid(j))
        canvas.note(right + 22, ys[j], gloss, anchor="left", gid=_step_gid(j))
    return canvas


def _word_middles(words: list[str], width) -> list[float]:
    """Return where words stand that share a width, each with as much room as it is wide."""
    sizes = [
        max(max(word_width(part) for part in word.split("\n")), SMALL) for word in words
    ]
    gap = (width - sum(sizes)) / len(sizes)
    middles, edge = [], gap / 2
    for size in sizes:
        middles.append(edge + size / 2)
        edge += size + gap
    return middles


def _draw_ribbon(canvas, path, weight: float, step: int):
    if weight >= LEAST_WEIGHT:
        canvas.stroke(
            path,
            role="attention",
            thickness=WIDEST_RIBBON * weight,
            opacity=round(0.25 + 0.55 * float(weight), 3),
            curve=True,
            capstyle="butt",
            gid=_step_gid(step),
        )


def _step_gid(step: int) -> str:
    """Return the mark of what appears at a step; ``kit.svg`` turns it into a class."""
    return f"tb-step:{step}"
