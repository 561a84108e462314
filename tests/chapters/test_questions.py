"""The page of questions: its lists lead to every answer, and each answer stands by itself."""

import re

import pytest

from tests.conftest import ROOT
from tools import chapters

PAGE = ROOT / "book" / "reference" / "questions.md"
TEXT = PAGE.read_text()
LISTS, *_ = TEXT.split("```{code-cell}", 1)
ENTRY = re.compile(r"^\| \[(.+)\]\(#([\w-]+)\) \| .+ \|$", re.MULTILINE)
SECTION = re.compile(r"^\(([\w-]+)\)=\n### (.+)$", re.MULTILINE)
CHAPTER = re.compile(r"\]\(\.\./(?:words|attention|transformer|beyond)/(\w+)\.md\)")


def answers():
    """The code of the cells before the first question, and of each answer under its label."""
    set_up, cells, label = [], {}, None
    for cell in chapters.read(PAGE).cells:
        if cell.cell_type == "code":
            (cells[label] if label else set_up).append(cell.source)
        elif found := SECTION.findall(cell.source):
            label, _ = found[-1]
            cells |= {name: [] for name, _ in found}
        elif re.search(r"^## (?!.*\n+\()", cell.source, re.MULTILINE):
            break
    return set_up, cells


SET_UP, ANSWERS = answers()


@pytest.fixture(scope="module")
def prepared():
    names = {"__name__": "questions"}
    for source in SET_UP:
        exec(source, names)
    return names


def test_the_lists_name_every_question_in_its_words_and_order():
    listed = [(label, question) for question, label in ENTRY.findall(LISTS)]
    assert len(listed) > 20
    assert listed == SECTION.findall(TEXT)
    assert len(re.findall(r"^### ", TEXT, re.MULTILINE)) == len(listed) == len(ANSWERS)


def test_links_within_the_page_lead_to_a_question():
    assert set(re.findall(r"\]\(#([\w-]+)\)", TEXT)) == set(ANSWERS)


@pytest.mark.parametrize("label", ANSWERS)
def test_an_answer_asserts_something_or_names_its_chapter(label):
    text = re.search(
        rf"^\({label}\)=\n(.+?)(?=^\(|^## |\Z)", TEXT, re.MULTILINE | re.DOTALL
    )[1]
    asserts = any(
        re.search(r"^\s*assert ", source, re.MULTILINE) for source in ANSWERS[label]
    )
    assert asserts or CHAPTER.search(text)


@pytest.mark.parametrize("label", ANSWERS)
def test_an_answer_runs_by_itself_and_leaves_the_set_up_alone(label, prepared):
    names = dict(prepared)
    for source in ANSWERS[label]:
        exec(source, names)
    assert all(names[name] is value for name, value in prepared.items())
