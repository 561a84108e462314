"""Which terms of a page get their definition, in a small book."""

import re

import pytest

from tests.conftest import ROOT
from tools.pages import book_pages

pytestmark = pytest.mark.build
TIP = re.compile(r'<span class="tb-tip"[^>]*><span id="([^"]*)">')


def test_a_term_has_its_definition_where_it_is_first_used(small_book):
    page = small_book.page("attention/three")
    # Both names of one entry, or one of them twice, show it once.
    assert TIP.findall(page) == ["tip-term-attention-weight", "tip-term-logit"]
    assert page.count('class="xref std std-term"') == 4 + 1  # one within a definition
    first = page.index('class="tb-term"')
    assert first < page.index(">attention weights</span>")
    assert "js/terms.js" in page


def test_no_tip_in_the_glossary_itself_nor_where_no_term_is(small_book):
    for name in ("reference/glossary", "words/one"):
        assert "tb-tip" not in small_book.page(name)
        assert "js/terms.js" not in small_book.page(name)


@pytest.mark.parametrize(
    "path", book_pages.page_paths(ROOT), ids=lambda path: path.stem
)
def test_every_page_shows_a_definition_at_most_once(path, site):
    page = (site / f"{book_pages.page_name(path, ROOT)}.html").read_text("utf-8")
    found = TIP.findall(page)
    assert len(found) == len(set(found))
