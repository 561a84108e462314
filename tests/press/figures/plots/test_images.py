"""Weights over pictures lie where they belong; the three uses are fed from where they should."""

import re
from xml.etree import ElementTree as ET

import numpy as np
import pytest

from tests.press.figures.drawn import (
    SAY,
    SVG,
    TEXT,
    assert_one_clear_error,
    later,
    texts,
)
from transformer_press import figures
from transformer_press.figures.kit.palette import largest_opacity
from transformer_press.figures.plots.images import KEY_TEXT, half_weight_patches

PICTURE = np.arange(16.0).reshape(4, 4)
WEIGHTS = np.array([[0.1, 0.6], [0.0, 0.3]])


def paths(svg, style):
    """Return the corners (k, 2) and the style of each path whose style contains a text."""
    found = []
    for path in ET.fromstring(svg).iter(SVG + "path"):
        if style in path.get("style", ""):
            numbers = [float(n) for n in re.findall(r"-?\d+(?:\.\d+)?", path.get("d"))]
            found.append((np.array(numbers).reshape(-1, 2), path.get("style")))
    return found


def washes(svg):
    """Return the top left corner and the opacity of each patch, the key left out."""
    found = []
    for corners, style in paths(svg, "fill:var(--tb-attention"):
        found.append((corners.min(0), np.ptp(corners, axis=0), style))
    widest = max(size[0] for _, size, _ in found)
    return [
        (corner, float((re.search(r"opacity:([\d.]+)", style) or [0, "1"])[1]))
        for corner, size, style in found
        if size[0] == pytest.approx(widest, abs=0.05)
    ]


def strokes(svg, role):
    return [corners for corners, _ in paths(svg, f"stroke:var(--tb-{role},")]


def test_a_patch_is_filled_in_proportion_to_its_weight_and_lies_in_its_place():
    svg = figures.weights_over_image([("a", PICTURE, WEIGHTS)], **SAY).svg
    (upper, low), (right, most), (lower, middle) = washes(
        svg
    )  # nothing for the weight 0
    assert (low, most, middle) == pytest.approx(
        largest_opacity("attention") * WEIGHTS[WEIGHTS > 0] / WEIGHTS.max(), abs=2e-3
    )
    assert upper[1] == right[1] < lower[1] and upper[0] < right[0] == lower[0]


def test_pictures_share_one_scale_and_are_named():
    figure = figures.weights_over_image(
        [("few", PICTURE, WEIGHTS), ("fewer", PICTURE, WEIGHTS / 2)],
        captions=["one", "two"],
        **SAY,
    )
    for svg in (figure.svg, figure.narrow_svg or figure.svg):
        first, second = (
            [opacity for _, opacity in washes(svg)][:3],
            [opacity for _, opacity in washes(svg)][3:],
        )
        assert np.array(second) * 2 == pytest.approx(np.array(first), abs=3e-3)
        assert {"few", "fewer", "one", "two", "0", "0.60", KEY_TEXT} <= set(texts(svg))


def test_the_picture_is_ink_over_the_wash():
    svg = figures.weights_over_image([("a", PICTURE, WEIGHTS)], **SAY).svg
    mask = re.search(r'<rect[^>]*mask="[^"]+"[^>]*fill:var\(--tb-ink,', svg)
    last = [
        m.start() for m in re.finditer(r"fill:var\(--tb-attention[^\"]*opacity", svg)
    ][2]
    assert mask and mask.start() > last


def test_outlined_are_the_fewest_patches_that_hold_half():
    assert half_weight_patches(WEIGHTS) == [(0, 1)]
    assert half_weight_patches(np.array([[0.3, 0.2], [0.1, 0.4]])) == [(0, 0), (1, 1)]
    assert half_weight_patches(np.full((2, 2), 0.25)) == [(0, 0), (0, 1)]
    svg = figures.weights_over_image([("a", PICTURE, np.full((2, 2), 0.25))], **SAY).svg
    assert len(strokes(svg, "attention")) == 2


def test_tall_pictures_and_many_of_them():
    tall = np.ones((8, 4))
    figure = figures.weights_over_image(
        [(f"p{k}", tall, np.ones((2, 1))) for k in range(5)], **SAY
    )
    assert figure.svg.count("data:image/png") == 5
    assert figure.width <= 690


@pytest.mark.parametrize("layers", [1, 2, 3])
def test_each_decoder_layer_has_keys_and_values_from_the_memory(layers):
    figure = figures.attention_uses(layers, **SAY)
    for svg in (figure.svg, figure.narrow_svg or figure.svg):
        words = texts(svg)
        assert (
            words.count("self-attention")
            == words.count("masked self-attention")
            == layers
        )
        assert words.count("cross-attention") == layers
        # Two self-attentions and one cross-attention per layer, each with one Q, K and V.
        assert words.count("Q") == words.count("K") == words.count("V") == 3 * layers
        level = {
            role: [c for c in strokes(svg, role) if len(c) == 2 and c[0, 1] == c[1, 1]]
            for role in "qkv"
        }
        assert len(level["k"]) == len(level["v"]) == layers and not level["q"]


def test_the_memory_leaves_the_last_encoder_layer():
    svg = figures.attention_uses(2, **SAY).svg
    (lane,) = (c for c in strokes(svg, "ink") if len(c) == 3 and c[1, 1] == c[2, 1])
    heights = [
        float(e.get("y"))
        for e in ET.fromstring(svg).iter(TEXT)
        if e.text == "encoder layer 2"
    ]
    assert lane[0, 1] < heights[0], "the way begins above the name of the last layer"


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (later.weights_over_image([]), "items: got none"),
        (later.weights_over_image([("a", PICTURE)]), "items: got an item of 2"),
        (
            later.weights_over_image([("a", PICTURE, WEIGHTS - 1)]),
            "weights of a: got -1",
        ),
        (later.weights_over_image([("a", -PICTURE, WEIGHTS)]), "picture of a: got -15"),
        (
            later.weights_over_image([("a", PICTURE, 0 * WEIGHTS)]),
            "weights of a: got zeros",
        ),
        (
            later.weights_over_image([("a", PICTURE, np.ones((3, 2)))]),
            r"weights of a: got \(3, 2\) patches",
        ),
        (
            later.weights_over_image([("a", PICTURE, WEIGHTS)], captions=["x", "y"]),
            "captions: got 2 labels for 1",
        ),
        (
            later.weights_over_image([("a", PICTURE, WEIGHTS)], role="red"),
            "role: got 'red'",
        ),
        (later.attention_uses(0), "layers: got 0"),
        (later.attention_uses(True), "layers: got True"),
    ],
)
def test_wrong_input_gets_one_clear_error(make, message):
    assert_one_clear_error(make, message)
