"""Rows of points: they stand where their numbers say, with their mean and the marks."""

import re
from xml.etree import ElementTree as ET

import numpy as np
import pytest

from tests.press.figures.drawn import TEXT, assert_one_clear_error, both
from transformer_press.figures import dots
from transformer_press.figures.kit.palette import ROLES
from transformer_press.figures.kit.style import text_width

SAY = {"x_label": "BLEU", "title": "A finding", "alt": "What it shows."}
ROWS = {"three <seeds>": [41.5, 42.7, 42.0], "last": 40.0}
MARKS = {"published": 41.13}

WRONG = {
    "none": ({}, {}, "rows: got none"),
    "no numbers": ({"a": []}, {}, r"a: got shape \(0,\)"),
    "nan": ({"a": [1, np.nan]}, {}, r"a: got nan at \[1\]"),
    "mark": ({"a": 1}, {"marks": {"b": np.inf}}, r"marks: got inf at \[0\]"),
    "role": ({"a": 1}, {"role": "red"}, "role: got 'red'"),
}


def texts(svg):
    return {text.text: text for text in ET.fromstring(svg).iter(TEXT)}


def x_of(svg, pattern):
    """Return where the upright lines or the points of this look stand."""
    return [float(x) for x in re.findall(pattern, svg)]


def ends(text):
    """Return the left and the right end of a text, in points."""
    x, width = float(text.get("x")), 0.75 * text_width(text.text)
    for anchor, share in (("end", 1), ("middle", 0.5)):
        if f"text-anchor:{anchor}" in text.get("style", ""):
            x -= share * width
    return x, x + width


def scale(svg):
    """Return what turns a number into an x: read off the labels of two ticks."""
    at = {
        float(name): element
        for name, element in texts(svg).items()
        if re.fullmatch(r"[\d.]+", name) and element.get("style", "").count("middle")
    }
    (a, one), *_, (b, other) = sorted(at.items())
    x_a, x_b = (float(element.get("x")) for element in (one, other))
    return lambda value: x_a + (value - a) / (b - a) * (x_b - x_a)


@pytest.mark.parametrize("case", WRONG)
def test_what_cannot_be_drawn_gets_one_clear_error(case):
    rows, options, message = WRONG[case]
    assert_one_clear_error(lambda: dots(rows, **options, **SAY), message)


def test_points_means_and_marks_stand_where_their_numbers_say():
    for svg in both(dots(ROWS, marks=MARKS, **SAY)):
        place = scale(svg)
        found = x_of(svg, r'<use [^>]*?\bx="([\d.]+)"')
        assert sorted(found) == pytest.approx(
            sorted(place(v) for v in (41.5, 42.7, 42.0, 40.0)), abs=0.1
        )
        upright = np.array(x_of(svg, r'd="M ([\d.]+) [\d.]+ L \1 '))
        for value in (np.mean([41.5, 42.7, 42.0]), 41.13):
            assert np.abs(upright - place(value)).min() < 0.1
        across = [
            float(x)
            for pair in re.findall(r'd="M ([\d.]+) ([\d.]+) L ([\d.]+) \2"', svg)
            for x in pair[::2]
        ]
        assert min(across) < min(found) and max(found) < max(across), (
            "a point leaves its row"
        )


def test_names_means_and_marks_are_written_out():
    for svg in both(dots(ROWS, marks=MARKS, **SAY)):
        names = {"three <seeds>", "last", "mean 42.07", "40.00", "published", "BLEU"}
        assert names <= set(texts(svg))


def test_a_single_number_has_no_stroke_for_its_mean():
    svg = dots({"a": [1.0], "b": [2.0]}, **SAY).svg
    assert "stroke:var(--tb-attention" not in svg
    assert "stroke:var(--tb-attention" in dots({"a": [1.0, 3.0]}, **SAY).svg


def test_long_names_stand_above_their_rows_and_all_fits():
    name, mark = "the mean of the weights after the last ten", "a mark at the very edge"
    label = "what is measured, and then in what unit"
    say = SAY | {"x_label": label}
    stacked = dots({name: [1.0, 2.0], "b": 3.0}, marks={mark: 3.0}, **say)
    beside = dots({"fifteen letters": 1.0, "b": 3.0}, **say)
    for svg in both(stacked) + both(beside):
        width = float(ET.fromstring(svg).get("viewBox").split()[2])
        left, right = ends(texts(svg)[label])
        assert left >= 0 and right <= width + 0.01
    for svg in both(stacked):
        width = float(ET.fromstring(svg).get("viewBox").split()[2])
        for text in (name, mark):
            assert ends(texts(svg)[text])[1] <= width + 0.01


def test_equal_numbers_and_one_row_are_drawn():
    svg = dots({"a": [2.0, 2.0]}, **SAY).svg
    assert "mean 2.00" in texts(svg)


def test_it_is_drawn_in_the_book_s_colours_alone_and_the_same_each_time():
    known = {f"var(--tb-{role}, {light})" for role, (light, _) in ROLES.items()}
    known |= {
        "var(--tb-paper, #ffffff)",
        "var(--tb-page, #ffffff)",
        "var(--tb-pad, 8px)",
    }
    one, other = (dots(ROWS, marks=MARKS, **SAY) for _ in range(2))
    assert set(re.findall(r"var\([^)]*\)", one.svg)) <= known
    assert one.html == other.html and one.png == other.png
