"""Who leads to whom: a lesson to the next, a laboratory back to its lesson."""

import re

import pytest

from tests.tools.site.test_minute_labels import text
from tools.site.neighbours import neighbour_labels, previous_and_next_page

PAGES = ["intro", "tour", "words/a", "words/a_lab", "words/b", "reference/c"]


@pytest.mark.parametrize(
    "name, before, after",
    [
        ("intro", None, "tour"),
        ("words/a", "tour", "words/b"),
        ("words/a_lab", "words/a", "words/b"),
        ("words/b", "words/a", "reference/c"),
        ("reference/c", "words/b", None),
        ("genindex", None, None),
    ],
)
def test_a_laboratory_is_passed_over_and_leads_back_to_its_lesson(name, before, after):
    assert previous_and_next_page(PAGES, name) == (before, after)


@pytest.mark.parametrize(
    "name, before, after, said",
    [
        ("words/b", "words/a", "reference/c", ("Previous lesson", "Next")),
        ("words/a", "tour", "words/b", ("Previous", "Next lesson")),
        ("words/a_lab", "words/a", "words/b", ("Back to the lesson", "Next lesson")),
        ("tour_lab", "tour", "words/a", ("Back to the tour", "Next lesson")),
        ("intro", None, "tour", ("Previous", "Next")),
    ],
)
def test_the_links_say_what_they_lead_to(name, before, after, said):
    assert neighbour_labels(name, before, after) == said


@pytest.mark.build
def test_neighbours_and_names_of_a_laboratory(small_book):
    page = small_book.page("words/one_lab")
    assert "<title>One: laboratory" in page
    area = re.search(r'<div class="prev-next-area">.*?</footer>', page, re.DOTALL)[0]
    assert text(area) == "Back to the lesson One Next lesson Two"
    area = re.search(
        r'<div class="prev-next-area">.*?</footer>',
        small_book.page("words/one"),
        re.DOTALL,
    )[0]
    assert text(area) == "Previous A small book Next lesson Two"
