"""Maps side by side share one scale, or need none."""

import re

import numpy as np
import pytest

from tests.press.figures.drawn import SAY, assert_one_clear_error, later, texts
from transformer_press import figures


def test_maps_share_one_scale():
    low, high = np.full((1, 2), 0.5), np.full((1, 2), 1.0)
    figure = figures.small_maps([("low", low), ("high", high)], lowest=0.0, **SAY)
    assert {"low", "high", "0", "1"} <= set(texts(figure.svg))
    found = [
        re.search(r"opacity:\s*([\d.]+)", style)
        for style in re.findall(r'style="([^"]*)"', figure.svg)
        if re.search(r"fill:\s*var\(--tb-attention", style)
    ]
    fills = [float(opacity[1]) if opacity else 1.0 for opacity in found]
    assert fills[:4] == pytest.approx([0.5, 0.5, 1.0, 1.0])


def test_what_is_not_above_the_lowest_stays_empty():
    figure = figures.small_maps([("a", np.array([[0.2, 0.1, 0.6]]))], lowest=0.2, **SAY)
    cells = [
        style
        for style in re.findall(r'style="([^"]*)"', figure.svg)
        if re.search(r"fill:\s*var\(--tb-attention", style)
    ]
    assert (
        len(cells) == 1 + 9 - 1
    )  # one cell, and the key, whose first step is empty too


def test_maps_of_yes_and_no_need_no_key():
    figure = figures.small_maps([("a", np.eye(2)), ("b", np.ones((2, 2)))], **SAY)
    assert not {"0", "1"} & set(texts(figure.svg))


def test_maps_of_many_cells_are_pictures_with_all_labels():
    words = [f"w{k}" for k in range(12)]
    figure = figures.small_maps(
        [("a", np.eye(12)), ("b", np.eye(12))],
        row_labels=words,
        column_labels=words,
        **SAY,
    )
    assert texts(figure.svg).count("w11") == 4
    assert figure.svg.count("data:image/png") == 2


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (later.small_maps([]), "items: got none"),
        (
            later.small_maps([("a", np.eye(2)), ("b", np.eye(3))]),
            r"b: got shape \(3, 3\), expected \(2, 2\)",
        ),
        (later.small_maps([("a", np.eye(2))], lowest=1.0), "lowest: got 1.0"),
        (
            later.small_maps([("a", np.eye(2))], row_labels=["x"]),
            "row_labels: got 1 labels",
        ),
    ],
)
def test_wrong_input_gets_one_clear_error(make, message):
    assert_one_clear_error(make, message)
