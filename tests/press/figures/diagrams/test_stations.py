"""The stations of the tour, each with a small picture."""

import re

import numpy as np
import pytest

from transformer_press import figures

SAID = {"title": "A title", "alt": "What it shows."}


def drawn(kind, content, part="svg"):
    return getattr(figures.stations(["one"], [(kind, content)], **SAID), part)


def test_each_station_has_its_number_and_its_name():
    names = ["id", "vector", "choice"]
    pictures = [("id", 35), ("layers", 2), ("bars", [0.9, 0.1])]
    figure = figures.stations(names, pictures, **SAID)
    for svg in (figure.svg, figure.narrow_svg):
        assert re.findall(">(1|2|3|id|vector|choice|35)<", svg) == [
            *("35", "1", "id"), *("2", "vector"), *("3", "choice"),
        ]  # fmt: skip


def test_a_cell_is_as_strong_as_its_number_and_its_colour_is_the_sign():
    svg = drawn("numbers", [[2.0, -1.0], [0.0, 0.5]])
    cells = re.findall(r"fill:var\(--tb-(\w), [^)]*\);opacity:([\d.]+)", svg)
    assert cells == [("q", "0.9"), ("k", "0.45"), ("q", "0.23")]  # none for 0


def test_bars_are_as_long_as_their_probabilities():
    svg = drawn("bars", [0.75, 0.25])
    _, *bars = re.findall(r'<path d="M ([\d.]+) [\d.]+ L ([\d.]+) ', svg)  # the ground
    long, short = (float(end) - float(start) for start, end in bars)
    assert long / short == pytest.approx(3, rel=0.01)


def test_there_are_as_many_layers_as_are_said():
    counts = [len(re.findall(r"<path", drawn("layers", n))) for n in (1, 2, 3)]
    assert counts[1] - counts[0] == counts[2] - counts[1] > 0


def test_a_kind_that_it_cannot_draw_is_refused():
    with pytest.raises(ValueError, match="got the kind 'pie', expected one of id"):
        drawn("pie", 1)
    with pytest.raises(ValueError, match="names: got 2 labels for 1 pictures"):
        figures.stations(["a", "b"], [("id", 1)], **SAID)
    with pytest.raises(ValueError, match="numbers: got shape"):
        drawn("numbers", np.zeros(3))
