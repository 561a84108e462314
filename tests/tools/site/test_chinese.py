"""The role {zh} and the outputs of cells: each Chinese word has its English under it."""

import re

import pytest
from docutils import nodes

from tests.tools.pages.test_notebooks import convert  # noqa: F401  (a fixture)
from tools.site import chinese as extension
from transformer_book import data
from transformer_press import chinese

PIECES = [("黑", "black"), ("猫", "cat"), ("。", "")]


class Messages:
    def __init__(self):
        self.said = []

    def warning(self, text, *given, location):
        self.said.append(text % given)


class Environment:
    def note_dependency(self, path):
        pass


def role(text, monkeypatch):
    """Run the role as a page does; return what it makes, and what it warns of."""
    made, messages = extension.ChineseRole(), Messages()
    monkeypatch.setattr(extension.ChineseRole, "env", Environment())
    monkeypatch.setattr(extension, "logger", messages)
    monkeypatch.setattr(made, "text", text, raising=False)
    monkeypatch.setattr(made, "get_location", lambda: "page:1")
    found, _ = made.run()
    return found, messages.said


def test_the_words_are_text_and_so_are_found_by_the_search(monkeypatch):
    (found,), said = role("黑[black]猫[cat]。", monkeypatch)
    assert [text.astext() for text in found.findall(nodes.Text)] == [
        "黑",
        "black",
        "猫",
        "cat",
        "。",
    ]
    assert said == []


@pytest.mark.parametrize(
    "text, wrong",
    [
        ("黑[black]狗", "no English is known for 狗; give it: 狗[...]"),
        ("黑[black", "expected each English in brackets behind its word"),
    ],
)
def test_a_word_without_english_is_a_warning(text, wrong, monkeypatch):
    _, (said,) = role(text, monkeypatch)
    assert wrong in said


def test_words_of_the_grammar_need_no_english(monkeypatch):
    monkeypatch.setattr(data, "gloss_words", lambda text: PIECES, raising=False)
    assert chinese.gloss_words("黑猫。") == PIECES


@pytest.mark.build
def test_a_page_has_ruby_with_its_languages(small_book):
    text = small_book.page("words/two")
    line = re.search(r'<span class="tb-zh" lang="zh">(.*?)</span>', text)[1]
    assert line.count("<ruby>") == 6 and line.endswith("</ruby>。")
    assert '<ruby>沙发<rp> (</rp><rt lang="en">couch</rt><rp>) </rp></ruby>' in line
    output = re.search(r'<p class="tb-zh".*?</p>', text)[0]
    assert 'lang="zh"' in output and ">black</rt>" in output


@pytest.mark.build
def test_a_source_has_the_rest_of_its_docstring_folded_below(small_book):
    text = small_book.page("words/two")
    (more,) = re.findall(r'<details class="tb-more">.*?</details>', text, re.DOTALL)
    assert "whitespace collapsed" in more and "<pre>" in more
    assert "whitespace collapsed" not in text.replace(more, "")


@pytest.mark.parametrize(
    "myst, plain",
    [
        ("So {zh}`黑[black]猫[cat]`.", "So 黑猫 (black cat)."),
        ("The {term}`attention weight`", "The attention weight"),
        ("{term}`Weights <attention weight>`", "Weights"),
        (
            "```{glossary}\nBLEU\nscore\n  How {zh}`好[good]`.\n```",
            "**BLEU**  \n**score**  \nHow 好 (good).",
        ),
    ],
)
def test_notebooks_have_it_in_plain_text(myst, plain, convert):  # noqa: F811
    assert convert(myst) == plain
