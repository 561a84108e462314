"""The book's translator by keyboard, word by word, shared, and in any window, in Chromium."""

import re

import numpy as np
import pytest

from tests.browser.translating import (
    begun,
    choose,
    go,
    matrix,
    odds,
    opened_translator,
    own,
    says,
    tell,
    written,
)
from tests.browser.widgets import COLOURS, assert_fits, heard, in_looks, look, tab_to
from tools.models.book_translator import SUGGESTED_SENTENCES
from transformer_book import data

pytestmark = pytest.mark.browser
PAGE = "tour.html"
FOLLOWED = data.parallel_corpus.FOLLOWED_PAIR[0]
BROWN = 9  # the step that writes 棕
widget, translator = opened_translator(PAGE, begun)


def test_the_keyboard_does_it_all_from_typing_to_the_matrix(widget):
    page = widget()
    line = page.locator(".tb-typed")
    line.focus()
    line.press("ControlOrMeta+a")
    page.keyboard.type("Two dogs slept under two t")
    page.keyboard.press("ArrowDown")
    while page.locator("[aria-selected=true]").inner_text() != "tables":
        page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    page.keyboard.type(".")
    page.keyboard.press("Enter")
    page.locator(".tb-odds li").first.wait_for()
    assert "".join(written(page)) == "两只狗睡在两张桌子下面。<eos>"

    tab_to(page, ".tb-written button")
    page.keyboard.press("ArrowLeft")
    assert "step 12 of 13" in says(page, "now")
    for _ in range(10):
        page.keyboard.press("ArrowLeft")
    assert odds(page)[1] == ["只"]
    tab_to(page, ".tb-odds button")
    tab_to(page, ".tb-which input")
    page.keyboard.press("ArrowLeft")  # from cross to masked, and back
    page.keyboard.press("ArrowRight")
    tab_to(page, ".tb-words button")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowDown")
    assert page.evaluate("document.activeElement.textContent") == "slept"
    assert "“slept” gets most from" in says(page, "readout")
    page.keyboard.press("Shift+Tab")
    page.keyboard.press("ArrowRight")
    tab_to(page, ".tb-weights td")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowRight")
    readout = says(page, "readout")
    assert re.search(r"Writing “只”, it gives “dogs” \d\.\d{3} of its weight", readout)
    assert page.complaints == []


def test_a_screen_reader_hears_each_word_with_its_probability(translator):
    page = translator()
    page.get_by_role("button", name="One word back").click()
    shown, (taken,) = odds(page)
    said = f"Step 16: {taken}, probability {shown[taken]:.3f}."
    heard(page, said)


def test_it_runs_word_by_word_and_pauses(visit, address):
    page = visit(f"{address}/{PAGE}")
    page.locator(".tb-main").click()
    title = page.locator(".tb-now")
    title.filter(has_text="step 3 of 17").wait_for()
    seen = page.locator(".tb-written button:visible")
    assert seen.count() <= 5  # the rest is not written yet
    page.get_by_role("button", name="Pause").click()
    stopped = title.inner_text()
    page.wait_for_timeout(1200)
    assert title.inner_text() == stopped and seen.count() == 17
    page.get_by_role("button", name="Run").click()
    title.filter(has_text="step 17 of 17").wait_for()
    page.get_by_role("button", name="Run").wait_for()


@pytest.mark.parametrize("again", ["double click", "Enter", "another sentence"])
def test_what_is_asked_while_it_runs_stops_the_earlier_run(again, visit, address):
    page = visit(f"{address}/{PAGE}")
    title = page.locator(".tb-now")
    page.locator(".tb-main").click()
    page.locator(".tb-odds li").first.wait_for()
    if again == "double click":
        page.locator(".tb-main").dblclick()
    elif again == "Enter":
        page.locator(".tb-typed").press("Enter")
        page.locator(".tb-typed").press("Enter")
    else:
        page.get_by_role("button", name=SUGGESTED_SENTENCES[1]).click()
        page.get_by_role("button", name=SUGGESTED_SENTENCES[0]).click()
    go(page, 5)
    stopped = title.inner_text()
    page.wait_for_timeout(1200)
    assert title.inner_text() == stopped and "step 5 of" in stopped
    assert page.get_by_role("button", name="Run", exact=True).is_visible()
    assert "translator.step=5" in page.url and page.complaints == []


def test_enter_while_the_model_loads_does_not_start_a_second_desk(visit, address):
    page = visit(f"{address}/{PAGE}")
    page.locator(".tb-typed").press("Enter")
    page.locator(".tb-typed").fill(SUGGESTED_SENTENCES[0])
    page.locator(".tb-typed").press("Enter")
    title = page.locator(".tb-now")
    title.filter(has_text="of 13").wait_for()  # when the model is there
    go(page, 5)
    page.wait_for_timeout(1200)
    assert "step 5 of 13" in title.inner_text() and page.complaints == []


def test_the_address_holds_all_of_it(translator):
    page = translator()
    page.get_by_role("button", name=SUGGESTED_SENTENCES[0]).click()
    go(page, 2)
    choices = dict(whose="masked", layer=1, head=3, drawn="matrix", how="beam")
    for legend, value in choices.items():
        choose(page, legend, value)
    page.wait_for_url(re.compile(r"mode=beam"))
    parts = "sentence=Two+dogs step=2 kind=masked layer=1 head=3 view=matrix"
    assert all(f"translator.{part}" in page.url for part in parts.split())
    shared = translator(page.url.split(PAGE)[1])
    assert written(shared) == written(page)
    np.testing.assert_array_equal(matrix(shared), matrix(page))
    assert says(shared, "readout") == says(page, "readout")
    tell(shared, FOLLOWED)  # a new sentence begins anew, and ends at its end
    assert "step 17 of 17" in says(shared, "now")


def test_a_broken_address_gives_the_defaults(translator):
    page = translator(
        "?translator.step=x&translator.layer=9&translator.head=7&translator.kind=no"
        "&translator.begin=%3Cpad%3E+zebra&translator.beam=9&translator.mode=best"
    )
    assert "".join(written(page)) == "黑猫坐在沙发上，棕狗睡在地毯上。<eos>"
    assert "layer 2, mean" in says(page, "readout") and page.complaints == []


@in_looks(1440, 390, 360)
def test_it_fits_and_follows_the_theme(width, theme, translator):
    page = translator(f"?translator.step={BROWN}", width=width, theme=theme)
    line = page.locator(".tb-threads path").first
    assert look(line, "stroke") == COLOURS["purple"][theme]
    for mode in ("greedy", "beam", "sample"):
        choose(page, "how", mode)
        for view in ("lines", "matrix"):
            choose(page, "drawn", view)
            targets = "#translator-live .tb-live :is(button, td[tabindex], input)"
            assert_fits(page, width, targets, (mode, view))


@pytest.mark.parametrize("width", [1280, 360])
def test_nothing_jumps_while_the_steps_go_by(width, translator):
    page = translator(width=width)
    place = "document.querySelector('.tb-attend').getBoundingClientRect().top + scrollY"
    heights = set()
    for step in range(1, 18):
        go(page, step)
        height = own(page).locator(".tb-live").bounding_box()["height"]
        heights.add((page.evaluate(place), height))
    assert len(heights) == 1


# Goes down until the last row of the attention has come up; returns what is then out of sight.
UNSEEN = """() => {
    const last = document.querySelector('.tb-attend').getBoundingClientRect().bottom;
    scrollBy({ top: last - innerHeight, behavior: 'instant' });
    return ['.tb-written [aria-current]', '.tb-threads button'].flatMap((what) =>
        [...document.querySelectorAll(what)].filter((e) => {
            const { left, top, width, height } = e.getBoundingClientRect();
            return !e.contains(document.elementFromPoint(left + width / 2, top + height / 2));
        }).map((e) => `${what} ${e.textContent}`));
}"""


@pytest.mark.parametrize("width, height", [(1280, 900), (1280, 720), (390, 844)])
def test_sentence_and_attention_are_in_sight_at_once(width, height, translator):
    page = translator(width=width, height=height)
    for step in (17, 1):
        go(page, step)
        assert page.evaluate(UNSEEN) == [], step
    if height == 900:
        live = own(page).locator(".tb-live").bounding_box()
        assert live["height"] <= height
