"""What the tests of the widget that takes parts from the model do with it."""

import json

import pytest

from tests.browser.widgets import opened
from transformer_book import data

PAGE = "transformer/looking_inside.html"
FOLLOWED, TRANSLATED = data.parallel_corpus.FOLLOWED_PAIR
widget = opened(PAGE, "[data-widget=what_if] .tb-parts", reduced_motion="reduce")


@pytest.fixture
def names(site):
    """The tokens of both languages, by id."""
    path = site / "_static" / "model" / "vocabulary.json"
    return json.loads(path.read_text("utf-8"))


@pytest.fixture
def changed(widget):
    """The same, with the model loaded and the sentence translated both ways."""

    def open_changed(query="", **options):
        page = widget(query, **options)
        if not query:
            own(page).locator(".tb-main").click()
        settle(page)
        return page

    return open_changed


def own(page):
    """The widget: the page has another that translates."""
    return page.locator("[data-widget=what_if]")


def settle(page):
    own(page).locator("[aria-busy=false]").wait_for()


def ask(page, text):
    own(page).locator(".tb-typed").fill(text)
    own(page).locator(".tb-main").click()
    settle(page)


def line(page, k):
    """The pieces of a translation, marks and all."""
    row = own(page).locator(".tb-line").nth(k)
    return row.locator(".tb-chips > *").all_inner_texts()


def before(page):
    return line(page, 0)


def after(page):
    return line(page, 1)


def compared(page):
    """What the two lines are, as seen and as heard, and the columns of probabilities."""
    names = own(page).locator(".tb-both .tb-where").all_inner_texts()
    lines = own(page).locator(".tb-line")
    assert names == lines.evaluate_all("all => all.map(e => e.ariaLabel)")
    return names, own(page).locator(".tb-two-odds thead th").all_inner_texts()[1:]


def said(page):
    return own(page).locator(".tb-said").inner_text()


def part(page, name):
    return own(page).get_by_role("button", name=name, exact=True)


def press(page, name):
    part(page, name).click()
    settle(page)


def press_keys(page, *keys):
    for key in keys:
        page.keyboard.press(key)


def title(page):
    return own(page).locator(".tb-title").inner_text()


def switch(page, name):
    own(page).get_by_role("switch", name=name).click()
    settle(page)


def odds(page):
    """What both give the pieces that are listed: {piece: (as it is, now)}."""
    rows = own(page).locator(".tb-two-odds tbody tr")
    found = rows.evaluate_all(
        "rows => rows.map(r => [r.querySelector('th span').textContent,"
        " ...[...r.querySelectorAll('.tb-p')].map(p => Number(p.textContent.replace('<', '')))])"
    )
    return {piece: (was, now) for piece, was, now in found}
