"""What holds for the cells of a page."""

import ast
import difflib
import json
import re
import subprocess

import ruff

from tools.pages import book_pages

from .page import CodeCell, SourcePage

MAX_LINES, MAX_COLUMNS = 15, 88  # of a cell: what a screen shows without scrolling
MAX_PROGRAM_LINES = 32  # of a cell on a page that is a program; a class cannot be cut
PROGRAM_PAGE_SUFFIX = "one_page"
MIN_ASSERTS_BY_KIND = {"lesson": 3, "laboratory": 5}
LAST_CELL_SOURCE = "page.ran()"
LAST_CELL_TAGS = {"remove-input"}
KNOWN_TAGS = {book_pages.TWO_THREADS_TAG} | {
    f"{verb}-{part}"
    for verb in ("hide", "remove")
    for part in ("input", "output", "cell")
}
# Asks for names that no line before has bound; every notebook has display.
RUFF_OPTIONS = ["check", "--isolated", "--select=F821", "--output-format=json"]
RUFF_OPTIONS += ["--config", 'builtins=["display"]', "-"]


def check_cell_size(page: SourcePage):
    most = MAX_PROGRAM_LINES if page.name.endswith(PROGRAM_PAGE_SUFFIX) else MAX_LINES
    for cell in page.cells:
        lines = cell.source.splitlines()
        if len(lines) > most:
            yield (
                cell.line,
                f"a cell has {len(lines)} lines; at most {most} fit on a screen. "
                "Cut it in two.",
            )
        for line, text in enumerate(lines, cell.line):
            if len(text) > MAX_COLUMNS:
                yield (
                    line,
                    f"a line of code has {len(text)} columns; a page shows {MAX_COLUMNS} "
                    "without scrolling. Break it.",
                )


def check_cell_syntax(page: SourcePage):
    for cell in page.cells:
        if isinstance(cell.tree, SyntaxError):
            line = cell.line + (cell.tree.lineno or 1) - 1
            yield line, f"the cell is not Python: {cell.tree.msg}. Mend this line."


def check_cell_options(page: SourcePage):
    """Tags and other options that nothing reads, with what may have been meant."""
    for cell in page.cells:
        for line, option in enumerate(cell.options, cell.fence_line + 1):
            unknown = [tag for tag in cell.tags if tag not in KNOWN_TAGS]
            if option != "tags":
                yield (
                    line,
                    f"a cell has the option {option!r}; expected tags. Remove it.",
                )
                continue
            for tag in unknown:
                yield (
                    line,
                    f"a cell has the tag {tag!r}, which nothing reads. {_suggest_tag(tag)}",
                )


def _suggest_tag(unknown_tag: str) -> str:
    near = difflib.get_close_matches(unknown_tag, sorted(KNOWN_TAGS), 1)
    return (
        f"Write {near[0]}." if near else f"Known are {', '.join(sorted(KNOWN_TAGS))}."
    )


def check_last_cell(page: SourcePage):
    """The last cell says how long the page ran."""
    line = page.cells[-1].line if page.cells else page.title_line_number
    if not page.cells or page.cells[-1].source.strip() != LAST_CELL_SOURCE:
        yield (
            line,
            f"the last cell is not {LAST_CELL_SOURCE}. End the page in a cell of it, tagged "
            "[remove-input].",
        )
    elif not set(page.cells[-1].tags) >= LAST_CELL_TAGS:
        yield line, f"the cell {LAST_CELL_SOURCE} is not tagged [remove-input]. Tag it."


def check_assert_count(page: SourcePage):
    """Enough of what the page says is checked."""
    least = MIN_ASSERTS_BY_KIND.get(page.kind, 0)
    count = sum(map(_count_asserts, page.cells))
    if count < least:
        yield (
            page.title_line_number,
            f"the page has {count} asserts; a {page.kind} has at least {least}. Assert what "
            "its sentences claim.",
        )


def _count_asserts(cell: CodeCell) -> int:
    lines = cell.source.splitlines()
    checks = ("assert_allclose", "assert_array_equal")
    return sum(
        line.startswith("assert ") or any(check in line for check in checks)
        for line in lines
    )


def check_names_in_open_cells(page: SourcePage):
    """Whoever types the open cells of a lesson, in order, has every name that they use."""
    if page.kind != "lesson":
        return
    lines = [""] * page.text.count("\n")  # as the page, with its open cells alone
    for cell in page.cells:
        if cell.is_open and not cell.in_solution:
            source = cell.source.splitlines()
            lines[cell.line - 1 : cell.line - 1 + len(source)] = source
    result = subprocess.run(
        [ruff.find_ruff_bin(), *RUFF_OPTIONS],
        input="\n".join(lines),
        capture_output=True,
        text=True,
        encoding="utf-8",
    )
    for undefined in json.loads(result.stdout):
        if undefined["code"] != "F821":
            continue  # ``python`` tells what is no Python
        name = re.findall("`(.+)`", undefined["message"])[0]
        folded = [cell.line for cell in page.cells if name in _bound_names(cell.tree)]
        place = f"the folded cell at line {folded[0]}" if folded else "no cell"
        yield (
            undefined["location"]["row"],
            f"an open cell uses {name!r}, which comes from {place}; whoever types the open cells "
            "needs it. Open that cell, or fold this one.",
        )


def _bound_names(syntax_tree: ast.AST):
    """The names that some code makes."""
    for node in ast.walk(syntax_tree) if isinstance(syntax_tree, ast.AST) else ():
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            yield node.id
        elif isinstance(node, ast.FunctionDef | ast.ClassDef):
            yield node.name
        elif isinstance(node, ast.alias):
            yield (node.asname or node.name).partition(".")[0]
