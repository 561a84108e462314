"""How one comes to the map's numbers: by its button, a lesson or the tour; and how they fit, in Chromium."""

import re

import pytest

from tests.browser.bundles import bundle_of
from tests.browser.maps import (
    CROSS,
    MASKED,
    NUMBERS,
    SELF,
    go,
    opened_map,
    press,
    said,
    title,
)
from tests.browser.replies import Replies
from tests.browser.survey import violations
from tests.browser.widgets import assert_fits, heard, in_looks

pytestmark = pytest.mark.browser
PAGE = "intro.html"
widget = opened_map(NUMBERS)


def test_nothing_of_the_model_comes_before_it_is_asked_for(visit, address, site):
    page, asked = visit(f"{address}/{PAGE}"), []
    page.on("request", lambda request: asked.append(request.url.rsplit("/", 1)[-1]))
    page.reload(wait_until="load")
    button = page.locator("#map-live").get_by_role("button", name="Show its numbers (")
    button.wait_for()
    assert re.search(r"\(1\.\d MB\)", button.inner_text())
    modules = ("widgets/map/live.js", "decode/trace.js", "files/load.js")
    late = {bundle_of(site, name).rsplit("/", 1)[-1] for name in modules}
    late.add("model.safetensors")
    assert not late & set(asked)
    button.click()
    page.locator("#map-live .tb-number").wait_for()
    assert late <= set(asked)


def test_the_switch_leads_back_to_the_paper_s_shapes(widget):
    page = widget("?map.view=numbers")
    assert "(17, 128)" in page.map.locator("svg").text_content()
    page.map.get_by_role("radio", name="the paper’s base model: shapes").click()
    assert not page.map.locator(".tb-numbers").is_visible()
    assert "(17, 512)" in page.map.locator("svg").text_content()
    assert page.map.get_by_role("slider", name="h, heads").is_visible()
    page.map.get_by_role("radio", name="the book’s trained model: numbers").click()
    assert page.map.locator(".tb-numbers").is_visible()


def test_a_word_that_the_model_does_not_know_is_named_with_a_near_one(widget):
    page = widget("?map.view=numbers")
    field = page.map.locator(".tb-sentence").get_by_label("English sentence")
    field.fill("The blakc cat sat on the rug.")
    notice = page.map.locator(".tb-sentence .tb-notice")
    notice.get_by_text("The model does not know “blakc”").wait_for()
    press(page, "Take “black”")
    assert field.input_value() == "The black cat sat on the rug."
    assert notice.inner_text() == ""
    for text, sentence in [
        ("", "Type at least one word."),
        ("The cat sat. The dog sat.", "one sentence at a time"),
        ("the cat " * 17, "has 34 tokens, and at most 32"),
    ]:
        field.fill(text)
        notice.get_by_text(sentence).wait_for()
        assert field.get_attribute("aria-invalid") == "true"
        assert page.map.locator(".tb-number").is_visible()
    page.map.get_by_label("What the decoder reads").fill("黑龙")
    field.fill("The black cat sat on the rug.")
    notice.get_by_text("The model does not know 龙").wait_for()


@pytest.mark.parametrize("missing", ["model.safetensors", "about.json", "live-*.js"])
def test_where_the_model_is_missing_the_shapes_stay_and_a_sentence_says_so(
    missing, visit, address
):
    page = visit("about:blank")
    replies = Replies(page, f"**/{missing}", {"status": 404})
    page.goto(f"{address}/{PAGE}")
    live = page.locator("#map-live")
    live.get_by_role("button", name="Show its numbers").click()
    said = live.locator(".tb-said.tb-wrong")
    said.get_by_text("The numbers cannot be shown; the shapes stay.").wait_for()
    assert "(17, 512)" in live.locator("svg").text_content()
    assert live.locator(".tb-shapes").is_visible()
    shapes = live.get_by_role("radio", name="the paper’s base model: shapes")
    assert shapes.is_checked()
    replies.answer = None
    if missing != "live-*.js":  # of a module a browser remembers that it failed
        live.get_by_role("button", name="Show its numbers").click()
        live.locator(".tb-number").wait_for()


def test_it_plays_at_the_speed_that_is_chosen_and_brings_its_box_into_view(
    visit, address
):
    page = visit(f"{address}/{PAGE}", own=True, reduced_motion="reduce", height=500)
    live = page.locator("#map-live")
    count = live.locator(".tb-player .tb-count")
    count.wait_for()
    page.clock.install()
    live.get_by_label("Speed").select_option("2")
    live.get_by_role("button", name="Play").click()
    assert count.inner_text() == "2 of 21"
    for at in range(3, 9):
        page.clock.run_for(2000)
        assert count.inner_text() == f"{at} of 21"
        place = live.locator("svg a[aria-current]").bounding_box()
        assert place["y"] > 0 and place["y"] + place["height"] < 500
    live.get_by_label("Speed").select_option("0.5")
    at = int(count.inner_text().split()[0])
    page.clock.run_for(7000)
    assert count.inner_text() == f"{at} of 21"
    page.clock.run_for(1100)
    assert count.inner_text() == f"{at + 1} of 21"
    live.locator(".tb-panel .tb-title").click()  # any interaction pauses
    page.clock.run_for(20000)
    assert count.inner_text() == f"{at + 1} of 21"


@in_looks(1280, 390, 360)
def test_it_fits_and_nothing_moves_from_box_to_box(width, theme, widget):
    page = widget("?map.at=1&map.word=2", width=width, theme=theme)
    top = "e => e.getBoundingClientRect().top + scrollY"
    window = page.map.locator(".tb-window")
    height = window.evaluate(top)
    for at in range(1, 22):
        go(page, at=at, column=0, part="")
        assert_fits(page, width)
        assert abs(window.evaluate(top) - height) <= 1, title(page)
    targets = "#map-live .tb-live :is(button, input, textarea, select)"
    assert_fits(page, width, targets)


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_axe_has_nothing_to_say(theme, widget):
    page = widget("?map.at=15&map.layer=2&map.head=2&map.word=3", theme=theme)
    assert violations(page, theme) == []
    go(page, at=21)
    assert violations(page, theme) == []


def test_screen_readers_hear_where_a_number_stands(widget):
    page = widget("?map.view=numbers")
    go(page, at=5, head=4, word=3)
    heard(page, f"{SELF}: weights[cat, and] = ")


@pytest.mark.parametrize(
    "lesson, box, number",
    [
        ("words/fusion", "Addition of positions, inputs", "out[cat, 1]"),
        ("attention/eight_steps", SELF, "Q[cat, 1]"),
        ("attention/heads", SELF, "weights[cat, on (5)]"),
        ("attention/masks", MASKED, "weights[坐, "),
        ("attention/cross_attention", CROSS, "weights[猫, "),
        (
            "transformer/add_and_norm",
            "Add & norm, encoder, after self-attention",
            "out[cat, 1]",
        ),
        ("transformer/feed_forward", "Feed-forward, encoder", "ReLU[cat, 1]"),
    ],
)
def test_a_lesson_leads_to_its_numbers(lesson, box, number, visit, address):
    page = visit(f"{address}/{lesson}.html")
    page.locator("article a[href*='intro.html?map.']").click()
    page.map = page.locator("#map-live")
    page.map.locator(".tb-number").wait_for()
    assert title(page) == box and said(page, "number").startswith(number)
    if lesson == "attention/masks":
        assert "The mask hides it" in said(page, "how")
    assert page.complaints == []


def test_on_the_tour_the_translator_s_model_serves_the_map_too(visit, address):
    page, asked = visit(f"{address}/tour.html"), []
    page.on("request", lambda request: asked.append(request.url.rsplit("/", 1)[-1]))
    page.get_by_role("button", name="Load the model").click()
    page.locator("#translator-live .tb-desk:not(:empty)").wait_for()
    page.map = page.locator("#map-live")
    page.get_by_role("link", name="the weights of “cat”").click()
    page.map.locator(".tb-number").wait_for()
    assert said(page, "number").startswith("weights[cat, and]")
    assert asked.count("model.safetensors") == 1
    assert page.complaints == []
