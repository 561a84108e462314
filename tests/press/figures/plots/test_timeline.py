"""Bars over time: a span is as long as it took, and what is no span is refused."""

from xml.etree import ElementTree as ET

import pytest

from tests.press.figures.drawn import SAY, SVG, TEXT, assert_one_clear_error, later
from transformer_press import figures

X = {"x_label": "passes"}
KINDS = {"work": "attention", "wait": "wrong"}

WRONG = {
    "none": ({}, "panels: got none"),
    "an empty panel": ({"x": {"a": [(0, 1, "work")]}, "y": {}}, "one without rows"),
    "backwards": ({"x": {"a": [(2, 1, "work")]}}, r"'a': got the span \(2, 1"),
    "before the start": ({"x": {"a": [(-1, 1, "work")]}}, "with 0 <= start < end"),
    "no number": ({"x": {"a": [("0", 1, "work")]}}, "got the span"),
    "no such kind": ({"x": {"a": [(0, 1, "rest")]}}, r"a kind of \['work', 'wait'\]"),
}


@pytest.mark.parametrize("case", WRONG)
def test_what_is_no_span_gets_one_clear_error(case):
    panels, message = WRONG[case]
    assert_one_clear_error(later.timeline(panels, KINDS, **X), message)


def test_too_many_kinds_are_refused():
    kinds = dict.fromkeys("abcdef", "q")
    panels = {"x": {"a": [(0, 1, "a")]}}
    assert_one_clear_error(
        later.timeline(panels, kinds, **X), "kinds: got 6, expected 1 to 5"
    )


def test_a_span_is_as_long_as_it_took():
    rows = {"a": [(0, 2, "work"), (2, 8, "wait")], "b": [(4, 8, "work")]}
    figure = figures.timeline({"all": rows}, KINDS, **X, **SAY)
    for svg in (figure.svg, figure.narrow_svg):
        drawn = ET.fromstring(svg)
        found = [text.text for text in drawn.iter(TEXT)]
        assert {"all", "a", "b", "work", "wait", "passes"} <= set(found)
        boxes = [box for path in drawn.iter(SVG + "path") if (box := filled(path))]
        first, second, wait, *_ = boxes
        unit = (first[1] - first[0]) / 2
        for (start, end), (begin, over) in ((wait, (2, 8)), (second, (4, 8))):
            assert start - first[0] == pytest.approx(begin * unit, abs=0.05)
            assert end - first[0] == pytest.approx(over * unit, abs=0.05)


def filled(path):
    """Return the left and right end of a box filled with some of its colour, or None."""
    if "opacity" not in path.get("style", ""):
        return None
    xs = [float(x) for x in path.get("d").split() if x.replace(".", "").isdigit()][::2]
    return min(xs), max(xs)
