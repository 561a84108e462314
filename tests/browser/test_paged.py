"""Blocks under a load: a reader steps, shares, changes blocks and load, in Chromium."""

import re

import pytest

from tests.browser.widgets import (
    COLOURS,
    FOCUSED,
    assert_fits,
    heard,
    height_of,
    in_looks,
    look,
    opened,
)

pytestmark = pytest.mark.browser
PAGE = "beyond/paged.html"
SLOTS = 96
widget = opened(PAGE, ".tb-live .tb-block")


def blocks(page):
    """Return for each block who holds it, and how many of its places are full."""
    found = []
    for said in page.locator(".tb-block .tb-said").all_inner_texts():
        names, full = re.fullmatch(
            r"Block \d+: (?:free|(.+), (\d+) of \d+)", said
        ).groups()
        found.append((names.split(", ") if names else [], int(full or 0)))
    return found


def lines(page):
    return page.locator(".tb-paged-lines").inner_text()


def forward(page):
    return page.get_by_role("button", name="On to the next step")


def test_it_stands_under_a_load_and_counts_what_it_shows(widget):
    page = widget()
    for _ in range(4):
        found = blocks(page)
        held = [names for names, _ in found if names]
        full = sum(full for _, full in found)
        said = lines(page)
        assert len(found) == SLOTS // 4 and f"{len(held)} of 24 blocks are held" in said
        assert f"{full} places hold" in said
        assert f"{4 * len(held) - full} of the held stand empty" in said
        assert page.locator(".tb-places .tb-full").count() == full
        forward(page).click()
    assert page.complaints == [] and page.foreign == []


def test_the_table_of_a_request_names_its_blocks(widget):
    page = widget()
    for name in "BC":
        page.locator(".tb-live .tb-choice label", has_text=name).click()
        own = {i for i, (names, _) in enumerate(blocks(page)) if name in names}
        said = re.search(rf"{name} runs, \d+ tokens in blocks ([\d, ]+)\.", lines(page))
        assert {int(block) for block in said[1].split(", ")} == own
        assert page.locator(".tb-chosen").count() == len(own)


def test_equal_beginnings_are_held_once(widget):
    page = widget("?paged.step=8")
    assert page.locator(".tb-shared").count() == 0
    before = sum(bool(names) for names, _ in blocks(page))
    page.get_by_role("switch", name="begin alike").check()
    assert page.locator(".tb-shared").count() == 2
    assert sum(bool(names) for names, _ in blocks(page)) < before


@pytest.mark.parametrize("size", [1, 2, 8, 16])
def test_blocks_may_have_another_size(size, widget):
    page = widget()
    group = page.get_by_role("group", name="Tokens in a block")
    group.get_by_role("radio", name=str(size), exact=True).check()
    found = blocks(page)
    assert len(found) == SLOTS // size
    assert all(full <= size for _, full in found)
    assert size > 1 or "0 of the held stand empty" in lines(page)


def test_sentences_set_it(widget):
    page = widget()
    page.get_by_role("link", name="blocks of 16").click()
    assert len(blocks(page)) == 6
    page.wait_for_url(re.compile(r"paged\.size=16"))
    page.get_by_role("link", name="let the requests have the same beginning").click()
    assert page.get_by_role("switch", name="begin alike").is_checked()
    assert len(blocks(page)) == 24
    # This sentence goes back to blocks of 4, which is what the address leaves out.
    page.wait_for_url(re.compile(r"\?paged\.alike=on#paged-live$"))


def test_the_address_brings_it_back(widget):
    page = widget("?from=lecture")
    page.get_by_role("button", name="Another load").click()
    forward(page).click()
    page.wait_for_url(re.compile(r"paged\.step="))
    shared = page.url.split(PAGE)[1]
    assert "paged.seed=2" in shared
    assert shared.startswith("?from=lecture&") and "size" not in shared
    assert blocks(widget(shared)) == blocks(page)


def test_the_keyboard_does_it_all(widget):
    page = widget()
    forward(page).focus()
    page.keyboard.press("Enter")
    heard(page, "Step 7 of")
    assert forward(page).evaluate(FOCUSED)
    page.get_by_role("radio", name="A", exact=True).focus()
    page.keyboard.press("ArrowRight")
    assert re.match("B ", lines(page))
    reset = page.get_by_role("button", name="Reset")
    reset.press("Enter")
    assert reset.evaluate(FOCUSED)
    assert "Step 6 of" in page.locator(".tb-live .tb-heading").inner_text()


@in_looks(1440, 390, 360)
def test_it_fits_and_follows_the_theme(width, theme, widget):
    page = widget("?paged.alike=on&paged.requests=12", width=width, theme=theme)
    shared = page.locator(".tb-shared .tb-places").first
    assert look(shared, "borderColor") == COLOURS["purple"][theme]
    assert_fits(page, width, ".tb-live :is(button, .tb-choice label)")
    heights, step = set(), "b => b.click()"
    while forward(page).get_attribute("aria-disabled") == "false":
        forward(page).evaluate(step)
        assert_fits(page, width)
        heights.add(height_of(page))
    assert max(heights) - min(heights) <= 1
