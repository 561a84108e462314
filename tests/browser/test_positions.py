"""Positions live: a reader moves, drags, breaks and shares the encoding, in Chromium."""

import re

import numpy as np
import pytest

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
PAGE = "words/positions.html"
N = 96
WAVES, SIMILAR = ".tb-plot >> nth=0", ".tb-plot >> nth=1"
CENTRES = """svg => [...svg.querySelectorAll('{}')].map(c =>
    [+c.getAttribute('cx'), +c.getAttribute('cy')])"""
RAISED = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁻−", "0123456789--")
LABELS = """svg => [...svg.querySelectorAll('text')].map(t =>
    [t.textContent.replace('\u2212', '-'), +t.getAttribute('x'), +t.getAttribute('y')])"""
widget = opened(PAGE, ".tb-live .tb-clock")


def doubled(n, d_model):
    """Mistake M1, written the other way round: each frequency is the square of the right one."""
    PE = np.empty((n, d_model))
    frequencies = 10000.0 ** -(np.arange(0, d_model, 2) / d_model)
    angles = np.arange(n)[:, None] * frequencies**2
    PE[:, 0::2], PE[:, 1::2] = np.sin(angles), np.cos(angles)
    return PE


def slider(page, name):
    return page.get_by_role("slider", name=name, exact=True)


def move(page, name, value):
    """Move a slider with the keyboard alone."""
    control = slider(page, name)
    control.focus()
    for _ in range(200):
        now = int(control.input_value())
        if now == value:
            return
        control.press("ArrowRight" if now < value else "ArrowLeft")
    raise AssertionError(f"{name} stays at {control.input_value()}")


def plotted(page, plot, y):
    """Return the values that stand at these heights in a plot, read off its own axis."""
    labels = page.locator(plot).evaluate(LABELS)
    ticks = [(float(text), y) for text, x, y in labels if x < 36 and y > 24]
    (high, top), (low, bottom) = max(ticks), min(ticks)
    # A tick's text stands 4 px lower than its line.
    return high - (np.asarray(y) + 4 - top) / (bottom - top) * (high - low)


def dots(page, plot, kind):
    centres = page.locator(plot).evaluate(CENTRES.format(kind))
    return plotted(page, plot, np.array(centres)[:, 1])


def numbers(page):
    """The numbers of the rotation: the vector made, the matrix, the vector turned."""
    texts = page.locator(".tb-numbers span").all_inner_texts()
    values = np.array([float(text.replace("\u2212", "-")) for text in texts])
    return values[:2], values[2:6].reshape(2, 2), values[6:]


def angles(page):
    """The angle of the turn in degrees: below the clock, from its two factors, and as it is said.

    The factors are those that stand below the clock, so a reader can check the product.
    """
    text = page.locator(".tb-caption").inner_text()
    label = page.locator(".tb-clock").get_attribute("aria-label")
    product, below = text.translate(RAISED).split("=")
    k, omega = product.replace("rad", "").split("×", 1)
    said = re.search(r"turned by (.*) degrees", label)[1].translate(RAISED)
    below, omega, said = (
        float(re.sub("°| degrees", "", part).replace(" × 10", "e"))
        for part in (below, omega, said)
    )
    return below, np.degrees(float(k) * omega), said


def cosine(page):
    return float(page.locator(".tb-cosine-of b").inner_text())


def assert_near(shown, exact, atol):
    np.testing.assert_allclose(shown, exact, rtol=0, atol=atol)


def compare(page, PE, pos, k, pair):
    """Everything that is shown, against a table from Python."""
    two_i = 2 * pair
    made, turn, turned = numbers(page)
    assert_near(turned, PE[pos, two_i : two_i + 2], 5.1e-5)
    assert_near(made, PE[pos + k, two_i : two_i + 2], 5.1e-5)
    assert_near(turn @ turned, made, 2e-4)
    assert_near(turn @ turn.T, np.eye(2), 2e-4)
    similarity = PE @ PE[pos] / np.linalg.norm(PE[pos]) ** 2
    assert cosine(page) == pytest.approx(similarity[pos + k], abs=5.1e-6)
    waves = dots(page, WAVES, "circle:not([class])").reshape(2, N)
    assert_near(waves, PE[:, two_i : two_i + 2].T, 2e-3)
    curve = page.locator(SIMILAR).locator(".tb-curve:not(.tb-ghost) path")
    points = curve.get_attribute("d")[1:].split("L")
    heights = plotted(page, SIMILAR, [float(point.split()[1]) for point in points])
    assert_near(heights, similarity, 1e-3)
    assert_near(dots(page, SIMILAR, "circle"), similarity[[pos, pos + k]], 1e-3)
    clock = page.locator(".tb-clock")
    tips = [clock.evaluate(CENTRES.format(f"circle.tb-mark{m}"))[0] for m in (0, 1)]
    radius = float(clock.locator(".tb-face").get_attribute("r"))
    hands = PE[[pos, pos + k], two_i : two_i + 2] * [radius, -radius]
    assert_near(tips, hands, 1e-6)


def test_it_starts_with_positions_1_and_9(widget):
    page = widget()
    assert cosine(page) == 0.72252
    compare(page, by_hand.positional_encoding(N, 512), 1, 8, 32)
    assert page.complaints == [] and page.foreign == []


def test_the_sliders_move_all_that_depends_on_them(widget):
    page = widget()
    PE = by_hand.positional_encoding(N, 512)
    for name, value in {"position": 20, "shift k": 3, "pair i": 9}.items():
        move(page, name, value)
    compare(page, PE, 20, 3, 9)
    before = cosine(page), numbers(page)[1]
    move(page, "position", 41)  # the question: what does not change?
    assert cosine(page) == before[0] and (numbers(page)[1] == before[1]).all()
    compare(page, PE, 41, 3, 9)
    assert "position 41" in page.locator(".tb-live").inner_text()


@pytest.mark.parametrize("d_model", [4, 16, 64])
def test_at_another_width_the_pair_turns_as_fast(d_model, widget):
    page = widget("?positions.pair=128")
    page.locator(f".tb-choice input[value='{d_model}']").check(force=True)
    compare(page, by_hand.positional_encoding(N, d_model), 1, 8, d_model // 4)
    assert slider(page, "pair i").get_attribute("max") == str(d_model // 2 - 1)
    assert "one turn in 628 positions" in page.locator(".tb-live").inner_text()
    move(page, "pair i", d_model // 2 - 1)  # the new slider works, too
    compare(page, by_hand.positional_encoding(N, d_model), 1, 8, d_model // 2 - 1)


def test_the_doubled_exponent_brings_positions_together(widget):
    page = widget()
    page.get_by_role("switch", name="mistake M1").check()
    assert cosine(page) == 0.86
    assert "instead of 0.72252" in page.locator(".tb-cosine-of").inner_text()
    wrong = doubled(N, 512)
    right = page.locator(".tb-plot .tb-ghost")
    assert right.count() == 2  # beside each curve stands what it should be
    compare(page, wrong, 1, 8, 32)
    move(page, "pair i", 150)  # in the half that stands still
    assert np.ptp(wrong[:, 300]) < 0.01
    turned = np.degrees(8 * 10000.0 ** (-300 / 256))
    assert angles(page)[0] == pytest.approx(turned, rel=0.05)
    page.get_by_role("switch", name="mistake M1").uncheck()
    compare(page, by_hand.positional_encoding(N, 512), 1, 8, 150)


@pytest.mark.parametrize("on", [False, True])
@pytest.mark.parametrize("pair", [0, 64, 128, 255])
def test_a_small_angle_is_not_written_as_none(pair, on, widget):
    page = widget(f"?positions.pair={pair}&positions.M1={'on' if on else 'off'}")
    omega = 10000.0 ** (-pair / 256 * (2 if on else 1))
    for k in (0, 1, 8, 32):
        slider(page, "shift k").fill(str(k))
        # Two digits that count are off by a twentieth at most.
        assert angles(page) == pytest.approx([np.degrees(k * omega)] * 3, rel=0.051)


def test_half_of_the_hands_of_M1_are_slower_than_any_right_one(widget):
    page = widget("?positions.pair=255")

    def turn():
        shown = page.locator(".tb-heading", has_text="one turn in").inner_text()
        turns = re.search(r"one turn in ([\d.,]+) positions", shown)[1]
        return float(turns.replace(",", ""))

    slowest = turn()
    page.get_by_role("switch", name="mistake M1").check()
    move(page, "pair i", 127)
    assert turn() < slowest
    move(page, "pair i", 128)  # the question: from which pair on?
    assert turn() > slowest


def test_the_address_holds_what_was_moved_and_brings_it_back(widget):
    page = widget("?from=lecture")
    move(page, "position", 4)
    move(page, "shift k", 5)
    page.get_by_role("switch", name="mistake M1").check()
    page.wait_for_url(re.compile(r"positions\.pos=4&positions\.k=5&positions\.M1=on"))
    shared = page.url.split(PAGE)[1]
    assert shared.startswith("?from=lecture&") and "pair" not in shared
    other = widget(shared)
    assert other.get_by_role("switch", name="mistake M1").is_checked()
    assert cosine(other) == cosine(page)
    assert other.locator(".tb-live").evaluate(IN_SIGHT)


def test_an_address_of_no_pair_gives_the_last(widget):
    page = widget("?positions.d_model=16&positions.pair=200")  # there are 8
    compare(page, by_hand.positional_encoding(N, 16), 1, 8, 7)
    assert page.complaints == []


def test_what_changed_is_said(widget):
    page = widget()
    move(page, "shift k", 9)
    heard(page, f"Positions 1 and 10: cosine {cosine(page)}")
    label = page.locator(SIMILAR).get_attribute("aria-label")
    assert label.startswith("Cosine similarity of")


@in_looks(1440, 360)
def test_it_fits_and_follows_the_theme(width, theme, widget):
    page = widget("?positions.pos=63&positions.k=32", width=width, theme=theme)
    assert look(page.locator(".tb-cosine-of b"), "color") == COLOURS["ochre"][theme]
    for on in (False, True):
        page.get_by_role("switch", name="mistake M1").set_checked(on)
        assert_fits(page, width)
        live = page.locator(".tb-live").bounding_box()
        parts = ".tb-live :is(.tb-plot, .tb-clock, .tb-blocks, .tb-button)"
        assert measure.outside(page.locator(parts), live) == []
    assert_fits(
        page, width, ".tb-live :is(button, input[type=range], label:has(input))"
    )


@pytest.mark.parametrize("width", [360, 430, 1280])
def test_nothing_jumps_while_a_number_changes(width, widget):
    page = widget("?positions.pos=9&positions.pair=0", width=width)
    height = height_of(page)
    for name, value in {"position": 10, "pair i": 200, "shift k": 12}.items():
        slider(page, name).fill(str(value))
        assert height_of(page) == height, name
    page.get_by_role("switch", name="mistake M1").check()
    assert height_of(page) == height
