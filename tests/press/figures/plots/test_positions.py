"""The map of positions is the matrix, and stays small on the page."""

import base64
import io
import re

import numpy as np
from PIL import Image

from tests.press.figures.drawn import SAY
from tests.press.figures.examples import waves
from transformer_press import figures


def test_position_map_is_the_matrix_as_two_masks():
    PE = waves(16, 32)
    svg = figures.position_map(PE, **SAY).svg
    images = re.findall(r"data:image/png;base64,([^\"]+)", svg)
    alphas = [
        np.asarray(Image.open(io.BytesIO(base64.b64decode(i))).convert("RGBA"))[..., 3]
        for i in images
    ]
    assert len(alphas) == 2
    assert np.allclose(alphas[0] / 255.0 - alphas[1] / 255.0, PE, atol=0.5 / 31 + 0.005)
    assert svg.count("mask-type:alpha") == 2
    assert len(svg) < 20_000


def test_large_maps_stay_small_on_the_page():
    html = figures.position_map(waves(128, 512), **SAY).html
    assert len(html) < 60_000
