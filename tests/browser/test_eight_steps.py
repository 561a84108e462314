"""The worked example live: a reader edits, steps, points and shares it, in Chromium."""

import re

import numpy as np
import pytest

from tests import worked_example as fact
from tests.browser import measure
from transformer_book import by_hand

pytestmark = pytest.mark.browser
PAGE = "attention/eight_steps.html"
FIGURE = "figure.tb-figure:has-text('draws on both heads')"
SHOWN = {  # what each step shows, of the head that is chosen
    1: ["X"],
    2: ["W_Q1", "W_K1", "W_V1", "W_O"],
    3: ["X", "Q1", "K1", "V1"],
    4: ["Q1", "K1T", "S1"],
    5: ["S1", "A1"],
    6: ["A1", "V1", "Z1"],
    7: ["Z1", "Z2", "Z"],
    8: ["Z", "W_O", "H"],
}
# Goes to every cell of a step and keeps the number that is written out for it.
READ = """() => Object.fromEntries([...document.querySelectorAll('.tb-live table')].map((table) => [
    table.getAttribute('aria-label'),
    [...table.querySelectorAll('tbody tr')].map((row) =>
        [...row.querySelectorAll('td')].map((cell) => {
            cell.focus();
            const text = document.querySelector('.tb-readout .tb-result').textContent;
            return [cell.textContent, text].map((t) => Number(t.replace('\u2212', '-')));
        })),
]))"""


@pytest.fixture
def widget(visit, address):
    """Open the page, with this behind its address, and wait until the widget is alive."""

    def open_widget(query="", **options):
        page = visit(f"{address}/{PAGE}{query}", **options)
        page.locator(".tb-live td").first.wait_for()
        return page

    return open_widget


def expected(X=fact.X, W_Q1=fact.W_Q1):
    """Every matrix of the worked example by its name, from the package."""
    Ws = {"W_Q1": W_Q1, "W_O": fact.W_O}
    Ws |= {
        name: getattr(fact, name) for name in ("W_K1", "W_V1", "W_Q2", "W_K2", "W_V2")
    }
    made = {"X": X, **Ws}
    for i in "12":
        Q, K, V = (X @ Ws[f"W_{part}{i}"] for part in "QKV")
        Z, A = by_hand.scaled_dot_product_attention(Q, K, V)
        new = {"Q": Q, "K": K, "V": V, "S": Q @ K.T / np.sqrt(2), "A": A, "Z": Z}
        made |= {f"{name}{i}": M for name, M in new.items()} | {f"K{i}T": K.T}
    made["Z"] = np.hstack([made["Z1"], made["Z2"]])
    W_Q, W_K, W_V = (np.hstack([Ws[f"W_{part}1"], Ws[f"W_{part}2"]]) for part in "QKV")
    made["H"], _ = by_hand.multi_head_attention(X, X, X, W_Q, W_K, W_V, Ws["W_O"], h=2)
    return made


def compare(shown, numbers):
    for name, pairs in shown.items():
        for written in np.moveaxis(np.array(pairs), -1, 0):
            np.testing.assert_allclose(
                written, numbers[name], rtol=5.1e-8, atol=5.1e-3, err_msg=name
            )


def step(page, number):
    page.locator(".tb-steps button").nth(number - 1).click()


def cell(page, name, i, j):
    return (
        page.locator(f".tb-live table[aria-label='{name}'] tbody tr")
        .nth(i)
        .locator("td")
        .nth(j)
    )


def outlined(page, name):
    """Which cells of a matrix are outlined, as booleans."""
    rows = "rows => rows.map(r => [...r.querySelectorAll('td')].map(c => c.style.boxShadow !== ''))"
    return page.locator(f".tb-live table[aria-label='{name}'] tbody tr").evaluate_all(
        rows
    )


def flagged(page, name):
    """Which cells of a matrix are said to differ from the book."""
    rows = "rows => rows.map(r => [...r.querySelectorAll('td')].map(c => c.matches('.tb-changed')))"
    return page.locator(f".tb-live table[aria-label='{name}'] tbody tr").evaluate_all(
        rows
    )


def test_with_the_book_s_numbers_it_shows_what_the_package_computes(widget):
    page = widget()
    numbers = expected()
    np.testing.assert_allclose(numbers["H"], fact.H, rtol=0, atol=5.1e-9)
    for head in "12":
        page.locator(f".tb-choice input[value='{head}']").check(
            force=True
        ) if head == "2" else None
        for number, names in SHOWN.items():
            step(page, number)
            shown = page.evaluate(READ)
            own = [re.sub("1(T?)$", rf"{head}\1", name) for name in names]
            assert set(own) - {"Z1", "Z2"} <= set(shown), number
            compare(shown, numbers)
        step(page, 4)
    assert page.complaints == [] and page.foreign == []


def test_an_edited_number_moves_all_that_depends_on_it(widget):
    page = widget("?eight_steps.step=1")
    cell(page, "X", 1, 0).click()
    page.keyboard.type("-1.5")
    page.keyboard.press("Enter")
    X = fact.X.copy()
    X[1, 0] = -1.5
    numbers, before = expected(X), expected()
    for number in (3, 4, 5, 6, 8):
        step(page, number)
        shown = page.evaluate(READ)
        compare(shown, numbers)
        for name in shown:
            moved = ~np.isclose(numbers[name], before[name])
            assert flagged(page, name) == moved.tolist(), name
    page.get_by_role("button", name="Reset the numbers").click()
    compare(page.evaluate(READ), expected())
    assert page.locator(".tb-live table td.tb-changed").count() == 0


def test_a_keyboard_reset_keeps_the_focus(widget):
    page = widget("?eight_steps.step=1&eight_steps.X=1,0,1,0;0,2,0,2;1,1,1,3")
    reset = page.get_by_role("button", name="Reset the numbers")
    reset.focus()
    for _ in range(2):  # the second time it rests
        page.keyboard.press("Enter")
        page.wait_for_timeout(50)
        assert reset.evaluate("b => b === document.activeElement")
        assert reset.get_attribute("aria-disabled") == "true"
    assert cell(page, "X", 2, 3).inner_text() == "1"
    cell(page, "X", 2, 3).focus()
    page.keyboard.type("3\n")
    assert reset.get_attribute("aria-disabled") == "false"


@pytest.mark.parametrize("large", [9, 40, -40, 100])
def test_large_exponentials_are_shifted_and_stay_readable(large, widget):
    page = widget(f"?eight_steps.step=5&eight_steps.X=1,0,1,0;0,2,0,{large};1,1,1,1")
    X = fact.X.copy()
    X[1, 3] = large
    compare(page.evaluate(READ), expected(X))
    scores = expected(X)["S1"]
    for i, j in np.ndindex(3, 3):
        cell(page, "A1", i, j).hover()
        text = page.locator(".tb-readout").inner_text()
        assert not re.search(r"Infinity|NaN|e\+|\d{9}", text), text
        assert ("is subtracted from each" in text) == (
            not -2 <= scores[i].max() <= 12
        ), text


def test_a_matrix_with_minuses_has_the_two_hues_of_the_figures(widget):
    page = widget("?eight_steps.step=3")
    fill = "c => c.style.getPropertyValue('--fill')"

    def hues(name):
        rows = page.locator(f".tb-live table[aria-label='{name}'] td[tabindex]")
        for one in rows.all():
            minus = one.inner_text().startswith("\u2212")
            assert "gradient" not in one.evaluate(fill)  # hatched is what is masked
            yield minus, re.search(r"--tb-(\w+)\)", one.evaluate(fill))[1]

    assert set(hues("W_K1")) == {(False, "k")}
    cell(page, "W_K1", 0, 1).click()
    page.keyboard.type("-1\n")
    for name, role in (("W_Q1", "q"), ("X", "ink")):
        assert set(hues(name)) == {(False, role)}
    cells = page.locator(".tb-live table[aria-label='W_K1'] td[tabindex]")
    assert cells.filter(has_text=re.compile("^[1-9]")).count() > 0
    for name in "W_K1", "K1":
        found = set(hues(name))
        assert (True, "k") in found and (False, "q") in found
        assert (True, "q") not in found


def test_home_and_end_lead_to_the_ends_and_the_line_is_said(widget):
    page = widget("?eight_steps.step=1")
    cell(page, "X", 1, 1).focus()
    for key, i, j in (
        ("End", 1, 3),
        ("Home", 1, 0),
        ("Control+End", 2, 3),
        ("Home", 2, 0),
        ("Control+Home", 0, 0),
    ):
        page.keyboard.press(key)
        assert cell(page, "X", i, j).evaluate("c => c === document.activeElement"), key
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
        page.get_by_role("status").filter(has_text=f"head {number}").wait_for(
            state="attached"
        )


def test_the_slider_changes_the_picked_number_at_once(widget):
    page = widget("?eight_steps.step=3")
    cell(page, "W_Q1", 0, 0).click()
    slider = page.get_by_role("slider")
    slider.focus()
    slider.press("ArrowRight")
    W_Q1 = fact.W_Q1.copy()
    W_Q1[0, 0] = 1.5
    assert slider.evaluate("s => s.value") == "1.5"
    step(page, 8)
    compare(page.evaluate(READ), expected(W_Q1=W_Q1))


def test_the_slider_starts_from_the_number_that_was_typed(widget):
    page = widget("?eight_steps.step=1&eight_steps.X=1.3,0,1,0;0,2,0,2;1,1,1,1")
    slider = page.get_by_role("slider")
    for key, to in (("ArrowRight", "1.5"), ("ArrowLeft", "1"), ("ArrowUp", "1.5")):
        cell(page, "X", 0, 0).focus()
        page.keyboard.type("1.3\n")
        assert (
            slider.evaluate("s => s.value")
            == slider.get_attribute("aria-valuetext")
            == "1.3"
        )
        slider.press(key)
        assert (
            slider.evaluate("s => s.value")
            == slider.get_attribute("aria-valuetext")
            == to
        )
        assert cell(page, "X", 0, 0).inner_text() == to
    slider.press("ArrowRight")  # from stop to stop again
    assert cell(page, "X", 0, 0).inner_text() == "2"


def signs(page, name, i, j):
    """The signs of equality in what is written out for a cell."""
    cell(page, name, i, j).hover()
    return "".join(re.findall("[=\u2248]", page.locator(".tb-readout").inner_text()))


def test_nothing_that_is_rounded_is_called_equal(widget):
    # One score is so large that the weights of the others are 0 in 64 bits.
    page = widget("?eight_steps.step=5&eight_steps.X=1,0,1,0;0,2,0,40;1,1,1,1")
    assert page.evaluate(READ)["A1"][1][1][0] == 1
    assert signs(page, "A1", 1, 1) == "\u2248" * 3
    step(page, 6)
    assert signs(page, "A1", 1, 1) == "\u2248" and signs(page, "V1", 1, 1) == "="
    assert signs(page, "Z1", 1, 1) == "\u2248" * 2
    step(page, 7)
    assert signs(page, "Z", 1, 1) == "\u2248"
    step(page, 8)
    assert signs(page, "H", 1, 1) == "\u2248" * 2
    step(page, 4)
    assert signs(page, "S1", 1, 2) == "==\u2248"  # 8 / \u221a2


def test_with_zeros_only_the_thirds_are_rounded(widget):
    page = widget("?eight_steps.step=4&eight_steps.X=0,0,0,0;0,0,0,0;0,0,0,0")
    assert signs(page, "S1", 1, 1) == "==="
    step(page, 5)
    assert signs(page, "A1", 1, 1) == "==\u2248"
    step(page, 6)
    assert signs(page, "Z1", 1, 1) == "\u2248" * 2  # 0.33\u00b70
    step(page, 8)
    assert signs(page, "H", 1, 1) == "=="


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
    page.locator(
        ".tb-live .tb-title"
    ).hover()  # gone: the cell picked last counts again
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
    assert page.locator(".tb-live table").first.get_attribute("aria-label") == "Z"
    for number in range(7, 0, -1):
        back.click()
        tables = page.locator(".tb-live table")
        assert {t.get_attribute("aria-label") for t in tables.all()} >= set(
            SHOWN[number]
        )
        current = page.locator(".tb-steps [aria-current=step]").inner_text()
        assert current.startswith(str(number))
    page.keyboard.press("Enter")  # back has the focus still, and nothing to go back to
    assert page.locator(".tb-live .tb-title").inner_text().startswith("Step 1")
    assert page.complaints == []


def test_the_keyboard_does_it_all(widget):
    page = widget("?eight_steps.step=1")
    page.get_by_role("button", name="One step forward").focus()
    page.keyboard.press("Tab")  # into X, to the one cell of it that Tab reaches
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowRight")
    focused = "document.activeElement"
    assert cell(page, "X", 1, 1).evaluate(f"c => c === {focused}")
    assert page.evaluate(f"getComputedStyle({focused}).outlineStyle") == "solid"
    page.keyboard.type("7")
    assert cell(page, "X", 1, 1).locator("input").input_value() == "7"
    page.keyboard.press("Escape")  # undone, though it had counted already
    assert cell(page, "X", 1, 1).inner_text() == "2"
    page.keyboard.type("4,5")
    page.keyboard.press("Enter")
    assert cell(page, "X", 1, 1).inner_text() == "4.5"
    assert cell(page, "X", 1, 1).evaluate(f"c => c === {focused}")
    page.keyboard.press("Shift+Tab")
    page.keyboard.press("Enter")
    assert page.locator(".tb-live .tb-title").inner_text().startswith("Step 2")
    status = page.get_by_role("status").filter(has_text="Step 2")
    status.wait_for(state="attached")


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
    page.get_by_role("status").filter(has_text="Type a number").wait_for(
        state="attached"
    )
    page.locator(".tb-live .tb-title").click()
    assert cell(page, "X", 0, 0).inner_text() == "1"
    assert refused.inner_text() == ""  # the error goes with what was wrong
    page.get_by_role("status").filter(has_text="X, the, column 1 is 1.").wait_for(
        state="attached"
    )
    assert page.complaints == []


def test_while_what_is_typed_is_no_number_the_one_before_counts(widget):
    page = widget("?eight_steps.step=1")
    cell(page, "X", 1, 1).focus()
    page.keyboard.type("1")
    page.wait_for_url(
        re.compile("eight_steps.X=1,0,1,0;0,1,")
    )  # a number counts at once
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
    names = [
        t.get_attribute("aria-label") for t in other.locator(".tb-live table").all()
    ]
    assert names[0] == "X" and "W_Q2" in names and "W_Q1" not in names
    assert cell(other, "X", 2, 3).inner_text() == "3"
    assert np.argwhere(outlined(other, "X")).tolist() == [[2, 3]]
    assert other.locator(".tb-live").evaluate(
        "e => e.getBoundingClientRect().top < innerHeight"
    )


def test_a_broken_address_gives_the_book_s_numbers(widget):
    page = widget(
        "?eight_steps.step=9&eight_steps.head=x&eight_steps.cell=H.7.7&eight_steps.X=1;2"
        "&eight_steps.W_O=1,0,0,1;0,0,1,1;0,1,0,1;1,1,1,NaN&eight_steps.W_Q1=%E0%A4%A"
    )
    assert page.locator(".tb-live .tb-title").inner_text().startswith("Step 3")
    step(page, 8)
    compare(page.evaluate(READ), expected())
    assert page.complaints == []


@pytest.mark.parametrize("width", [1440, 360])
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_it_fits_and_follows_the_theme(width, theme, widget):
    page = widget("?eight_steps.step=3", width=width, theme=theme)
    blue = {"light": "rgb(37, 99, 201)", "dark": "rgb(125, 176, 255)"}[theme]
    caption = page.locator("table[aria-label='Q1'] caption")
    assert caption.evaluate("c => getComputedStyle(c).color") == blue
    for number in SHOWN:
        step(page, number)
        assert page.evaluate("document.documentElement.scrollWidth") <= width, number
        targets = page.locator(".tb-live :is(button, td[tabindex], input)")
        assert measure.small(targets) == [], number


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
    assert (
        page.evaluate(
            "document.querySelector('.tb-stage').getAnimations({subtree: true})"
        )
        == []
    )
    assert page.locator(FIGURE).is_hidden()


def test_without_javascript_the_figure_stays(visit, address):
    page = visit(f"{address}/{PAGE}", java_script_enabled=False)
    assert page.locator(f"{FIGURE} svg").first.is_visible()
    assert not page.locator(".tb-widget").is_visible()


@pytest.mark.parametrize(
    "missing", ["book.js", "widgets/eight_steps.js", "by_hand/matrix.js"]
)
def test_where_a_part_is_missing_the_figure_stays_and_a_sentence_says_so(
    missing, visit, address
):
    page = visit("about:blank")
    page.route(f"**/js/{missing}*", lambda route: route.abort())
    page.goto(f"{address}/{PAGE}")
    lost = page.locator(".tb-widget .tb-lost")
    lost.wait_for(state="visible")
    assert "could not be loaded" in lost.inner_text()
    assert page.locator(f"{FIGURE} svg").first.is_visible()
    assert not page.locator(".tb-intro").is_visible()
