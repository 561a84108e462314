"""The direct way: every sub-layer stands beside it with the sum, and on it without."""

from xml.etree import ElementTree as ET

import pytest

from tests.press.figures.drawn import SAY, TEXT, assert_one_clear_error, later, whole
from transformer_press import figures


def heights(svg):
    """Return, for each text, how far from the top it stands, in px; all its places."""
    found = {}
    for text in ET.fromstring(svg).iter(TEXT):
        found.setdefault(whole(text), []).append(round(float(text.get("y")) / 0.75))
    return found


@pytest.mark.parametrize("N", [1, 3, 4])
def test_with_the_sum_the_sub_layers_stand_beside_the_line_and_without_on_it(N):
    figure = figures.residual_path(N, **SAY)
    for svg in filter(None, (figure.svg, figure.narrow_svg)):
        found = heights(svg)
        with_sum, without = sorted(found["x"])
        assert len(found["+"]) == N
        assert all(abs(y - with_sum) < 3 for y in found["+"])
        for i in range(1, N + 1):
            beside, on = sorted(found[f"f_{i}"])
            assert beside < with_sum - 20 and abs(on - without) < 3


@pytest.mark.parametrize("N", [0, 5, 2.0, True])
def test_wrong_input_gets_one_clear_error(N):
    assert_one_clear_error(
        later.residual_path(N), f"N: got {N!r}, expected a whole number"
    )
