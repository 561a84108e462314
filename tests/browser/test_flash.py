"""Attention tile by tile: a reader steps, masks, forgets to shrink and shares, in Chromium."""

import re

import numpy as np
import pytest

from tests.browser import measure
from transformer_book import by_hand

pytestmark = pytest.mark.browser
PAGE = "beyond/flash.html"
S = np.array([[2.0, 1, 3, 0], [1, 0, 4, 2], [1, 3, 2, 5], [0, 2, 4, 1]])
V = np.array([[2.0, 1], [4, 0], [8, 2], [0, 3]])


@pytest.fixture
def widget(visit, address):
    """Open the page, with this behind its address, and wait until the widget is alive."""

    def open_widget(query="", **options):
        page = visit(f"{address}/{PAGE}{query}", **options)
        page.locator(".tb-live td").first.wait_for()
        return page

    return open_widget


def table(page, name):
    rows = "rows => rows.map(r => [...r.querySelectorAll('td')].map(c => c.innerText))"
    return page.locator(f".tb-live table[aria-label='{name}'] tbody tr").evaluate_all(
        rows
    )


def kept(page):
    return table(page, "What each row keeps")


def output(page):
    return np.array(table(page, "Output"), float)


def expected(causal=False):
    mask = by_hand.causal_mask(4) if causal else None
    return by_hand.scaled_dot_product_attention(2 * S, np.eye(4), V, mask)[0]


def forward(page):
    return page.get_by_role("button", name="On to the next tile")


def test_it_stands_at_the_first_tile_and_steps_to_attention(widget):
    page = widget()
    e = np.exp(S[:2, :2] - S[:2, :2].max(axis=1, keepdims=True))
    for row, (largest, total) in enumerate(zip(S[:2, :2].max(axis=1), e.sum(axis=1))):
        assert kept(page)[row][:2] == [f"{largest:.0f}", f"{total:.2f}"]
    assert kept(page)[2] == ["·"] * 4
    for _ in range(3):
        forward(page).click()
    np.testing.assert_allclose(output(page), expected(), rtol=0, atol=0.0051)
    verdict = page.locator(".tb-verdict").inner_text()
    assert verdict == "Finished, and equal to attention: the, black, cat, sat."
    assert forward(page).get_attribute("aria-disabled") == "true"
    assert page.complaints == [] and page.foreign == []


@pytest.mark.parametrize("size", ["1", "2", "4"])
def test_whatever_the_tile_the_end_is_the_same(size, widget):
    page = widget("?flash.step=8&flash.causal=on")
    page.locator(".tb-live .tb-choice label", has_text=size).click()
    while forward(page).get_attribute("aria-disabled") == "false":
        forward(page).click()
    np.testing.assert_allclose(output(page), expected(True), rtol=0, atol=0.0051)


def test_the_causal_mask_skips_a_tile(widget):
    page = widget()
    page.get_by_role("switch", name="causal mask").check()
    place = page.locator(".tb-live .tb-heading").inner_text()
    assert place == "Tile 1 of 3; 1 in the future skipped"
    hidden = page.locator("table[aria-label='Scores'] td.tb-hidden").count()
    assert hidden == 6


def test_who_does_not_shrink_is_told(widget):
    page = widget("?flash.shrink=off&flash.step=4")
    wrong = page.locator(".tb-verdict .tb-wrong").inner_text()
    assert wrong == "Finished, and not equal to attention: the, black, cat, sat."
    assert (np.abs(output(page) - expected()) > 0.01).any(axis=1).all()
    page.get_by_role("switch", name="shrink").check()
    assert page.locator(".tb-verdict .tb-wrong").count() == 0


def test_a_sentence_sets_it(widget):
    page = widget()
    page.get_by_role("link", name="The next").click()
    lines = page.locator(".tb-tile-lines").inner_text()
    assert "largest max(3, 2, 5) = 5" in lines and "1.203" in lines
    page.wait_for_url(re.compile(r"flash\.step=4"))


def test_the_address_brings_it_back_and_a_broken_one_gives_the_start(widget):
    page = widget("?from=lecture")
    forward(page).click()
    page.wait_for_url(re.compile(r"flash\.step=2"))
    shared = page.url.split(PAGE)[1]
    assert shared.startswith("?from=lecture&") and "columns" not in shared
    assert kept(widget(shared)) == kept(page)
    broken = widget("?flash.step=99&flash.columns=3&flash.causal=2")
    assert kept(broken) == kept(widget()) and broken.complaints == []


def test_the_keyboard_does_it_all(widget):
    page = widget()
    forward(page).focus()
    page.keyboard.press("Enter")
    said = page.get_by_role("status").filter(has_text="Tile 2 of 4")
    said.wait_for(state="attached")
    assert forward(page).evaluate("b => b === document.activeElement")
    reset = page.get_by_role("button", name="Reset")
    reset.press("Enter")
    assert reset.evaluate("b => b === document.activeElement")
    assert "Tile 1 of 4" in page.locator(".tb-live .tb-heading").inner_text()


@pytest.mark.parametrize("width", [1440, 390, 360])
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_it_fits_and_follows_the_theme(width, theme, widget):
    page = widget("?flash.shrink=off&flash.step=4", width=width, theme=theme)
    red = {"light": "rgb(196, 35, 59)", "dark": "rgb(255, 138, 148)"}[theme]
    colour = "e => getComputedStyle(e).color"
    assert page.locator(".tb-verdict .tb-wrong").evaluate(colour) == red
    heights = set()
    for step in range(5):
        forward(page).evaluate("b => b.previousElementSibling.click()")
        assert page.evaluate("document.documentElement.scrollWidth") <= width, step
        targets = page.locator(".tb-live :is(button, td[tabindex], .tb-choice label)")
        assert measure.small(targets) == [], step
        heights.add(page.locator(".tb-live").evaluate("e => e.offsetHeight"))
    assert max(heights) - min(heights) <= 1


def test_without_javascript_the_figure_stays(visit, address):
    page = visit(f"{address}/{PAGE}", java_script_enabled=False)
    figure = page.locator("figure.tb-figure:has-text('After two keys') svg")
    assert figure.first.is_visible() and not page.locator(".tb-widget").is_visible()
