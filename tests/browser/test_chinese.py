"""Chinese with its English under it, in sentences and in outputs."""

import itertools

import pytest

pytestmark = pytest.mark.browser
WORDS = """() => [...document.querySelectorAll('article .tb-zh')].map((line) =>
    [...line.querySelectorAll('ruby')].map((ruby) => {
        const range = document.createRange();
        range.selectNode(ruby.firstChild);
        const [word, english] = [range, ruby.querySelector('rt')].map((e) => {
            const { left, right, top, bottom } = e.getBoundingClientRect();
            return { left, right, top, bottom };
        });
        return { word, english };
    }))"""
MORE = """() => {
    const line = document.querySelector('article span.tb-zh');
    line.innerHTML = line.innerHTML.repeat(9);
}"""


@pytest.mark.parametrize("width", [1280, 390, 360])
def test_the_english_stands_under_each_word_and_apart(width, visit, small):
    page = visit(f"{small}/words/two.html", width=width)
    page.evaluate(MORE)
    lines = page.evaluate(WORDS)
    assert [len(line) for line in lines] == [54, 2, 2]
    for line in lines:
        tops = {round(part["word"]["top"]) for part in line}
        assert len(tops) == 1 or len(line) == 54  # a long one wraps
        for part in line:
            word, english = part["word"], part["english"]
            assert english["top"] > word["bottom"] - 9  # a font's own room is below
            middle = (english["left"] + english["right"]) / 2
            assert abs(middle - (word["left"] + word["right"]) / 2) < 8
            assert english["left"] >= 0 and english["right"] <= width
        for a, b in itertools.pairwise(line):
            if a["english"]["top"] == b["english"]["top"]:
                assert b["english"]["left"] >= a["english"]["right"]
    assert page.evaluate("document.documentElement.scrollWidth") <= width


def test_a_docstring_unfolds_by_keyboard(visit, small):
    page = visit(f"{small}/words/two.html")
    bar = page.locator("details.tb-more > summary")
    bar.focus()
    assert not page.get_by_text("whitespace collapsed").is_visible()
    page.keyboard.press("Enter")
    assert page.get_by_text("whitespace collapsed").is_visible()
