"""What the tests of both translators do with one, as a reader does."""

import numpy as np
import pytest

from tests.browser.widgets import each_cell, opened

CHOICES = {
    "how": "How words are chosen",
    "drawn": "Drawn as",
    "whose": "Whose attention",
}


def own(page):
    """The widget: the page has others."""
    return page.locator("[data-widget$=translator]")


def opened_translator(page, loaded):
    """Return two fixtures: one opens the page, the other has the model loaded, too.

    Parameters
    ----------
    page : str
    loaded : function
        Waits until a page's sentence is translated.
    """
    widget = opened(
        page, "[data-widget$=translator] .tb-typed", reduced_motion="reduce"
    )

    @pytest.fixture
    def translator(widget):
        def open_translator(query="", **options):
            window = widget(query, **options)
            own(window).locator(".tb-main").click()
            loaded(window)
            return window

        return open_translator

    return widget, translator


def written(page):
    return own(page).locator(".tb-written button").all_inner_texts()


def go(page, step):
    own(page).locator(".tb-written button").nth(step - 1).click()


def says(page, part):
    """Return the text of a part of the widget, by the end of its class."""
    return own(page).locator(f".tb-{part}").first.inner_text()


def notice(page):
    return own(page).locator(".tb-notice")


def odds(page):
    """The words that are offered, with their probabilities, and the one that was taken."""
    rows = own(page).locator(".tb-odds button")
    shown = rows.evaluate_all(
        "rows => rows.map(r => [r.querySelector('.tb-word').textContent,"
        " Number(r.querySelector('.tb-p').textContent.replace('<', '')), r.ariaPressed === 'true'])"
    )
    return {word: p for word, p, _ in shown}, [
        word for word, _, taken in shown if taken
    ]


def assert_odds(page, exact, words):
    """What is offered has the probabilities of an array, and the largest of it was taken."""
    shown, taken = odds(page)
    assert taken == [words[exact.argmax()]]
    for word, p in shown.items():
        assert p == pytest.approx(exact[words.index(word)], abs=6e-4), word
    return shown


def scores(page):
    """The scores of the beams."""
    texts = own(page).locator(".tb-beams b").all_inner_texts()
    return [float(text.replace("\u2212", "-")) for text in texts]


def choose(page, legend, value):
    group = own(page).get_by_role("group", name=CHOICES.get(legend, legend))
    group.locator(f"input[value='{value}']").check(force=True)


def matrix(page):
    rows = own(page).locator(".tb-weights tbody tr")
    return np.array(each_cell(rows, "Number(c.textContent)"))


def tell(page, text):
    own(page).locator(".tb-typed").fill(text)
    own(page).locator(".tb-typed").press("Enter")


def begun(page):
    """Wait until the book's translator has its distribution."""
    page.locator(".tb-odds li").first.wait_for()
