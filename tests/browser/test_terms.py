"""A term shows its definition to pointer, keyboard and finger."""

import pytest

from tests.browser.survey import SHIFTS, come_to_rest, violations

pytestmark = pytest.mark.browser
PAGE, PHONE = "attention/three.html", {"width": 390, "height": 844}
SAID = "How much of a value a query takes"


def first(page):
    """The link of the first term, and its tip."""
    return page.locator(".tb-term > a").first, page.locator(".tb-tip").first


def test_a_tip_shows_to_the_pointer_which_can_go_there(visit, small):
    page = visit(f"{small}/{PAGE}")
    link, tip = first(page)
    assert not tip.is_visible()
    link.hover()
    tip.wait_for(state="visible")
    assert SAID in tip.inner_text() and "More of it" not in tip.inner_text()
    tip.hover()
    page.wait_for_timeout(400)
    assert tip.is_visible()
    page.mouse.move(10, 890)
    tip.wait_for(state="hidden")


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_a_tip_shows_to_the_keyboard_and_escape_closes_it(theme, visit, small):
    page = visit(f"{small}/{PAGE}", theme=theme)
    link, tip = first(page)
    link.focus()
    tip.wait_for(state="visible")
    assert violations(page, theme) == []
    page.keyboard.press("Escape")
    assert not tip.is_visible()
    assert page.evaluate(
        "document.activeElement === document.querySelector('.tb-term > a')"
    )
    page.keyboard.press("Tab")  # on to the next link of the text, not into the tip
    assert page.evaluate("document.activeElement.textContent") == "attention weights"
    page.keyboard.press("Shift+Tab")
    assert tip.is_visible()
    page.keyboard.press("Enter")
    page.wait_for_url("**/reference/glossary.html#term-attention-weight")


def test_the_definition_describes_the_link(visit, small):
    page = visit(f"{small}/{PAGE}")
    session = page.context.new_cdp_session(page)
    tree = session.send("Accessibility.getFullAXTree")["nodes"]
    (said,) = {
        node["description"]["value"]
        for node in tree
        if node.get("role", {}).get("value") == "link"
        and node["name"]["value"] == "attention weight"
        and node.get("description", {}).get("value")
    }
    assert SAID in said and "In the glossary" not in said


def test_a_first_tap_shows_the_tip_with_the_link_in_it(visit, small):
    page = visit(f"{small}/{PAGE}", has_touch=True, is_mobile=True, **PHONE)
    link, tip = first(page)
    link.tap()
    tip.wait_for(state="visible")
    assert page.url.endswith(PAGE)
    box = tip.bounding_box()
    assert box["x"] >= 0 and box["x"] + box["width"] <= PHONE["width"]
    page.locator("article h1").tap()
    assert not tip.is_visible()
    link.tap()
    tip.get_by_text("In the glossary").tap()
    page.wait_for_url("**/reference/glossary.html#term-attention-weight")
    page.go_back()
    link.tap()
    link.tap()
    page.wait_for_url("**/reference/glossary.html#term-attention-weight")


def test_every_tip_stays_in_the_window_wherever_its_term_stands(visit, small):
    page = visit(f"{small}/{PAGE}", **PHONE)
    for at in range(0, 390, 30):
        page.evaluate(
            """(at) => { const { style } = document.querySelector('.tb-term > a');
            Object.assign(style, { position: 'fixed', left: `${at}px`, bottom: `${2 * at}px` }) }""",
            at,
        )
        link, tip = first(page)
        link.focus()
        box, term = tip.bounding_box(), link.bounding_box()
        assert box["x"] >= 0 and box["x"] + box["width"] <= PHONE["width"]
        assert box["y"] >= 0 and box["y"] + box["height"] <= PHONE["height"]
        below, above = (
            term["y"] + term["height"] <= box["y"],
            box["y"] + box["height"] <= term["y"],
        )
        assert below or above  # never over the term itself
        page.keyboard.press("Escape")
        page.evaluate("document.activeElement.blur()")


def test_nothing_moves_and_nothing_is_printed(visit, small):
    page = visit(f"{small}/{PAGE}", early=SHIFTS)
    come_to_rest(page)
    link, tip = first(page)
    before = page.locator("article").bounding_box()
    link.hover()
    tip.wait_for(state="visible")
    assert page.locator("article").bounding_box() == before
    assert sum(value for value, *_ in page.evaluate("shifts")) < 0.02
    page.emulate_media(media="print")
    assert not tip.is_visible()


def test_a_formula_in_a_definition_is_set(visit, small):
    page = visit(f"{small}/{PAGE}")
    come_to_rest(page)
    page.locator(".tb-term > a").nth(1).hover()
    page.locator(".tb-tip mjx-container").wait_for(state="visible")


def test_without_javascript_it_is_a_link(visit, small):
    page = visit(f"{small}/{PAGE}", java_script_enabled=False)
    link, tip = first(page)
    link.hover()
    assert not tip.is_visible() and SAID not in page.locator("article").inner_text()
    link.click()
    page.wait_for_url("**/reference/glossary.html#term-attention-weight")


def test_it_works_opened_as_a_file(visit, small_book):
    page = visit((small_book.html / PAGE).as_uri())
    link, tip = first(page)
    link.hover()
    tip.wait_for(state="visible")
