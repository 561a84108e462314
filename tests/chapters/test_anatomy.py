"""What a chapter is made of, checked on the sources."""

import re

import pytest

from tests.conftest import ROOT
from tools import chapters

PATHS = {chapters.name(path, ROOT): path for path in chapters.pages(ROOT)}
TAUGHT = [
    name
    for name in PATHS
    if name.split("/")[0] in {"words", "attention", "transformer"}
]

UNNAMED = re.compile(
    r"[Ww]idely\s+read|\bNotes\b|\b(?:public|other|another|some|many|these|the|their)\s+notes?\b"
    r"|\b(?:and|or|:|;|”|\",)\s+notes\b|\bnotes\s+say\b|tutorial|\bin public code\b"
)
LATER = re.compile(r"\b[Ll]ater\s+chapters?\b(?!\]\()")


@pytest.fixture(params=PATHS)
def notebook(request):
    return chapters.read(PATHS[request.param])


@pytest.fixture(params=TAUGHT)
def chapter(request):
    return PATHS[request.param].read_text()


def prose(notebook):
    text = "\n".join(
        cell.source for cell in notebook.cells if cell.cell_type == "markdown"
    )
    return re.sub(r"`[^`\n]*`|\$\$.*?\$\$|\$[^$\n]*\$", "", text, flags=re.DOTALL)


def code(notebook):
    return [cell for cell in notebook.cells if cell.cell_type == "code"]


def section(text, title):
    match = re.search(rf"^## {title}\n(.*?)(?=^## |\Z)", text, re.MULTILINE | re.DOTALL)
    assert match, f"no section {title!r}"
    return match[1].strip()


def test_a_cell_fits_on_a_screen(notebook):
    for cell in code(notebook):
        lines = cell.source.strip().splitlines()
        assert len(lines) <= 15, cell.source
        assert max(map(len, lines), default=0) <= 88, cell.source


def test_every_page_is_a_notebook_that_says_how_long_it_ran(notebook):
    last = code(notebook)[-1]
    assert last.source.strip() == "page.ran()"
    assert {"timed", "remove-input"} <= set(last.metadata.get("tags", []))


def test_no_outputs_are_kept_with_the_source(notebook):
    assert not any(cell.get("outputs") for cell in notebook.cells)


def test_the_prose_is_calm(notebook):
    text = prose(notebook)
    assert "!" not in re.sub(r"!\[", "[", text)
    assert not re.search("[\U0001f300-\U0001faff\u2600-\u27bf]", text)
    for filler in ("worth noting", "in the world of", "delve", "Let's", "let us"):
        assert filler.lower() not in text.lower(), filler


def test_links_in_prose_stay_in_the_book(notebook):
    assert not re.search(r"https?://", prose(notebook))


def test_no_sentence_leans_on_unnamed_notes(notebook):
    """Whatever others wrote is cited, or it is called a mistake that one meets."""
    assert not UNNAMED.findall(prose(notebook))


def test_a_later_chapter_is_linked(notebook):
    assert not LATER.findall(prose(notebook))


def test_heads_count_from_1(notebook):
    text = "\n".join(cell.source for cell in notebook.cells)
    assert not re.findall(r"\b[Hh]eads?[ _]0\b", text)


def test_no_line_of_prose_is_long(notebook):
    """A line may be longer in a table, or where a link's target makes it so."""
    text = "\n".join(
        cell.source for cell in notebook.cells if cell.cell_type == "markdown"
    )
    lines = [line for line in text.splitlines() if not line.startswith("|")]
    shown = [re.sub(r"\]\([^)]*\)", "]()", line) for line in lines]
    assert not [line for line in shown if len(line) > 120]


def test_it_ends_in_exercises_what_to_remember_and_where_to_read_on(chapter):
    exercises = re.findall(
        r"^`{3,}\{exercise\}[^\n]*\n:label: (\S+)", chapter, re.MULTILINE
    )
    solutions = re.findall(
        r"^`{3,}\{solution-start\} (\S+)\n:class: dropdown", chapter, re.MULTILINE
    )
    assert 3 <= len(exercises) <= 5 and exercises == solutions
    remember = section(chapter, "What to remember")
    assert (
        len([line for line in remember.splitlines() if re.match(r"[-\d*]", line)]) <= 5
    )
    assert "{cite" in section(chapter, "Where to read on")


def test_the_package_s_own_code_is_used_and_claims_are_asserted(chapter):
    assert "from transformer_book import" in chapter
    assert (
        len(
            re.findall(r"^assert |assert_(allclose|array_equal)", chapter, re.MULTILINE)
        )
        >= 5
    )
