"""The book leads to the workshop: from the lesson of each function, and from each mistake it knows."""

import functools
import re

import pytest

from tests.conftest import ROOT
from tools.pages import book_pages
from transformer_workshop.tasks import tasks_by_name

NAMED = {slip.mistake for task in tasks_by_name().values() for slip in task.slips} - {
    ""
}
LISTS = [ROOT / f"book/reference/{name}.md" for name in ("mistakes", "mistakes_beyond")]
LINK = re.compile(r"\]\(\.\./workshop/(\w+)\.md\)")


@functools.cache
def exercises():
    """Return the page on which each function is written."""
    folder = ROOT / "book/workshop"
    found = {}
    for path in sorted(folder.glob("*.md")):
        for title in re.findall(
            r"^`+\{exercise\} (.*)$", path.read_text("utf-8"), re.M
        ):
            names = re.findall(r"\w+", title)
            found |= {name: path.stem for name in names if name in tasks_by_name()}
    return found


@functools.cache
def sections():
    """Return the text of each mistake's section."""
    found = {}
    for path in LISTS:
        _, *rest = re.split(r"^## (M\d+) ", path.read_text("utf-8"), flags=re.M)
        found |= dict(zip(rest[::2], rest[1::2], strict=True))
    return found


def test_each_function_is_written_on_a_page():
    assert set(exercises()) == set(tasks_by_name())


def test_the_functions_have_the_order_of_the_pages():
    toc = (ROOT / "_toc.yml").read_text("utf-8")
    pages = re.findall(r"file: workshop/(\w+)", toc)
    found = sorted(exercises(), key=lambda name: pages.index(exercises()[name]))
    assert found == list(tasks_by_name())


@pytest.mark.parametrize("number", sections())
def test_a_mistake_leads_to_the_function_in_which_it_is_recognised(number):
    pages = LINK.findall(sections()[number])
    assert len(pages) == (number in NAMED)
    if not pages:
        return
    (name,) = re.findall(r"make this mistake in `(\w+)`, the check", sections()[number])
    assert number in {slip.mistake for slip in tasks_by_name()[name].slips}
    assert pages == [exercises()[name]]


@pytest.mark.parametrize("name", tasks_by_name())
def test_the_lesson_of_a_function_leads_to_the_page_where_it_is_written(name):
    lesson = book_pages.lesson_name(tasks_by_name()[name].lesson.partition("#")[0])
    text = (ROOT / f"book/{lesson}.md").read_text("utf-8")
    section = re.search(r"^## Now write it\n(.*?)^## ", text, re.M | re.S)
    assert section and f"`{name}`" in section[1]
    assert exercises()[name] in LINK.findall(section[1])
