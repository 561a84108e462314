"""Arcs are as thick as their weights."""

import re

import numpy as np
import pytest

from tests.press.figures.drawn import SAY, numbers
from tests.press.figures.examples import WORDS
from transformer_press import figures


def test_arcs_are_the_thicker_the_larger_the_weight():
    weights = np.array([0.1, 0.2, 0.4, 0.3])
    svg = figures.arcs(WORDS[:4], weights, 0, **SAY).svg
    widths = [
        float(w)
        for w in re.findall(r" C [^>]*fill:none[^>]*stroke-width:([\d.]+)", svg)
    ]
    widths = [w for w in sorted(widths) if w != 1.5]  # 1.5: the frame around the source
    assert widths == pytest.approx(
        [0.75 * (0.75 + 7 * w / 0.4) for w in sorted(weights)]
    )
    assert numbers(svg) == pytest.approx(weights)
