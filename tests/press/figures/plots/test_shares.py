"""Divided bars: the parts of a whole fill it, and what cannot be divided is refused."""

from xml.etree import ElementTree as ET

import pytest

from tests.press.figures.drawn import SAY, TEXT, assert_one_clear_error, later
from transformer_press import figures

WRONG = {
    "none": ({}, "totals: got none"),
    "other parts": (
        {"x": {"a": 1}, "y": {"b": 1}},
        r"totals\['y'\]: got the parts \['b'\]",
    ),
    "negative": (
        {"x": {"a": 2, "b": -1}},
        r"totals\['x'\]: got \[2.0, -1.0\], expected numbers",
    ),
    "nothing": ({"x": {"a": 0}}, r"got \[0.0\], .*not all 0"),
    "nan": ({"x": {"a": float("nan")}}, r"x: got nan at \[0\]"),
    "many": ({"x": dict.fromkeys("abcdef", 1)}, "got 6 parts, expected 1 to 5"),
}


@pytest.mark.parametrize("case", WRONG)
def test_what_cannot_be_divided_gets_one_clear_error(case):
    totals, message = WRONG[case]
    assert_one_clear_error(later.shares(totals), message)


def test_each_bar_is_divided_in_proportion_and_says_so():
    figure = figures.shares({"x": {"a": 1, "b": 3}, "y": {"a": 2, "b": 2}}, **SAY)
    for svg in (figure.svg, figure.narrow_svg):
        found = [text.text for text in ET.fromstring(svg).iter(TEXT)]
        assert [text for text in found if text.endswith("%")] == [
            "25%",
            "75%",
            "50%",
            "50%",
        ]
        assert {"x", "y", "a", "b"} <= set(found)


def test_a_sliver_has_no_number_on_it_that_would_stand_on_its_neighbour():
    figure = figures.shares({"x": {"a": 1, "b": 999}}, **SAY)
    assert "0%" not in [text.text for text in ET.fromstring(figure.svg).iter(TEXT)]
