"""How tokenisers cut a text: several cuts of it under each other, and merges as they grow."""

import itertools

from ..kit import checks
from ..kit.canvas import Canvas
from ..kit.figure import render_figure
from ..kit.palette import colour
from ..kit.style import BODY, SMALL, text_width

CHIP_HEIGHT = 26  # height of a chip, px
ROW_HEIGHT = 36  # from one merge to the next, px


def subword_cuts(text, rows, *, roles=None, title, alt):
    """Draw the same text cut in several ways, so that the same letters stand above each other.

    Parameters
    ----------
    text : str
        The text. White space belongs to no token.
    rows : dict
        Name -> list of str, the tokens; joined, they give the text without its white space.
    roles : dict, optional
        Name -> role, the colour of its row.

    Raises
    ------
    ValueError
        If there is no row, or the tokens of a row do not join to the text.
    """
    checks.mapping(rows, "rows", "name -> tokens")
    text = " ".join(text.split())
    spans = {
        str(name): _token_spans(text, pieces, name) for name, pieces in rows.items()
    }
    roles = {name: (roles or {}).get(name, "ink") for name in spans}
    for role in roles.values():
        colour(role)

    return render_figure(_draw_cuts, text, spans, roles, title=title, alt=alt)


def _token_spans(text, pieces, name) -> list[tuple[int, int]]:
    """Return where each token starts and ends in the text."""
    spans, at = [], 0
    for piece in pieces:
        at += text[at : at + 1] == " "
        if not piece or not text.startswith(piece, at):
            raise ValueError(
                f"rows[{str(name)!r}]: got the token {piece!r} where the text has "
                f"{text[at : at + 12]!r}, expected tokens that join to the text; "
                "leave end marks out and keep the case"
            )
        spans.append((at, at + len(piece)))
        at += len(piece)
    if at != len(text):
        raise ValueError(
            f"rows[{str(name)!r}]: got no token for {text[at:]!r}, expected tokens "
            "for all of the text; add them"
        )
    return spans


def _draw_cuts(width, text, spans_by_name, roles):
    sizes = [6 if c == " " else max(text_width(c) + 4, 11) for c in text]
    lines = _break_lines(text, sizes, spans_by_name.values(), width - 4)
    reach = max(sum(sizes[start:end]) for start, end in lines) + 4
    each = 22 + len(lines) * (CHIP_HEIGHT + 4) + 8
    names = [
        f"{name}: {len(spans):,} token{'s' * (len(spans) != 1)}"
        for name, spans in spans_by_name.items()
    ]
    reach = max(reach, *(text_width(name) + 4 for name in names))
    canvas = Canvas(reach, each * len(spans_by_name))
    for i, (name, row, spans) in enumerate(
        zip(names, spans_by_name, spans_by_name.values())
    ):
        canvas.label(2, i * each + 10, name, role="quiet", anchor="left")
        for j, (start, end) in enumerate(lines):
            y = i * each + 22 + j * (CHIP_HEIGHT + 4)
            for first, stop in spans:
                if start <= first < end:
                    x, columns = 2 + sum(sizes[start:first]), sizes[first:stop]
                    _draw_chip(canvas, x + 1, y, sum(columns) - 2, roles[row])
                    _write_letters(canvas, x, y, text[first:stop], columns)
    return canvas.figure


def _break_lines(text: str, letter_widths, spans_of_rows, line_width) -> list:
    """Return the lines as (start, end); a line ends only where every row has a cut."""
    ends = set.intersection(*({end for _, end in spans} for spans in spans_of_rows))
    lines, start, last = [], 0, 0
    for end in sorted(ends):
        if last > start and sum(letter_widths[start:end]) > line_width:
            lines.append((start, last))
            start = last + (text[last] == " ")
        last = end
    return [*lines, (start, last)]


def _write_letters(canvas, x, y, piece: str, letter_widths):
    """Write a token letter by letter, one in each column."""
    for letter, size in zip(piece, letter_widths, strict=True):
        canvas.label(x + size / 2, y + CHIP_HEIGHT / 2, checks.printable_text(letter))
        x += size


def _draw_chip(canvas, x, y, width, role):
    canvas.outline(x, y, width, CHIP_HEIGHT, role=role, thickness=1, radius=4)
    canvas.rectangle(x, y, width, CHIP_HEIGHT, role=role, opacity=0.1)


def bpe_merges(stages: dict, labels=None, *, role="attention", title, alt):
    """Draw how words grow together from letters: one row for each merge, top to bottom.

    Parameters
    ----------
    stages : dict
        Word -> list of lists of str: its pieces before the first merge, after one, after two, ...;
        as many stages for each word.
    labels : sequence of str, optional
        What each merge joins, written beside its row.
    role : str
        The colour, by role.

    Raises
    ------
    ValueError
        If there is no word, the words have different numbers of stages, or a stage does not come
        from the one before it by joining neighbours.
    """
    checks.mapping(stages, "stages", "word -> stages")
    lengths = {len(word_stages) for word_stages in stages.values()}
    if len(lengths) != 1 or min(lengths) < 1:
        raise ValueError(
            f"stages: got {sorted(lengths)} stages, expected the same "
            "number, at least one, for each word; repeat a stage that joins nothing"
        )
    steps = lengths.pop() - 1
    labels = checks.labels(labels, steps, "labels", "merges") or [
        str(k + 1) for k in range(steps)
    ]
    colour(role)
    trees = {str(word): _merge_tree(word, pieces) for word, pieces in stages.items()}

    return render_figure(_draw_merges, trees, labels, role, title=title, alt=alt)


def _merge_tree(word, stages: list[list[str]]) -> tuple:
    """Return (letters, joins); a join is (row, start, end, the (row, start, end) it joins)."""
    letters = "".join(stages[0])
    nodes = [(0, start, end) for start, end in _piece_spans(stages[0])]
    joins = []
    for row, pieces in enumerate(stages[1:], start=1):
        next_nodes = []
        for start, end in _piece_spans(pieces):
            inside = [node for node in nodes if start <= node[1] and node[2] <= end]
            joined = inside and (inside[0][1], inside[-1][2]) == (start, end)
            if not joined or "".join(pieces) != letters:
                raise ValueError(
                    f"stages[{str(word)!r}]: stage {row} is {pieces}, expected what joining "
                    f"neighbours of {stages[row - 1]} gives; pass the pieces after each merge"
                )
            if len(inside) > 1:
                joins.append((row, start, end, inside))
            next_nodes.append(inside[0] if len(inside) == 1 else (row, start, end))
        nodes = next_nodes
    return letters, joins


def _piece_spans(pieces: list[str]) -> list[tuple[int, int]]:
    ends = [0]
    for piece in pieces:
        ends.append(ends[-1] + len(piece))
    return list(itertools.pairwise(ends))


def _draw_merges(width, trees, labels, role):
    letters = {word: tree[0] for word, tree in trees.items()}
    cell = max(text_width(c) for word in letters.values() for c in word) + 10
    gutter = max((text_width(label, SMALL) for label in labels), default=0) + 18
    blocks, block, x = [], [], gutter
    for word in letters:
        if block and x + len(letters[word]) * cell > width - 2:
            blocks.append(block)
            block, x = [], gutter
        block.append((word, x))
        x += (len(letters[word]) + 1) * cell
    blocks.append(block)
    reach = (
        max(x + len(letters[word]) * cell for block in blocks for word, x in block) + 2
    )
    each = ROW_HEIGHT * (len(labels) + 1) + 14
    canvas = Canvas(reach, each * len(blocks) - 14)
    for top, block in ((each * i, block) for i, block in enumerate(blocks)):
        for k, label in enumerate(labels, start=1):
            y = top + ROW_HEIGHT * k
            canvas.stroke([(0, y), (reach, y)], opacity=0.25)
            canvas.note(0, y + ROW_HEIGHT / 2, label, anchor="left")
        for word, x in block:
            _draw_tree(canvas, x, top, cell, letters[word], trees[word][1], role)
    return canvas.figure


def _draw_tree(canvas, x, top, letter_width, letters: str, joins, role):
    for i, letter in enumerate(letters):
        canvas.label(
            x + (i + 0.5) * letter_width, top + ROW_HEIGHT / 2, letter, bold=True
        )
    gap = (ROW_HEIGHT - CHIP_HEIGHT) / 2
    for row, start, end, parts in joins:
        y = top + ROW_HEIGHT * row + gap
        for above, left, right in parts:
            middle = x + (left + right) / 2 * letter_width
            foot = (
                top
                + ROW_HEIGHT * above
                + (ROW_HEIGHT - gap if above else ROW_HEIGHT / 2 + BODY * 0.7)
            )
            canvas.stroke([(middle, foot), (middle, y)], role=role, opacity=0.7)
        _draw_chip(
            canvas,
            x + start * letter_width + 2,
            y,
            (end - start) * letter_width - 4,
            role,
        )
        canvas.label(
            x + (start + end) / 2 * letter_width,
            y + CHIP_HEIGHT / 2,
            letters[start:end],
        )
