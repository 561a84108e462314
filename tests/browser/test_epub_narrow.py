"""The EPUB on a small screen: what is wider is drawn smaller, or scrolls in its own place."""

import zipfile

import lxml.html
import pytest
from lxml import etree

from tests.tools.paper.test_epub import ABOUT, PIXEL
from tools.paper import epub
from tools.paper.composition import Book, BookPart
from tools.paper.site_pages import PaperPage
from tools.site.formulas import Typesetter

pytestmark = pytest.mark.browser
WIDE, PHONE = 900, 420
LONG = "+".join("x" * 40)
# As the kit draws a figure that the site lets scroll.
DRAWING = (
    f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDE} 90" width="{WIDE}" height="90" '
    f'style="max-width:none;height:auto" role="img" aria-label="Wide"><rect width="9" height="9"/></svg>'
)
PARTS = {
    "a figure": DRAWING,
    "a displayed formula": "<div class='math'>{}</div>",
    "a formula in a line": "<p>So <span class='math'>{}</span> it is.</p>",
    "a table": f"<table><tbody><tr>{'<td>encoder-only</td>' * 9}</tr></tbody></table>",
}


@pytest.mark.parametrize("what", PARTS)
def test_nothing_reaches_past_a_small_screen(chromium, tmp_path, what):
    body = lxml.html.fragment_fromstring("<section id='one'><h1>One</h1></section>")
    parse = etree.fromstring if what == "a figure" else lxml.html.fragment_fromstring
    formula = Typesetter({}).typeset(LONG, is_display="displayed" in what)
    body.append(parse(PARTS[what].replace("{}", formula)))
    book = Book([BookPart("Words", [PaperPage("one", body, "One")])], ABOUT)
    epub.write_epub(tmp_path / "small.epub", book, "<p>Front</p>", PIXEL)
    with zipfile.ZipFile(tmp_path / "small.epub") as archive:
        archive.extractall(tmp_path)
    tab = chromium.new_page(viewport={"width": PHONE, "height": 800})
    tab.goto((tmp_path / "book" / "one.xhtml").as_uri())
    assert tab.locator("svg, math, table").bounding_box()["width"] > PHONE / 2
    assert tab.evaluate("document.documentElement.scrollWidth") <= PHONE
