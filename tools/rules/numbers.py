"""Numbers in prose are glued: what a cell has computed is not typed.

Not every number in a sentence is a result. One that is in the page's code as well is an input, or
an assert keeps it right; one in a formula is worked out with a pencil; one in an exercise belongs
to its question; one in a sentence that cites a work, or names the paper, is that work's. Results
are looked for among numbers with a decimal point, a separator, four digits or more, a unit or a
power of ten. A number that is none of these and yet no result has a comment before its paragraph
that says so:

    % typed 41.5: what we aimed at
"""

import ast
import contextlib
import math
import re

from .page import SourcePage, blank_out
from .prose import LINK_TARGET

SCALES_BY_UNIT = {
    "%": 1e-2,
    "thousand": 1e3,
    "million": 1e6,
    "billion": 1e9,
    "ms": 1e-3,
}
SCALES_BY_UNIT |= {
    "kB": 1e3,
    "MB": 1e6,
    "GB": 1e9,
    "KiB": 2**10,
    "MiB": 2**20,
    "GiB": 2**30,
}
UNIT_PATTERN = (
    "|".join(SCALES_BY_UNIT)
    + "|per ?cent|times|seconds?|minutes?|hours?|bytes?|BLEU|nats?|points?"
)
RESULT_NUMBER = re.compile(
    r"(?<![\w.,])(?P<number>"
    r"\d+(?:\.\d+)?e[+-]?\d+|\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d*\.\d+|\d{4,}|\d+[⁻⁰¹²³⁴-⁹]+"
    rf"|\d+(?=[\s-]?(?:{UNIT_PATTERN})(?!\w)|-fold)"
    rf")(?![\d.]*\d)(?:[\s-]?(?P<unit>{UNIT_PATTERN})(?!\w))?"
)
YEAR = re.compile(r"(?:19|20)\d\d")
SECTION_REFERENCE = re.compile(  # section 3.2.1, sections 3.1 and 3.2, Python 3.11
    r"(?:section|table|figure|version|python)s?\s+(?:[\d.]+\s+and\s+)?[\d.]*$",
    re.IGNORECASE,
)
SENTENCE_END = re.compile(r"[.?!](?=[\s*)”])|\n\s*\n|\n(?=[|#-])")
CITATION = re.compile(r"\{cite|\bpaper\b", re.IGNORECASE)
TYPED_NUMBER_COMMENT = re.compile(r"typed((?: [^\s:]+)+): \S")


def check_numbers_are_glued(page: SourcePage):
    """Numbers that look like results and are typed, and comments that excuse none."""
    marks, useful = list(_excused_numbers(page)), set()
    for line, number in _result_numbers(page):
        excuses = {
            mark for mark in marks if mark[0] < line < mark[1] and number == mark[2]
        }
        useful |= excuses
        if not excuses:
            yield (
                line,
                f"{number} is typed; results are glued. Write page.glue(NAME=...) in the cell "
                "that computes it and {glue:text}`NAME` here. If it is no result, write "
                f"`% typed {number}: WHY` above the paragraph.",
            )
    for mark in marks:
        if mark not in useful:
            line, _, number = mark
            yield line, f"no {number} in this paragraph needs the comment. Remove it."


def check_comments_excuse_numbers(page: SourcePage):
    """The only comments are those; a sentence may be broken before a % by mistake."""
    for line, comment in page.comments:
        if not TYPED_NUMBER_COMMENT.match(comment):
            yield (
                line,
                "a line that begins with % is left out of the page. Break the line elsewhere, or "
                "write `% typed NUMBER: WHY`.",
            )


def _excused_numbers(page: SourcePage):
    """The numbers that a comment excuses, between which lines."""
    lines = page.text.split("\n")
    for line, comment in page.comments:
        if match := TYPED_NUMBER_COMMENT.match(comment):
            end = next(
                (row for row in range(line, len(lines)) if not lines[row].strip()),
                len(lines),
            )
            for number in match[1].split():
                yield line, end + 1, number


def _result_numbers(page: SourcePage):
    """The lines and numbers of a page's sentences that look like results."""
    exercises = [
        (directive.line, directive.end_line)
        for directive in page.directives
        if directive.name == "exercise"
    ]
    literals = _numbers_in_code(page)
    for line, match in page.find_matches(
        RESULT_NUMBER, LINK_TARGET.sub(blank_out, page.prose)
    ):
        in_exercise = any(begin <= line <= end for begin, end in exercises)
        if not (
            in_exercise
            or _is_number_in_code(match, literals)
            or _is_year_section_or_cited(page, match)
        ):
            yield line, match["number"]


def _numbers_in_code(page: SourcePage):
    """Every number in the page's code."""
    values = set()
    for cell in page.cells:
        for node in ast.walk(cell.tree) if isinstance(cell.tree, ast.AST) else ():
            if isinstance(node, ast.Constant) and type(node.value) in (int, float, str):
                with contextlib.suppress(ValueError):  # a word
                    values.add(float(str(node.value)))
    return values


def _is_number_in_code(number_match: re.Match, code_numbers) -> bool:
    try:
        value = float(number_match["number"].replace(",", ""))
    except ValueError:  # 10⁻³
        return False
    values = [value, value * SCALES_BY_UNIT.get(number_match["unit"], 1)]
    return any(
        math.isclose(number, literal, rel_tol=1e-9)
        for number in values
        for literal in code_numbers
    )


def _is_year_section_or_cited(page: SourcePage, number_match) -> bool:
    """Whether it is a year, the number of a section, or in a sentence that names its work."""
    before = page.prose[: number_match.start()]
    if YEAR.fullmatch(number_match["number"]) or SECTION_REFERENCE.search(before[-40:]):
        return True
    begin = max((end.end() for end in SENTENCE_END.finditer(before)), default=0)
    after = SENTENCE_END.search(page.prose, number_match.end())
    return bool(CITATION.search(page.text[begin : after.start() if after else None]))
