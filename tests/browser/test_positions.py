"""Positions live: a reader moves, drags, breaks and shares the encoding, in Chromium."""

import re

import numpy as np
import pytest

from tests.browser import measure
from transformer_book import by_hand

pytestmark = pytest.mark.browser
PAGE = "words/positions.html"
FIGURE = "figure.tb-figure:has-text('Each position has its own pattern of waves')"
N = 96
WAVES, SIMILAR = ".tb-plot >> nth=0", ".tb-plot >> nth=1"
CENTRES = """svg => [...svg.querySelectorAll('{}')].map(c =>
    [+c.getAttribute('cx'), +c.getAttribute('cy')])"""
RAISED = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁻−", "0123456789--")
LABELS = """svg => [...svg.querySelectorAll('text')].map(t =>
    [t.textContent.replace('\u2212', '-'), +t.getAttribute('x'), +t.getAttribute('y')])"""


@pytest.fixture
def widget(visit, address):
    """Open the page, with this behind its address, and wait until the widget is alive."""

    def open_widget(query="", **options):
        page = visit(f"{address}/{PAGE}{query}", **options)
        page.locator(".tb-live .tb-clock").wait_for()
        return page

    return open_widget


def doubled(n, d_model):
    """Mistake M1, written the other way round: each frequency is the square of the right one."""
    PE = np.empty((n, d_model))
    angles = (
        np.arange(n)[:, None] * (10000.0 ** -(np.arange(0, d_model, 2) / d_model)) ** 2
    )
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


def compare(page, PE, pos, k, pair):
    """Everything that is shown, against a table from Python."""
    two_i = 2 * pair
    made, turn, turned = numbers(page)
    np.testing.assert_allclose(turned, PE[pos, two_i : two_i + 2], rtol=0, atol=5.1e-5)
    np.testing.assert_allclose(
        made, PE[pos + k, two_i : two_i + 2], rtol=0, atol=5.1e-5
    )
    np.testing.assert_allclose(turn @ turned, made, rtol=0, atol=2e-4)
    np.testing.assert_allclose(turn @ turn.T, np.eye(2), rtol=0, atol=2e-4)
    similarity = PE @ PE[pos] / np.linalg.norm(PE[pos]) ** 2
    assert cosine(page) == pytest.approx(similarity[pos + k], abs=5.1e-6)
    waves = dots(page, WAVES, "circle:not([class])").reshape(2, N)
    np.testing.assert_allclose(waves, PE[:, two_i : two_i + 2].T, rtol=0, atol=2e-3)
    curve = (
        page.locator(SIMILAR)
        .locator(".tb-curve:not(.tb-ghost) path")
        .get_attribute("d")
    )
    heights = [float(point.split()[1]) for point in curve[1:].split("L")]
    np.testing.assert_allclose(
        plotted(page, SIMILAR, heights), similarity, rtol=0, atol=1e-3
    )
    marks = dots(page, SIMILAR, "circle")
    np.testing.assert_allclose(marks, similarity[[pos, pos + k]], rtol=0, atol=1e-3)
    clock = page.locator(".tb-clock")
    tips = np.array(
        [clock.evaluate(CENTRES.format(f"circle.tb-mark{m}"))[0] for m in (0, 1)]
    )
    radius = float(clock.locator(".tb-face").get_attribute("r"))
    hands = PE[[pos, pos + k], two_i : two_i + 2] * [radius, -radius]
    np.testing.assert_allclose(tips, hands, rtol=0, atol=1e-6)


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
    assert angles(page)[0] == pytest.approx(
        np.degrees(8 * 10000.0 ** (-300 / 256)), rel=0.05
    )
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
        return float(
            re.search(r"one turn in ([\d.,]+) positions", shown)[1].replace(",", "")
        )

    slowest = turn()
    page.get_by_role("switch", name="mistake M1").check()
    move(page, "pair i", 127)
    assert turn() < slowest
    move(page, "pair i", 128)  # the question: from which pair on?
    assert turn() > slowest


@pytest.mark.parametrize("plot", [WAVES, SIMILAR])
def test_the_marks_can_be_dragged(plot, widget):
    page = widget()
    first, second = (
        page.locator(plot).locator(f"circle.tb-mark{m}").first for m in (0, 1)
    )
    at = {text: x for text, x, _ in page.locator(plot).evaluate(LABELS)}
    step = (at["64"] - at["16"]) / 48  # px

    def drag(mark, positions):
        mark.scroll_into_view_if_needed()
        box = mark.bounding_box()
        x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
        page.mouse.move(x, y)
        page.mouse.down()
        page.mouse.move(x + positions * step, y + 20, steps=5)
        page.mouse.up()

    drag(second, 6)
    assert int(slider(page, "shift k").input_value()) in range(13, 16)
    assert slider(page, "position").input_value() == "1"
    drag(first, 10)
    pos = int(slider(page, "position").input_value())
    assert pos in range(10, 13)
    page.locator(plot).hover()  # let go: nothing follows the pointer any more
    assert slider(page, "position").input_value() == str(pos)
    drag(first, -60)
    assert slider(page, "position").input_value() == "0"
    assert page.complaints == []


@pytest.fixture
def finger(widget):
    """Open the page on a phone; the finger moves from the second mark of a plot, by x and y px."""

    def touch(plot):
        page = widget(width=390, height=800, has_touch=True, is_mobile=True)
        devices = page.context.new_cdp_session(page)
        mark = page.locator(plot).locator("circle.tb-mark1").first
        mark.scroll_into_view_if_needed()
        box = mark.bounding_box()

        def send(kind, *points):
            points = [{"x": box["x"] + x, "y": box["y"] + y} for x, y in points]
            devices.send(
                "Input.dispatchTouchEvent", {"type": kind, "touchPoints": points}
            )

        def move(x, y):
            send("touchStart", (20, 5))  # beside the mark
            for step in range(1, 11) if x or y else ():
                send("touchMove", (20 + x * step / 10, 5 + y * step / 10))
            send("touchEnd")

        return page, move

    return touch


@pytest.mark.parametrize("plot", [WAVES, SIMILAR])
@pytest.mark.parametrize("way", [-200, 200])
def test_a_finger_that_scrolls_past_a_plot_moves_nothing(plot, way, finger):
    page, move = finger(plot)
    before = page.evaluate("scrollY")
    move(20, way)
    page.wait_for_function(f"scrollY != {before}")
    compare(page, by_hand.positional_encoding(N, 512), 1, 8, 32)


@pytest.mark.parametrize("plot", [WAVES, SIMILAR])
def test_a_finger_taps_and_drags(plot, finger):
    page, move = finger(plot)
    before = page.evaluate("scrollY")
    move(0, 0)
    tapped = int(slider(page, "shift k").input_value())
    assert tapped in range(10, 15)
    move(40, 10)  # nearly across
    dragged = int(slider(page, "shift k").input_value())
    assert dragged in range(tapped + 9, tapped + 14)
    assert page.evaluate("scrollY") == before
    assert slider(page, "position").input_value() == "1"


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
    assert other.locator(".tb-live").evaluate(
        "e => e.getBoundingClientRect().top < innerHeight"
    )


def test_reset_brings_the_start_back(widget):
    page = widget(
        "?positions.pos=30&positions.k=2&positions.d_model=16&positions.M1=on"
    )
    reset = page.get_by_role("button", name="Reset")
    reset.click()
    compare(page, by_hand.positional_encoding(N, 512), 1, 8, 32)
    assert reset.get_attribute("aria-disabled") == "true"
    page.wait_for_url(lambda url: "positions." not in url.split(PAGE)[1])


def test_a_reset_by_keyboard_keeps_the_focus(widget):
    page = widget("?positions.pos=30&positions.M1=on")
    reset = page.get_by_role("button", name="Reset")
    reset.press("Enter")
    assert reset.evaluate("e => e === document.activeElement")
    assert not page.get_by_role("switch", name="mistake M1").is_checked()
    compare(page, by_hand.positional_encoding(N, 512), 1, 8, 32)


def test_a_broken_address_gives_what_there_is(widget):
    page = widget(
        "?positions.pos=64&positions.k=-1&positions.d_model=5&positions.M1=yes"
    )
    compare(page, by_hand.positional_encoding(N, 512), 1, 8, 32)
    page = widget("?positions.d_model=16&positions.pair=200")  # there are 8
    compare(page, by_hand.positional_encoding(N, 16), 1, 8, 7)
    assert page.complaints == []


def test_what_changed_is_said(widget):
    page = widget()
    move(page, "shift k", 9)
    said = page.get_by_role("status").filter(
        has_text=f"Positions 1 and 10: cosine {cosine(page)}"
    )
    said.wait_for(state="attached")
    assert (
        page.locator(SIMILAR)
        .get_attribute("aria-label")
        .startswith("Cosine similarity of")
    )


@pytest.mark.parametrize("width", [1440, 360])
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_it_fits_and_follows_the_theme(width, theme, widget):
    page = widget("?positions.pos=63&positions.k=32", width=width, theme=theme)
    ochre = {"light": "rgb(107, 91, 0)", "dark": "rgb(217, 194, 74)"}[theme]
    value = page.locator(".tb-cosine-of b")
    assert value.evaluate("e => getComputedStyle(e).color") == ochre
    for on in (False, True):
        page.get_by_role("switch", name="mistake M1").set_checked(on)
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        live = page.locator(".tb-live").bounding_box()
        parts = ".tb-live :is(.tb-plot, .tb-clock, .tb-blocks, .tb-button)"
        assert measure.outside(page.locator(parts), live) == []
    targets = ".tb-live :is(button, input[type=range], label:has(input))"
    assert measure.small(page.locator(targets)) == []


@pytest.mark.parametrize("width", [360, 430, 1280])
def test_nothing_jumps_while_a_number_changes(width, widget):
    page = widget("?positions.pos=9&positions.pair=0", width=width)
    height = page.locator(".tb-live").bounding_box()["height"]
    for name, value in {"position": 10, "pair i": 200, "shift k": 12}.items():
        slider(page, name).fill(str(value))
        assert page.locator(".tb-live").bounding_box()["height"] == height, name
    page.get_by_role("switch", name="mistake M1").check()
    assert page.locator(".tb-live").bounding_box()["height"] == height


def test_without_javascript_the_figure_stays(visit, address):
    page = visit(f"{address}/{PAGE}", java_script_enabled=False)
    assert page.locator(f"{FIGURE} svg").first.is_visible()
    assert not page.locator(".tb-widget").is_visible()
