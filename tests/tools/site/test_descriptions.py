"""What a page says of itself to those who link to it."""

import re

import pytest
from docutils import nodes

from tools.site import descriptions
from tools.site.missing_page import write_missing_page


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("A cat  sat.\nIt slept.", "A cat sat. It slept."),
        ("A cat sat. " * 30, ("A cat sat. " * 18).strip()),
        ("cat " * 60, ("cat " * 49).strip() + " …"),
    ],
)
def test_the_first_sentences_that_there_is_room_for(text, expected):
    document = nodes.section("", nodes.title("", "No"), nodes.paragraph("", text))
    assert descriptions.first_sentences(document) == expected
    assert len(expected) <= descriptions.MAX_DESCRIPTION_LENGTH


def test_a_page_without_text_has_none():
    assert descriptions.first_sentences(nodes.section()) == ""


def test_the_missing_page_leads_back_and_loads_nothing(tmp_path):
    write_missing_page(tmp_path, "A & B", "https://there/book/")
    text = (tmp_path / "404.html").read_text("utf-8")
    assert "A &amp; B" in text
    assert re.findall(r'(?:href|src)="([^"]*)"', text) == [
        "https://there/book/intro.html",
        "https://there/book/search.html",
    ]


@pytest.mark.build
def test_a_page_describes_itself(site):
    text = (site / "attention" / "masks.html").read_text("utf-8")
    description = re.search(r'<meta name="description" content="([^"]*)"', text)[1]
    assert description.startswith("The black cat sat on the couch")
    assert '<meta property="og:title" content="Masks"' in text
    assert (site / "404.html").exists()
