"""Where the page stands while one works with the map, in Chromium."""

import pytest

from tests.browser import measure
from tests.browser.maps import NUMBERS, SHAPES, opened_map, press
from tests.browser.widgets import FOCUSED

pytestmark = pytest.mark.browser
PHONE = dict(width=390, height=844, has_touch=True, is_mobile=True)
WEIGHT = "map.at=5&map.layer=2&map.head=2&map.word=3&map.column=2"
HEADER = 48  # px that the site's own header covers
widget = opened_map(NUMBERS, reduced_motion="reduce")


def stands(page):
    return page.evaluate("scrollY")


def top(locator):
    return locator.evaluate("e => e.getBoundingClientRect().top")


def settled(page):
    """Wait for two frames: what scrolls after a press has scrolled."""
    page.evaluate(
        "new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))"
    )


def within(page, *locators):
    height = page.viewport_size["height"]
    boxes = [one.bounding_box() for one in locators]
    return all(b["y"] > HEADER and b["y"] + b["height"] <= height for b in boxes)


@pytest.mark.parametrize("size", [PHONE, dict(width=1280, height=900)])
def test_a_number_is_followed_without_moving_the_page(size, widget):
    page = widget(f"?{WEIGHT}", **size)
    own = page.map.locator(".tb-calculation")
    own.evaluate("e => e.scrollIntoView({ block: 'center', behavior: 'instant' })")
    start, steps = top(own), 0
    while page.map.locator(".tb-terms button").count() and steps < 12:
        page.map.locator(".tb-terms button").first.click()
        steps += 1
        settled(page)
        assert abs(top(own) - start) <= 1, steps
    page.map.locator(".tb-trail button").first.press("Enter")
    settled(page)
    assert steps > 5 and abs(top(own) - start) <= 1


@pytest.mark.parametrize("height", [900, 720])
@pytest.mark.parametrize("query", ["", "?map.view=numbers"])
def test_what_plays_is_seen_with_its_name_its_text_and_the_button(
    query, height, widget
):
    page = widget(query, ready=NUMBERS if query else SHAPES, own=True, height=height)
    measure.freeze(page)
    press(page, "Play")
    panel = page.map.locator(".tb-panel")
    for at in range(2, 22):
        assert panel.locator(".tb-count").inner_text() == f"{at} of 21"
        box = page.map.locator("svg a[aria-current]")
        about = [panel.locator(f".tb-{name}") for name in ("player", "title", "about")]
        assert within(page, box, *about), at
        page.clock.run_for(4000)


@pytest.mark.parametrize("size", [PHONE, dict(width=1280, height=900)])
def test_play_leaves_the_page_to_a_reader_who_scrolls(size, widget):
    page = widget(ready=SHAPES, own=True, **size)
    page.clock.install()
    press(page, "Play")
    read = page.locator("article h2").last
    read.evaluate("e => e.scrollIntoView({ block: 'center', behavior: 'instant' })")
    start = top(read)
    assert page.map.evaluate("map => map.getBoundingClientRect().bottom") < 0
    for _ in range(3):
        page.clock.run_for(4000)
        settled(page)
    assert page.map.locator(".tb-player .tb-count").inner_text() == "5 of 21"
    assert abs(top(read) - start) <= 1


LESSONS = (
    "words/fusion attention/eight_steps attention/heads attention/masks"
    " attention/cross_attention transformer/add_and_norm transformer/feed_forward"
)


@pytest.mark.parametrize("lesson", LESSONS.split())
def test_a_lesson_leads_to_where_its_number_is_seen(lesson, visit, address):
    page = visit(f"{address}/{lesson}.html", reduced_motion="reduce")
    page.locator("article a[href*='intro.html?map.']").click()
    seen(page)


def seen(page):
    """Wait until the number is in the window, with its text and what it is computed from."""
    page.locator("#map-live .tb-number").wait_for()
    page.wait_for_function(
        """() => ["number", "how", "lines"].every((name) => {
            const place = document.querySelector(`#map-live .tb-${name}`);
            const { top, bottom } = place.getBoundingClientRect();
            return top > 48 && bottom <= innerHeight;
        })"""
    )


@pytest.mark.parametrize("size", [PHONE, dict(width=1280, height=720)])
def test_an_address_and_a_sentence_lead_to_where_the_number_is_seen(size, widget):
    seen(widget(f"?{WEIGHT}#map-live", **size))
    page = widget(page="tour.html", ready=SHAPES, **size)
    for _ in range(2):  # with the numbers on their way, and with the numbers there
        page.get_by_role("link", name="the weights of “cat”").click()
        seen(page)
        page.map.locator(".tb-figure").evaluate("e => e.scrollIntoView()")


def test_an_address_that_says_numbers_and_where_brings_them(widget):
    page = widget(f"?map.view=numbers&{WEIGHT}#map-live")
    text = page.map.locator(".tb-number").inner_text()
    assert text.startswith("weights[cat, black] = ")


def test_the_focus_goes_from_the_button_to_the_numbers_it_brought(widget):
    page = widget(ready=SHAPES)
    page.map.get_by_role("button", name="Show its numbers").press("Enter")
    page.map.locator(".tb-number").wait_for()
    cell = page.map.locator(".tb-window td[tabindex='0']")
    assert cell.evaluate(FOCUSED)


def test_the_grid_moves_the_page_no_further_than_shows_its_number(widget):
    page = widget("?map.at=2&map.part=E&map.word=1&map.column=1")
    grid = page.map.locator(".tb-window")
    chosen = grid.locator("td[tabindex='0']")
    grid.evaluate("e => e.scrollIntoView({ block: 'end', behavior: 'instant' })")
    chosen.focus()
    # The last row is cut off.
    page.evaluate("scrollBy({ top: -60, behavior: 'instant' })")
    start = stands(page)
    page.keyboard.press("PageDown")
    settled(page)
    assert within(page, chosen) and 0 < stands(page) - start < 120
    start = stands(page)
    for key in "PageDown", "Control+End", "PageUp", "Control+Home":
        page.keyboard.press(key)
        settled(page)
        assert stands(page) == start, key
