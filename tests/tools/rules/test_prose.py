"""Rules on sentences, each broken, and what looks like a fault and is none."""

import pytest

from tests.tools.rules.small_pages import PAGES, faults, the_fault

POINT = "- This."


@pytest.mark.parametrize(
    "words, says",
    [
        ("Look!", "an exclamation mark"),
        ("Fine. ✨", "an emoji, ✨"),
        ("It is worth noting.", "the filler “worth noting”"),
        ("Let's see.", "the filler “Let's”"),
        ("See [it](https://there.org/x).", "out of the book, https://there.org/x;"),
        ("See <http://there.org>.", "a link out of the book, http://there.org;"),
        ("![](here.png)", "a picture without a text"),
        ("In some notes.", "“some notes” leans on unnamed notes"),
        ("In a later chapter.", "“later chapter” names no chapter"),
        ("See head 0.", "“head 0”; heads count from 1"),
        (
            "word " * 23 + "- word",
            "a line of prose has 121 columns; expected at most 120",
        ),
        ("A {term}`Token`.", "the term “token” is marked at line 14 already"),
        ("A {term}`piece <token>`.", "the term “token” is marked at line 14 already"),
        ("猫.", "猫 has no English. Write {zh}`猫`"),
        (
            "As in {cite:p}`gage1994,sennrich2016`. It is in the first of these.",
            "“first of these” counts the works of a grouped citation",
        ),
    ],
)
def test_a_rule_on_prose_is_told(words, says):
    assert says in the_fault("words/one", POINT, f"- So\n{words}", words)


def test_a_line_that_becomes_a_list_is_told():
    fault = the_fault("words/one", POINT, "- At most\n  1. It is.", "  1. It")
    assert "begins with “1.” and becomes a list" in fault


@pytest.mark.parametrize(
    "right",
    [
        "- `!`, $n!$ and ![a picture](here.png).",
        "- This.\n\n$$\nn!\n$$",
        "- In [later chapters](two.md).",
        f"- [words](two.md#{'where-' * 20}).",
        "- Read 上 (*on*), or 沙发, *couch*, and `猫`.",
        "- This.\n\n### 猫",
        "- This.\n\n1. One.\n1. Two.",
        "- As in {cite:p}`gage1994`. It is in the first of these.",
        "- As in {cite:p}`gage1994,sennrich2016`.\n\nThe first of these is another.",
    ],
)
def test_what_is_right_is_not_told(right):
    assert faults("words/one", PAGES["words/one"].replace(POINT, right)) == []


def test_the_glossary_marks_terms_again_and_ends_in_chinese(monkeypatch):
    words = "# Words\n\nA {term}`token`, no {term}`token`. Chinese: 词元."
    text = PAGES["tour"].replace("# Tour", words)
    assert len(faults("tour", text)) == 2
    monkeypatch.setitem(PAGES, "reference/glossary", text)
    assert faults("reference/glossary", text) == []
