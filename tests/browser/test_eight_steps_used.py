"""The worked example as a reader steps, types, points and shares it, in Chromium."""

import re

import numpy as np
import pytest

from tests.browser import test_eight_steps
from tests.browser.test_eight_steps import PAGE, SHOWN, step
from tests.browser.widgets import (
    COLOURS,
    FOCUSED,
    IN_SIGHT,
    assert_fits,
    cell,
    each_cell,
    heard,
    in_looks,
    look,
    rows,
)

pytestmark = pytest.mark.browser
widget = test_eight_steps.widget
FIGURE = "figure.tb-figure:has-text('uses both heads')"


def labels(page):
    tables = page.locator(".tb-live table")
    return tables.evaluate_all("all => all.map(t => t.getAttribute('aria-label'))")


def outlined(page, name):
    """Which cells of a matrix are outlined, as booleans."""
    return each_cell(rows(page, name), "c.style.boxShadow !== ''")


def test_a_keyboard_reset_keeps_the_focus(widget):
    page = widget("?eight_steps.step=1&eight_steps.X=1,0,1,0;0,2,0,2;1,1,1,3")
    reset = page.get_by_role("button", name="Reset the numbers")
    reset.focus()
    for _ in range(2):  # the second time it rests
        page.keyboard.press("Enter")
        page.wait_for_timeout(50)
        assert reset.evaluate(FOCUSED)
        assert reset.get_attribute("aria-disabled") == "true"
    assert cell(page, "X", 2, 3).inner_text() == "1"
    cell(page, "X", 2, 3).focus()
    page.keyboard.type("3\n")
    assert reset.get_attribute("aria-disabled") == "false"


def test_home_and_end_lead_to_the_ends_and_the_line_is_said(widget):
    page = widget("?eight_steps.step=1")
    cell(page, "X", 1, 1).focus()
    ends = [("End", 1, 3), ("Home", 1, 0), ("Control+End", 2, 3), ("Home", 2, 0)]
    for key, i, j in [*ends, ("Control+Home", 0, 0)]:
        page.keyboard.press(key)
        assert cell(page, "X", i, j).evaluate(FOCUSED), key
    page.keyboard.type("2")
    page.keyboard.press("Home")  # while someone types it is the text's
    page.keyboard.type("3\n")
    assert cell(page, "X", 0, 0).inner_text() == "32"
    step(page, 5)
    cell(page, "A1", 2, 1).focus()
    said = cell(page, "A1", 2, 1).evaluate(
        "c => document.getElementById(c.getAttribute('aria-describedby')).textContent"
    )
    assert said.startswith("A1[sat, cat]") and "e\u221239.60" in said


def test_a_switch_of_the_head_is_said(widget):
    page = widget("?eight_steps.step=4")
    for number in (2, 1):
        page.locator(".tb-choice label").nth(number - 1).click()
        heard(page, f"head {number}")


def test_a_cell_shows_the_row_and_the_column_that_made_it(widget):
    page = widget("?eight_steps.step=4")
    cell(page, "S1", 1, 2).hover()
    assert outlined(page, "Q1") == [[False] * 2, [True] * 2, [False] * 2]
    assert outlined(page, "K1T") == [[False, False, True]] * 2
    assert np.argwhere(outlined(page, "S1")).tolist() == [[1, 2]]
    text = page.locator(".tb-readout").inner_text()
    assert "(2·2 + 4·1) / √2 = 8 / √2 ≈ 5.66" in text
    cell(page, "K1T", 0, 1).hover()  # an operand: what it goes into
    assert outlined(page, "S1") == [[False, True, False]] * 3
    # Gone: the cell picked last counts again.
    page.locator(".tb-live .tb-title").hover()
    assert np.argwhere(outlined(page, "S1")).tolist() == [[0, 1]]


def test_it_opens_at_the_step_that_the_text_speaks_of(widget):
    page = widget()
    assert page.locator(".tb-live .tb-title").inner_text().startswith("Step 3")
    assert cell(page, "Q1", 0, 0).is_visible()


def test_it_steps_forward_and_back_and_stops_at_the_ends(widget):
    page = widget("?eight_steps.step=8")
    back = page.get_by_role("button", name="One step back")
    forward = page.get_by_role("button", name="One step forward")
    assert forward.get_attribute("aria-disabled") == "true"
    assert labels(page)[0] == "Z"
    for number in range(7, 0, -1):
        back.click()
        assert {*labels(page)} >= {*SHOWN[number]}
        current = page.locator(".tb-steps [aria-current=step]").inner_text()
        assert current.startswith(str(number))
    page.keyboard.press("Enter")  # back has the focus still, and nothing to go back to
    assert page.locator(".tb-live .tb-title").inner_text().startswith("Step 1")
    assert page.complaints == []


def test_the_keyboard_does_it_all(widget):
    page = widget("?eight_steps.step=1")
    page.get_by_role("button", name="One step forward").focus()
    for key in "Tab", "ArrowDown", "ArrowRight":  # Tab reaches one cell of X
        page.keyboard.press(key)
    x = cell(page, "X", 1, 1)
    assert x.evaluate(FOCUSED) and look(x, "outlineStyle") == "solid"
    page.keyboard.type("7")
    assert x.locator("input").input_value() == "7"
    page.keyboard.press("Escape")  # undone, though it had counted already
    assert x.inner_text() == "2"
    page.keyboard.type("4,5\n")
    assert x.inner_text() == "4.5" and x.evaluate(FOCUSED)
    page.keyboard.press("Shift+Tab")
    page.keyboard.press("Enter")
    assert page.locator(".tb-live .tb-title").inner_text().startswith("Step 2")
    heard(page, "Step 2")


def test_what_is_no_number_is_refused_in_a_sentence(widget):
    page = widget("?eight_steps.step=1")
    cell(page, "X", 0, 0).focus()
    for typed in ("2x", "1000"):
        page.keyboard.press("Enter")
        page.keyboard.type(typed)
        page.keyboard.press("Enter")
        hint = page.locator(".tb-hint").inner_text()
        assert "Type a number from \u2212100 to 100" in hint and "-" not in hint
        assert page.locator(".tb-entry").get_attribute("aria-invalid") == "true"
        page.keyboard.press("Escape")
        assert "Type a number from" not in page.locator(".tb-hint").inner_text()
    page.keyboard.press("Enter")
    page.keyboard.type("nonsense")
    entry, refused = page.locator(".tb-entry"), page.locator(".tb-hint .tb-wrong")
    told = page.locator(f"#{entry.get_attribute('aria-describedby')}")
    assert told.inner_text().startswith("Type a number")
    heard(page, "Type a number")
    page.locator(".tb-live .tb-title").click()
    assert cell(page, "X", 0, 0).inner_text() == "1"
    assert refused.inner_text() == ""  # the error goes with what was wrong
    heard(page, "X, the, column 1 is 1.")
    assert page.complaints == []


def test_while_what_is_typed_is_no_number_the_one_before_counts(widget):
    page = widget("?eight_steps.step=1")
    cell(page, "X", 1, 1).focus()
    page.keyboard.type("1")
    # A number counts at once.
    page.wait_for_url(re.compile("eight_steps.X=1,0,1,0;0,1,"))
    page.keyboard.type("e3\n")
    assert page.locator(".tb-entry").input_value() == "1e3"
    assert page.locator(".tb-readout").inner_text() == "X[cat, column 2] = 2"
    page.wait_for_url(lambda url: "eight_steps.X" not in url)
    page.locator(".tb-entry").fill("13")
    page.keyboard.press("Enter")
    assert cell(page, "X", 1, 1).inner_text() == "13"


def test_the_address_holds_what_was_changed_and_brings_it_back(widget):
    page = widget("?from=lecture#step-8-mix-what-the-heads-found")
    assert page.url.endswith("?from=lecture#step-8-mix-what-the-heads-found")
    step(page, 3)
    page.locator(".tb-choice label").nth(1).click()
    cell(page, "X", 2, 3).click()
    page.keyboard.type("3\n")
    page.wait_for_url(re.compile(r"eight_steps\.X=1,0,1,0;0,2,0,2;1,1,1,3"))
    shared = page.url.split(PAGE)[1]
    assert shared.startswith("?from=lecture&") and "W_Q1" not in shared
    other = widget(shared)
    names = labels(other)
    assert names[0] == "X" and "W_Q2" in names and "W_Q1" not in names
    assert cell(other, "X", 2, 3).inner_text() == "3"
    assert np.argwhere(outlined(other, "X")).tolist() == [[2, 3]]
    assert other.locator(".tb-live").evaluate(IN_SIGHT)


@in_looks(1440, 360)
def test_it_fits_and_follows_the_theme(width, theme, widget):
    page = widget("?eight_steps.step=3", width=width, theme=theme)
    assert (
        look(page.locator("table[aria-label='Q1'] caption"), "color")
        == COLOURS["blue"][theme]
    )
    for number in SHOWN:
        step(page, number)
        targets = ".tb-live :is(button, td[tabindex], input)"
        assert_fits(page, width, targets, number)


def test_fingers_can_type_too(widget):
    page = widget("?eight_steps.step=1", width=360, has_touch=True, is_mobile=True)
    cell(page, "X", 0, 1).tap()
    assert page.locator(".tb-entry").count() == 0
    cell(page, "X", 0, 1).tap()
    page.locator(".tb-entry").fill("2")
    page.locator(".tb-live .tb-title").tap()
    assert cell(page, "X", 0, 1).inner_text() == "2"


def test_whoever_wants_no_motion_gets_none(widget):
    page = widget(reduced_motion="reduce")
    step(page, 6)
    moving = """e => e.getAnimations({subtree: true}).filter(one =>
        one.animationName !== "tb-fade")"""  # a sign at an edge, which moves with a scroll alone
    assert page.locator(".tb-stage").evaluate(moving) == []
    assert page.locator(FIGURE).is_hidden()
