"""How long a page takes to read: ``python -m tools.minutes words/positions`` runs it and says.

Prose is read at 115 words a minute, a line of code or output that is not folded in 6 seconds; a
figure or a formula on separate lines takes 45 seconds, something to play with 3 minutes.
Solutions are folded and not counted.
"""

import argparse
import json
import re
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from transformer_book.storage import replace_file

from . import ROOT
from .cache.store import hash_parts
from .pages import book_pages, page_outputs
from .pages.run_pages import run_page, set_kernel_environment

MINUTES_FILE_NAME = "minutes.json"  # beside the site
WORDS_PER_MINUTE, LINES_PER_MINUTE = 115, 10  # a minute
MINUTES_PER_FIGURE, MINUTES_PER_WIDGET = 0.75, 3.0  # minutes
UNREAD_MARKUP_PATTERN = re.compile(
    r"^`{3,}\{solution-start\}.*?^`{3,}\{solution-end\}\n`{3,}|^\(\S+\)=$|^%.*?$|^:\w[\w-]*:.*?$",
    re.DOTALL | re.MULTILINE,
)
DISPLAY_FORMULA = re.compile(r"\$\$.*?\$\$", re.DOTALL)
MARKUP_REPLACEMENTS = (
    (re.compile(r"\{(?:term|zh)\}`([^`]*)`"), r" \1 "),
    (re.compile(r"^[`:]{3,}.*$", re.MULTILINE), " "),
    (re.compile(r"\$[^$\n]*\$|\{\w+(?::\w+)?\}`[^`]*`"), " x "),  # a symbol, a number
    (re.compile(r"\]\([^)]*\)"), "] "),
    (re.compile(r"<[^>\n]+>"), " "),
)
CODE_BLOCK = re.compile(r"```\w*\n(.*?)```", re.DOTALL)
FOLDED_DETAILS = re.compile(r"<details.*?</details>", re.DOTALL)
HTML_LINE = re.compile(r'<tr\b|class="tb-zh"')
# A page that holds one of these is looked up in, and not read.
LOOKUP_DIRECTIVE = re.compile(
    r"^`{3,}\{(?:eval-rst|bibliography|glossary)\}", re.MULTILINE
)
WORD = re.compile(r"[^\W_][\w'’.,:%/-]*")


@dataclass(frozen=True)
class ReadingAmount:
    """What a reader of a page meets: words, lines of code and of output, figures, widgets."""

    words: int
    code: int
    output: int
    figures: int
    widgets: int

    @property
    def minutes(self):
        return (
            self.words / WORDS_PER_MINUTE
            + (self.code + self.output) / LINES_PER_MINUTE
            + self.figures * MINUTES_PER_FIGURE
            + self.widgets * MINUTES_PER_WIDGET
        )


def count_reading_amount(notebook) -> ReadingAmount:
    """Count what is to be read in an executed notebook."""
    words = code = output = figures = widgets = 0
    for cell in _without_solutions(notebook.cells):
        if cell.cell_type == "markdown":
            text, formulas = DISPLAY_FORMULA.subn(" ", cell.source)
            figures += formulas
            widgets += len(re.findall(r"^`{3,}\{widget\}", text, re.MULTILINE))
            figures -= len(re.findall(r"^:instead-of:", text, re.MULTILINE))
            words += _count_words(text)
            continue
        tags = set(cell.metadata.get("tags", []))
        if tags & {"remove-cell", "hide-cell"}:
            continue
        if not tags & {"hide-input", "remove-input"}:
            code += len(list(filter(str.strip, cell.source.splitlines())))
        if not tags & {"hide-output", "remove-output"}:
            for shown in cell.get("outputs", []):
                lines, drawings, prose = _count_lines_figures_and_words(shown)
                output += lines
                figures += drawings
                words += prose
    return ReadingAmount(words, code, output, figures, widgets)


def _without_solutions(cells):
    """Yield the cells outside solutions, and of the others what stands outside."""
    inside = False
    for cell in cells:
        if cell.cell_type != "markdown":
            if not inside:
                yield cell
            continue
        text = cell.source
        if inside:
            _, ends, text = text.partition("{solution-end}")
            inside = not ends
        text = UNREAD_MARKUP_PATTERN.sub("", text)
        if "{solution-start}" in text:
            text, inside = text.partition("{solution-start}")[0], True
        if text.strip():
            copy = cell.copy()
            copy.source = text
            yield copy


def _count_words(text: str) -> int:
    for pattern, replacement in MARKUP_REPLACEMENTS:
        text = pattern.sub(replacement, text)
    return len(WORD.findall(text))


def _count_lines_figures_and_words(output) -> tuple:
    """Count lines of text, figures and words of one output."""
    if output.output_type == "stream":
        return len(output.text.splitlines()), 0, 0
    data = output.get("data", {})
    if "tb-figure" in data.get("text/html", ""):
        return 0, 1, 0
    if "text/markdown" in data:
        text = FOLDED_DETAILS.sub("", data["text/markdown"])
        lines = sum(len(block.splitlines()) for block in CODE_BLOCK.findall(text))
        return lines, 0, _count_words(CODE_BLOCK.sub("", text))
    if "text/html" in data:
        return len(HTML_LINE.findall(data["text/html"])) or 1, 0, 0
    return len(data.get("text/plain", "").splitlines()), 0, 0


def write_minutes(root, build_folder, cache_keys):
    """Keep the minutes of each page that is read from its beginning to its end, for the site."""
    minutes = {}
    for path in filter(book_pages.is_notebook, book_pages.page_paths(root)):
        text, name = path.read_text("utf-8"), book_pages.page_name(path, root)
        if not LOOKUP_DIRECTIVE.search(text):
            minutes[name] = cache_keys.memo(
                f"minutes of {name}",
                hash_parts(cache_keys.code_key, text),
                partial(_page_minutes, path, build_folder),
            )
    replace_file(
        build_folder / MINUTES_FILE_NAME, json.dumps(minutes, indent=1).encode()
    )


def _page_minutes(path, build_folder):
    return round(
        count_reading_amount(
            page_outputs.notebook_with_outputs(path, build_folder)
        ).minutes,
        2,
    )


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("pages", nargs="+", help="names, as in words/positions")
    set_kernel_environment(ROOT / "_build")
    for name in parser.parse_args().pages:
        path = ROOT / "book" / f"{Path(name).with_suffix('')}.md"
        notebook, seconds, failure = run_page(path)
        counts = count_reading_amount(notebook)
        print(f"{name}: {counts.minutes:.1f} minutes, {counts}, ran in {seconds:.0f} s")
        if failure:
            print(failure)


if __name__ == "__main__":
    main()
