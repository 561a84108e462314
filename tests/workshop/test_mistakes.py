"""The links lead to the headings of the book's two pages of mistakes."""

import re

from tests.conftest import ROOT
from transformer_workshop.mistakes import LINKS_BY_MISTAKE


def test_every_mistake_of_the_book_has_the_link_of_its_heading():
    expected = {}
    for page in ("mistakes", "mistakes_beyond"):
        text = (ROOT / f"book/reference/{page}.md").read_text("utf-8")
        for number, title in re.findall(r"^## (M\d+) (.*)$", text, re.MULTILINE):
            slug = re.sub(r"[^\w\- ]", "", f"{number} {title}".lower())
            expected[number] = f"reference/{page}.html#{slug.replace(' ', '-')}"
    assert expected == LINKS_BY_MISTAKE
