"""What chapters say to their pages."""

import html
import math
import shlex

import numpy as np
import pytest
import torch
from markdown_it import MarkdownIt

from transformer_book import by_hand, data
from transformer_press import chinese, page
from transformer_press.page import prose


def test_glue_stores_python_numbers_under_their_names(monkeypatch):
    stored = {}
    monkeypatch.setattr(
        prose,
        "display",
        lambda data, raw, metadata: stored.update(
            {metadata["scrapbook"]["name"]: data}
        ),
    )
    page.glue(cosine=np.float64(0.5), name="black")
    assert stored == {
        "cosine": {"application/papermill.record/text/plain": "0.5"},
        "name": {"application/papermill.record/text/plain": "'black'"},
    }


def test_glue_refuses_what_prose_cannot_quote():
    with pytest.raises(
        TypeError, match="weights is a ndarray; expected one number or a string"
    ):
        page.glue(weights=np.ones(3))


def test_a_long_line_is_shown_in_several_and_none_is_lost(capsys):
    command = "python -m something " + " ".join(f"--option-{i} {i}" for i in range(20))
    page.show(command, end=" \\")
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) > 2 and max(map(len, lines)) <= 80
    # A shell drops a backslash with the end of its line; shlex does not.
    assert shlex.split("\n".join(lines).replace("\\\n", "")) == shlex.split(command)
    page.show("a " * 60, "name ", " " * 5)
    first, *others = capsys.readouterr().out.splitlines()
    assert first.startswith("name a") and all(
        line.startswith("     a") for line in others
    )


def test_source_is_the_working_lines_and_they_work():
    working, full = parts(page.source(by_hand.scaled_dot_product_attention))
    first, *_, last = working.splitlines()
    assert first == "def scaled_dot_product_attention(Q, K, V, mask=None, bias=None):"
    assert last == "    return weights @ V, weights  # (..., m, d_v)"
    assert '"""' not in working and "Float" not in working and "@" in full
    assert "Raises" in full and "transformer_book/by_hand/attention.py" in full
    namespace = {"math": math, "np": np, "softmax": by_hand.softmax}
    exec(working, namespace)
    X = np.eye(3)
    np.testing.assert_array_equal(
        namespace["scaled_dot_product_attention"](X, X, X)[0],
        by_hand.scaled_dot_product_attention(X, X, X)[0],
    )


def parts(markdown):
    """The code that a page shows, and the full source that unfolds below it."""
    code, _, more = markdown.data.removeprefix("```python\n").partition("\n```")
    return code, html.unescape(more)


def page_decorator(function):
    return function


def check_positive(n):
    pass


class Documented:
    """Have a first line, and <more>."""

    sizes: int

    def __init__(self, n: int = 1_000):
        self.n: int = n  # (n,)

    @page_decorator
    @torch.no_grad()
    def half_size(
        self, of: int, *others: int, name: str = "a", rounded: bool | None = None
    ) -> int:
        """Halve."""
        # Says why there is a check.
        check_positive(of)
        # Says why a number may be none.
        if of is None:
            raise ValueError("nothing")
        if others:
            raise ValueError("others")
        else:
            of = 2 * of
        assert of > 0

        for other in others:
            check_positive(other)
        # Says why it is halved.
        return of // 2  # whole


WORKING = """class Documented:
    sizes: int

    def __init__(self, n=1_000):
        self.n = n  # (n,)

    @torch.no_grad()
    def half_size(self, of, *others, name="a", rounded=None):
        if others:
            raise ValueError("others")
        else:
            of = 2 * of

        # Says why it is halved.
        return of // 2  # whole"""


def test_docstrings_checks_annotations_and_their_comments_are_left_out():
    working, full = parts(page.source(Documented))
    assert working == WORKING
    assert "and <more>." in full and "@page_decorator" in full
    assert "@page_decorator" not in working


def test_a_long_signature_is_broken():
    def long(first_argument, second_argument, third_argument, fourth_argument, fifth=5):
        """Have many arguments."""
        return first_argument

    working, _ = parts(page.source(long))
    assert max(map(len, working.splitlines())) <= 88
    exec(working, namespace := {})
    assert namespace["long"](1, 2, 3, 4) == 1


def test_what_does_nothing_but_check_is_shown_as_it_is():
    def check_two(n):
        """Refuse."""
        if n != 2:
            raise ValueError("not two")

    assert 'raise ValueError("not two")' in parts(page.source(check_two))[0]


def test_what_unfolds_is_text_and_no_markup_of_its_own():
    markdown = page.source(Documented).data
    assert "and &lt;more&gt;." in markdown
    tokens = MarkdownIt().parse(markdown)
    assert [token.type for token in tokens] == ["fence"] + ["html_block"] * 3


def test_code_that_only_works_unfolds_nothing():
    def plain(n):
        return n + 1

    assert page.source(plain).data.endswith("return n + 1\n```")


def test_a_page_shows_chinese_with_its_english(monkeypatch):
    grammar = {"黑": "black", "猫": "cat", "。": ""}

    def gloss(text):
        return [(c, grammar.get(c, "?")) for c in text]

    monkeypatch.setattr(data, "gloss_words", gloss, raising=False)
    line = page.chinese("黑猫。")
    assert repr(line) == "黑猫。 / black cat"
    shown = line._repr_html_()
    assert '<ruby>黑<rp> (</rp><rt lang="en"' in shown and ">black</rt>" in shown
    assert shown.count("<ruby>") == 2 and shown.endswith("。</span></p>")
    assert "ruby-position:under" in shown and 'lang="zh"' in shown
    assert repr(page.chinese(["黑", "猫"])) == "黑 / black\n猫 / cat"
    named = page.chinese({"right": "黑猫", "<beam>": "猫狗"})
    assert repr(named) == "right: 黑猫 / black cat\n<beam>: 猫狗 / cat ?"
    assert "&lt;beam&gt;" in named._repr_html_()


@pytest.mark.parametrize(
    "text, found",
    [
        ("黑[black]猫[cat]。", [("黑", "black"), ("猫", "cat"), ("。", "")]),
        ("跑步机[treadmill] 1", [("跑步机", "treadmill"), (" ", ""), ("1", "")]),
        ("猫[cat]？狗", [("猫", "cat"), ("？", ""), ("狗", "?")]),
    ],
)
def test_chinese_may_bring_its_english(text, found):
    assert chinese.gloss_words(text) == found


@pytest.mark.parametrize("text", ["猫[cat", "猫]", "[cat]", "猫[c[a]t]", "猫[]"])
def test_a_bracket_that_stands_wrong_is_refused(text):
    with pytest.raises(ValueError, match="expected each English in brackets"):
        page.chinese(text)


def test_characters_have_the_english_of_their_word_and_marks_stay_whole():
    assert page.characters("黑沙发。") == ["黑 black", "沙 couch", "发 couch", "。"]
    assert (
        page.characters("<bos>") == ["<bos>"] and page.english("黑猫。") == "black cat"
    )


def test_labels_of_figures_have_the_english_below():
    found = chinese.labels(["黑[black]", "猫[cat]", "</s>"])
    assert found == ["黑\nblack", "猫\ncat", "</s>"]


def test_plain_text_has_the_english_behind_it():
    assert (
        chinese.plain_text(chinese.gloss_words("黑[black]猫[cat]"))
        == "黑猫 (black cat)"
    )
    assert chinese.plain_text([("a", "")]) == "a"
