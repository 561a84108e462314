"""The translator of real sentences as a reader loads, types and sees it, in Chromium."""

import json

import pytest

from tests.browser import measure, real_sentences, survey
from tests.browser.real_sentences import FOLDER, LONG, OWN, SHORT, done, translated
from tests.browser.replies import ABORT, Replies
from tests.browser.translating import choose, go, notice, own, says, written
from tests.browser.widgets import FOCUSED, assert_fits, heard, in_looks, tab_to
from transformer_lab.translator import site_translator

pytestmark = pytest.mark.browser
widget = real_sentences.widget
translator = real_sentences.translator
TWO_ROWS = (
    "Tom wants to know where his sister lives, and we want to know why he is tired."
)


def test_nothing_is_loaded_until_it_is_asked_for(widget, site):
    page = widget()
    files = [site / "_static" / FOLDER / name for name in site_translator.LOADED_FILES]
    size = sum(path.stat().st_size for path in files)
    assert size <= 4_000_000
    assert f"{size / 1e6:.1f} MB" in says(page, "main")
    asked = []
    page.on("request", lambda request: asked.append(request.url.rsplit("/", 1)[-1]))
    own(page).locator(".tb-ready button").nth(1).click()
    assert asked == [] and page.workers == []
    own(page).locator(".tb-main").click()
    done(page)
    assert set(site_translator.LOADED_FILES) <= set(asked) and len(page.workers) == 1
    assert page.complaints == [] and page.foreign == []


RECTS = """all => all.map((e) => {
    const { left, right, top, bottom } = e.getBoundingClientRect();
    return { left, right, top, bottom };
})"""


@pytest.mark.parametrize("width", [1280, 390])
def test_two_rows_are_whole_and_bars_stand_beside_their_characters(width, translator):
    page = translator(width=width)
    translated(page, TWO_ROWS)
    strip = own(page).locator(".tb-written")
    assert strip.evaluate("e => e.scrollTop") == 0
    (box,) = strip.evaluate_all(RECTS)
    words = strip.locator("li").evaluate_all(RECTS)
    first, second, *_ = sorted({round(word["top"]) for word in words})
    for word in words:
        if round(word["top"]) in (first, second):
            assert box["top"] <= word["top"] and word["bottom"] <= box["bottom"]
    rows = own(page).locator(".tb-odds button")
    chars = rows.locator(".tb-word").evaluate_all(RECTS)
    bars = rows.locator(".tb-bar").evaluate_all(RECTS)
    for char, bar in zip(chars, bars, strict=True):
        middles = [(one["top"] + one["bottom"]) / 2 for one in (char, bar)]
        assert abs(middles[0] - middles[1]) <= 2
    room = "e => e.scrollWidth <= e.clientWidth"
    assert all(one.evaluate(room) for one in rows.locator(".tb-word").all())


def test_a_long_drawing_scrolls_by_itself_to_what_is_written(translator):
    page = translator()
    translated(page, LONG)
    drawing = own(page).locator(".tb-threads")
    tall = drawing.evaluate("e => [e.clientHeight, e.scrollHeight]")
    rem = page.evaluate(
        "parseFloat(getComputedStyle(document.documentElement).fontSize)"
    )
    assert tall[0] <= 42 * rem < tall[1]
    current = own(page).locator(".tb-words [aria-current=true]")
    for step in (1, len(written(page))):
        go(page, step)
        (box,), (word,) = (one.evaluate_all(RECTS) for one in (drawing, current))
        assert box["top"] <= word["top"] and word["bottom"] <= box["bottom"]
    translated(page, SHORT)
    assert drawing.evaluate("e => e.clientHeight === e.scrollHeight")


@pytest.mark.parametrize("name", site_translator.LOADED_FILES)
def test_a_missing_or_wrong_file_is_a_sentence_and_may_be_tried_again(
    name, widget, site
):
    page = widget()
    body = bytearray((site / "_static" / FOLDER / name).read_bytes())
    body[-3] ^= 1  # reads well but for its hash
    replies = Replies(page.context, f"**/{FOLDER}/{name}")
    for answer, sentence in [
        ({"status": 404}, f"{name} is missing"),
        ({"status": 503}, f"{name} is answered with 503"),
        ({"body": bytes(body)}, f"{name} is damaged, or not the file of this page"),
    ]:
        replies.answer = answer
        own(page).locator(".tb-main").click()
        notice(page).filter(has_text=sentence).wait_for()
        assert says(page, "desk") == ""
        assert own(page).locator(".tb-main").is_enabled()
    replies.answer = None
    own(page).locator(".tb-main").click()
    done(page)
    assert notice(page).inner_text() == "" and written(page)[-1] == "<eos>"


def test_where_its_thread_cannot_start_a_sentence_says_so(widget):
    page = widget()
    replies = Replies(page.context, "**/live/widgets/worker.js", ABORT)
    own(page).locator(".tb-main").click()
    notice(page).filter(has_text="could not be started in this browser").wait_for()
    replies.answer = None
    own(page).locator(".tb-main").click()
    done(page)
    assert written(page)[-1] == "<eos>"


def test_the_keyboard_does_it_all(widget):
    page = widget()
    line = own(page).locator(".tb-typed")
    line.focus()
    line.press("ControlOrMeta+a")
    page.keyboard.type("I like dogs.")
    page.keyboard.press("Enter")
    done(page)
    assert line.evaluate(FOCUSED)
    tab_to(page, f"{OWN} .tb-written [aria-current]")
    page.keyboard.press("Home")
    assert "step 1 of" in says(page, "now")
    page.keyboard.press("ArrowRight")
    assert "step 2 of" in says(page, "now")
    page.keyboard.press("Tab")
    page.keyboard.press("Tab")
    wanted = page.locator(":focus .tb-word").text_content()
    page.keyboard.press("Enter")
    done(page)
    assert written(page)[1] == wanted
    heard(page, "The translation: " + "".join(written(page)[:-1]))


@in_looks(1440, 360)
def test_it_fits_and_follows_the_theme(width, theme, translator):
    page = translator(width=width, theme=theme)
    text = "Antidisestablishmentarianism is 漢, isn't it, Mr. Schwarzenegger?"
    translated(page, text)
    for mode in ("greedy", "beam"):
        choose(page, "how", mode)
        done(page)
        for view in ("lines", "matrix"):
            choose(page, "drawn", view)
            targets = f"{OWN} .tb-live :is(button, td[tabindex], input, textarea)"
            assert_fits(page, width, targets, (mode, view))
    shown = own(page).locator(".tb-live")
    parts = shown.locator(
        ".tb-ask, .tb-reading, .tb-judged, .tb-notice, .tb-desk, .tb-credits"
    )
    assert measure.outside(parts, shown.bounding_box()) == []
    found = survey.violations(page, theme)
    assert [one for one in found if "real_translator" in one or ".tb-" in one] == []


def test_it_names_its_sources(widget, site):
    page = widget()
    about = json.loads((site / "_static" / FOLDER / "about.json").read_text("utf-8"))
    credits = own(page).locator(".tb-credits").inner_text()
    for said in (about, about["dictionary"]):
        assert said["title"] in credits
        assert said["terms"].split(";")[0] in credits
    link = own(page).locator(".tb-credits a").get_attribute("href")
    assert page.request.get(link).ok
