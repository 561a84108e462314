"""Heat maps: cells have the numbers, the fill and the outline that they should."""

import re

import numpy as np
import pytest

from tests.press.figures.drawn import SAY, numbers
from tests.press.figures.examples import WEIGHTS
from transformer_press import figures


def fills(svg, role):
    found = []
    for style_ in re.findall(r'style="([^"]*)"', svg):
        if f"fill:var(--tb-{role}," in style_ and "font-size" not in style_:
            found.append(float(re.search(r"opacity:([\d.]+)", style_)[1]))
    return found


def test_cells_show_the_numbers_of_the_matrix():
    figure = figures.heat_map(WEIGHTS, **SAY)
    assert numbers(figure.svg) == pytest.approx(np.round(WEIGHTS, 2).ravel().tolist())


def test_cells_are_the_fuller_the_larger():
    opacity = np.array(fills(figures.heat_map(WEIGHTS, **SAY).svg, "attention"))
    assert opacity == pytest.approx(
        WEIGHTS.ravel() / WEIGHTS.max() * opacity.max(), abs=1e-3
    )


def test_signed_cells_have_a_colour_for_each_sign():
    M = np.array([[1.0, -1.0], [-0.5, 0.0]])
    svg = figures.heat_map(M, signed=True, **SAY).svg
    assert len(fills(svg, "q")) == 1 and len(fills(svg, "k")) == 2
    assert numbers(svg) == [1.0, -1.0, -0.5, 0.0]


def test_masked_cells_are_hatched_and_hold_no_number():
    mask = np.tri(3, dtype=bool)
    svg = figures.heat_map(WEIGHTS, mask=mask, **SAY).svg
    assert len(numbers(svg)) == 6
    assert len(re.findall(r"fill:url\(#", svg)) == 3
    assert "<pattern" in svg and "--tb-wrong" in svg


@pytest.mark.parametrize(
    ("highlight", "size"), [((1, 2), (1, 1)), ((1, None), (3, 1)), ((None, 0), (1, 3))]
)
def test_highlight_outlines_cell_row_or_column(highlight, size):
    plain, marked = (
        figures.heat_map(WEIGHTS, highlight=h, **SAY).svg for h in (None, highlight)
    )
    assert "stroke:var(--tb-ink" not in plain
    path = re.search(r'd="([^"]*)"[^>]*stroke:var\(--tb-ink', marked)[1]
    x, y = np.array(re.findall(r"([\d.]+) ([\d.]+)", path), dtype=float).T
    cell = 24  # 32 px in the SVG's points
    assert np.ptp(y) == pytest.approx(size[1] * cell, abs=0.1)
    assert np.ptp(x) == pytest.approx(size[0] * 42, abs=0.1)
