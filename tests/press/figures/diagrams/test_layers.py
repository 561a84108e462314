"""The drawings of layers and stacks: where the norms stand, and who reads whom."""

import re

import pytest

from tests.press.figures.drawn import SAY, assert_one_clear_error, later, placed
from transformer_press import figures

RIGHT = re.compile(r'd="M ([\d.]+) ([\d.]+) L ([\d.]+) ([\d.]+) L ([\d.]+) ([\d.]+)"')


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
        found = placed(svg)
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
    found = placed(figures.layer("encoder", norm=norm, **SAY).svg)
    both = placed(figures.layer("encoder", **SAY).svg)
    (stream,) = {x for x, _, text in found if text == "+"}
    assert stream == pytest.approx(min(x for x, _, text in both if text == "+"))
    norms = [x for x, _, text in found if text == "norm"]
    assert len(norms) == 2
    assert all((x == pytest.approx(stream)) == (norm == "post") for x in norms)
    assert not [text for _, _, text in found if "LN" in text]


@pytest.mark.parametrize("N", [1, 3, 6])
@pytest.mark.parametrize("pairs", [False, True])
def test_every_decoder_layer_is_entered_at_its_height(N, pairs):
    svg = figures.stacks(N, paired_layers=pairs, **SAY).svg
    layers = [y for _, y, text in placed(svg) if text.startswith("decoder layer")]
    heads = heads_to_the_right(svg)
    assert len(layers) == len(heads) == N
    for label, (_, y) in zip(sorted(layers), sorted(heads, key=lambda head: head[1])):
        assert label == pytest.approx(y, abs=6)
    assert ("memory" in [text for _, _, text in placed(svg)]) != pairs


@pytest.mark.parametrize(
    "make, message",
    [
        (
            later.layer("both"),
            "kind: got 'both', expected one of encoder, decoder, decoder-only",
        ),
        (
            later.layer("encoder", norm="Post"),
            "norm: got 'Post', expected one of post, pre, or None for both",
        ),
        (later.stacks(0), "N: got 0, expected a whole number from 1 to 6"),
        (later.stacks(True), "N: got True"),
        (later.stacks(2.0), "N: got 2.0"),
    ],
)
def test_wrong_input_gets_one_clear_error(make, message):
    assert_one_clear_error(make, message)
