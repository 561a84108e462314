"""The figures of attention show the numbers of each step, and refuse those of another."""

import re

import numpy as np
import pytest
import scipy.special

from tests.press.figures.drawn import SAY, assert_one_clear_error, both, later, texts
from transformer_press import figures

WORDS = ["the", "cat", "sat"]
X = np.array([[1.0, 0, 1, 0], [0, 2, 0, 2], [1, 1, 1, 1]])
W = np.array([[1.0, 0], [0, 1], [0, 0], [1, 1]])
SCORES = np.array([[0.0, 2.0, 1.0], [-1.0, 0.5, 0.5]])
WEIGHTS = scipy.special.softmax(SCORES, axis=-1)
READ = {
    "query": np.array([1.0, 0]),
    "keys": np.array([[0.0, 1], [4, 0], [2, 1]]),
    "scores": np.array([0.0, 4, 2]) / np.sqrt(2),
    "values": np.array([[1.0, 2], [2, 8], [2, 6]]),
}
READ["weights"] = scipy.special.softmax(READ["scores"])
READ["output"] = READ["weights"] @ READ["values"]


def boxes(svg):
    """Return (left, top, width, height) in px of every outline in the colour of ink."""
    found = []
    for path in re.findall(r'd="([^"]*)"[^>]*stroke:var\(--tb-ink', svg):
        x, y = np.array(re.findall(r"([\d.]+) ([\d.]+)", path), dtype=float).T * 96 / 72
        found.append([x.min(), y.min(), np.ptp(x), np.ptp(y)])
    return np.array(found)


def crossing(C, column=0, **kwargs):
    return figures.crossings(X, [("W", W, "Q", C, "q", column)], **kwargs, **SAY)


def test_a_crossing_writes_out_the_arithmetic_of_its_cell():
    figure = crossing(X @ W, 1, row=1, row_labels=WORDS)
    for svg in both(figure):
        assert "Q:  0·0 + 2·1 + 0·0 + 2·1 = 4" in texts(svg)
        assert set(WORDS) | {"X", "W", "Q"} <= set(texts(svg))


def test_a_crossing_marks_the_row_the_column_and_the_cell_where_they_cross():
    row, column, cell = boxes(crossing(X @ W, 1, row=1).svg)
    assert row[2:] == pytest.approx([4 * 36, 30], abs=0.1)
    assert column[2:] == pytest.approx([36, 4 * 30], abs=0.1)
    assert cell == pytest.approx([column[0], row[1], 36, 30], abs=0.1)
    other_row, other_column, _ = boxes(crossing(X @ W, 0, row=2).svg)
    assert other_row - row == pytest.approx([0, 30, 0, 0], abs=0.1)
    assert other_column - column == pytest.approx([-36, 0, 0, 0], abs=0.1)


def test_every_product_has_its_own_line():
    C = X @ W
    items = [("W", W, "Q", C, "q", 0), ("V", 2 * W, "Z", 2 * C, "v", 0)]
    shown = texts(figures.crossings(X, items, **SAY).svg)
    assert (
        "Q:  1·1 + 0·0 + 1·0 + 0·1 = 1" in shown
        and "Z:  1·2 + 0·0 + 1·0 + 0·2 = 2" in shown
    )


def test_softmax_shows_scores_exponentials_sums_and_weights():
    for svg in both(
        figures.row_softmax(SCORES, WEIGHTS, cell=(1, 2), row_labels=WORDS[:2], **SAY)
    ):
        shown = texts(svg)
        for value in [
            *SCORES[0],
            *np.exp(SCORES[1]),
            *np.exp(SCORES).sum(axis=1),
            *WEIGHTS.flat,
        ]:
            assert f"{value:.2f}" in shown
        assert (
            "\N{MINUS SIGN}1.00" in shown and shown.count("1") == 2
        )  # each row sums to 1
        line = "exp(0.50) / sum of its row ≈ 1.65 / (0.37 + 1.65 + 1.65) ≈ 0.45"
        assert line in " ".join(shown)  # on a phone it takes two lines


def test_softmax_marks_the_score_its_row_and_its_weight():
    one, other = (
        boxes(figures.row_softmax(SCORES, WEIGHTS, cell=c, **SAY).svg)
        for c in ((0, 0), (1, 2))
    )
    score, row, weight = other - one
    assert score == pytest.approx([2 * one[0, 2], 30, 0, 0], abs=0.1)
    assert row == pytest.approx([0, 30, 0, 0], abs=0.1)
    assert weight == pytest.approx([2 * one[2, 2], 30, 0, 0], abs=0.1)
    assert one[1, 2] > 2.5 * one[0, 2]  # all three exponentials of the row


def test_reading_shows_every_part_and_their_sum():
    parts = READ["weights"][:, None] * READ["values"]
    for svg in both(figures.one_word_attention(WORDS, 0, **READ, **SAY)):
        shown = texts(svg)
        assert "the asks" in shown and "sum" in shown
        for value in [*READ["scores"], *READ["weights"], *parts.flat, *READ["output"]]:
            assert f"{value:.2f}" in shown


def test_bars_are_as_long_as_the_weights():
    svg = figures.one_word_attention(WORDS, 0, **READ, **SAY).svg
    bars = re.findall(
        r'd="([^"]*)"[^>]*style="fill:var\(--tb-attention[^"]*opacity:0.75', svg
    )
    lengths = []
    for path in bars:
        x = np.array(re.findall(r"([\d.]+) [\d.]+", path), dtype=float)
        lengths.append(np.ptp(x))
    assert np.array(lengths) / sum(lengths) == pytest.approx(READ["weights"], abs=5e-3)


def changed(**kwargs):
    return later.one_word_attention(WORDS, 0, **READ | kwargs)


WRONG = {
    "not the product": (
        lambda: crossing(2 * X @ W),
        r"Q: got 2 at \[0, 0\], expected A @ W, 1; give",
    ),
    "shapes": (
        lambda: crossing(X),
        r"Q: got shapes \(3, 4\), \(4, 2\), \(3, 4\), expected",
    ),
    "column": (
        lambda: crossing(X @ W, 2),
        "column: got 2, expected an integer from 0 to 1",
    ),
    "row": (
        lambda: crossing(X @ W, row=3),
        "row: got 3, expected an integer from 0 to 2",
    ),
    "rows": (
        lambda: crossing(X @ W, row_labels=["a"]),
        "row_labels: got 1 labels for 3 rows of A",
    ),
    "none": (later.crossings(X, []), "products: got none, expected"),
    "item": (
        later.crossings(X, [("W", W)]),
        r"products: got 2 parts, expected \(name, B",
    ),
    "no softmax": (
        later.row_softmax(SCORES, SCORES),
        r"weights: got 0 at \[0, 0\], expected",
    ),
    "one softmax for all": (
        later.row_softmax(SCORES, scipy.special.softmax(SCORES)),
        "weights: .*softmax of each row",
    ),
    "shape": (
        later.row_softmax(SCORES, WEIGHTS.T),
        r"weights: got shape \(3, 2\), expected \(2, 3\)",
    ),
    "cell": (later.row_softmax(SCORES, WEIGHTS, cell=(2, 0)), "cell row: got 2"),
    "not scaled": (
        changed(scores=READ["keys"] @ READ["query"]),
        r"scores: got 4 .*sqrt\(d_k\)",
    ),
    "scores for weights": (
        changed(weights=READ["scores"]),
        "weights: .*softmax of the scores",
    ),
    "another sum": (changed(output=READ["output"] + 1), r"output: .*weights @ values"),
    "query": (
        changed(query=np.ones(3)),
        r"keys: got shapes \(3,\), \(3, 2\), \(3, 2\), expected",
    ),
    "reader": (later.one_word_attention(WORDS, 3, **READ), "reader: got 3, expected"),
    "words": (
        later.one_word_attention(["a"], 0, **READ),
        "words: got 1 labels for 3 keys",
    ),
}


@pytest.mark.parametrize("case", WRONG)
def test_wrong_input_gets_one_clear_error(case):
    make, message = WRONG[case]
    assert_one_clear_error(make, message)
