"""Clock hands and turns show the angles that they were given."""

import re
from xml.etree import ElementTree as ET

import numpy as np
import pytest

from tests.press.figures.drawn import SAY, SVG, assert_one_clear_error, later, texts
from transformer_press import figures


def strokes(figure, role):
    """The ends of the lines and curves of a role: first point, last point, in SVG units."""
    found = []
    for path in ET.fromstring(figure.svg).iter(SVG + "path"):
        if f"stroke:var(--tb-{role}," in path.get("style", "").replace(" ", ""):
            numbers = [float(n) for n in re.findall(r"-?\d+(?:\.\d+)?", path.get("d"))]
            found.append(
                (np.array(numbers[:2]), np.array(numbers[-2:]), len(numbers) // 2)
            )
    return found


def test_a_hand_lies_at_sine_and_cosine_of_its_angle():
    angles = np.array([[0.0, 1.0, 2.0], [3.0, 4.0, 5.5]])
    hands = list(strokes(figures.clock_hands(angles, **SAY), "position"))
    assert len(hands) == angles.size
    for angle, (centre, tip, _) in zip(angles.ravel(), hands, strict=True):
        across, down = (tip - centre) / np.linalg.norm(tip - centre)
        assert (across, -down) == pytest.approx(
            (np.sin(angle), np.cos(angle)), abs=2e-3
        )


def test_clocks_are_labelled():
    figure = figures.clock_hands(
        np.zeros((2, 3)),
        row_labels=["0", "1"],
        column_labels=["pair 0", "pair 1", "pair 2"],
        row_title="position",
        column_title="slower",
        **SAY,
    )
    assert {"0", "1", "pair 0", "pair 2", "position ↓", "slower →"} <= set(
        texts(figure.svg)
    )


@pytest.mark.parametrize(("before", "after"), [(0.4, 1.6), (2.4, 3.6), (1.0, 0.2)])
def test_a_turn_goes_from_its_first_angle_to_its_second(before, after):
    figure = figures.clock_turns([(before, after, "pos 1", "pos 4")], **SAY)
    assert {"pos 1", "pos 4"} <= set(texts(figure.svg))
    drawn = strokes(figure, "q")
    ((centre, tip, _),) = [stroke for stroke in drawn if stroke[2] == 2]
    assert np.arctan2(tip[0] - centre[0], centre[1] - tip[1]) % (
        2 * np.pi
    ) == pytest.approx(after, abs=2e-3)
    start, end, _ = max(
        drawn, key=lambda stroke: stroke[2]
    )  # the arc has the most points
    for point, angle in ((start, before), (end, after)):
        across, down = (point - centre) / np.linalg.norm(point - centre)
        assert (across, -down) == pytest.approx(
            (np.sin(angle), np.cos(angle)), abs=2e-3
        )


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (later.clock_hands([1.0]), r"angles: got shape \(1,\)"),
        (
            later.clock_hands([[1.0]], row_labels=["a", "b"]),
            "row_labels: got 2 labels for 1",
        ),
        (later.clock_turns([]), "turns: got none"),
        (later.clock_turns([(0, 1, "a")]), "turns: .*give all four"),
        (later.clock_turns([(0, np.nan, "a", "b")]), "turns: got nan"),
    ],
)
def test_wrong_input_gets_one_clear_error(make, message):
    assert_one_clear_error(make, message)
