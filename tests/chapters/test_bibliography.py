"""The works: no two print alike, in citations or in the list, and the list is in order."""

from collections import Counter

import pytest

from tests.conftest import ROOT
from tools.pages.plain_markdown import MarkdownConverter, read_bibliography
from tools.site import citations

WORKS = read_bibliography(ROOT / "book" / "references.bib")


@pytest.fixture(scope="session")
def convert():
    return MarkdownConverter({}, WORKS, {"Q": "Q"})


def test_no_two_works_are_cited_alike(convert):
    cited = Counter(convert(f"{{cite:t}}`{key}`") for key in WORKS)
    assert not [citation for citation, times in cited.items() if times > 1]


def test_letters_follow_the_order_of_the_list(convert):
    keys = [
        entry.key for entry in citations.LetterBibliographyStyle().sort(WORKS.values())
    ]
    lettered = {}
    for key in keys:
        year = WORKS[key].fields["year"]
        if not year.isdigit():
            citation = convert(f"{{cite:t}}`{key}`")
            lettered.setdefault(citation.replace(year, year[:-1]), []).append(year[-1])
    assert len(lettered) == 5
    assert all("".join(found) in "abcdef" for found in lettered.values())
    assert all(len(found) > 1 for found in lettered.values())


def test_a_letter_with_an_accent_stands_with_its_plain_one():
    keys = [
        entry.key for entry in citations.LetterBibliographyStyle().sort(WORKS.values())
    ]
    assert keys.index("raffel2020") < keys.index("rehurek2010") < keys.index("rush2018")
    page = (ROOT / "book" / "reference" / "bibliography.md").read_text("utf-8")
    assert ":style: by_letter\n" in page
