"""Softmax and its scale live: a reader widens, heats, draws again and shares, in Chromium."""

import re

import numpy as np
import pytest
import torch

from tests.browser import measure
from tests.browser.widgets import (
    COLOURS,
    IN_SIGHT,
    assert_fits,
    heard,
    height_of,
    in_looks,
    look,
    opened,
)
from transformer_book import by_hand

pytestmark = pytest.mark.browser
PAGE = "attention/scaling.html"
KEYS, LONGEST, SEED = 8, 1024, 12
SIZES = [4, 16, 64, 256, 1024]
RAISED = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁻−", "0123456789--")
widget = opened(PAGE, ".tb-live .tb-jacobian")


def uniform(seed):
    """mulberry32, again, in Python."""
    state = seed
    while True:
        state = (state + 0x6D2B79F5) % 2**32
        mixed = (state ^ (state >> 15)) * (state | 1) % 2**32
        mixed ^= (mixed + (mixed ^ (mixed >> 7)) * (mixed | 61)) % 2**32
        yield (mixed ^ (mixed >> 14)) / 2**32


def drawn(number):
    """The query and the keys of a draw, by the method of Box and Muller."""
    u = uniform(SEED + number)
    u = np.array([next(u) for _ in range(2 * (1 + KEYS) * LONGEST)]).reshape(-1, 2)
    entries = np.sqrt(-2 * np.log(1 - u[:, 0])) * np.cos(2 * np.pi * u[:, 1])
    return entries.reshape(1 + KEYS, LONGEST)


@pytest.fixture(scope="module")
def draws():
    return {number: drawn(number) for number in (1, 2, 3)}


def expected(vectors, d_k, divisor):
    dots = vectors[1:, :d_k] @ vectors[0, :d_k]
    scores = torch.tensor(dots / divisor)
    J = torch.autograd.functional.jacobian(lambda s: s.softmax(-1), scores).numpy()
    return dots, scores.numpy(), by_hand.softmax(scores.numpy()), J


def entropy(a):
    return torch.distributions.Categorical(torch.tensor(a)).entropy().item() / np.log(2)


def read(text):
    """A number as the page writes it, with its power of ten."""
    text = text.translate(RAISED).replace(" × 10", "e")
    return float(re.search(r"-?\d+(\.\d+)?(e-\d+)?", text)[0])


def table(page):
    texts = page.locator(".tb-scores .tb-number").all_inner_texts()
    return np.array([read(text) for text in texts]).reshape(KEYS, 3).T


def readings(page):
    return [read(text) for text in page.locator(".tb-reading b").all_inner_texts()]


def others(page):
    """The setting that the readings are compared with, and what it gives: below the bars."""
    texts = page.locator(".tb-reading .tb-more").all_inner_texts()
    settings, values = zip(*(text.split("\n")[1].split(": ") for text in texts))
    assert len(set(settings)) == 1
    return settings[0], [read(value) for value in values]


def compare(page, vectors, d_k, T=1.0, scaled=True):
    divisor = T * (d_k**0.5 if scaled else 1)
    dots, scores, weights, J = expected(vectors, d_k, divisor)
    shown = table(page)
    np.testing.assert_allclose(shown[0], dots, rtol=0, atol=0.0501)
    np.testing.assert_allclose(shown[1], scores, rtol=0, atol=0.00501)
    np.testing.assert_allclose(shown[2], weights, rtol=0, atol=0.000501)
    bits, cell = readings(page)
    assert bits == pytest.approx(entropy(weights), abs=0.00501)
    least = 5.1e-4 * (cell >= 0.001)
    assert cell == pytest.approx(np.abs(J).max(), rel=0.051, abs=least)
    # Then the comparison is with what happens without the scale.
    plain = scaled and T == 1
    setting, (bits, cell) = others(page)
    assert setting == f"{'without' if plain else 'with'} the scale, T = 1"
    _, _, a, J = expected(vectors, d_k, 1 if plain else d_k**0.5)
    assert bits == pytest.approx(entropy(a), abs=0.00501)
    assert cell == pytest.approx(np.abs(J).max(), rel=0.051, abs=5.1e-4)
    ticks = page.locator(".tb-meter").evaluate_all("m => m.map(e => e.style.cssText)")
    ticks = [float(re.search(r"--other: *([^;]+)", style)[1]) for style in ticks]
    exact = [entropy(a) / 3, np.abs(J).max() / 0.25]
    np.testing.assert_allclose(ticks, exact, atol=1e-6)


def share(page, selector):
    """How much of its box each bar fills."""
    filled = "bars => bars.map(b => b.querySelector('i').offsetWidth / b.offsetWidth)"
    return np.array(page.locator(selector).evaluate_all(filled))


def slider(page, name):
    return page.get_by_role("slider", name=name)


def press(control, key, times):
    for _ in range(times):
        control.press(key)


def scale(page):
    return page.get_by_role("switch", name="divide by")


def test_the_draws_are_of_mean_0_and_variance_1(draws):
    for vectors in draws.values():
        assert abs(vectors.mean()) < 0.05 and abs(vectors.var() - 1) < 0.05


def test_with_the_scale_the_weights_stay_soft_at_every_width(widget, draws):
    page = widget()
    compare(page, draws[1], 64)
    slider(page, "dk").focus()
    page.keyboard.press("Home")
    for d_k in SIZES:
        compare(page, draws[1], d_k)
        assert table(page)[2].max() < 0.6 and readings(page)[1] > 0.1
        page.keyboard.press("ArrowRight")
    assert page.complaints == [] and page.foreign == []


def test_without_it_one_key_takes_all_and_the_gradient_vanishes(widget, draws):
    page = widget(reduced_motion="reduce")  # bars are where they belong at once
    scale(page).uncheck()
    slider(page, "dk").focus()
    page.keyboard.press("Home")
    largest, cells = [], []
    for d_k in SIZES:
        compare(page, draws[1], d_k, scaled=False)
        largest.append(table(page)[2].max())
        cells.append(readings(page)[1])
        page.keyboard.press("ArrowRight")
    assert largest == sorted(largest) and largest[0] < 0.5 and largest[-1] == 1
    assert cells[0] > 0.1 and cells[-1] < 1e-6
    shares = share(page, ".tb-share")
    np.testing.assert_allclose(shares, table(page)[2], rtol=0, atol=0.02)
    assert share(page, ".tb-meter").max() < 0.01
    assert page.locator(".tb-torn").count() > 0  # scores beyond their bars


def test_temperature_does_what_the_scale_does(widget, draws):
    page = widget("?scaling.scale=off")
    press(slider(page, "temperature"), "ArrowRight", 3)
    assert slider(page, "temperature").get_attribute("aria-valuetext") == "8"
    compare(page, draws[1], 64, T=8, scaled=False)
    without = table(page)
    scale(page).check()
    compare(page, draws[1], 64, T=8)
    press(slider(page, "temperature"), "ArrowLeft", 3)
    np.testing.assert_array_equal(table(page), without)
    press(slider(page, "temperature"), "ArrowLeft", 3)
    assert slider(page, "temperature").get_attribute("aria-valuetext") == "1/8"
    compare(page, draws[1], 64, T=1 / 8)


def test_the_comparison_is_with_the_scale_at_temperature_1(widget, draws):
    # T does the scale's work.
    page = widget("?scaling.scale=off&scaling.d_k=1024&scaling.T=32")
    compare(page, draws[1], 1024, T=32, scaled=False)
    assert others(page)[1] == readings(page)


@pytest.mark.parametrize(
    "query, draw, divisor",
    [
        ("", "1", "√64 · 1 = 8"),
        ("?scaling.T=0.125", "1", "√64 · 1/8 = 1"),
        ("?scaling.d_k=1024&scaling.T=32", "1", "√1,024 · 32 = 1,024"),
        ("?scaling.scale=off&scaling.T=32", "1", "32"),
        ("?scaling.draw=1234", "1,234", "√64 · 1 = 8"),
    ],
)
def test_the_heading_says_by_what_the_scores_are_divided(query, draw, divisor, widget):
    heading = widget(query).locator(".tb-softmax .tb-heading").first.inner_text()
    assert heading == f"Draw {draw}: scores divided by {divisor}"


def test_a_score_of_thousands_is_written_as_other_numbers_are(widget, draws):
    page = widget("?scaling.scale=off&scaling.d_k=1024&scaling.T=0.03125")
    _, scores, _, _ = expected(draws[1], 1024, 1 / 32)
    assert scores.min() < -1000
    shown = page.locator(".tb-scores .tb-number").all_inner_texts()[1::3]
    for text, score in zip(shown, scores):
        exact = f"{score:,.0f}" if abs(score) >= 1000 else f"{score:.2f}"
        assert text.replace("\u2212", "-") == exact


def test_draw_again_goes_on(widget):
    page = widget("?scaling.draw=999")
    before = table(page)
    page.get_by_role("button", name="Draw again").click()
    assert "Draw 1,000:" in page.locator(".tb-softmax .tb-heading").first.inner_text()
    assert (table(page) != before).any()
    page.wait_for_url(re.compile(r"scaling\.draw=1000"))
    np.testing.assert_array_equal(table(widget(page.url.split(PAGE)[1])), table(page))


def test_draw_again_gives_other_vectors_and_an_address_gives_them_back(widget, draws):
    page = widget("?from=lecture&scaling.scale=off&scaling.d_k=256")
    again = page.get_by_role("button", name="Draw again")
    again.click()
    compare(page, draws[2], 256, scaled=False)
    again.press("Enter")
    compare(page, draws[3], 256, scaled=False)
    page.wait_for_url(re.compile(r"scaling\.draw=3"))
    shared = page.url.split(PAGE)[1]
    assert shared.startswith("?from=lecture&") and "scaling.T" not in shared
    other = widget(shared)
    np.testing.assert_array_equal(table(other), table(page))
    assert other.locator(".tb-live").evaluate(IN_SIGHT)


def test_what_changed_is_said(widget):
    page = widget()
    scale(page).focus()
    page.keyboard.press("Space")
    heard(page, "without the scale: key 2")


@in_looks(1440, 360)
def test_it_fits_and_follows_the_theme(width, theme, widget):
    page = widget("?scaling.draw=2", width=width, theme=theme)
    height = height_of(page)
    scale(page).uncheck()
    # With the scale or without: red would call wrong what a temperature may have put right.
    for bar in page.locator(":is(.tb-share, .tb-meter) i").all():
        assert look(bar, "backgroundColor") == COLOURS["purple"][theme]
    for d_k in range(5):
        slider(page, "dk").fill(str(d_k))
        assert_fits(page, width)
        assert height_of(page) == height  # nothing jumps
        live = page.locator(".tb-live").bounding_box()
        parts = ".tb-live :is(td, .tb-jacobian, .tb-meter, .tb-number)"
        assert measure.outside(page.locator(parts), live) == []
    assert_fits(
        page, width, ".tb-live :is(button, input[type=range], label:has(input))"
    )


def test_whoever_wants_no_motion_gets_none(widget):
    page = widget(reduced_motion="reduce")
    scale(page).uncheck()
    moving = "e => e.getAnimations({subtree: true})"
    assert page.locator(".tb-live").evaluate(moving) == []
