"""The pages of questions: their lists lead to every answer, and each answer stands by itself."""

import functools
import re

import pytest

from tests.conftest import ROOT
from tools import chapters

FOLDER = ROOT / "book" / "reference"
PAPER, BEYOND = FOLDER / "questions.md", FOLDER / "questions_beyond.md"
PAGES = {PAPER: 20, BEYOND: 24}  # and how many questions it has at least
ENTRY = re.compile(r"^\| \[(.+)\]\(#([\w-]+)\) \| .+ \|$", re.MULTILINE)
SECTION = re.compile(r"^\(([\w-]+)\)=\n### (.+)$", re.MULTILINE)
CHAPTER = re.compile(r"\]\(\.\./(?:words|attention|transformer|beyond)/(\w+)\.md\)")


def answers(page):
    """The code of the cells before the first question, and of each answer under its label."""
    set_up, cells, label = [], {}, None
    for cell in chapters.read(page).cells:
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
def test_the_lists_name_every_question_in_its_words_and_order(page):
    text = page.read_text()
    lists = text.split("```{code-cell}", 1)[0]
    listed = [(label, question) for question, label in ENTRY.findall(lists)]
    assert len(listed) > PAGES[page]
    assert listed == SECTION.findall(text)
    assert len(re.findall(r"^### ", text, re.MULTILINE)) == len(listed)
    assert len(CODE[page][1]) == len(listed)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_links_within_the_page_lead_to_a_question(page):
    links = set(re.findall(r"\]\(#([\w-]+)\)", page.read_text()))
    assert links == set(CODE[page][1])


@pytest.mark.parametrize("page, label", EACH)
def test_an_answer_asserts_something_or_names_its_chapter(page, label):
    text = re.search(
        rf"^\({label}\)=\n(.+?)(?=^\(|^## |\Z)",
        page.read_text(),
        re.MULTILINE | re.DOTALL,
    )[1]
    asserts = any(
        re.search(r"^\s*assert ", source, re.MULTILINE)
        for source in CODE[page][1][label]
    )
    assert asserts or CHAPTER.search(text)


@pytest.mark.parametrize("page, label", EACH)
def test_an_answer_runs_by_itself_and_leaves_the_set_up_alone(page, label):
    names = dict(prepared(page))
    for source in CODE[page][1][label]:
        exec(source, names)
    assert all(names[name] is value for name, value in prepared(page).items())
