"""The pages of questions: each answer runs by itself. ``tools.rules`` knows the rest of them."""

import functools
import re

import pytest

from tests.conftest import ROOT
from tools.pages import book_pages

FOLDER = ROOT / "book" / "reference"
PAPER, BEYOND = FOLDER / "questions.md", FOLDER / "questions_beyond.md"
PAGES = {PAPER: 20, BEYOND: 24}  # and how many questions it has at least
SECTION = re.compile(r"^\(([\w-]+)\)=\n### (.+)$", re.MULTILINE)


def answers(page):
    """The code of the cells before the first question, and of each answer under its label."""
    set_up, cells, label = [], {}, None
    for cell in book_pages.read_notebook(page).cells:
        if cell.cell_type == "code":
            (cells[label] if label else set_up).append(cell.source)
        elif found := SECTION.findall(cell.source):
            label, _ = found[-1]
            cells |= {name: [] for name, _ in found}
        elif re.search(r"^## (?!.*\n+\()", cell.source, re.MULTILINE):
            break
    return set_up, cells


CODE = {page: answers(page) for page in PAGES}
EACH = [(page, label) for page in PAGES for label in CODE[page][1]]


@functools.cache
def prepared(page):
    names = {"__name__": "questions"}
    for source in CODE[page][0]:
        exec(source, names)
    return names


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_these_are_all_questions(page):
    sections = SECTION.findall(page.read_text("utf-8"))
    assert list(CODE[page][1]) == [label for label, _ in sections]
    assert len(sections) > PAGES[page]


@pytest.mark.parametrize("page, label", EACH)
def test_an_answer_runs_by_itself_and_leaves_the_set_up_alone(page, label):
    names = dict(prepared(page))
    for source in CODE[page][1][label]:
        exec(source, names)
    assert all(names[name] is value for name, value in prepared(page).items())
