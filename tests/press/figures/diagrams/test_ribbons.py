"""Ribbons between a sentence and its translation, which on a page appear step after step."""

import re

import numpy as np
import pytest

from transformer_press import figures

WEIGHTS = np.array([[0.9, 0.1, 0.0], [0.03, 0.5, 0.47]])
WORDS, TRANSLATION = ["the", "black", "cat"], ["黑\nblack", "猫\ncat"]
SAID = {"title": "A title", "alt": "What it shows."}


@pytest.fixture(scope="module")
def figure():
    return figures.attention_ribbons(WORDS, TRANSLATION, WEIGHTS, **SAID)


def ribbons(svg):
    """The width of every curve, step by step."""
    steps = {0: [], 1: []}
    for body, step in re.findall(
        r'<g class="tb-step"[^>]*--step:(\d)[^>]*>(.*?)</g>', svg, re.S
    ):
        steps[int(body)] += re.findall(
            r'd="[^"]*C[^"]*"[^>]*stroke-width:([\d.]+)', step
        )
    return {step: [float(width) for width in widths] for step, widths in steps.items()}


@pytest.mark.parametrize("part", ["svg", "narrow_svg"])
def test_each_weight_is_a_ribbon_of_its_width_unless_it_is_tiny(part, figure):
    drawn = ribbons(getattr(figure, part))
    assert len(drawn[0]) == len(drawn[1]) == 2  # 0 and 0.03 are left out
    assert drawn[0][0] / drawn[0][1] == pytest.approx(9, rel=0.01)
    assert drawn[1][0] / drawn[1][1] == pytest.approx(0.5 / 0.47, rel=0.01)


def test_the_source_is_there_from_the_beginning_and_each_word_comes_with_its_ribbons(
    figure,
):
    for svg in (figure.svg, figure.narrow_svg):
        later_parts = "".join(re.findall(r'<g class="tb-step".*?</g>', svg, re.S))
        assert all(word in svg and f">{word}<" not in later_parts for word in ("the",))
        assert "黑" in later_parts and "猫" in later_parts


def test_labels_that_do_not_fit_are_refused():
    with pytest.raises(ValueError, match="translation: got 1 labels for 2 rows"):
        figures.attention_ribbons(WORDS, ["黑"], WEIGHTS, **SAID)
