"""Numbers as cells have them."""

from tests.press.figures.examples import WEIGHTS, X
from transformer_press.figures.kit import grid


def test_numbers_for_cells():
    assert grid.format_number(-0.001, "{:.2f}") == "0.00"
    assert grid.format_number(-1.5, "{:.1f}") == "\N{MINUS SIGN}1.5"
    assert (
        grid.common_format(X) == "{:.0f}" and grid.common_format(X, WEIGHTS) == "{:.2f}"
    )
