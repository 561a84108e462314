"""All rules together: on small pages, on the book, and from the command line."""

import sys

import pytest
import yaml

from tests.conftest import ROOT
from tests.tools.rules.small_pages import PAGES, faults
from tools import rules
from tools.rules.__main__ import main

TOC = {
    "format": "jb-book",
    "root": "tour",
    "parts": [{"chapters": [{"file": name} for name in list(PAGES)[1:]]}],
}


def test_the_book_keeps_its_rules():
    assert rules.format_faults(rules.find_page_faults(ROOT)) == ""


@pytest.mark.parametrize("name", PAGES)
def test_a_page_that_keeps_the_rules_has_no_fault(name):
    assert faults(name, PAGES[name]) == []


@pytest.fixture
def project(tmp_path):
    """A book with a fault in each of two pages, of which one has two."""
    broken = {
        "tour": PAGES["tour"].replace("# Tour", "# Tour!"),
        "words/two": PAGES["words/two"].replace("- This.", "- This! See 0.4217."),
    }
    (tmp_path / "_toc.yml").write_text(yaml.safe_dump(TOC), "utf-8")
    for name, text in (PAGES | broken).items():
        path = tmp_path / "book" / f"{name}.md"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")
    return tmp_path


def places(faults):
    return [(fault.path, fault.message.split()[0]) for fault in faults]


def test_faults_come_in_the_order_of_the_book(project):
    tour, two = ("book/tour.md", "an"), "book/words/two.md"
    assert places(rules.find_page_faults(project)) == [
        tour,
        (two, "0.4217"),
        (two, "an"),
    ]


def test_pages_are_chosen_by_name(project):
    assert places(rules.find_page_faults(project, ["tour"])) == [("book/tour.md", "an")]
    assert rules.find_page_faults(project, ["words/one"]) == []


@pytest.mark.parametrize(
    "asked, lines", [([], 3), (["tour"], 1), (["book/tour.md"], 1)]
)
def test_the_command_says_a_line_for_each_fault(asked, lines, project, monkeypatch):
    monkeypatch.setattr(sys, "argv", ["rules", "--root", str(project), *asked])
    with pytest.raises(SystemExit) as said:
        main()
    assert len(said.value.code.splitlines()) == lines
    assert said.value.code.startswith("book/tour.md:12: an exclamation mark")


def test_the_command_is_content_with_a_right_page(project, monkeypatch):
    monkeypatch.setattr(sys, "argv", ["rules", "--root", str(project), "words/one"])
    main()


def test_the_command_names_a_page_that_is_not_there(project, monkeypatch, capsys):
    monkeypatch.setattr(sys, "argv", ["rules", "--root", str(project), "words/none"])
    with pytest.raises(SystemExit):
        main()
    assert "no page 'words/none' in _toc.yml" in capsys.readouterr().err
