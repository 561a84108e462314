"""The worked example live, in Chromium: an edit moves what depends on it, as the package computes it."""

import re

import numpy as np
import pytest

from tests import worked_example as fact
from tests.browser.widgets import (
    cell,
    each_cell,
    opened,
    rows,
)
from transformer_book import by_hand

pytestmark = pytest.mark.browser
PAGE = "attention/eight_steps.html"
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
widget = opened(PAGE, ".tb-live td")


def expected(X=fact.X, W_Q1=fact.W_Q1):
    """Every matrix of the worked example by its name, from the package."""
    names = ["W_K1", "W_V1", "W_Q2", "W_K2", "W_V2", "W_O"]
    Ws = {"W_Q1": W_Q1} | {name: getattr(fact, name) for name in names}
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
        near = dict(rtol=5.1e-8, atol=5.1e-3, err_msg=name)
        for written in np.moveaxis(np.array(pairs), -1, 0):
            np.testing.assert_allclose(written, numbers[name], **near)


def step(page, number):
    page.locator(".tb-steps button").nth(number - 1).click()


def flagged(page, name):
    """Which cells of a matrix are said to differ from the book."""
    return each_cell(rows(page, name), "c.matches('.tb-changed')")


def test_with_the_book_s_numbers_it_shows_what_the_package_computes(widget):
    page = widget()
    numbers = expected()
    np.testing.assert_allclose(numbers["H"], fact.H, rtol=0, atol=5.1e-9)
    for head in "12":
        if head == "2":
            page.locator(".tb-choice input[value='2']").check(force=True)
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
        shifted = not -2 <= scores[i].max() <= 12
        assert ("is subtracted from each" in text) == shifted, text


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
    both = "s => [s.value, s.ariaValueText]"
    for key, to in (("ArrowRight", "1.5"), ("ArrowLeft", "1"), ("ArrowUp", "1.5")):
        cell(page, "X", 0, 0).focus()
        page.keyboard.type("1.3\n")
        assert slider.evaluate(both) == ["1.3"] * 2
        slider.press(key)
        assert slider.evaluate(both) == [to] * 2
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


def test_a_broken_address_gives_the_book_s_numbers(widget):
    page = widget(
        "?eight_steps.step=9&eight_steps.head=x&eight_steps.cell=H.7.7&eight_steps.X=1;2"
        "&eight_steps.W_O=1,0,0,1;0,0,1,1;0,1,0,1;1,1,1,NaN&eight_steps.W_Q1=%E0%A4%A"
    )
    assert page.locator(".tb-live .tb-title").inner_text().startswith("Step 3")
    step(page, 8)
    compare(page.evaluate(READ), expected())
    assert page.complaints == []
