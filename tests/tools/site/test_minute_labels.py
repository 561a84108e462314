"""Minutes under each title and in the contents, in a small book."""

import re
from html.parser import HTMLParser

import pytest

from tools.pages.book_pages import page_kind
from tools.site.contents import linked_page_name


def text(html):
    parts = []
    parser = HTMLParser()
    parser.handle_data = parts.append
    parser.feed(html)
    return " ".join("".join(parts).split())


def minutes(page):
    (line,) = re.findall(r'</h1>\s*<p class="tb-minutes">(.*?)</p>', page, re.DOTALL)
    return line


def contents(page):
    (tree,) = re.findall(r'<nav class="bd-links.*?</nav>', page, re.DOTALL)
    entries = re.findall(
        r'toctree-l(\d)[^>]*>\s*<a[^>]*href="([^"]*)"[^>]*>(.*?)</a>', tree, re.DOTALL
    )
    return {link: (int(level), text(name)) for level, link, name in entries}


@pytest.mark.parametrize(
    "page, link, meant",
    [
        ("words/a", "#", "words/a"),
        ("words/a", "b.html", "words/b"),
        ("words/a", "../attention/c.html", "attention/c"),
        ("intro", "words/a.html", "words/a"),
    ],
)
def test_a_link_of_the_contents_names_a_page(page, link, meant):
    assert linked_page_name(page, link) == meant


@pytest.mark.build
def test_a_page_says_what_it_is_and_how_long_it_takes(small_book):
    said = {name: minutes(small_book.page(name)) for name in small_book.pages}
    assert text(said["words/two"]) == "Lesson · about 7 minutes"
    assert text(said["words/one_lab"]) == "Laboratory of One · about 29 minutes"
    assert 'href="one.html"' in said["words/one_lab"]
    assert "proof and more in the laboratory" in text(said["words/one"])
    assert 'href="one_lab.html"' in said["words/one"]
    assert text(said["intro"]) == "about 2 minutes"
    assert text(said["reference/notation"]) == "Reference · about 4 minutes"
    assert text(said["reference/works"]) == "Reference"  # nobody reads a list of works


@pytest.mark.build
def test_the_contents_show_lessons_with_their_minutes_and_laboratories_folded(
    small_book,
):
    page = small_book.page("words/two")
    assert contents(page)["one.html"] == (1, "One 7 min")
    assert contents(page)["one_lab.html"] == (2, "Laboratory 29 min")
    assert contents(page)["#"] == (1, "Two 7 min")
    levels = [level for level, _ in contents(page).values()]
    pages = [name for name in small_book.pages if page_kind(name) != "laboratory"]
    assert levels.count(1) == len(pages)
    assert page.count('<details><summary aria-label="Laboratory of ') == 2
    assert '<details open="open"' in small_book.page("words/one")
