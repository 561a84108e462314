"""The book that both papers print: its parts in order, its links, its solutions at the end."""

import copy
from dataclasses import dataclass
from pathlib import Path

import lxml.html
import yaml
from lxml import etree

from tools.pages import book_pages

from .book_links import unique_element_id
from .markup import find_by_class
from .site_pages import PaperPage, part_titles_and_page_names, read_page

SOLUTIONS_NAME = "solutions"


@dataclass
class BookPart:
    """A part of the book, its pages in order."""

    title: str
    pages: list

    @property
    def id(self):
        return unique_element_id(f"part/{self.title}")


@dataclass
class Book:
    """All that is printed, and what is known of it."""

    parts: list
    metadata: dict

    @property
    def pages(self) -> list[PaperPage]:
        return [page for part in self.parts for page in part.pages]

    def pages_by_id(self) -> dict[str, PaperPage]:
        """The page that holds each name of the book."""
        return {
            name: page
            for page in self.pages
            for name in page.body.xpath(".//@id | @id")
        }


def compose_book(root: Path, site_folder) -> Book:
    """Read the built site as a book.

    Raises
    ------
    ValueError
        If a link leads to what the book lacks.
    """
    parts = [
        BookPart(title, [read_page(site_folder, name) for name in names])
        for title, names in part_titles_and_page_names(root)
    ]
    book = Book(parts, read_metadata(root))
    set_short_names(book)
    book.parts.append(BookPart("Solutions", [make_solutions_page(book.pages)]))
    check_links_within_book(book)
    return book


def read_metadata(root: Path) -> dict[str, str]:
    """What the title page says of the book, from the files that say it elsewhere."""
    config = yaml.safe_load((root / "_config.yml").read_text("utf-8"))
    cited = yaml.safe_load((root / "CITATION.cff").read_text("utf-8"))
    return {
        "title": config["title"],
        "author": config["author"],
        "year": config["copyright"],
        "repository": config["repository"]["url"],
        "date": str(cited["date-released"]),
        "version": cited["version"],
        "abstract": " ".join(cited["abstract"].split()),
    }


def set_short_names(book: Book):
    """Give each page the short name that stands in running heads and contents."""
    lessons = {page.name: page.short for page in book.pages}
    for page in book.pages:
        if book_pages.page_kind(page.name) == "laboratory":
            page.short = f"{lessons[book_pages.lesson_name(page.name)]}: laboratory"
            page.kind_and_minutes = "Laboratory"
        page.short = page.short or page.title


def make_solutions_page(pages: list[PaperPage]):
    """Return the solutions of all pages as a last one."""
    body = lxml.html.fragment_fromstring(
        f"<section id='{SOLUTIONS_NAME}'><h1>Solutions</h1><p>In the order of the chapters. "
        "Exercises are counted as on the site, where each laboratory follows its lesson. "
        "Each title leads back to its exercise.</p></section>"
    )
    for page in pages:
        if page.solutions:
            name = unique_element_id(f"{SOLUTIONS_NAME}/{page.name}")
            section = etree.SubElement(body, "section", id=name)
            section.set("data-short", page.short)  # for running heads
            etree.SubElement(section, "h2").text = page.short
            section.extend(page.solutions)
    return PaperPage(SOLUTIONS_NAME, body, "Solutions")


def check_links_within_book(book: Book):
    names = book.pages_by_id()
    for page in book.pages:
        for link in page.body.iter("a", "{*}a"):
            address = link.get("href")
            if address.startswith("#") and address[1:] not in names:
                raise ValueError(
                    f"{page.name} links to {address[1:]}, which the book lacks; mend the link in its page."
                )


def copy_body_without(page: PaperPage, omitted_class: str):
    """A page's body to be changed, without the wide or the narrow of its figures."""
    body = copy.deepcopy(page.body)
    for drawing in find_by_class(body, omitted_class):
        drawing.drop_tree()
    return body
