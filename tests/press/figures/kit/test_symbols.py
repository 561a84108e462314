"""Subscripts stand below the line in a figure as in the prose, and nothing else does."""

import re
from xml.etree import ElementTree as ET

import numpy as np
import pytest

from tests.press.figures.drawn import SAY, TEXT
from tests.press.figures.examples import X
from transformer_press import figures
from transformer_press.figures.kit import symbols


@pytest.mark.parametrize(
    ("text", "cut"),
    [
        ("W_O", ["W", "O", ""]),
        ("W_Q1", ["W", "Q,1", ""]),
        ("Z2", ["Z", "2", ""]),
        (
            "divided by √d_k, not √d_model",
            ["divided by √d", "k", ", not √d", "model", ""],
        ),
        ("d_k² of W_1, b_1", ["d", "k", "² of W", "1", ", b", "1", ""]),
    ],
)
def test_a_name_is_cut_before_its_subscript(text, cut):
    assert symbols.split_at_subscripts(text) == cut


@pytest.mark.parametrize(
    "text",
    ["self_attention", "need_weights", "costs $5", "w11", "GPT2", "__init__", "_", ""],
)
def test_other_words_stay_whole(text):
    assert symbols.split_at_subscripts(text) == [text]


def written(figure):
    """Return the texts of a figure, each as (what, how large, how far down) of its parts."""
    return [
        [(element.text, "", "")]
        + [(part.text, part.get("style", ""), part.get("dy")) for part in element]
        for element in ET.fromstring(figure.svg).iter(TEXT)
    ]


def test_a_subscript_is_smaller_and_lower_and_what_follows_is_neither():
    found = written(figures.matrices([("d_k of W_Q1", X, "ink")], **SAY))[0]
    assert "".join(text for text, *_ in found) == "dk of WQ,1"
    low, high = ("font-size:75%", "0.3em"), ("", "-0.225em")
    assert [how for _, *how in found[1:]] == [[*low], [*high], [*low]]


def test_no_figure_shows_an_underscore(drawn):
    for name, figure in drawn.items():
        for svg in filter(None, (figure.svg, figure.narrow_svg)):
            for element in ET.fromstring(svg).iter(TEXT):
                assert not re.search(r"\b[A-Za-z]_", "".join(element.itertext())), name


def test_the_title_has_subscripts_on_the_page():
    figure = figures.matrices(
        [("X", X, "ink")], title="a < d_model & b", alt="It shows."
    )
    assert "a &lt; d<sub>model</sub> &amp; b</figcaption>" in figure.html


def test_the_picture_has_subscripts_and_leaves_the_figure_as_it_was():
    def picture(name):
        return figures.matrices([(name, X, "ink")], **SAY)

    figure = picture("W_Q costs $5")
    before = figure.svg
    assert not np.array_equal(figure.png, picture("WQ costs $5").png)
    del figure.svg
    assert figure.svg == before
