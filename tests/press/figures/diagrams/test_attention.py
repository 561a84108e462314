"""Heads from the inside and side by side: what feeds what, which shapes arise, and where."""

import re

import numpy as np
import pytest

from tests.press.figures.drawn import SAY, assert_one_clear_error, both, later, placed
from transformer_book import by_hand
from transformer_press import figures

NAME_HEIGHT = re.compile(
    r'd="M ([\d.]+) ([\d.]+) L ([\d.]+) ([\d.]+) L ([\d.]+) ([\d.]+)"'
)
STAGES = (
    "dot products Q Kᵀ",
    "divide by √d_k",
    "mask: −∞ where hidden",
    "softmax of each row",
)
SIZES = {"n": 3, "m": 2, "d_model": 8, "d_k": 4, "d_v": 5}


def panels(svg):
    """Return the texts of each of two panels; the right one starts at its title."""
    found = placed(svg)
    border = max(x for x, _, text in found if text.endswith("-attention"))
    return [
        [(x - start, y, text) for x, y, text in found if (x >= border) == right]
        for right, start in ((False, 2), (True, border))
    ]


def stages(panel):
    """Return (y, name) of the stages between scores and weights, from the bottom up.

    On a phone a name has two lines, which make one stage.
    """
    words = sorted((y, text) for _, y, text in panel)
    joined = []
    for name in STAGES:
        parts = [y for y, text in words if text in name and len(text) > 3]
        joined += [(round(sum(parts) / len(parts), 1), name)] if parts else []
    return sorted(joined, reverse=True)


def beside(panel, name):
    """Return the shape written beside or below the name of a matrix."""
    ((x, y),) = [(x, y) for x, y, text in panel if text == name]
    shapes = [
        (abs(y - b) + abs(x - a) / 2, text)
        for a, b, text in panel
        if re.match(r"[nm] ?×", text)
    ]
    return tuple(SIZES[size] for size in min(shapes)[1].replace(" ", "").split("×"))


def heads(svg):
    """Return (x, y) of every arrow head that points up."""
    found = [
        tuple(map(float, match))
        for match in NAME_HEIGHT.findall(svg.replace("\n", " "))
    ]
    return [
        (x, y)
        for x0, y0, x, y, x1, y1 in found
        if y0 == y1 > y and min(x0, x1) < x < max(x0, x1)
    ]


@pytest.mark.parametrize("kind", ["self", "masked"])
def test_only_the_masked_head_has_a_mask_between_scaling_and_softmax(kind):
    for svg in both(figures.scaled_dot_product(["self", kind], **SAY)):
        plain, other = map(stages, panels(svg))
        assert [name for _, name in plain] == [s for s in STAGES if "mask" not in s]
        expected = (
            STAGES if kind == "masked" else [s for s in STAGES if "mask" not in s]
        )
        assert [name for _, name in other] == list(expected)
        assert set(plain) <= set(other), "the same stages at the same heights"


def test_the_small_mask_fills_what_the_causal_mask_allows():
    figure = figures.scaled_dot_product(["self", "masked"], **SAY)
    for svg in both(figure):
        paths = re.findall(r'd="([^"]*)" style="fill:var\(--tb-attention[^"]*', svg)
        corners = [
            np.array(re.findall(r"([\d.]+) ([\d.]+)", p), float) / 0.75 for p in paths
        ]
        cells = [c.min(axis=0) for c in corners if np.ptp(c[:, 0]) < 8 and len(c) <= 5]
        low = np.min(cells, axis=0)
        filled = {tuple(np.round((cell - low) / 5).astype(int)[::-1]) for cell in cells}
        assert filled == set(
            zip(*map(np.ndarray.tolist, np.nonzero(by_hand.causal_mask(4))))
        )


@pytest.mark.parametrize(
    ("kind", "asks"), [("self", "n"), ("masked", "n"), ("cross", "m")]
)
def test_the_shapes_are_those_of_the_arrays(kind, asks):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(SIZES["n"], SIZES["d_model"]))
    Y = rng.normal(size=(SIZES[asks], SIZES["d_model"]))
    Q, K, V = (
        M @ rng.normal(size=(SIZES["d_model"], SIZES[d]))
        for M, d in ((Y, "d_k"), (X, "d_k"), (X, "d_v"))
    )
    Z, A = by_hand.scaled_dot_product_attention(Q, K, V)
    made = {"Q": Q, "K": K, "V": V, "S": A, "A": A, "Z": Z, "X": X} | (
        {"Y": Y} if kind == "cross" else {}
    )
    for svg in both(figures.scaled_dot_product(["self", kind], **SAY)):
        _, panel = panels(svg)
        assert {name: beside(panel, name) for name in made} == {
            name: array.shape for name, array in made.items()
        }
        assert ("Y" in [text for *_, text in panel]) == (kind == "cross")


@pytest.mark.parametrize("kind", ["self", "cross"])
def test_what_enters_stands_below_its_readers(kind):
    for svg in both(figures.scaled_dot_product(["self", kind], **SAY)):
        _, panel = panels(svg)
        at = {text: x for x, _, text in panel}
        q, k, v = (at[f"W_{name}"] for name in "QKV")
        assert q < k < v
        assert at["X"] == pytest.approx((k + v) / 2 if kind == "cross" else k, abs=0.1)
        assert at.get("Y", q) == pytest.approx(q, abs=0.1)


def test_values_join_last():
    for svg in both(figures.scaled_dot_product(**SAY)):
        height = {text: y for _, y, text in placed(svg)}
        assert (
            height["X"]
            > height["W_V"]
            > height["V"]
            > height["dot products Q Kᵀ"]
            > height["S"]
            > height["A"]
            > height["A V: weighted averages"]
            > height["Z"]
        )
        across = {text: x for x, _, text in placed(svg)}
        low = height["A V: weighted averages"]
        arriving = [x for x, y in heads(svg) if low < y < height["softmax of each row"]]
        assert sorted(arriving)[1] == pytest.approx(across["W_V"], abs=0.1)
        assert len(arriving) == 2, "the weights and the values"


def test_one_head_needs_no_title_of_its_own():
    figure = figures.scaled_dot_product("cross", **SAY)
    assert "cross-attention" not in [text for *_, text in placed(figure.svg)]
    assert "Y" in [text for *_, text in placed(figure.svg)]


@pytest.mark.parametrize(("h", "d_model"), [(1, 4), (2, 4), (8, 512)])
def test_every_head_is_fed_and_fills_its_own_columns(h, d_model):
    for svg in both(figures.multi_head(h, d_model, **SAY)):
        found = placed(svg)
        columns = [(x, text) for x, _, text in found if re.fullmatch(r"Z_\d", text)]
        assert [text for _, text in sorted(columns)] == [f"Z_{i + 1}" for i in range(h)]
        boxes = {x: text for x, _, text in found if text.isdigit()}
        assert sorted(boxes) == pytest.approx([x for x, _ in sorted(columns)], abs=0.1)
        arrows = [round(x) for x, _ in heads(svg)]
        assert all(arrows.count(round(x)) >= 2 for x in boxes), (
            "into the head, and out of it"
        )
        assert len(arrows) == 2 * h + 2
        shown = [text for *_, text in found]
        split = by_hand.split_heads(np.zeros((1, d_model)), h)
        assert f"Z: {h} × {split.shape[-1]} = {d_model} columns" in shown
        assert {f"X, n × {d_model}", f"H, n × {d_model}", "W_O"} <= set(shown)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (later.scaled_dot_product([]), r"kinds: got \[\], expected one or two of self"),
        (later.scaled_dot_product(["plain"]), r"kinds: got \['plain'\]"),
        (later.scaled_dot_product(["self"] * 3), "kinds: got .*one or two"),
        (later.multi_head(9, 9), "h: got 9 for d_model 9, .*from 1 to 8"),
        (later.multi_head(3, 512), "h: got 3 for d_model 512, .*divides it"),
        (later.multi_head(True, 4), "h: got True"),
        (later.multi_head(2, 4.0), "d_model 4.0"),
        (later.multi_head(2, 0), "d_model 0"),
    ],
)
def test_wrong_input_gets_one_clear_error(make, message):
    assert_one_clear_error(make, message)
