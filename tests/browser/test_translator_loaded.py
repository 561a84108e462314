"""The book's translator comes when it is asked for, or says what is missing, in Chromium."""

import pytest

from tests.browser.replies import ABORT, Replies
from tests.browser.translating import begun, notice, opened_translator, own, says
from tools.models.book_translator import ABOUT_FILE_NAME, SHIPPED_FILE_NAMES

pytestmark = pytest.mark.browser
PAGE = "tour.html"
widget, translator = opened_translator(PAGE, begun)


def test_nothing_is_loaded_until_it_is_asked_for(widget, site):
    page = widget()
    label = page.locator(".tb-main").inner_text()
    size = sum(
        (site / "_static" / "model" / name).stat().st_size
        for name in SHIPPED_FILE_NAMES
    )
    assert f"{size / 1e6:.1f} MB" in label and says(page, "desk") == ""
    asked = []
    page.on("request", lambda request: asked.append(request.url.rsplit("/", 1)[-1]))
    page.locator(".tb-ready button").nth(1).click()
    assert asked == []
    page.locator(".tb-main").click()
    page.locator(".tb-odds li").first.wait_for()
    assert set(SHIPPED_FILE_NAMES) <= set(asked)


@pytest.mark.parametrize(("width", "height"), [(1280, 800), (390, 844)])
def test_what_is_pressed_at_the_window_s_foot_shows_its_result(widget, width, height):
    page = widget(width=width, height=height)
    press = own(page).locator(".tb-main")
    top = "e => e.getBoundingClientRect().top"
    page.evaluate(
        "y => scrollBy({ top: y, behavior: 'instant' })",
        press.evaluate(top) - height + 60,
    )
    assert press.evaluate(top) > height - 120
    press.click()
    own(page).locator(".tb-odds li").first.wait_for()
    assert 0 < own(page).locator(".tb-written").evaluate(top) < height - 100
    seen = page.evaluate("scrollY")
    press.click()
    own(page).locator(".tb-odds li").first.wait_for()
    assert page.evaluate("scrollY") == seen


@pytest.mark.parametrize("name", SHIPPED_FILE_NAMES)
def test_missing_or_damaged_weights_are_a_sentence_and_may_be_tried_again(
    name, widget, site
):
    page = widget()
    whole = (site / "_static" / "model" / name).read_bytes()
    replies = Replies(page, f"**/{name}")
    for answer, sentence in [
        ({"status": 404}, f"{name} is missing"),
        ({"body": whole[: len(whole) // 2]}, "is damaged"),
        ({"body": b"\0" + whole[1:]}, "is damaged"),
    ]:
        replies.answer = answer
        page.locator(".tb-main").click()
        notice(page).filter(has_text=sentence).wait_for()
        assert page.locator("figure.tb-figure svg").first.is_visible()
        assert page.locator(".tb-main").is_enabled()
    replies.answer = None
    page.locator(".tb-main").click()
    page.locator(".tb-odds li").first.wait_for()
    assert notice(page).inner_text() == ""


@pytest.mark.parametrize("name", SHIPPED_FILE_NAMES)
def test_a_file_that_is_not_the_published_one_is_refused(name, widget, site):
    page = widget()
    body = bytearray((site / "_static" / "model" / name).read_bytes())
    if name.endswith("json"):
        body = body.replace(b"cat", b"cot")  # reads well
    else:
        body[400_000:500_000] = bytes(100_000)  # finite weights still
    Replies(page, f"**/{name}", {"body": bytes(body)})
    page.locator(".tb-main").click()
    notice(page).filter(has_text=f"{name} is damaged").wait_for()
    assert says(page, "desk") == ""


@pytest.mark.parametrize(
    "text, sentence", [("", "Type a sentence"), ("the cat " * 20, "40 tokens")]
)
def test_what_is_no_sentence_is_refused(text, sentence, widget):
    page = widget()
    page.locator(".tb-typed").fill(text)
    page.locator(".tb-main").click()
    assert sentence in notice(page).inner_text()
    assert says(page, "desk") == "" and page.complaints == []


@pytest.mark.parametrize(
    "answer, sentence",
    [
        (ABORT, "cannot be reached"),
        ({"status": 404}, "no trained model"),
        ({"status": 503}, "answered with 503"),
    ],
)
def test_it_says_whether_the_model_is_missing_or_out_of_reach(
    answer, sentence, visit, address
):
    page = visit("about:blank")
    Replies(page, f"**/model/{ABOUT_FILE_NAME}", answer)
    page.goto(f"{address}/{PAGE}")
    lost = own(page).locator(".tb-lost")
    lost.wait_for(state="visible")
    assert sentence in lost.inner_text()


def test_where_what_comes_with_the_model_is_missing_a_sentence_says_so(visit, address):
    page = visit("about:blank")
    Replies(page, "**/live/shared/desk-*.js", ABORT)
    page.goto(f"{address}/{PAGE}")
    own(page).locator(".tb-main").click()
    wrong = own(page).locator(".tb-notice .tb-wrong")
    wrong.wait_for()
    assert "A part of the page did not arrive; reload it." in wrong.inner_text()
