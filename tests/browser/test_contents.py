"""The contents: lessons with their minutes, and a laboratory folded under its lesson."""

import pytest

from tests.browser.contents import TREE, entry
from tests.browser.measure import small as too_small
from tests.browser.survey import violations

pytestmark = pytest.mark.browser
OUTLINE = "getComputedStyle(document.activeElement.querySelector('.toctree-toggle'))"


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_a_laboratory_unfolds_by_keyboard(theme, visit, small):
    page = visit(f"{small}/words/two.html", theme=theme)
    laboratory = entry(page, "Laboratory")
    assert entry(page, "Two").is_visible()
    assert not laboratory.is_visible()
    entry(page, "One").focus()
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.ariaLabel") == "Laboratory of One"
    assert page.evaluate(f"{OUTLINE}.outlineStyle") != "none"
    page.keyboard.press("Enter")
    assert laboratory.is_visible()
    assert violations(page, theme) == []


def test_the_contents_on_a_phone(visit, small):
    page = visit(f"{small}/words/one.html", width=390, height=844)
    page.locator("button.primary-toggle").click()
    tree = page.locator(TREE)
    entry(page, "Laboratory").wait_for()
    assert too_small(tree.locator("a")) == []
    assert too_small(tree.locator(".toctree-toggle")) == []
    apart = tree.locator(".tb-time").evaluate_all(
        """(all) => all.filter((e) => e.checkVisibility())
            .map((e) => e.getBoundingClientRect().right)"""
    )
    assert max(apart) - min(apart) < 1  # one column


@pytest.mark.parametrize("width", [390, 1000])
def test_the_contents_without_javascript(width, visit, small):
    page = visit(f"{small}/words/one.html", width=width, java_script_enabled=False)
    assert page.locator(".sidebar-toggle:visible, [onclick]:visible").count() == 0
    if width == 390:
        page.get_by_role("link", name="Contents of the book").click()
    two = entry(page, "Two")
    assert 0 <= two.bounding_box()["y"] < 900
    two.click()
    page.wait_for_url("**/two.html")
    sections = page.locator(".page-toc a:visible")
    assert sections.count() == page.locator("article section section").count() > 0


def test_from_lesson_to_lesson_and_from_the_laboratory_back(visit, small):
    page = visit(f"{small}/words/one.html")
    page.locator(".tb-laboratory").click()
    page.wait_for_url("**/one_lab.html")
    page.get_by_role("link", name="Next lesson Two").click()
    page.wait_for_url("**/two.html")
    page.get_by_role("link", name="Previous lesson One").click()
    page.wait_for_url("**/one.html")
