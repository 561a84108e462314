"""Clock hands, turns, maps side by side, and marks on lines show what they were given."""

import re
from xml.etree import ElementTree as ET

import numpy as np
import pytest

from tests.press.figures.errors import assert_one_clear_error
from tests.press.figures.examples import SAY
from transformer_press import figures

SVG = "{http://www.w3.org/2000/svg}"
AXES = {"x_label": "x", "y_label": "y"}


def texts(figure):
    return [element.text for element in ET.fromstring(figure.svg).iter(SVG + "text")]


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
        rows=["0", "1"],
        columns=["pair 0", "pair 1", "pair 2"],
        row_title="position",
        column_title="slower",
        **SAY,
    )
    assert {"0", "1", "pair 0", "pair 2", "position ↓", "slower →"} <= set(
        texts(figure)
    )


@pytest.mark.parametrize(("before", "after"), [(0.4, 1.6), (2.4, 3.6), (1.0, 0.2)])
def test_a_turn_goes_from_its_first_angle_to_its_second(before, after):
    figure = figures.clock_turns([(before, after, "pos 1", "pos 4")], **SAY)
    assert {"pos 1", "pos 4"} <= set(texts(figure))
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


def test_maps_share_one_scale():
    low, high = np.full((1, 2), 0.5), np.full((1, 2), 1.0)
    figure = figures.small_maps([("low", low), ("high", high)], lowest=0.0, **SAY)
    assert {"low", "high", "0", "1"} <= set(texts(figure))
    found = [
        re.search(r"opacity:\s*([\d.]+)", style)
        for style in re.findall(r'style="([^"]*)"', figure.svg)
        if re.search(r"fill:\s*var\(--tb-attention", style)
    ]
    fills = [float(opacity[1]) if opacity else 1.0 for opacity in found]
    assert fills[:4] == pytest.approx([0.5, 0.5, 1.0, 1.0])


def test_what_is_not_above_the_lowest_stays_empty():
    figure = figures.small_maps([("a", np.array([[0.2, 0.1, 0.6]]))], lowest=0.2, **SAY)
    cells = [
        style
        for style in re.findall(r'style="([^"]*)"', figure.svg)
        if re.search(r"fill:\s*var\(--tb-attention", style)
    ]
    assert (
        len(cells) == 1 + 9 - 1
    )  # one cell, and the key, whose first step is empty too


def test_maps_of_yes_and_no_need_no_key():
    figure = figures.small_maps([("a", np.eye(2)), ("b", np.ones((2, 2)))], **SAY)
    assert not {"0", "1"} & set(texts(figure))


def test_maps_of_many_cells_are_pictures_with_all_labels():
    words = [f"w{k}" for k in range(12)]
    figure = figures.small_maps(
        [("a", np.eye(12)), ("b", np.eye(12))], rows=words, columns=words, **SAY
    )
    assert texts(figure).count("w11") == 4
    assert figure.svg.count("data:image/png") == 2


def test_a_mark_stands_at_its_place_and_is_named():
    figure = figures.lines({"a": ([0, 10], [0, 1])}, marks={"here": 5.0}, **AXES, **SAY)
    assert "here" in texts(figure)
    ax = figure._wide.axes[0]
    assert [
        list(line.get_xdata()) for line in ax.lines if len(set(line.get_xdata())) == 1
    ] == [[5.0, 5.0]]


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: figures.clock_hands([1.0], **SAY), r"angles: got shape \(1,\)"),
        (
            lambda: figures.clock_hands([[1.0]], rows=["a", "b"], **SAY),
            "rows: got 2 labels for 1",
        ),
        (lambda: figures.clock_turns([], **SAY), "turns: got none"),
        (lambda: figures.clock_turns([(0, 1, "a")], **SAY), "turns: .*give all four"),
        (lambda: figures.clock_turns([(0, np.nan, "a", "b")], **SAY), "turns: got nan"),
        (lambda: figures.small_maps([], **SAY), "items: got none"),
        (
            lambda: figures.small_maps([("a", np.eye(2)), ("b", np.eye(3))], **SAY),
            r"b: got shape \(3, 3\), expected \(2, 2\)",
        ),
        (
            lambda: figures.small_maps([("a", np.eye(2))], lowest=1.0, **SAY),
            "lowest: got 1.0",
        ),
        (
            lambda: figures.small_maps([("a", np.eye(2))], rows=["x"], **SAY),
            "rows: got 1 labels",
        ),
        (
            lambda: figures.lines(
                {"a": ([0, 1], [0, 1])}, marks={"m": 2}, **AXES, **SAY
            ),
            r"marks\['m'\]: got 2, expected a number from 0 to 1",
        ),
    ],
)
def test_wrong_input_gets_one_clear_error(make, message):
    assert_one_clear_error(make, message)
