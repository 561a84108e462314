"""The feed-forward network: one for each word, its vectors drawn to scale."""

import re

import numpy as np
import pytest

from tests.press.figures.drawn import (
    PX,
    SAY,
    assert_one_clear_error,
    both,
    later,
    placed,
)
from transformer_press import figures
from transformer_press.figures.kit.style import SMALL, text_width


def outlines(svg):
    """Return (left, right, top, low) in px of every closed outline."""
    found = []
    for path in re.findall(r'd="([^"]*z)" style="fill:none', svg.replace("\n", " ")):
        x, y = np.array(re.findall(r"([\d.]+) ([\d.]+)", path), float).T / 0.75
        found.append((x.min(), x.max(), y.min(), y.max()))
    return found


def bars(svg, words):
    """Return, for each word, the text and the length of its vectors from the bottom up."""
    found = {}
    for x, y, text in placed(svg, PX):
        around = [
            (right - left)
            for left, right, top, low in outlines(svg)
            if left < x < right and top < y < low
        ]
        if text.replace(",", "").isdigit():
            found.setdefault(round(x), []).append((y, text, min(around)))
    at = {round(x): text for x, _, text in placed(svg, PX) if text in words}
    return {
        at[x]: [(text, long) for _, text, long in sorted(column, reverse=True)]
        for x, column in sorted(found.items())
    }


@pytest.mark.parametrize(("d_model", "d_ff"), [(512, 2048), (100, 200), (300, 150)])
def test_every_word_has_its_own_four_vectors_as_long_as_their_numbers(d_model, d_ff):
    words = ["the", "cat", "sat"]
    for svg in both(figures.feed_forward(words, d_model, d_ff, **SAY)):
        drawn = bars(svg, words)
        assert list(drawn) == words
        for column in drawn.values():
            assert [text for text, _ in column] == [
                f"{size:,}" for size in (d_model, d_ff, d_ff, d_model)
            ]
            long = [length for _, length in column]
            assert np.array(long) / long[1] == pytest.approx(
                np.array([d_model, d_ff, d_ff, d_model]) / d_ff, rel=0.05
            )


def test_the_same_matrices_stand_at_the_same_height_for_every_word():
    for svg in both(
        figures.feed_forward(["the", "cat", "sat", "down"], 512, 2048, **SAY)
    ):
        found = placed(svg, PX)
        for name in ("W_1, b_1", "W_2, b_2"):
            at = {(text, round(y)) for _, y, text in found if text == name}
            assert len(at) == 1 and [text for *_, text in found].count(name) == 4
        height = {text: y for _, y, text in found}
        assert height["the"] > height["W_1, b_1"] > height["ReLU"] > height["W_2, b_2"]


def test_a_number_fits_into_its_bar_however_short():
    for svg in both(figures.feed_forward(["a"], 100, 10_000, **SAY)):
        for text, long in bars(svg, ["a"])["a"]:
            assert long > text_width(text, SMALL)


def test_long_words_stay_apart():
    words = ["internationalisation"] * 3
    for svg in both(figures.feed_forward(words, 512, 2048, **SAY)):
        places = sorted(x for x, _, text in placed(svg, PX) if text in words)
        assert np.diff(places).min() > text_width(words[0])


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (later.feed_forward([], 2, 4), "words: got 0, expected 1 to 4"),
        (later.feed_forward(["a"] * 6, 2, 4), "words: got 6"),
        (later.feed_forward(["a"], 0, 4), "d_model: got 0, expected a whole number"),
        (later.feed_forward(["a"], 2, 4.0), "d_ff: got 4.0"),
        (later.feed_forward(["a"], 2, True), "d_ff: got True"),
    ],
)
def test_wrong_input_gets_one_clear_error(make, message):
    assert_one_clear_error(make, message)
