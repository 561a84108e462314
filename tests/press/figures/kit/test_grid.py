"""Numbers as cells have them."""

from tests.press.figures.examples import WEIGHTS, X
from transformer_press.figures.kit import grid


def test_numbers_for_cells():
    assert grid.number(-0.001, "{:.2f}") == "0.00"
    assert grid.number(-1.5, "{:.1f}") == "\N{MINUS SIGN}1.5"
    assert grid.usual(X) == "{:.0f}" and grid.usual(X, WEIGHTS) == "{:.2f}"
