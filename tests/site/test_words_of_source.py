"""What a page says is what its source says: the renderer takes no word away, and changes none.

A line that begins with "1. " becomes an item of a list and loses its number; a quotation mark, a
role or a comment that is not closed swallows what follows. So every run of words without markup in a
paragraph of the source has to be on the page, as it is written.
"""

import re
from html.parser import HTMLParser

import pytest

from tests.conftest import ROOT
from tools.pages import book_pages
from tools.rules.page import SourcePage

PAGES = [book_pages.page_name(path, ROOT) for path in book_pages.page_paths(ROOT)]
MARKUP = re.compile(
    r"""
    \]?\(\S*\.md\S*?\)  # the target of a link
    | \]\([^)]*\)        # another one
    | \{[^}`]*\}       # a role, or an attribute
    | <[^>\n]*>        # HTML
    | [*\[\]|#`$\\_]+  # emphasis, links, tables, headings
    | ^\s*(?:-|\d+\.)\s(?=\S)  # an item of a list behind an empty line
    | ^:\w+:.*$        # an option of a directive
    | ^[:`]{3,}.*$     # a fence
    | [ ]{3,}           # a role, code or a formula, which the prose leaves blank
    | \n\s*\n          # the end of a paragraph
    """,
    re.VERBOSE | re.MULTILINE,
)
WORD = re.compile(r"[^\W_]+")
FEWEST_WORDS = 3  # of a run; fewer are found somewhere on any page
SKIPPED = {"script", "style", "svg", "template", "mjx-container"}


class Words(HTMLParser):
    """The words of a page's article, in their order."""

    def __init__(self, text):
        super().__init__()
        self.skipped, self.pieces = 0, []
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        self.skipped += tag in SKIPPED

    def handle_endtag(self, tag):
        self.skipped -= tag in SKIPPED

    def handle_data(self, data):
        if not self.skipped:
            self.pieces.append(data)


def normal(text):
    """Words and numbers with single spaces around; quotation marks and dashes may be set anew."""
    return f" {' '.join(WORD.findall(text))} "


def runs(page):
    """The runs of words of a page's prose, each with the line where it begins."""
    at = 0
    for match in [*MARKUP.finditer(page.prose), None]:
        end = match.start() if match else len(page.prose)
        words = normal(page.prose[at:end])
        if len(words.split()) >= FEWEST_WORDS:
            yield page.line_number(at), words
        at = match.end() if match else end


@pytest.mark.parametrize("name", PAGES)
def test_every_run_of_words_in_the_source_is_on_the_page(site, name):
    html = (site / f"{name}.html").read_text("utf-8")
    shown = normal("".join(Words(html[html.index("<article") :]).pieces))
    page = SourcePage(name, (ROOT / "book" / f"{name}.md").read_text("utf-8"))
    missing = [
        f"line {line}:{words}" for line, words in runs(page) if words not in shown
    ]
    assert not missing, missing
