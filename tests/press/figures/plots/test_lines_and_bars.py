"""Lines, their marks and ticks, and bars as long as their numbers."""

import itertools
import re
from xml.etree import ElementTree as ET

import numpy as np
import pytest

from tests.press.figures.drawn import SAY, TEXT, assert_one_clear_error, later, texts
from transformer_press import figures
from transformer_press.figures.kit import style

AXES = {"x_label": "x", "y_label": "y"}


def test_a_mark_stands_at_its_place_and_is_named():
    figure = figures.lines({"a": ([0, 10], [0, 1])}, marks={"here": 5.0}, **AXES, **SAY)
    assert "here" in texts(figure.svg)
    ax = figure._wide.axes[0]
    assert [
        list(line.get_xdata()) for line in ax.lines if len(set(line.get_xdata())) == 1
    ] == [[5.0, 5.0]]


@pytest.mark.parametrize(
    "names", [("a", "b"), ("in one direction", "in both directions")]
)
@pytest.mark.parametrize("mark", [400, 3_000, 23_000])
def test_on_a_phone_ticks_stay_apart_and_marks_inside(names, mark):
    steps = np.arange(400, 24_001, 400)
    label = "the other direction ends"
    figure = figures.lines(
        dict.fromkeys(names, (steps, 1.4 + 1000.0 / steps)),
        marks={label: mark},
        log_y=True,
        x_label="step",
        y_label="loss",
        **SAY,
    )
    for svg in (figure.svg, figure.narrow_svg):
        found = {element.text: element for element in ET.fromstring(svg).iter(TEXT)}
        x, long = (
            float(found[label].get("x")),
            0.75 * style.text_width(label),
        )  # in points
        left = x - long if "text-anchor:end" in found[label].get("style") else x
        assert (
            0
            <= left
            <= left + long
            <= float(ET.fromstring(svg).get("viewBox").split()[2])
        )
        places = [
            (float(e.get("x")), style.text_width(text, style.SMALL))
            for text, e in found.items()
            if text.endswith(",000")
        ]
        assert len(places) > 1
        for (a, wide), (b, wider) in itertools.pairwise(places):
            assert b - a > (wide + wider) / 2 * 0.75


def test_bars_are_as_long_as_their_numbers():
    svg = figures.bars({"a": 2, "b": 1, "c": -1}, x_label="x", **SAY).svg
    spans = []
    for path in re.findall(r'd="([^"]*)" style="fill:var\(--tb-attention', svg):
        x = [float(pair[0]) for pair in re.findall(r"([\d.]+) ([\d.]+)", path)]
        spans.append(max(x) - min(x))
    assert np.array(spans) / spans[0] == pytest.approx([1, 0.5, 0.5], abs=1e-3)


def test_a_mark_beyond_the_axis_gets_one_clear_error():
    make = later.lines({"a": ([0, 1], [0, 1])}, marks={"m": 2}, **AXES)
    assert_one_clear_error(make, r"marks\['m'\]: got 2, expected a number from 0 to 1")
