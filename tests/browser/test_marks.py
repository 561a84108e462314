"""Which lessons were read: kept in the reader's browser, shown, and forgotten on request."""

import pytest

from tests.browser.contents import entry
from tests.browser.measure import small as too_small
from tests.browser.survey import SHIFTS, come_to_rest, violations

pytestmark = pytest.mark.browser
STORAGE = """for (const name of ['localStorage', 'sessionStorage'])
    Object.defineProperty(window, name, { configurable: true, get() { VALUE } });"""
# As a browser has it that blocks cookies, one that has no storage, and one that leaves no room in it.
NO_STORAGE = {
    "refused": "throw new DOMException('denied', 'SecurityError');",
    "absent": "return null;",
    "full": """return { getItem: () => null, removeItem() {},
        setItem() { throw new DOMException('full', 'QuotaExceededError'); } };""",
}
END = "scrollTo(0, document.documentElement.scrollHeight)"


def progress(page):
    return page.locator(".tb-progress span").inner_text()


def wrong(page):
    """What went wrong, but for what was still loading when the page was left."""
    return [said for said in page.complaints if not said.startswith("failed:")]


def kept(page):
    return page.evaluate(
        "Object.values(localStorage).filter((v) => v.includes('words/'))"
    )


def test_a_lesson_whose_end_was_seen_is_read_and_stays_so(visit, small):
    page = visit(f"{small}/words/one.html")
    entry(page, "One").wait_for()
    assert progress(page) == "0 of 3 lessons read"
    page.evaluate(END)
    entry(page, "One read").wait_for()
    assert page.get_by_label("I have read this lesson").is_checked()
    page.goto(f"{small}/words/two.html")
    entry(page, "One read").wait_for()
    assert entry(page, "Two").is_visible()
    assert progress(page) == "1 of 3 lessons read"
    assert page.foreign == [] and wrong(page) == []


def test_what_the_reader_says_counts(visit, small):
    page = visit(f"{small}/words/one.html")
    box = page.get_by_label("I have read this lesson")
    page.evaluate(END)
    page.wait_for_function("document.querySelector('.tb-mark input').checked")
    box.focus()
    page.keyboard.press("Space")
    assert not box.is_checked() and progress(page) == "0 of 3 lessons read"
    page.reload()
    page.evaluate(END)
    page.wait_for_timeout(1300)
    assert not box.is_checked()  # the reader has said that it was not read
    box.check()
    assert progress(page) == "1 of 3 lessons read"


def test_all_is_forgotten_on_request_by_keyboard(visit, small):
    page = visit(f"{small}/words/two.html")
    page.get_by_label("I have read this lesson").check()
    assert kept(page)
    forget = page.get_by_role("button", name="Forget which lessons were read")
    forget.focus()
    page.keyboard.press("Enter")
    assert progress(page) == "0 of 3 lessons read" and kept(page) == []
    assert page.locator(".tb-progress [role=status]").count() == 1
    assert not page.get_by_label("I have read this lesson").is_checked()
    assert page.evaluate("document.activeElement.textContent") == "Undo"
    page.keyboard.press("Enter")
    assert progress(page) == "1 of 3 lessons read" and kept(page)
    assert page.evaluate("document.activeElement.textContent") == "Forget"


def test_the_next_lesson_is_named_and_nothing_moves_when_one_is_read(visit, small):
    page = visit(f"{small}/words/two.html")
    following = page.locator(".tb-next")
    assert following.inner_text() == "Begin with One"
    place = "document.querySelector('[data-lesson=\"attention/three\"]').offsetTop"
    before = page.evaluate(place)
    page.goto(f"{small}/words/one.html")
    page.get_by_label("I have read this lesson").check()
    assert following.inner_text() == "Go on with Two"
    assert page.evaluate(place) == before
    following.click()
    assert page.url.endswith("words/two.html")


def test_the_book_begins_with_the_tour_and_goes_on_with_its_first_lesson(
    visit, address
):
    page = visit(f"{address}/attention/masks.html")
    page.get_by_role("link", name="Begin with The tour").click()
    page.get_by_role("link", name="Begin with Mathematics").wait_for()
    assert page.url.endswith("/tour.html")
    page.goto(f"{address}/words/tokens.html")
    page.get_by_label("I have read this lesson").check()
    page.get_by_role("link", name="Go on with Mathematics").wait_for()


def test_another_window_shows_it_too(visit, small):
    page = visit(f"{small}/words/one.html")
    other = page.context.new_page()
    other.goto(f"{small}/words/two.html")
    other.get_by_label("I have read this lesson").check()
    entry(page, "Two read").wait_for()


@pytest.mark.parametrize("kept", ["null", "[]", "1", "not JSON", '{"words/one": "x"}'])
def test_what_is_not_ours_in_the_storage_does_no_harm(kept, visit, small):
    page = visit(f"{small}/words/one.html")
    page.evaluate("(v) => localStorage.setItem('executable-transformer.read', v)", kept)
    page.reload()
    assert progress(page) == "0 of 3 lessons read"
    page.goto(f"{small}/words/two.html")
    page.get_by_label("I have read this lesson").check()
    assert progress(page) == "1 of 3 lessons read" and wrong(page) == []


@pytest.mark.parametrize("kind", NO_STORAGE)
def test_without_storage_nothing_fails(kind, visit, small):
    early = STORAGE.replace("VALUE", NO_STORAGE[kind])
    page = visit(f"{small}/words/one.html", width=500, early=early)
    page.evaluate(END)
    page.wait_for_function("document.querySelector('.tb-mark input').checked")
    page.locator("button.primary-toggle").click()
    entry(page, "One read").wait_for()
    assert progress(page) == "1 of 3 lessons read"
    page.keyboard.press("Escape")
    page.locator("#pst-primary-sidebar-modal").wait_for(state="hidden")
    page.keyboard.press("Control+k")
    page.locator("#pst-search-dialog").wait_for()
    page.keyboard.press("Escape")
    modes = []
    for _ in range(3):
        page.locator(".theme-switch-button:visible").first.click()
        modes.append(page.evaluate("document.documentElement.dataset.mode"))
    assert sorted(modes) == ["auto", "dark", "light"]
    assert wrong(page) == []


def test_a_glance_at_the_end_is_no_reading(visit, small):
    page = visit(f"{small}/words/one.html")
    page.evaluate(END)
    page.wait_for_timeout(300)
    page.evaluate("scrollTo(0, 0)")
    page.wait_for_timeout(1300)
    assert progress(page) == "0 of 3 lessons read"


def test_opened_as_a_file(visit, small_book):
    page = visit((small_book.html / "words" / "one.html").as_uri())
    page.evaluate(END)
    entry(page, "One read").wait_for()


def test_only_lessons_are_marked(visit, small):
    for name in ("intro", "words/one_lab", "reference/notation"):
        page = visit(f"{small}/{name}.html")
        page.evaluate(END)
        assert page.locator(".tb-mark").count() == 0
        assert progress(page) == "0 of 3 lessons read"


def test_without_javascript_there_is_nothing_to_press(visit, small):
    page = visit(f"{small}/words/one.html", java_script_enabled=False)
    assert not page.locator(".tb-mark").is_visible()
    assert not page.locator(".tb-progress").is_visible()


@pytest.mark.parametrize("width", [1280, 390])
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_marks_are_quiet_legible_and_move_nothing(theme, width, visit, small):
    page = visit(f"{small}/words/one.html", width=width, theme=theme, early=SHIFTS)
    for name in ("words/one", "words/two", "attention/three"):
        page.goto(f"{small}/{name}.html")
        page.get_by_label("I have read this lesson").check()
    page.reload()
    come_to_rest(page)
    assert sum(value for value, *_ in page.evaluate("shifts")) < 0.01
    assert too_small(page.locator(".tb-mark label")) == []
    if width == 390:
        page.locator("button.primary-toggle").click()
        page.locator(".tb-progress").wait_for(state="visible")
    assert too_small(page.locator(".tb-progress button")) == []
    assert progress(page) == "3 of 3 lessons read"
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    assert violations(page, theme) == []
