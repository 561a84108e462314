"""The picture of softmax's Jacobian: its colours are seen, named, and as strong as its cells, in Chromium."""

import re

import numpy as np
import pytest

from tests.browser import test_scaling
from tests.browser.test_scaling import KEYS, expected

pytestmark = pytest.mark.browser
widget = test_scaling.widget
draws = test_scaling.draws
# What the paper's and the cells' colours come to, one laid on the other: red, green and blue.
ON_PAPER = """cells => {
    const context = document.createElement('canvas').getContext('2d');
    const paint = (colour) => {
        context.fillStyle = colour;
        context.fillRect(0, 0, 1, 1);
        return [...context.getImageData(0, 0, 1, 1).data].slice(0, 3);
    };
    const paper = getComputedStyle(document.documentElement).getPropertyValue('--tb-paper');
    const shades = cells.map(cell => {
        paint(paper);
        return paint(getComputedStyle(cell).fill);
    });
    return [paint(paper), ...shades];
}"""


def test_the_picture_of_the_jacobian_pales_as_its_cells_do(widget, draws):
    for query in ("", "?scaling.scale=off"):
        page = widget(query)
        _, _, _, J = expected(draws[1], 64, 8 if not query else 1)
        rects = page.locator(".tb-jacobian rect")
        fills = rects.evaluate_all("r => r.map(c => c.style.fill)")
        percent = np.array([float(re.search(r"([\d.]+)%", fill)[1]) for fill in fills])
        full = np.sqrt(np.abs(J).ravel() / 0.25)
        np.testing.assert_allclose(percent / 100, 0.48 * 1.9 * full, atol=0.001)
        positive = np.array(["--tb-q" in fill for fill in fills]).reshape(KEYS, KEYS)
        assert positive[np.diag(J) > 1e-9].diagonal().all()
        assert not (positive & (J < 0)).any()


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_the_colours_of_the_jacobian_are_seen_and_named(theme, widget, draws):
    page = widget(theme=theme)
    _, _, _, J = expected(draws[1], 64, 8)
    cells = page.locator(".tb-jacobian rect").evaluate_all(ON_PAPER)
    paper, colours = np.array(cells[0]), np.array(cells[1:]).reshape(KEYS, KEYS, 3)
    far = np.abs(colours - paper).max(axis=-1)
    # Steps of a channel, of 255; the cell of two weights of 1/8 is -1/64.
    assert (far[J < -1 / 64] > 30).all() and (far[J < -0.005] > 15).all()
    key = page.locator(".tb-side .tb-word").inner_text()
    assert "Blue: it rises. Orange: it falls." in key
