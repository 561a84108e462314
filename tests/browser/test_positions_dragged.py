"""Marks on the plots of positions are dragged, by mouse and by finger, in Chromium."""

import pytest

from tests.browser import test_positions
from tests.browser.test_positions import LABELS, SIMILAR, WAVES, N, compare, slider
from transformer_book import by_hand

pytestmark = pytest.mark.browser
widget = test_positions.widget


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
