"""The figure of the first page: its ribbons can be played again, and pointed at one by one."""

import pytest

pytestmark = pytest.mark.browser
PLAYING = """figure => figure.getAnimations({ subtree: true })
    .filter((one) => one.playState === "running").length"""


@pytest.fixture
def hero(visit, address):
    def open_hero(**options):
        page = visit(f"{address}/intro.html", **options)
        page.hero = page.locator(".tb-figure").first
        page.again = page.locator(".tb-again")
        page.again.wait_for(state="attached")
        return page

    return open_hero


def test_it_is_played_again_by_pointer_and_keyboard(hero):
    page = hero()
    for press in page.again.click, lambda: page.again.press("Enter"):
        page.hero.evaluate(
            "f => f.getAnimations({ subtree: true }).forEach(a => a.finish())"
        )
        assert page.hero.evaluate(PLAYING) == 0
        press()
        assert page.hero.evaluate(PLAYING) > 10
    assert page.locator(".tb-again").count() == 1 and page.complaints == []


def test_who_wants_no_motion_has_no_button_and_all_ribbons(hero):
    page = hero(reduced_motion="reduce")
    assert not page.again.is_visible()
    assert page.hero.evaluate(PLAYING) == 0


@pytest.mark.parametrize("width", [1280, 390])
def test_the_ribbons_of_the_word_that_is_pointed_at_stand_out(width, hero):
    page = hero(width=width)
    drawing = page.hero.locator("svg:visible")
    pale = drawing.locator(".tb-pale")
    drawing.get_by_text("猫", exact=True).hover()
    steps = drawing.locator(".tb-step").evaluate_all(
        "parts => parts.map((part) => [part.getAttribute('style'), part.matches('.tb-pale')])"
    )
    (shown,) = {style for style, is_pale in steps if not is_pale}
    assert all(is_pale == (style != shown) for style, is_pale in steps)
    opacity = "part => Number(getComputedStyle(part.firstElementChild).opacity)"
    assert pale.first.evaluate(opacity) < 0.2
    page.get_by_role("heading", level=1).hover()
    assert pale.count() == 0


def test_the_button_moves_nothing(hero):
    page = hero()
    place = "document.querySelector('h2').getBoundingClientRect().top"
    before = page.evaluate(place)
    page.again.evaluate("(button) => button.remove()")
    assert page.evaluate(place) == before
