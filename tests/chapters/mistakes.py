"""A page of mistakes, taken apart: its sections, and the code of each."""

import functools
import re
from dataclasses import dataclass
from pathlib import Path

from tests.conftest import ROOT
from tools.pages import book_pages


@dataclass(frozen=True)
class Page:
    """A page, and the numbers of its mistakes."""

    path: Path
    numbers: range


@functools.cache
def cells(page):
    """The code before the first section, under 0, and that of each section under its number."""
    found, number = {0: []}, 0
    for cell in book_pages.read_notebook(page.path).cells:
        if cell.cell_type == "code" and cell.source.strip() != "page.ran()":
            found[number].append(cell.source)
        elif heading := re.search(r"^## M(\d+) ", cell.source, re.MULTILINE):
            number = int(heading[1])
            found[number] = []
    return found


@functools.cache
def set_up(page):
    names = {"__name__": "mistakes"}
    for source in cells(page)[0]:
        exec(source, names)
    return names


@functools.cache
def ran(page, number):
    """The names of a section that runs right after the set-up."""
    names = dict(set_up(page))
    for source in cells(page)[number]:
        exec(source, names)
    return names


FOLDER = ROOT / "book" / "reference"
PAPER = Page(FOLDER / "mistakes.md", range(1, 29))
BEYOND = Page(FOLDER / "mistakes_beyond.md", range(29, 49))
