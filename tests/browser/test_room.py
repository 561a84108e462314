"""Widgets have their room from the first: a press moves nothing, cause and effect are seen together."""

import re

import pytest

from tests.browser import translating, what_if
from tests.browser.widgets import heard

pytestmark = pytest.mark.browser
changed = what_if.changed
widget = what_if.widget
DESK, PHONE = dict(width=1280, height=800), dict(width=390, height=844)
TOP = "e => e.getBoundingClientRect().top + scrollY"


def in_window(page, locator):
    found = locator.bounding_box()
    height = page.viewport_size["height"]
    return found["y"] > 48 and found["y"] + found["height"] <= height


def within(page, name):
    """The controls of a widget that choose or switch, and what stands below it on the page."""
    live = page.locator(f"#{name}-live")
    controls = live.locator("label:has(:is([type=radio], [type=checkbox]):enabled)")
    return live, controls, page.locator(f"#{name}-live ~ *").last


@pytest.mark.parametrize("size", [DESK, PHONE])
@pytest.mark.parametrize(
    "address_of, name",
    [
        ("attention/masks", "masks"),
        ("beyond/paged", "paged"),
        ("beyond/kv_cache", "kv_cache"),
    ],
)
def test_no_choice_changes_the_height_of_a_widget(
    address_of, name, size, visit, address
):
    page = visit(f"{address}/{address_of}.html", **size)
    live, controls, _ = within(page, name)
    controls.first.wait_for()
    height = live.evaluate("e => e.offsetHeight")
    names = set()
    for k in range(controls.count()):
        names.add(controls.nth(k).inner_text())
        controls.nth(k).click()
        assert abs(live.evaluate("e => e.offsetHeight") - height) <= 1, names
    assert len(names) > 4


@pytest.mark.parametrize("size", [DESK, PHONE])
def test_the_logits_come_into_room_that_was_kept_for_them(size, visit, address):
    page = visit(f"{address}/transformer/full_model.html", **size)
    live = page.locator("#agreement-live .tb-live")
    live.locator(".tb-empty").wait_for()
    height = live.evaluate("e => e.offsetHeight")
    page.get_by_role("button", name="Compute them here").click()
    live.locator(".tb-agreement:not(.tb-empty)").wait_for()
    heard(page, "Largest difference")
    assert abs(live.evaluate("e => e.offsetHeight") - height) <= 1


@pytest.mark.parametrize("size", [DESK, PHONE])
def test_a_head_is_in_one_window_with_what_becomes_of_the_translation(size, changed):
    page = changed(**size)
    widget = what_if.own(page)
    heads, after = widget.locator(".tb-parts"), widget.locator(".tb-line").last
    heads.evaluate("e => e.scrollIntoView({ block: 'center', behavior: 'instant' })")
    page.wait_for_timeout(100)
    assert in_window(page, heads), heads.bounding_box()
    assert in_window(page, after), after.bounding_box()
    button = heads.get_by_role("button").last
    place = button.evaluate(TOP)
    button.click()
    what_if.settle(page)
    assert button.evaluate(TOP) == place
    assert in_window(page, button) and in_window(page, after)
    over = page.evaluate(
        """e => { const { left, top } = e.getBoundingClientRect();
            return e.contains(document.elementFromPoint(left + 12, top + 12)) }""",
        after.element_handle(),
    )
    assert over  # nothing lies on it


def test_what_a_pass_costs_stands_beside_its_bars_on_a_desk(visit, address):
    page = visit(f"{address}/beyond/kv_cache.html", **DESK)
    bars, counts = (
        page.locator(f".tb-live {part}") for part in (".tb-kv", ".tb-counts")
    )
    bars.wait_for()
    left, right = bars.bounding_box(), counts.bounding_box()
    assert left["x"] + left["width"] <= right["x"]
    assert left["y"] <= right["y"] + 1 and right["y"] < left["y"] + left["height"] / 2
    rows = bars.locator("li")
    assert rows.count() == 12
    last, whole = rows.last.bounding_box(), bars.bounding_box()
    assert (
        last["y"] + last["height"] > whole["y"] + whole["height"] - 4
    )  # no hole below


@pytest.mark.parametrize("size", [DESK, PHONE, dict(width=800)])
def test_an_arc_leads_from_the_word_to_each_as_wide_as_its_weight(size, visit, address):
    page = visit(f"{address}/tour.html", **size)
    live = page.locator("#looks-live")
    live.locator("button").filter(has_text=re.compile(r"^dog$")).click()
    weights = [
        float(text) for text in live.locator(".tb-looks-weight").all_inner_texts()
    ]
    arcs = live.locator(".tb-arcs path").evaluate_all(
        "all => all.map(e => [Number(e.dataset.to), Number(e.getAttribute('stroke-width'))])"
    )
    wide = dict(arcs)
    assert max(wide, key=wide.get) == 1 + weights.index(max(weights))
    for k, weight in enumerate(weights, 1):
        assert wide.get(k, 0) == pytest.approx(9 * weight, abs=0.06), k
    box = live.locator(".tb-arched").bounding_box()
    for path in live.locator(".tb-arcs path").all():
        found = path.bounding_box()
        assert found["x"] >= box["x"] - 5
        assert found["x"] + found["width"] <= box["x"] + box["width"] + 5
        assert found["y"] >= box["y"] - 5


def test_on_a_phone_the_written_line_shows_whole_rows(visit, address):
    page = visit(f"{address}/tour.html", reduced_motion="reduce", **PHONE)
    translating.own(page).locator(".tb-main").click()
    strip = page.locator(".tb-written")
    strip.locator("li").last.wait_for()
    page.wait_for_timeout(500)
    cut = strip.evaluate("""strip => {
        const { top, bottom } = strip.getBoundingClientRect();
        return [...strip.querySelectorAll("li")].filter(e => {
            const own = e.getBoundingClientRect();
            const seen = own.bottom > top + 1 && own.top < bottom - 1;
            return seen && (own.top < top - 1 || own.bottom > bottom + 1);
        }).map(e => e.textContent);
    }""")
    assert cut == []


# What scrolls sideways: whether it says at its edge that it goes on.
SILENT = """article => [...article.querySelectorAll("*")].filter(e => {
    const { overflowX } = getComputedStyle(e);
    return e.checkVisibility() && ["auto", "scroll"].includes(overflowX)
        && e.scrollWidth > e.clientWidth + 2
        && !(parseFloat(getComputedStyle(e).getPropertyValue("--tb-fade-end")) > 20);
}).map(e => e.outerHTML.slice(0, 80))"""


@pytest.mark.parametrize(
    "page", ["attention/scaling", "beyond/families", "words/mathematics"]
)
def test_nothing_is_cut_without_a_sign_that_it_goes_on(page, visit, address):
    page = visit(f"{address}/{page}.html", **PHONE)
    article = page.locator("article")
    article.locator("h1").wait_for()
    assert article.evaluate(SILENT) == []
    wide = page.locator(
        ":is(.tb-scroll, .pst-scrollable-table-container, mjx-container)"
    )
    one = next(
        e for e in wide.all() if e.evaluate("e => e.scrollWidth > e.clientWidth + 2")
    )
    one.evaluate("e => { e.scrollLeft = e.scrollWidth }")
    edges = "e => ['start', 'end'].map(k => getComputedStyle(e).getPropertyValue(`--tb-fade-${k}`))"
    page.wait_for_timeout(100)
    start, end = one.evaluate(edges)
    assert float(start[:-2]) > 20 and end == "0px"
