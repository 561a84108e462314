"""A small EPUB: epubcheck finds nothing in it, finds what is wrong, and it is made the same twice."""

import hashlib

import lxml.html
import pytest
from lxml import etree

from tools.paper import epub, front_matter
from tools.paper.composition import Book, BookPart
from tools.paper.site_pages import PaperPage
from tools.site.formulas import Typesetter

pytestmark = pytest.mark.build
ABOUT = {
    "title": "A small & fine book",
    "author": "Somebody",
    "year": "2026",
    "repository": "https://example.org/small",
    "date": "2026-01-31",
    "version": "1",
    "abstract": "A book of one page.",
}
PIXEL = bytes.fromhex(
    "89504e470d0a1a0a0000000d49484452000000010000000108000000003a7e9b55"
    "0000000a4944415478da6360000000020001e527defc0000000049454e44ae426082"
)
BODY = """<section id="one"><h1>Which word next?</h1>
<p>Chinese: <span class="tb-zh" lang="zh"><ruby>黑<rp>(</rp><rt lang="en">black</rt><rp>)</rp></ruby></span>,
and <span class="math" data-tex="x">{}</span>. <a href="#two">Next</a></p>{}</section>"""
DRAWING = (
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 9" width="9" height="9" role="img" '
    'aria-label="A square"><rect width="9" height="9"/></svg>'
)


def written(path, more=""):
    formula = Typesetter({}).typeset(r"\left(x\right)", is_display=False)
    body = lxml.html.fragment_fromstring(BODY.format(formula, more))
    body.append(etree.fromstring(DRAWING))
    other = lxml.html.fragment_fromstring(
        "<section id='two'><h1>Two</h1><p>Words</p></section>"
    )
    pages = [
        PaperPage("words/one", body, "One", "Lesson"),
        PaperPage("two", other, "Two"),
    ]
    front = front_matter.title_page_xhtml(ABOUT, "Read it.")
    epub.write_epub(path, Book([BookPart("Words", pages)], ABOUT), front, PIXEL)
    return path


def test_epubcheck_finds_nothing_in_a_small_book(tmp_path):
    epub.check_epub(written(tmp_path / "small.epub"))


@pytest.mark.parametrize(
    "wrong", ["<unk>", "<img src='lost.png' alt=''>", "<p id='one'>Twice</p>"]
)
def test_epubcheck_finds_what_is_wrong(tmp_path, wrong):
    with pytest.raises(RuntimeError, match="epubcheck found faults"):
        epub.check_epub(written(tmp_path / "small.epub", wrong))


def test_the_same_book_is_the_same_file(tmp_path):
    first, second = (
        hashlib.sha256(written(tmp_path / f"{n}.epub").read_bytes()).hexdigest()
        for n in "ab"
    )
    assert first == second


def test_a_link_to_what_the_book_lacks_is_named():
    from tools.paper.composition import check_links_within_book

    body = lxml.html.fragment_fromstring(
        "<section id='one'><h1>One</h1><a href='#lost'>x</a></section>"
    )
    with pytest.raises(
        ValueError, match="words/one links to lost, which the book lacks"
    ):
        check_links_within_book(
            Book([BookPart("Words", [PaperPage("words/one", body)])], ABOUT)
        )
