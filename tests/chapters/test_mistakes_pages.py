"""Both pages of mistakes: each section has its parts and runs by itself, and the table names all."""

import re

import pytest

from tests.chapters.mistakes import BEYOND, ENTRY, PAPER, SECTION, ran, set_up

PAGES = [PAPER, BEYOND]
EACH = [(page, number) for page in PAGES for number in page.numbers]


@pytest.mark.parametrize("page, number", EACH, ids=[f"M{number}" for _, number in EACH])
def test_a_section_has_its_parts_runs_by_itself_and_leaves_the_set_up_alone(
    page, number
):
    section = re.search(
        rf"^## M{number} .+\n((?:(?!## ).*\n)+)", page.text, re.MULTILINE
    )[1]
    _, *parts = re.split(r"^\*\*([\w ]+)\.\*\*", section, flags=re.MULTILINE)
    assert parts[::2] == ["Symptom", "Reproduction", "How to notice", "Repair"]
    assert "{code-cell}" in parts[3]
    assert re.search(r"^ *assert ", parts[5], re.MULTILINE)
    after = ran(page, number)
    assert all(after[name] is value for name, value in set_up(page).items())


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.path.stem)
def test_the_table_names_every_section_in_its_words(page):
    sections, links = SECTION.findall(page.text), ENTRY.findall(page.table)
    assert sorted((label, title) for title, label in links) == sorted(sections)
    numbers = [int(title[1:].split()[0]) for _, title in sections]
    assert numbers == list(page.numbers)
    assert len(re.findall("^## ", page.text, re.MULTILINE)) == len(numbers)
    within = set(re.findall(r"\]\(#([\w-]+)\)", page.text))
    assert within == {label for label, _ in sections}
