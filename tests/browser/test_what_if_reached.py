"""How one comes to the parts that can be taken away, and what is there without the model, in Chromium."""

import re

import pytest

from tests.browser import test_what_if_used
from tests.browser.replies import Replies
from tests.browser.what_if import (
    FOLLOWED,
    PAGE,
    TRANSLATED,
    after,
    before,
    own,
    part,
    said,
    settle,
    title,
)
from tools.models.book_translator import ABOUT_FILE_NAME

pytestmark = pytest.mark.browser
widget = test_what_if_used.widget
changed = test_what_if_used.changed
names = test_what_if_used.names


def test_a_sentence_on_the_page_sets_it_and_loads_the_model(widget):
    page = widget()
    own(page).locator("a.tb-poke").click()
    settle(page)
    assert "".join(after(page)) == f"{TRANSLATED}<eos>"
    same = r"stays the same, piece by piece. What moves most is step (\d+)"
    assert f"Step {re.search(same, said(page))[1]} of" in title(page)
    assert own(page).locator(".tb-parts [aria-pressed=true]").count() == 10
    for poke, text in [
        ("the positions of the English words", "棕狗在黑地毯上"),
        ("Swap cat and dog", "No probability of its pieces moves"),
        ("the positions of the Chinese characters", "stays the same, piece by piece"),
        ("the scale", "gives 悄 (quietly) under 1% instead of 58% and writes 地"),
        ("the mask", "and writes 地"),
        ("residual connections", "stopped after"),
    ]:
        page.locator("a.tb-poke", has_text=poke).click()
        settle(page)
        shown = said(page) + "".join(after(page))
        assert text in shown, poke
        first = own(page).locator(".tb-typed").input_value() == FOLLOWED
        assert first == (poke != "the scale")
    assert own(page).locator(".tb-swap [aria-pressed=true]").count() == 0


@pytest.mark.parametrize(
    "lesson, off, on",
    [
        ("attention/scaling", "Scale", "The causal mask"),
        ("attention/masks", "The causal mask", "Scale"),
        ("words/positions", "Positions of the English words", "Scale"),
        ("transformer/add_and_norm", "All residual connections", "Scale"),
    ],
)
def test_a_lesson_leads_to_the_part_that_it_is_about(lesson, off, on, visit, address):
    page = visit(f"{address}/{lesson}.html", reduced_motion="reduce")
    page.locator("a.tb-poke[href*=what_if]").click()
    page.wait_for_url(re.compile(r"looking_inside\.html\?what_if\.off="))
    switches = own(page).get_by_role("switch")
    switches.first.wait_for()
    assert not own(page).get_by_role("switch", name=off).is_checked()
    assert own(page).get_by_role("switch", name=on).is_checked()
    settle(page)  # the model comes of itself
    assert "Nothing is taken away" not in said(page)
    page.wait_for_function(
        "scrollY > 0 && document.querySelector('[data-widget=what_if] .tb-main')"
        ".getBoundingClientRect().top >= 0"
    )
    if "scaling" in lesson:
        assert "gives 悄 (quietly) under 1% instead of 58%" in said(page)


def test_who_comes_without_a_change_loads_no_model(widget):
    page = widget()
    page.wait_for_load_state("networkidle")
    names = "performance.getEntriesByType('resource').map(one => one.name)"
    assert not any("model.safetensors" in name for name in page.evaluate(names))
    assert own(page).locator(".tb-main").inner_text().startswith("Load the model")


def test_the_address_keeps_all_of_it(changed):
    fields = dict(
        sentence="Two+dogs+slept+under+two+tables.", off="scale,c2.1,e1.r", swap="2,6"
    )
    query = "&".join(f"what_if.{name}={value}" for name, value in fields.items())
    page = changed(f"?{query}&what_if.step=4")
    typed = own(page).locator(".tb-typed").input_value()
    assert typed == "Two dogs slept under two tables."
    head = part(page, "decoder 2, cross-attention, head 1")
    assert head.get_attribute("aria-pressed") == "true"
    assert own(page).locator(".tb-parts [aria-pressed=true]").count() == 2
    assert not own(page).get_by_role("switch", name="Scale").is_checked()
    swapped = own(page).locator(".tb-swap [aria-pressed=true]")
    assert swapped.all_inner_texts() == ["tables", "dogs"]
    assert "Step 4 of" in title(page)
    own(page).locator(".tb-ready button").first.click()
    settle(page)
    # The parts stay away.
    page.wait_for_url(re.compile(r"\?what_if\.off=scale,e1\.r,c2\.1#"))


@pytest.mark.parametrize(
    "query",
    ["off=e9.1", "off=e1.5", "off=x", "swap=1", "swap=2,2", "swap=3,99", "step=x"],
)
def test_what_the_model_has_not_is_no_state(query, widget):
    page = widget(f"?what_if.{query}")
    own(page).locator(".tb-main").click()
    settle(page)
    assert before(page) == after(page) and page.complaints == []
    pressed = own(page).locator(":is(.tb-parts, .tb-swap) [aria-pressed=true]")
    assert pressed.count() == 0


@pytest.mark.parametrize(
    "answer, sentence", [(404, "no trained model"), (503, "is answered with 503")]
)
def test_where_the_model_is_missing_a_sentence_says_so(answer, sentence, widget):
    page = widget()
    replies = Replies(page, "**/model.safetensors", {"status": answer})
    part(page, "encoder 1, self-attention, all heads").click()
    own(page).locator(".tb-notice").filter(has_text=sentence).wait_for()
    assert not own(page).locator(".tb-what-result").is_visible()
    replies.answer = None
    own(page).locator(".tb-main").click()
    settle(page)
    assert "".join(after(page)) == f"{TRANSLATED}<eos>"


def test_where_the_site_has_no_model_the_page_says_so(visit, address):
    page = visit("about:blank")
    Replies(page, f"**/model/{ABOUT_FILE_NAME}", {"status": 404})
    page.goto(f"{address}/{PAGE}")
    lost = own(page).locator(".tb-lost")
    lost.wait_for(state="visible")
    assert "no trained model" in lost.inner_text()


def test_both_widgets_of_the_page_live_beside_each_other(changed):
    page = changed()
    page.locator("[data-widget=translator] .tb-main").click()
    page.locator("[data-widget=translator] .tb-odds li").first.wait_for()
    ids = page.evaluate("[...document.querySelectorAll('[id^=tb-]')].map(e => e.id)")
    assert len(ids) == len({*ids}) > 3
    assert page.complaints == []
