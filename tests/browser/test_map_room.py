"""What is seen of the map together, how large and how clear, and where Tab leads, in Chromium."""

import pytest

from tests.browser.maps import CROSS, NUMBERS, SELF, box, go, opened_map, press, title
from tests.browser.widgets import tab_to

pytestmark = pytest.mark.browser
PHONE = dict(width=390, height=844, has_touch=True, is_mobile=True)
SHAPES_SIDE = "#map-live .tb-panel"
widget = opened_map(NUMBERS, reduced_motion="reduce")

LOW = """map => [...map.querySelectorAll("*")].filter(e => e.checkVisibility()
    && [...e.childNodes].some(node => node.nodeType === 3 && node.textContent.trim())
    && !e.closest(".tb-announce, legend")).flatMap(e => {
        const scale = e.ownerSVGElement ? e.getScreenCTM().a : 1;
        const high = parseFloat(getComputedStyle(e).fontSize) * scale;
        return high < 10.99 ? [[e.textContent, high]] : [];
    })"""

# The least contrast between the name of an open or changed box and what it stands on.
CONTRAST = """map => {
    const parts = colour => colour.match(/[\\d.]+/g).map(Number);
    const linear = v => v / 255 <= 0.03928 ? v / 255 / 12.92 : ((v / 255 + 0.055) / 1.055) ** 2.4;
    const light = ([r, g, b]) => 0.2126 * linear(r) + 0.7152 * linear(g) + 0.0722 * linear(b);
    const page = parts(getComputedStyle(document.body).backgroundColor);
    return Math.min(...[...map.querySelectorAll(".tb-open, .tb-touched")].map(box => {
        const { fill, opacity } = getComputedStyle(box.querySelector("path"));
        const under = parts(fill).slice(0, 3).map((v, k) => v * opacity + page[k] * (1 - opacity));
        const text = parts(getComputedStyle(box.querySelector("text")).fill);
        const [more, less] = [light(under), light(text)].sort((a, b) => b - a);
        return (more + 0.05) / (less + 0.05);
    }));
}"""


def edges(locator):
    found = locator.bounding_box()
    return found["y"], found["y"] + found["height"]


def test_an_open_box_all_its_weights_and_a_number_s_lines_are_in_one_window(widget):
    page = widget("?map.at=5&map.word=3#map-live", width=1280, height=800)
    page.wait_for_timeout(500)
    grid = page.map.locator(".tb-window table")
    assert grid.locator("td[tabindex]").count() == 17 * 17
    assert page.map.locator(".tb-window").evaluate(
        "e => e.scrollWidth <= e.clientWidth"
    )
    parts = [grid, box(page, SELF)]
    parts += [page.map.locator(f".tb-{name}") for name in ("number", "how", "lines")]
    for part in parts:
        top, bottom = edges(part)
        assert top > 48 and bottom <= 800, part
    right = box(page, SELF).bounding_box()
    assert right["x"] + right["width"] < grid.bounding_box()["x"]  # beside it


def test_the_map_is_as_wide_as_the_page_on_a_desk_and_the_page_is_no_wider(widget):
    page = widget("?map.at=5&map.view=numbers", width=1280, height=800)
    column = page.locator("article h1").bounding_box()
    live = page.map.locator(".tb-live").bounding_box()
    assert live["width"] > column["width"] + 200
    assert page.evaluate("document.documentElement.scrollWidth") <= 1280


def test_on_a_phone_the_whole_grid_is_seen_and_each_cell_is_reached(widget):
    page = widget("?map.at=15&map.word=3", **PHONE)
    window = page.map.locator(".tb-window")
    assert window.locator("td[tabindex]").count() == 17 * 17
    assert window.evaluate("e => e.scrollWidth <= e.clientWidth + 1")
    page.map.get_by_role("slider", name="column").press("End")
    name = page.map.locator(".tb-number").inner_text()
    assert name.startswith("weights[猫, <eos>]")


@pytest.mark.parametrize("size", [PHONE, PHONE | dict(width=360), dict(width=1280)])
@pytest.mark.parametrize(
    "query", ["", "?map.at=5&map.head=2", "?map.at=7&map.part=W_2"]
)
def test_no_letter_is_lower_than_11_px(query, size, widget):
    page = widget(query, ready=NUMBERS if query else SHAPES_SIDE, **size)
    assert page.map.locator(".tb-live").evaluate(LOW) == []


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_the_name_of_an_open_or_changed_box_is_legible(theme, widget):
    page = widget("?map.at=1", ready=SHAPES_SIDE, theme=theme)
    page.map.get_by_role("slider", name="N, layers").press("ArrowRight")
    page.map.locator("textarea").first.fill("Two dogs sat.")
    assert page.map.locator("svg .tb-touched").count() > 5
    for _ in range(20):
        assert page.map.evaluate(CONTRAST) >= 4.5, title(page)
        press(page, "One box forward")


def test_a_band_is_as_wide_as_its_sentence_is_long(widget):
    page = widget(ready=SHAPES_SIDE)
    sides = page.map.locator(".tb-ribbons > g")

    def widths():
        return [float(side.get_attribute("stroke-width")) for side in sides.all()]

    english, chinese = widths()
    assert english == chinese  # 17 tokens each
    page.map.locator("textarea").first.fill("Two dogs sat.")
    assert widths() == pytest.approx([english * 5 / 17, chinese])
    assert "5 English tokens, 17 Chinese" in page.map.inner_text()
    page.map.locator("textarea").first.fill("dog " * 70)
    wide, narrow = widths()
    assert wide / narrow == pytest.approx(71 / 17) and wide <= 24


def test_symbols_are_set_as_in_the_text(widget):
    page = widget("?map.at=7&map.part=W_2")
    assert "_" not in page.map.locator(".tb-numbers").inner_text()
    for place in ".tb-parts", ".tb-window caption", ".tb-number":
        found = page.map.locator(f"{place} .tb-symbol sub", has_text="2")
        assert found.count(), place
    go(page, at=7, part="out")
    assert page.map.locator(".tb-how .tb-symbol").all_inner_texts() == ["W2", "b2"]
    assert page.map.locator(".tb-terms thead .tb-symbol").inner_text() == "W2"


def test_tab_leads_to_play_and_then_by_one_stop_to_all_boxes(widget):
    page = widget(ready=SHAPES_SIDE)
    page.map.locator(".tb-choice input").first.focus()
    tab_to(page, "#map-live .tb-player button:nth-child(2)")
    boxes = page.map.locator("svg a")
    assert boxes.count() == 21
    assert boxes.evaluate_all("all => all.every(e => e.role === 'button')")
    tab_to(page, "#map-live svg a")
    assert (
        page.locator(":focus").get_attribute("aria-label") == "Inputs"
    )  # the open one
    for key, name in [
        ("ArrowRight", "Outputs"),
        ("ArrowUp", "Output embedding"),
        ("End", "Output embedding"),
        ("ArrowUp", "Addition of positions, outputs"),
        ("ArrowLeft", "Positional encoding"),
        ("ArrowLeft", "Addition of positions, inputs"),
        ("ArrowUp", SELF),
    ]:
        page.keyboard.press(key)
        assert page.locator(":focus").get_attribute("aria-label") == name
    page.keyboard.press("Space")
    assert title(page) == SELF
    page.keyboard.press("Tab")
    assert not page.evaluate("!!document.activeElement.closest('svg')")


def test_on_a_phone_the_map_is_seen_before_and_above_its_panel(widget):
    page = widget(ready=SHAPES_SIDE, **PHONE)
    drawing, panel = page.map.locator("svg"), page.map.locator(".tb-panel")
    top = page.map.locator(".tb-picture").evaluate(
        "e => e.getBoundingClientRect().top + scrollY"
    )
    for above in 600, 500, 400, 300, 100:
        page.evaluate("top => scrollTo({ top, behavior: 'instant' })", top - above)
        page.wait_for_timeout(50)
        start, end = edges(drawing)
        seen = min(end, edges(panel)[0], 844) - max(start, 60)
        assert seen >= 0.6 * (min(end, 844) - max(start, 60)), above
    assert seen >= end - start - 1  # all of it, with what is said of the open box
    choice = page.map.locator(".tb-choice label").first.bounding_box()
    assert choice["x"] >= panel.bounding_box()["x"]  # no border sticks out


def test_the_numbers_follow_the_drawing_that_stays(widget):
    page = widget("?map.at=15&map.view=numbers", width=1280, height=800)
    page.map.locator(".tb-terms").evaluate(
        "e => e.scrollIntoView({ block: 'end', behavior: 'instant' })"
    )
    page.wait_for_timeout(100)
    top, bottom = edges(box(page, CROSS))
    assert top > 48 and bottom < 800
    go(page, at=1)
    assert edges(box(page, "Inputs"))[1] < 800
