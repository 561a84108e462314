"""What a chapter is made of, checked on the sources."""

import re

import pytest

from tests.lessons import (
    ASSERTS,
    KINDS,
    LESSONS,
    PATHS,
    asserts,
    faults,
)
from tools import chapters

UNNAMED = re.compile(
    r"[Ww]idely\s+read|\bNotes\b|\b(?:public|other|another|some|many|these|the|their)\s+notes?\b"
    r"|\b(?:and|or|:|;|”|\",)\s+notes\b|\bnotes\s+say\b|tutorial|\bin public code\b"
)
LATER = re.compile(r"\b[Ll]ater\s+chapters?\b(?!\]\()")


@pytest.fixture(params=PATHS)
def notebook(request):
    return chapters.read(PATHS[request.param])


def prose(notebook):
    text = "\n".join(
        cell.source for cell in notebook.cells if cell.cell_type == "markdown"
    )
    return re.sub(r"`[^`\n]*`|\$\$.*?\$\$|\$[^$\n]*\$", "", text, flags=re.DOTALL)


def code(notebook):
    return [cell for cell in notebook.cells if cell.cell_type == "code"]


def test_a_cell_fits_on_a_screen(notebook):
    for cell in code(notebook):
        lines = cell.source.strip().splitlines()
        assert len(lines) <= 15, cell.source
        assert max(map(len, lines), default=0) <= 88, cell.source


def test_every_page_is_a_notebook_that_says_how_long_it_ran(notebook):
    last = code(notebook)[-1]
    assert last.source.strip() == "page.ran()"
    assert last.metadata.get("tags") == ["remove-input"]


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


def text_of(name):
    return PATHS[name].read_text("utf-8")


@pytest.mark.parametrize("name", LESSONS)
def test_a_lesson_has_its_parts_in_their_order(name):
    assert faults(text_of(name)) == []


@pytest.mark.parametrize("name", KINDS["laboratory"])
def test_a_laboratory_leads_to_its_lesson_and_asserts_what_it_claims(name):
    text = text_of(name)
    first = re.search(r"^# .+\n+((?:.+\n)+)", text, re.MULTILINE)
    assert f"({chapters.lesson(name).split('/')[-1]}.md)" in first[1]
    assert asserts(text) >= ASSERTS["laboratory"]


def test_every_laboratory_belongs_to_a_lesson():
    taught = {*KINDS["lesson"], *KINDS["tour"]}
    assert {chapters.lesson(name) for name in KINDS["laboratory"]} <= taught


LESSON = (
    """\
# Why?

A picture. **You need** nothing. **You will be able to** see.

## One

assert 1
assert 2
assert 3

## What to remember

- This.

## Exercises
"""
    + "".join(
        f"""
```{{exercise}} {label}
:label: {label}
```

```{{solution-start}} {label}
:class: dropdown
```
"""
        for label in "abc"
    )
    + "\n## Where to read on\n\n{cite:t}`vaswani2017`\n"
)


@pytest.mark.parametrize(
    "old, new",
    [
        ("# Why?", "# Why"),
        ("**You need** nothing. ", ""),
        ("**You will be able to** see.", ""),
        ("\n\n## One\n", "\n\n## One\n\n**You need** this.\n"),
        ("assert 2\n", ""),
        ("- This.", "This."),
        ("- This.", "- This.\n" * 6),
        ("## What to remember", "## Remember"),
        ("```{exercise} b", "```{note} b"),
        (":class: dropdown", ":class: open"),
        ("{cite:t}", ""),
        ("## Where to read on", "## Read on"),
    ],
)
def test_what_a_lesson_lacks_is_named(old, new):
    assert faults(LESSON) == [] and old in LESSON
    broken = LESSON.replace(old, new)
    if "## One\n\n**You need**" in broken:  # too late
        broken = broken.replace("**You need** nothing. ", "")
    assert faults(broken)
