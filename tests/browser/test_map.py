"""The map of the first page: boxes open, play, arrive, and lead to their chapters, in Chromium."""

import re

import pytest

from tests.browser.maps import (
    CROSS,
    MOVING,
    SELF,
    box,
    opened_map,
    press,
    said,
    sentence,
    title,
)
from tests.browser.test_map_shapes import CHINESE, computed, shapes, sizes
from tests.browser.widgets import COLOURS, assert_fits, heard, in_looks, look

pytestmark = pytest.mark.browser
PAGE = "intro.html"
widget = opened_map("#map-live .tb-figure")


def new_tab(page, browser, end):
    """The id of a tab whose address ends like this, as soon as the browser has it."""
    for _ in range(600):
        for target in browser.send("Target.getTargets")["targetInfos"]:
            if target["url"].endswith(end):
                return target["targetId"]
        page.wait_for_timeout(50)
    raise AssertionError(f"the browser has opened no tab of {end}")


def test_a_box_opens_and_then_leads_to_its_chapter(widget):
    page = widget()
    box(page, CROSS).click()
    assert page.url.split("?")[0].endswith(PAGE)
    assert title(page) == CROSS
    assert "Queries come from the Chinese side" in said(page, "about")
    link = page.map.get_by_role("link", name="Read its chapter")
    assert link.get_attribute("href") == "attention/cross_attention.html"
    assert box(page, CROSS).get_attribute("aria-current") == "step"
    assert page.map.locator("svg [aria-current]").count() == 1
    with page.expect_request("**/attention/cross_attention.html"):
        link.click()


def test_only_its_link_leads_away_from_an_open_box(widget):
    page = widget()
    box(page, CROSS).dblclick()
    page.keyboard.press("Enter")  # the box has the focus
    page.wait_for_timeout(500)
    assert page.url.split("?")[0].endswith(PAGE)
    assert title(page) == CROSS
    # Not expect_page: of a tab that the browser opens, a busy Playwright may never hear.
    browser = page.context.browser.new_browser_cdp_session()
    box(page, CROSS).click(modifiers=["ControlOrMeta"])
    tab = new_tab(page, browser, "/attention/cross_attention.html")
    browser.send("Target.closeTarget", {"targetId": tab})


def test_the_keyboard_does_it_all(widget):
    page = widget()
    box(page, "Softmax").focus()
    assert look(page.locator(":focus"), "outlineStyle") == "solid"
    page.keyboard.press("Enter")
    assert title(page) == "Softmax"
    heard(page, "Softmax: in (17, 37000)")
    page.keyboard.press("ArrowDown")
    assert page.locator(":focus").get_attribute("aria-label") == "Linear"
    page.keyboard.press("Space")
    assert title(page) == "Linear"
    page.keyboard.press("Tab")  # past all boxes, to what is said of the open one
    assert page.locator(":focus").inner_text() == "Read its chapter"
    with page.expect_request("**/transformer/stacks.html"):
        page.map.get_by_role("link", name="Read its chapter").press("Enter")


def test_it_plays_from_the_bottom_up_and_pauses(widget):
    page = widget("?map.at=19", own=True)
    page.clock.install()
    count = page.map.locator(".tb-player .tb-count")
    press(page, "Play")
    assert count.inner_text() == "20 of 21"  # at once
    page.clock.run_for(3500)  # time to read
    assert count.inner_text() == "20 of 21"
    press(page, "Pause")
    page.clock.run_for(5000)
    assert count.inner_text() == "20 of 21"
    press(page, "Play")
    assert count.inner_text() == "21 of 21"
    press(page, "Play")  # at the top: begins at the bottom
    assert page.map.locator(".tb-player .tb-count").inner_text() == "1 of 21"
    assert page.complaints == []


def test_what_runs_arrives_where_the_box_is(widget):
    page = widget("?map.at=14")
    press(page, "One box forward")
    # What is written, its shapes, and the encoder's result.
    assert page.evaluate(MOVING) == 3
    chip = page.map.locator(".tb-chip")
    on_the_way = chip.bounding_box()
    page.wait_for_function(f"{MOVING} === 0")
    assert chip.bounding_box() == on_the_way  # it covers no names on the way
    dots = page.map.locator(".tb-flow .tb-dot")
    place = box(page, CROSS).bounding_box()
    (_, y), (x, height) = (
        (dot["x"] + dot["width"] / 2, dot["y"] + dot["height"] / 2)
        for dot in (one.bounding_box() for one in dots.all())
    )
    assert abs(y - place["y"]) < 2 and abs(x - place["x"]) < 2
    assert place["y"] < height < place["y"] + place["height"]
    chip = page.map.locator(".tb-chip + text").text_content()
    assert sizes(chip) == shapes(page)["out"]


COVERED = """chip => {
    const own = chip.getBoundingClientRect();
    const others = ":is(a:not([aria-current]), text, path[style*='--tb-k'], path[style*='--tb-v'])";
    return [...chip.ownerSVGElement.querySelectorAll(others)].filter(one => {
        const r = one.getBoundingClientRect();
        return one !== chip.nextSibling && getComputedStyle(one).visibility === "visible"
            && Math.min(r.right, own.right) - Math.max(r.left, own.left) > 0.5
            && Math.min(r.bottom, own.bottom) - Math.max(r.top, own.top) > 0.5;
    }).map(one => one.textContent || one.getAttribute("style"));
}"""


@pytest.mark.parametrize(
    "sizes", ["", "&map.d_model=1024", "&map.target=" + 110 * "字"]
)
def test_the_shape_of_the_open_box_covers_nothing_but_the_box(sizes, widget):
    page = widget(f"?map.at=1{sizes}", reduced_motion="reduce")
    for at in range(1, 22):
        assert page.map.locator(".tb-chip").evaluate(COVERED) == [], at
        if at < 21:
            press(page, "One box forward")


def test_whoever_wants_no_motion_gets_none(widget):
    page = widget("?map.at=14", reduced_motion="reduce")
    press(page, "One box forward")
    assert title(page) == CROSS
    assert page.evaluate(MOVING) == 0


def test_the_address_holds_what_was_changed_and_brings_it_back(widget):
    page = widget("?from=lecture")
    sentence(page).fill("Cats sleep & dream.")
    page.map.get_by_role("slider", name="h, heads").press("ArrowRight")
    box(page, SELF).click()
    page.wait_for_url(re.compile(r"map\.h=16.*map\.at=5"))
    shared = page.url.split(PAGE)[1]
    assert shared.startswith("?from=lecture&") and "d_model" not in shared
    other = widget(shared)
    assert shapes(other) == computed("Cats sleep & dream.", CHINESE, 512, 16)[SELF]
    assert sentence(other).input_value() == "Cats sleep & dream."
    broken = widget("?map.h=3&map.d_model=-1&map.N=99&map.at=77&map.source=+")
    assert shapes(broken) == {"ids": (17,)}
    assert broken.complaints == []


@in_looks(1440, 390, 360)
def test_it_fits_and_follows_the_theme(width, theme, widget):
    page = widget("?map.d_model=1024&map.h=16", width=width, theme=theme)
    dot = page.map.locator(".tb-dot").first
    assert look(dot, "fill") == COLOURS["purple"][theme]
    below = page.map.locator(".tb-sizes")
    top = "e => e.getBoundingClientRect().top + scrollY"
    height = below.evaluate(top)
    for _ in range(20):
        press(page, "One box forward")
        assert_fits(page, width)
        assert abs(below.evaluate(top) - height) <= 1, title(page)
    assert_fits(page, width, "#map-live .tb-live :is(button, input, textarea)")


def test_on_a_phone_the_open_box_comes_out_from_under_the_panel(widget):
    phone = dict(width=360, height=740, has_touch=True, is_mobile=True)
    page = widget(reduced_motion="reduce", **phone)
    page.map.evaluate("map => map.scrollIntoView()")  # its top; the way begins below
    for _ in range(20):
        page.map.get_by_role("button", name="One box forward").tap()
        name = title(page)
        panel = page.map.locator(".tb-panel").bounding_box()
        place = box(page, name).bounding_box()
        assert place["y"] > 48 and place["y"] + place["height"] <= panel["y"], name
    box(page, "Decoder").tap()
    assert title(page) == "Decoder"


# What lies over the panel, at each height of the page, and how often the panel is pinned.
OVER = """async panel => {
    const map = panel.closest(".tb-map"), over = new Set();
    const top = map.getBoundingClientRect().top + scrollY;
    let pinned = 0;
    for (let at = top - 400; at < top + map.offsetHeight; at += 150) {
        scrollTo({ top: at, behavior: "instant" });
        scrollBy({ top: -10, behavior: "instant" }); // some things come when one turns back
        await new Promise((done) => requestAnimationFrame(() => setTimeout(done)));
        const { left, right, top: above, bottom } = panel.getBoundingClientRect();
        pinned += Math.abs(bottom - innerHeight) < 1;
        for (let x = left + 5; x < right; x += 20)
            for (let y = Math.max(above, 60) + 5; y < Math.min(bottom, innerHeight); y += 15) {
                const hit = document.elementFromPoint(x, y);
                if (!panel.contains(hit)) over.add(hit.outerHTML.slice(0, 80));
            }
    }
    return [pinned, [...over]];
}"""


def test_on_a_phone_nothing_lies_on_the_panel_nor_the_panel_on_what_is_edited(widget):
    page = widget(width=390, height=844, has_touch=True, is_mobile=True)
    pinned, over = page.map.locator(".tb-panel").evaluate(OVER)
    assert pinned > 1 and over == []
    for field in page.map.locator(".tb-sizes :is(input, textarea)").all():
        field.focus()
        seen = field.evaluate("""e => {
            const { left, top, width, height } = e.getBoundingClientRect();
            return e.contains(document.elementFromPoint(left + width / 2, top + height / 2));
        }""")
        assert seen, field


def test_on_a_phone_a_shared_address_shows_its_box(widget):
    page = widget("?map.at=15#map-live", width=390, height=844, is_mobile=True)
    page.wait_for_timeout(1500)  # the page scrolls
    place = box(page, CROSS).bounding_box()
    panel = page.map.locator(".tb-panel").bounding_box()
    assert place["y"] > 48 and place["y"] + place["height"] <= panel["y"]
    assert page.map.locator(".tb-general").first.is_visible()


def test_without_javascript_the_figure_s_boxes_are_links(visit, address):
    page = visit(f"{address}/{PAGE}", java_script_enabled=False)
    figure = page.locator("figure.tb-figure", has=page.locator(".tb-link"))
    assert figure.locator("svg a").count() == 21 and figure.locator("svg").is_visible()
    assert not page.locator("#map-live").is_visible()
    with page.expect_request("**/attention/cross_attention.html"):
        figure.locator(f"a[aria-label='{CROSS}']").click()
