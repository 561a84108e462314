"""Minutes: what is counted, and what is not."""

import json

import nbformat
import pytest

from tools.minutes import ReadingAmount, count_reading_amount

FIGURE = {"text/html": '<figure class="tb-figure"></figure>', "text/plain": "a\nb"}


def notebook(*cells):
    return nbformat.v4.new_notebook(cells=list(cells))


def prose(text):
    return nbformat.v4.new_markdown_cell(text)


def code(source, *outputs, tags=()):
    cell = nbformat.v4.new_code_cell(source, outputs=list(outputs))
    cell.metadata["tags"] = list(tags)
    return cell


def printed(text):
    return nbformat.v4.new_output("stream", text=text)


def shown(**data):
    kinds = {kind.replace("_", "/"): value for kind, value in data.items()}
    return nbformat.v4.new_output("display_data", kinds)


@pytest.mark.parametrize(
    "cell, found",
    [
        (prose("Two words, and $x_1$."), ReadingAmount(4, 0, 0, 0, 0)),
        (prose("The {term}`attention weight`."), ReadingAmount(3, 0, 0, 0, 0)),
        (prose("A {zh}`黑[black]猫[cat]`."), ReadingAmount(5, 0, 0, 0, 0)),
        (prose("See\n\n$$\nx\n$$"), ReadingAmount(1, 0, 0, 1, 0)),
        (prose("```{widget} masks\n\nTry it.\n```"), ReadingAmount(2, 0, 0, 0, 1)),
        (code("a = 1\n\nb = 2", printed("1\n2\n3\n")), ReadingAmount(0, 2, 3, 0, 0)),
        (code("a", printed("1"), tags=["hide-input"]), ReadingAmount(0, 0, 1, 0, 0)),
        (code("a", printed("1"), tags=["remove-cell"]), ReadingAmount(0, 0, 0, 0, 0)),
        (
            code("a", nbformat.v4.new_output("display_data", FIGURE)),
            ReadingAmount(0, 1, 0, 1, 0),
        ),
        (
            code(
                "s",
                shown(
                    text_markdown="```python\na\nb\n```\n\n<details>\nx\n\ny\n</details>"
                ),
            ),
            ReadingAmount(0, 1, 2, 0, 0),
        ),
        (
            code(
                "s",
                shown(
                    text_markdown="Two words.\n\n```python\na\n```\n"
                    "\n<details>\nNot these.\n</details>\n\nOne.\n\n```\nb\nc\n```"
                ),
            ),
            ReadingAmount(3, 1, 3, 0, 0),
        ),
        (
            code("z", shown(text_html='<p class="tb-zh">a</p><p class="tb-zh">b</p>')),
            ReadingAmount(0, 1, 2, 0, 0),
        ),
        (
            code("t", shown(text_html="<table><tr><td>a</td></tr><tr></tr></table>")),
            ReadingAmount(0, 1, 2, 0, 0),
        ),
        (code("t", shown(text_html="<b>no rows</b>")), ReadingAmount(0, 1, 1, 0, 0)),
        (code("v", shown(text_plain="a\nb\nc")), ReadingAmount(0, 1, 3, 0, 0)),
        (code("i", shown(image_png="abc=")), ReadingAmount(0, 1, 0, 0, 0)),
    ],
)
def test_what_is_read_is_counted(cell, found):
    assert count_reading_amount(notebook(cell)) == found


def test_solutions_are_folded_and_not_counted():
    start = "One.\n\n```{solution-start} ex\n:class: dropdown\n```\n\nNot this."
    end = "Nor this.\n\n```{solution-end}\n```\n\nTwo words."
    cells = prose(start), code("a = 1", printed("1")), prose(end)
    assert count_reading_amount(notebook(*cells)) == ReadingAmount(3, 0, 0, 0, 0)


def test_minutes_are_115_words_10_lines_4_figures_of_45_seconds_and_a_widget_of_3():
    assert ReadingAmount(115, 5, 5, 4, 1).minutes == 1 + 1 + 3 + 3


@pytest.mark.build
def test_new_minutes_are_shown_on_every_page(built):
    works = "```{bibliography}\n```\n"
    built.edit("book/part/second.md", works, "The end.")
    built.edit("book/first.md", "# First\n", f"# First\n\n{works}")
    built.built()
    record = built.root / "_build" / "minutes.json"
    assert list(json.loads(record.read_text("utf-8"))) == [
        "part/second"
    ]  # one has a list
    assert '<span class="tb-time">1 min</span>' in built.page("first")
    built.edit("book/part/second.md", "The end.", "word " * 690)
    assert built.built() == set()
    assert '<span class="tb-time">7 min</span>' in built.page("first")
