"""Masks that a reader makes: cells hidden and shown, both masks, two that are wrong, in Chromium."""

import re

import numpy as np
import pytest

from tests import worked_example as fact
from tests.browser.widgets import (
    COLOURS,
    FOCUSED,
    assert_fits,
    each_cell,
    heard,
    height_of,
    in_looks,
    look,
    opened,
    rows,
)
from transformer_book import by_hand

pytestmark = pytest.mark.browser
PAGE = "attention/masks.html"
SCORES, WEIGHTS = "Scores with the mask", "Weights"
HEADS = {
    head: (fact.X @ getattr(fact, f"W_Q{head}"), fact.X @ getattr(fact, f"W_K{head}"))
    for head in (1, 2)
}
CAUSAL = by_hand.causal_mask(3)
# Goes to every weight and keeps what is shown and the number that is written out for it.
READ = """() => [...document.querySelectorAll(
    '.tb-live table[aria-label=Weights] tbody tr')].map((row) =>
    [...row.querySelectorAll('td')].map((cell) => {
        cell.focus();
        const text = document.querySelector('.tb-readout .tb-result').textContent;
        return [Number(cell.textContent), Number(text)];
    }))"""
widget = opened(PAGE, ".tb-live td")


def expected(mask=None, head=1):
    Q, K = HEADS[head]
    return by_hand.scaled_dot_product_attention(Q, K, K, mask=mask)[1]


def compare(page, weights):
    for written in np.moveaxis(np.array(page.evaluate(READ)), -1, 0):
        np.testing.assert_allclose(written, weights, rtol=0, atol=5.1e-5)
    totals = page.locator(".tb-live table[aria-label='Sum of each row'] td[tabindex]")
    sums = [float(t) for t in totals.all_inner_texts()]
    assert sums == weights.sum(axis=1).round(12).tolist()


def cell(page, i, j, table=SCORES):
    return rows(page, table).nth(i).locator("td").nth(j)


def hidden(page):
    return each_cell(rows(page, SCORES), "c.matches('.tb-hidden')")


def causal_but(*changed):
    """Return the causal mask with some cells turned."""
    mask = CAUSAL.copy()
    for i, j in changed:
        mask[i, j] ^= True
    return mask


def choose(page, label):
    page.locator(".tb-live .tb-choice label", has_text=re.compile(f"^{label}$")).click()


def test_at_first_it_shows_the_causal_weights_of_the_chapter(widget):
    page = widget()
    np.testing.assert_allclose(expected(CAUSAL), fact.CAUSAL_1, rtol=0, atol=6e-9)
    compare(page, fact.CAUSAL_1)
    assert hidden(page) == (~CAUSAL).tolist()
    choose(page, "head 2")
    compare(page, fact.CAUSAL_2)
    page.locator(".tb-toggle").click()
    compare(page, expected(head=2))
    assert page.complaints == [] and page.foreign == []


@pytest.mark.parametrize(("filling", "label"), [(1, "1 token"), (2, "2 tokens")])
def test_the_padding_mask_hides_the_filling_from_all(filling, label, widget):
    page = widget("?masks.causal=off")
    choose(page, label)
    padding = by_hand.padding_mask(np.array([1] * (3 - filling) + [0] * filling), 0)
    padding = np.broadcast_to(padding, (3, 3))
    compare(page, expected(padding))
    heads = page.locator(f".tb-live table[aria-label='{SCORES}'] thead th")
    words = ["the", "cat", "sat"][: 3 - filling] + ["<pad>"] * filling
    assert heads.all_inner_texts() == words
    page.locator(".tb-toggle").click()
    compare(page, expected(padding & CAUSAL))
    assert "to hide" not in page.locator(".tb-verdict").inner_text()


def test_padding_says_that_scores_stay_and_which_padding_is_meant(widget):
    page = widget()
    about, line = page.locator(".tb-about"), page.locator(".tb-readout")
    assert "keeps the scores" not in about.inner_text()
    choose(page, "1 token")
    assert "A <pad> keeps the scores of the word it replaced" in about.inner_text()
    cell(page, 2, 2, WEIGHTS).hover()
    assert line.inner_text().startswith("A[<pad>, <pad>]")  # there is but one
    choose(page, "2 tokens")
    cell(page, 2, 1).click()
    second, third = "<pad> (token 2)", "<pad> (token 3)"
    row = f"Weights of {third}: the 0.0142, {second} 0.9858, {third} 0."
    assert line.inner_text().startswith(f"S[{third}, {second}] \u2248 5.66. ")
    assert line.inner_text().endswith(row)
    heard(page, f"{third} may attend to {second}. {row}")


def test_a_click_hides_a_score_and_another_shows_it_again(widget):
    page = widget()
    cell(page, 2, 1).click()
    assert hidden(page) == (~causal_but((2, 1))).tolist()
    assert cell(page, 2, 1).inner_text() == "\u2212\u221e"
    compare(page, expected(causal_but((2, 1))))
    cell(page, 0, 2).click()  # the future, for once
    compare(page, expected(causal_but((2, 1), (0, 2))))
    assert page.locator("td.tb-changed").count() == 2
    cell(page, 0, 2).click()
    cell(page, 2, 1).click()
    compare(page, fact.CAUSAL_1)
    assert page.locator("td.tb-changed").count() == 0


@pytest.mark.parametrize("hide", range(3))
def test_what_the_tables_show_answers_the_question_of_the_ratio(hide, widget):
    page = widget()
    a, b = (j for j in range(3) if j != hide)

    def ratio():
        shown = (float(cell(page, 2, j, WEIGHTS).inner_text()) for j in (a, b))
        return np.divide(*shown)

    before = ratio()
    cell(page, 2, hide).click()
    assert ratio() == pytest.approx(before, rel=0.006)
    exact = fact.CAUSAL_1[2][a] / fact.CAUSAL_1[2][b]
    assert ratio() == pytest.approx(exact, rel=0.006)


def test_the_question_comes_before_its_answer(widget):
    text = widget().locator("main").text_content()  # the answer is folded
    assert 0 < text.index("happens to the ratio") < text.index("keep their ratio")


def test_what_the_reader_shows_is_no_mistake(widget):
    page = widget()
    assert "by you" not in page.locator(".tb-live").text_content()
    cell(page, 0, 1).click()
    assert "by you" in page.locator(".tb-legend").inner_text()
    verdict = page.locator(".tb-verdict")
    assert "1 of 3 cells hidden by the causal mask" in verdict.inner_text()
    assert verdict.locator(".tb-wrong").count() == 0
    choose(page, "1 token")
    choose(page, "rows for columns")
    page.locator(".tb-toggle").click()
    assert "2 of 3 cells to hide have a weight" in verdict.inner_text()
    cell(page, 0, 2).click()
    assert "1 of 3 cells to hide has a weight" in verdict.inner_text()


def test_one_term_has_no_brackets(widget):
    page = widget("?masks.head=2")
    for table in (WEIGHTS, SCORES):
        for j in range(3):
            cell(page, 0, j, table).hover()
            assert "(" not in page.locator(".tb-readout").inner_text()


def test_a_query_that_may_attend_to_nothing_gets_zeros_and_a_sentence(widget):
    page = widget()
    for j in range(2):
        cell(page, 1, j).click()
    weights = expected(causal_but((1, 0), (1, 1)))
    compare(page, weights)
    assert not weights[1].any()
    verdict = page.locator(".tb-verdict").inner_text()
    assert "“cat”" in verdict and "nothing" in verdict
    page.get_by_role("button", name="Reset").click()
    compare(page, fact.CAUSAL_1)
    assert "Every row sums to 1" in page.locator(".tb-verdict").inner_text()


def test_the_wrong_sign_raises_what_should_be_hidden(widget):
    page = widget()
    choose(page, "plus for minus")
    Q, K = HEADS[1]
    weights = by_hand.softmax(Q @ K.T / np.sqrt(2) + np.where(CAUSAL, 0, 10_000.0))
    compare(page, weights)
    assert weights[:2][CAUSAL[:2]].max() == 0  # seen: exactly what should be hidden
    assert "All 3 cells to hide" in page.locator(".tb-verdict").inner_text()
    cell(page, 2, 0).click()
    raised = np.where(causal_but((2, 0)), 0, 10_000.0)
    compare(page, by_hand.softmax(Q @ K.T / np.sqrt(2) + raised))


def test_rows_for_columns_shows_the_future_and_pads_queries(widget):
    page = widget()
    choose(page, "rows for columns")
    compare(page, expected(CAUSAL.T))
    page.locator(".tb-toggle").click()
    choose(page, "1 token")
    queries = np.array([[True], [True], [False]]) & np.ones((3, 3), bool)
    compare(page, expected(queries))
    verdict = page.locator(".tb-verdict").inner_text()
    assert "“<pad>”" in verdict and "2 of 3 cells to hide" in verdict


def test_the_keyboard_does_it_all(widget):
    page = widget()
    page.locator(".tb-live input[type=radio]:checked").last.focus()
    # Into the scores, to the one cell of them that Tab reaches.
    for key in "Tab", "ArrowDown", "ArrowDown":
        page.keyboard.press(key)
    assert cell(page, 2, 0).evaluate(FOCUSED)
    assert look(cell(page, 2, 0), "outlineStyle") == "solid"
    page.keyboard.press("Space")
    said = heard(page, "sat may not attend to the.")
    assert "the 0, cat 0.8044, sat 0.1956" in said.inner_text()
    assert "the 0, cat 0.8044, sat 0.1956" in page.locator(".tb-readout").inner_text()
    assert cell(page, 2, 0).evaluate(FOCUSED)
    compare(page, expected(causal_but((2, 0))))
    cell(page, 2, 0).focus()
    page.keyboard.press("Enter")
    compare(page, fact.CAUSAL_1)


def test_pointing_shows_which_scores_a_weight_is_made_of(widget):
    page = widget()
    cell(page, 2, 1, WEIGHTS).hover()
    text = page.locator(".tb-readout").inner_text()
    assert text.startswith("A[sat, cat] \u2248 e5.66 / (e1.41 + e5.66 + e4.24)")
    cell(page, 0, 2, WEIGHTS).hover()
    assert "e\u2212\u221e" in page.locator(".tb-readout").inner_text()
    cell(page, 0, 2).hover()
    assert "\u2192 \u2212\u221e" in page.locator(".tb-readout").inner_text()


def test_the_address_holds_the_mask_and_brings_it_back(widget):
    page = widget("?from=lecture")
    cell(page, 2, 1).click()
    choose(page, "1 token")
    page.wait_for_url(re.compile(r"masks\.filling=1.*masks\.own=0,0,0;0,0,0;0,-1,0"))
    shared = page.url.split(PAGE)[1]
    assert shared.startswith("?from=lecture&") and "causal" not in shared
    other = widget(shared)
    compare(other, expected(causal_but((2, 1)) & [[True, True, False]]))
    broken = widget(
        "?masks.own=1,2;3&masks.filling=9&masks.built=x&masks.cell=Q.9.9&masks.head=3"
    )
    compare(broken, fact.CAUSAL_1)
    assert broken.complaints == []


@in_looks(1440, 360)
def test_it_fits_and_follows_the_theme(width, theme, widget):
    page = widget("?masks.filling=1&masks.built=sign", width=width, theme=theme)
    assert look(page.locator(".tb-verdict .tb-wrong"), "color") == COLOURS["red"][theme]
    height = height_of(page)
    for way in ("right", "plus for minus", "rows for columns"):
        choose(page, way)
        targets = ".tb-live :is(button, td[tabindex], .tb-choice label)"
        assert_fits(page, width, targets, way)
        assert abs(height_of(page) - height) <= 1, way


def test_fingers_hide_with_one_tap(widget):
    page = widget(width=360, has_touch=True, is_mobile=True)
    cell(page, 2, 2).tap()
    assert hidden(page) == (~causal_but((2, 2))).tolist()
