"""Attention tile by tile: a reader steps, masks, forgets to shrink and shares, in Chromium."""

import re

import numpy as np
import pytest

from tests.browser.widgets import (
    COLOURS,
    FOCUSED,
    assert_fits,
    each_cell,
    heard,
    height_of,
    in_looks,
    look,
    opened,
    rows,
)
from transformer_book import by_hand

pytestmark = pytest.mark.browser
PAGE = "beyond/flash.html"
S = np.array([[2.0, 1, 3, 0], [1, 0, 4, 2], [1, 3, 2, 5], [0, 2, 4, 1]])
V = np.array([[2.0, 1], [4, 0], [8, 2], [0, 3]])
widget = opened(PAGE, ".tb-live td")


def table(page, name):
    return each_cell(rows(page, name), "c.innerText")


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


def test_the_address_brings_it_back(widget):
    page = widget("?from=lecture")
    forward(page).click()
    page.wait_for_url(re.compile(r"flash\.step=2"))
    shared = page.url.split(PAGE)[1]
    assert shared.startswith("?from=lecture&") and "columns" not in shared
    assert kept(widget(shared)) == kept(page)


def test_the_keyboard_does_it_all(widget):
    page = widget()
    forward(page).focus()
    page.keyboard.press("Enter")
    heard(page, "Tile 2 of 4")
    assert forward(page).evaluate(FOCUSED)
    reset = page.get_by_role("button", name="Reset")
    reset.press("Enter")
    assert reset.evaluate(FOCUSED)
    assert "Tile 1 of 4" in page.locator(".tb-live .tb-heading").inner_text()


@in_looks(1440, 390, 360)
def test_it_fits_and_follows_the_theme(width, theme, widget):
    page = widget("?flash.shrink=off&flash.step=4", width=width, theme=theme)
    assert look(page.locator(".tb-verdict .tb-wrong"), "color") == COLOURS["red"][theme]
    heights = set()
    for step in range(5):
        forward(page).evaluate("b => b.previousElementSibling.click()")
        targets = ".tb-live :is(button, td[tabindex], .tb-choice label)"
        assert_fits(page, width, targets, step)
        heights.add(height_of(page))
    assert max(heights) - min(heights) <= 1
