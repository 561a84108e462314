"""What chapters say to their pages."""

import html
import math
import shlex

import numpy as np
import pytest
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


def test_source_is_the_function_s_own_with_a_short_docstring():
    shown, more = parts(page.source(by_hand.scaled_dot_product_attention))
    assert "weights = softmax(scores)" in shown and "Parameters" not in shown
    assert "Parameters" in more and "Raises" in more and "softmax(scores)" not in more
    namespace = {
        "checked": lambda f: f,
        "math": math,
        "np": np,
        "softmax": by_hand.softmax,
    }
    exec("from jaxtyping import Bool, Float\n" + shown, namespace)
    X = np.eye(3)
    shown_output, _ = namespace["scaled_dot_product_attention"](X, X, X)
    np.testing.assert_array_equal(
        shown_output, by_hand.scaled_dot_product_attention(X, X, X)[0]
    )


def parts(markdown):
    """The code that a page shows, and the text that unfolds below it."""
    code, _, more = markdown.data.removeprefix("```python\n").partition("\n```")
    return code, html.unescape(more)


class Documented:
    """Have a first line.

    And <more>.
    """

    def one(self):
        """Return 1.

        Always.
        """
        return 1

    def two(self):
        """Return 2."""
        return 2


def test_source_of_a_class_shortens_every_docstring():
    code, more = parts(page.source(Documented))
    assert (
        code
        == '''class Documented:
    """Have a first line."""

    def one(self):
        """Return 1."""
        return 1

    def two(self):
        """Return 2."""
        return 2'''
    )
    assert "Documented\n\nAnd <more>.\n\n\nDocumented.one\n\nAlways.\n</pre>" in more
    assert "two" not in more


def test_what_unfolds_is_text_and_no_markup_of_its_own():
    markdown = page.source(Documented).data
    assert "And &lt;more&gt;." in markdown
    tokens = MarkdownIt().parse(markdown)
    assert [token.type for token in tokens] == ["fence"] + ["html_block"] * 3


def test_a_docstring_of_one_line_unfolds_nothing():
    assert page.source(Documented.two).data.endswith("return 2\n```")


def test_a_page_shows_chinese_with_its_english(monkeypatch):
    grammar = {"黑": "black", "猫": "cat", "。": ""}

    def gloss(text):
        return [(c, grammar.get(c, "?")) for c in text]

    monkeypatch.setattr(data, "gloss", gloss, raising=False)
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
    assert chinese.pieces(text) == found


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
    assert chinese.plain(chinese.pieces("黑[black]猫[cat]")) == "黑猫 (black cat)"
    assert chinese.plain([("a", "")]) == "a"
