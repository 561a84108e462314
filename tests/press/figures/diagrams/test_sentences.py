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


@pytest.mark.parametrize("gloss", ["", "\n猫"], ids=["plain", "glossed"])
def test_a_long_sentence_stands_in_a_column_on_a_phone_and_has_every_word(gloss):
    words = [f"{word}{gloss}" for word in 3 * WORDS]
    weights = np.arange(1, len(words) + 1) / 100
    figure = figures.arcs(words, weights, 2, **SAY)
    svg = figure.narrow_svg or figure.svg
    width = float(re.search(r'viewBox="0 0 ([\d.]+)', svg)[1])
    assert width / 0.75 <= 356  # px of the phone, in points
    assert numbers(svg) == pytest.approx(weights)
    heights = [figures.arcs(words[:n], weights[:n], 2, **SAY) for n in (3, 4)]
    assert all(each.narrow_svg is None for each in heights)  # these fit as they are


def test_a_sentence_that_fits_stays_in_a_row_on_a_desk():
    words = (
        "The black cat sat on the couch and the brown dog slept on the rug .".split()
    )
    figure = figures.arcs(words, np.ones(16) / 16, 2, **SAY)
    width, height = re.search(r'viewBox="0 0 ([\d.]+) ([\d.]+)', figure.svg).groups()
    assert float(width) > 2 * float(height) and figure.narrow_svg is not None
