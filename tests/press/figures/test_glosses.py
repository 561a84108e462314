"""The English of a Chinese word stands at it, small and quiet, in every figure."""

import re
from xml.etree import ElementTree as ET

import numpy as np
import pytest

from tests.press.figures.drawn import SAY, TEXT
from tests.press.figures.examples import WEIGHTS, WORDS
from transformer_press import figures

SHOW = {
    "heat_map": lambda words: figures.heat_map(
        WEIGHTS, row_labels=WORDS[:3], column_labels=words, **SAY
    ),
    "heat_map rows": lambda words: figures.heat_map(WEIGHTS, row_labels=words, **SAY),
    "heat_map aslant": lambda words: figures.heat_map(
        np.eye(30), fmt=None, column_labels=[*words, *["x"] * 27], **SAY
    ),
    "arcs": lambda words: figures.arcs(words, [0.2, 0.3, 0.5], 2, **SAY),
    "token_strip": lambda words: figures.token_strip(words, **SAY),
    "bars": lambda words: figures.bars(dict(zip(words, [1, 2, 3])), x_label="x", **SAY),
    "small_maps": lambda words: figures.small_maps(
        [("a", WEIGHTS)], row_labels=words, column_labels=words, **SAY
    ),
}


def place(element):
    turned = re.search(
        r"rotate\(\S+ ([-\d.]+) ([-\d.]+)\)", element.get("transform", "")
    )
    if turned:
        return float(turned[1]), float(turned[2])
    return float(element.get("x")), float(element.get("y"))


@pytest.mark.parametrize("show", SHOW.values(), ids=SHOW)
def test_a_gloss_is_small_and_quiet_at_its_word(show):
    """Below it, or behind it where the word is aslant, within the figure and over no other."""
    root = ET.fromstring(show(["黑\nblack", "猫\ncat", "</s>"]).svg)
    wide, high = map(float, root.get("viewBox").split()[2:])
    found = {e.text: e for e in root.iter(TEXT) if e.text}
    for word, gloss in (("黑", "black"), ("猫", "cat")):
        assert "font-size:8.25px" in found[gloss].get("style")
        assert "fill:var(--tb-quiet" in found[gloss].get("style")
        assert "fill:var(--tb-ink" in found[word].get("style")
        (x, y), (gloss_x, gloss_y) = (place(found[text]) for text in (word, gloss))
        aslant = "rotate(-45" in found[word].get("transform", "")
        if aslant:
            assert (
                gloss_x - x == pytest.approx(y - gloss_y, abs=0.1) and gloss_x > x + 9
            )
        else:
            assert 8 < gloss_y - y < 14 and abs(gloss_x - x) < 0.1
        assert 0 < gloss_x < wide and 0 < gloss_y < high


def test_rows_with_glosses_are_apart():
    """However small their cells would be."""
    words = ["黑\nblack", "猫\ncat"] * 20
    for figure in (
        figures.heat_map(np.eye(40), fmt=None, row_labels=words, **SAY),
        figures.small_maps([("a", np.eye(40))], row_labels=words, **SAY),
    ):
        root = ET.fromstring(figure.svg)
        ends = [float(e.get("y")) for e in root.iter(TEXT) if e.text in "黑black猫cat"]
        assert len(ends) >= 80 and np.diff(ends[:80]).min() > 7


def test_a_line_break_that_parts_no_word_from_its_gloss_is_a_sign():
    for token in ("\n", "a\n", "\na", "a\nb\nc"):
        shown = figures.heat_map(WEIGHTS, row_labels=[token, "b", "c"], **SAY).svg
        assert "␊" in shown or token == "a\nb\nc"
        assert "↵" in figures.token_strip([token], **SAY).svg
