"""Both pages of mistakes: each section runs by itself. ``tools.rules`` knows its parts and the table."""

import pytest

from tests.chapters.mistakes import BEYOND, PAPER, cells, ran, set_up

PAGES = [PAPER, BEYOND]
EACH = [(page, number) for page in PAGES for number in page.numbers]


@pytest.mark.parametrize("page, number", EACH, ids=[f"M{number}" for _, number in EACH])
def test_a_section_runs_by_itself_and_leaves_the_set_up_alone(page, number):
    after = ran(page, number)
    assert all(after[name] is value for name, value in set_up(page).items())


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.path.stem)
def test_these_are_all_sections(page):
    assert list(cells(page)) == [0, *page.numbers]
