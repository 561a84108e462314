"""The window of word2vec: its arrows lead where each method predicts."""

import re
from xml.etree import ElementTree as ET

import pytest

from tests.press.figures.drawn import SAY, TEXT
from transformer_press import figures

SENTENCE = ["the", "black", "cat", "sat", "on", "the", "couch"]


def words(svg):
    found = [element.text for element in ET.fromstring(svg).iter(TEXT)]
    return [text for text in found if text in {*SENTENCE, "…"}]


def heads(svg):
    """Return the x of every arrow head: a stroke of three points whose middle one is lowest."""
    strokes = re.findall(
        r'd="M ([\d. ]+) L ([\d. ]+) L ([\d. ]+)"', svg.replace("\n", " ")
    )
    points = [[tuple(map(float, p.split())) for p in stroke] for stroke in strokes]
    return [b[0] for a, b, c in points if b[1] > a[1] == c[1]]


@pytest.mark.parametrize(
    ("centre", "inside"),
    [
        (0, "the black cat …"),
        (2, "the black cat sat on …"),
        (3, "… black cat sat on the …"),
        (6, "… on the couch"),
    ],
)
def test_it_shows_the_words_of_the_window(centre, inside):
    figure = figures.context_window(SENTENCE, centre, 2, **SAY)
    for svg in (figure.svg, figure.narrow_svg):
        assert words(svg) == inside.split() * 2


def test_skip_gram_points_at_each_neighbour_and_cbow_at_the_word():
    narrow = figures.context_window(
        SENTENCE, 3, 2, **SAY
    ).narrow_svg  # one panel above the other
    at = heads(narrow)
    places = {}
    for element in ET.fromstring(narrow).iter(TEXT):
        places.setdefault(element.text, float(element.get("x")))
    order = [places[word] for word in ("black", "cat", "sat", "on", "the")]
    assert len(at) == 5 and order == sorted(order)
    assert sorted(at[:4]) == at[:4], "one head for each neighbour, from left to right"
    for head, word in zip(
        [*at[:4], at[4]], ["black", "cat", "on", "the", "sat"], strict=True
    ):
        assert head == pytest.approx(places[word], abs=0.1), word


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ((SENTENCE, 7, 2), "centre: got 7, expected an integer from 0 to 6"),
        (
            (SENTENCE, 1, 0),
            "window: got 0 around word 1 of 7, expected at least one neighbour",
        ),
        ((SENTENCE, 1, 1.5), "window: got 1.5"),
        ((["alone"], 0, 2), "window: got 2 around word 0 of 1"),
        (([], 0, 2), "centre: got 0"),
    ],
)
def test_no_neighbours_no_figure(given, message):
    with pytest.raises(ValueError, match=message):
        figures.context_window(*given, **SAY)
