"""What is asked alike of widgets that are drawn from an address, in Chromium."""

import pytest

from tests.browser.bundles import bundle_of
from tests.browser.replies import ABORT, Replies
from tests.browser.widgets import FOCUSED
from tools.models.book_translator import ABOUT_FILE_NAME

pytestmark = pytest.mark.browser
PAGES = {
    "eight_steps": "attention/eight_steps",
    "flash": "beyond/flash",
    "kv_cache": "beyond/kv_cache",
    "map": "intro",
    "masks": "attention/masks",
    "paged": "beyond/paged",
    "positions": "words/positions",
    "scaling": "attention/scaling",
    "translator": "tour",
}
FIGURES = {
    "eight_steps": "uses both heads",
    "flash": "After each tile",
    "map": "",
    "masks": "Head 1:",
    "paged": "continues in block 6",
    "positions": "Each position has its own row of numbers",
    "scaling": "Without the division",
    "translator": "",
}
CHANGED = {
    "flash": "flash.step=4&flash.causal=on&flash.shrink=off",
    "kv_cache": "kv_cache.step=3&kv_cache.cache=off&kv_cache.model=gpt2",
    "masks": "masks.filling=1&masks.causal=off&masks.own=0,0,0;0,0,0;0,-1,0",
    "paged": "paged.size=16&paged.seed=2&paged.alike=on",
    "positions": "positions.pos=30&positions.k=2&positions.d_model=16&positions.M1=on",
    "scaling": "scaling.scale=off&scaling.d_k=4&scaling.T=0.5&scaling.draw=7",
}
BROKEN = {
    "flash": "flash.step=99&flash.columns=3&flash.causal=2",
    "kv_cache": "kv_cache.step=7&kv_cache.cache=2&kv_cache.model=gpt3",
    "paged": "paged.step=-1&paged.size=3&paged.request=Z&paged.seed=99",
    "positions": "positions.pos=64&positions.k=-1&positions.d_model=5&positions.M1=yes",
    "scaling": "scaling.scale=2&scaling.d_k=65&scaling.T=0&scaling.draw=0",
}
MISSING = [
    ("eight_steps", "book.js"),
    ("eight_steps", "widgets/eight_steps.js"),
    ("eight_steps", "by_hand/matrix.js"),
    ("map", "kit/dom.js"),
    ("map", "widgets/map/drawing.js"),
    ("translator", "translator/ask.js"),
    ("translator", ABOUT_FILE_NAME),
]


def figure(page, name):
    return page.locator(f"figure.tb-figure:has-text('{FIGURES[name]}') svg").first


@pytest.fixture
def live(visit, address):
    """Open a widget's page, with this behind its address, and wait for the widget."""

    def open_live(name, query=""):
        page = visit(f"{address}/{PAGES[name]}.html{query}", reduced_motion="reduce")
        page.live = page.locator(f"#{name}-live .tb-live")
        page.live.locator("button:visible").first.wait_for()
        return page

    return open_live


@pytest.mark.parametrize("name", CHANGED)
def test_a_reset_by_keyboard_brings_the_start_back_and_keeps_the_focus(name, live):
    start = live(name).live.text_content()
    page = live(name, f"?{CHANGED[name]}")
    assert page.live.text_content() != start
    reset = page.live.get_by_role("button", name="Reset")
    assert reset.get_attribute("aria-disabled") == "false"
    for _ in range(2):  # the second time it rests
        reset.press("Enter")
        page.wait_for_url(lambda url: f"{name}." not in url.partition("?")[2])
        assert reset.evaluate(FOCUSED)
        assert reset.get_attribute("aria-disabled") == "true"
    assert page.live.text_content() == start


@pytest.mark.parametrize("name", BROKEN)
def test_a_broken_address_gives_the_start(name, live):
    start = live(name).live.text_content()
    page = live(name, f"?{BROKEN[name]}")
    assert page.live.text_content() == start and page.complaints == []


@pytest.mark.parametrize("name", FIGURES)
def test_without_javascript_the_figure_stays(name, visit, address):
    page = visit(f"{address}/{PAGES[name]}.html", java_script_enabled=False)
    assert figure(page, name).is_visible()
    assert not page.locator(f"#{name}-live").is_visible()


@pytest.mark.parametrize("name, missing", MISSING)
def test_where_a_part_is_missing_the_figure_stays_and_a_sentence_says_so(
    name, missing, visit, address, site
):
    page = visit("about:blank")
    part = (
        f"model/{missing}" if missing == ABOUT_FILE_NAME else bundle_of(site, missing)
    )
    Replies(page, f"**/{part}*", ABORT)
    page.goto(f"{address}/{PAGES[name]}.html")
    live = page.locator(f"#{name}-live")
    live.locator(".tb-lost").wait_for(state="visible")
    assert "could not be loaded" in live.locator(".tb-lost").inner_text()
    assert figure(page, name).is_visible()
    assert not live.locator(".tb-intro").is_visible()
    if name == "translator":
        page.locator(".tb-looks").wait_for()  # the rest of the page lives
