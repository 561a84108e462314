"""The drawings of layers and stacks: where the norms stand, and who reads whom."""

import re
from xml.etree import ElementTree as ET

import pytest

from tests.press.figures.errors import assert_one_clear_error
from transformer_press import figures

SAY = {"title": "A finding", "alt": "What it shows."}
TEXT = "{http://www.w3.org/2000/svg}text"
RIGHT = re.compile(r'd="M ([\d.]+) ([\d.]+) L ([\d.]+) ([\d.]+) L ([\d.]+) ([\d.]+)"')


def texts(svg):
    """Return (x, y, text) of every text."""
    return [
        (float(t.get("x")), float(t.get("y")), t.text)
        for t in ET.fromstring(svg).iter(TEXT)
    ]


def heads_to_the_right(svg):
    """Return (x, y) of the arrow heads that point to the right."""
    found = [
        tuple(map(float, match)) for match in RIGHT.findall(svg.replace("\n", " "))
    ]
    return {(x, y) for x0, y0, x, y, x1, y1 in found if x0 == x1 < x and y0 < y < y1}


@pytest.mark.parametrize(
    "kind, sublayers", [("encoder", 2), ("decoder", 3), ("decoder-only", 2)]
)
def test_norms_stand_on_the_stream_or_on_the_branches(kind, sublayers):
    figure = figures.layer(kind, **SAY)
    for svg in (figure.svg, figure.narrow_svg):
        found = texts(svg)
        pluses = sorted({x for x, _, text in found if text == "+"})
        norms = [x for x, _, text in found if text == "norm"]
        assert len(pluses) == 2 and len(norms) == 2 * sublayers
        post, pre = pluses  # the x of the two streams
        assert [x for x in norms if x < pre - 10] == pytest.approx([post] * sublayers)
        assert all(x > pre + 20 for x in norms if x >= pre - 10)
        assert [text for _, _, text in found].count("memory") == (
            2 if kind == "decoder" else 0
        )


@pytest.mark.parametrize("norm", ["post", "pre"])
def test_one_wiring_is_half_of_both(norm):
    found = texts(figures.layer("encoder", norm=norm, **SAY).svg)
    both = texts(figures.layer("encoder", **SAY).svg)
    (stream,) = {x for x, _, text in found if text == "+"}
    assert stream == pytest.approx(min(x for x, _, text in both if text == "+"))
    norms = [x for x, _, text in found if text == "norm"]
    assert len(norms) == 2
    assert all((x == pytest.approx(stream)) == (norm == "post") for x in norms)
    assert not [text for _, _, text in found if "LN" in text]


@pytest.mark.parametrize("N", [1, 3, 6])
@pytest.mark.parametrize("pairs", [False, True])
def test_every_decoder_layer_is_entered_at_its_height(N, pairs):
    svg = figures.stacks(N, pairs=pairs, **SAY).svg
    layers = [y for _, y, text in texts(svg) if text.startswith("decoder layer")]
    heads = heads_to_the_right(svg)
    assert len(layers) == len(heads) == N
    for label, (_, y) in zip(sorted(layers), sorted(heads, key=lambda head: head[1])):
        assert label == pytest.approx(y, abs=6)
    assert ("memory" in [text for _, _, text in texts(svg)]) != pairs


@pytest.mark.parametrize(
    "make, message",
    [
        (
            lambda: figures.layer("both", **SAY),
            "kind: got 'both', expected one of encoder, decoder, decoder-only",
        ),
        (
            lambda: figures.layer("encoder", norm="Post", **SAY),
            "norm: got 'Post', expected one of post, pre, or None for both",
        ),
        (
            lambda: figures.stacks(0, **SAY),
            "N: got 0, expected a whole number from 1 to 6",
        ),
        (lambda: figures.stacks(True, **SAY), "N: got True"),
        (lambda: figures.stacks(2.0, **SAY), "N: got 2.0"),
    ],
)
def test_wrong_input_gets_one_clear_error(make, message):
    assert_one_clear_error(make, message)
