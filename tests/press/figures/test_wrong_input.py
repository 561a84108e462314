"""Each wrong input gets one ValueError: what was given, what was expected, what to do."""

import numpy as np
import pytest

from tests.press.figures.errors import assert_one_clear_error
from transformer_press import figures

SAY = {"title": "A finding", "alt": "What it shows."}
M = np.eye(2)
NAN = np.array([[1.0, np.nan]])
AXES = {"x_label": "x", "y_label": "y"}

WRONG = {
    "empty": (
        lambda: figures.heat_map([], **SAY),
        r"M: got shape \(0,\), expected 2 axes",
    ),
    "ragged": (
        lambda: figures.heat_map([[1], [1, 2]], **SAY),
        "M: .*rows of equal length",
    ),
    "words": (lambda: figures.heat_map([["a"]], **SAY), "M: got list that is no array"),
    "vector": (lambda: figures.heat_map([1.0, 2.0], **SAY), r"M: got shape \(2,\)"),
    "nan": (
        lambda: figures.heat_map(NAN, **SAY),
        r"M: got nan at \[0, 1\], expected finite",
    ),
    "rows": (
        lambda: figures.heat_map(M, rows=["a"], **SAY),
        "rows: got 1 labels for 2 rows of M",
    ),
    "columns": (
        lambda: figures.heat_map(M, columns="abc", **SAY),
        "columns: got 1 labels for 2",
    ),
    "role": (
        lambda: figures.heat_map(M, role="red", **SAY),
        "role: got 'red', expected one of q",
    ),
    "negative": (lambda: figures.heat_map(-M, **SAY), "M: got -1, .*signed=True"),
    "highlight": (
        lambda: figures.heat_map(M, highlight=(0, 2), **SAY),
        "got 2, .*from 0 to 1",
    ),
    "mask": (
        lambda: figures.heat_map(M, mask=np.ones((2, 3), bool), **SAY),
        r"mask: .*\(2, 3\)",
    ),
    "mask type": (
        lambda: figures.heat_map(M, mask=np.ones((2, 2)), **SAY),
        "mask: got float64",
    ),
    "title": (
        lambda: figures.heat_map(M, title=" ", alt="a"),
        "title: got ' '.*the finding",
    ),
    "alt": (
        lambda: figures.heat_map(M, title="t", alt=None),
        "alt: got None.*what the figure",
    ),
    "no matrices": (lambda: figures.matrices([], **SAY), "items: got none"),
    "no role": (
        lambda: figures.matrices([("Q", M)], **SAY),
        r"items: .*\(name, matrix, role\)",
    ),
    "item rows": (
        lambda: figures.matrices([("Q", M, "q")], rows=list("abc"), **SAY),
        "rows: got 3 labels for 2 rows of Q",
    ),
    "shapes": (
        lambda: figures.matrix_product(M, np.ones((3, 2)), M, **SAY),
        r"C: got shapes",
    ),
    "not the product": (
        lambda: figures.matrix_product(M, M, 2 * M, **SAY),
        r"C: got 2 at \[0, 0\], expected A @ B",
    ),
    "cell": (
        lambda: figures.matrix_product(M, M, M, cell=(2, 0), **SAY),
        "cell row: got 2",
    ),
    "names": (
        lambda: figures.matrix_product(M, M, M, names=("a",), **SAY),
        "names: got 1 labels",
    ),
    "weights": (
        lambda: figures.arcs(["a", "b"], [1.0], 0, **SAY),
        "words: got 2 labels for 1",
    ),
    "negative weight": (
        lambda: figures.arcs(["a", "b"], [2, -1], 0, **SAY),
        "got -1.*softmax",
    ),
    "infinite weight": (
        lambda: figures.arcs(["a"], [np.inf], 0, **SAY),
        r"weights: got inf at",
    ),
    "source": (
        lambda: figures.arcs(["a"], [1.0], -1, **SAY),
        "source: got -1.*from 0 to 0",
    ),
    "no tokens": (lambda: figures.token_strip([], **SAY), "pieces: got none"),
    "ids": (
        lambda: figures.token_strip(["a"], [1, 2], **SAY),
        "ids: got 2 labels for 1 tokens",
    ),
    "position": (
        lambda: figures.position_map(np.ones(3), **SAY),
        r"PE: got shape \(3,\)",
    ),
    "points": (
        lambda: figures.word_map(np.ones((2, 3)), "ab", **SAY),
        r"points: .*\(n, 2",
    ),
    "groups": (
        lambda: figures.word_map(M, ["a", "b"], groups=["x"], **SAY),
        "groups: got 1 labels for 2",
    ),
    "stranger": (
        lambda: figures.word_map(M, ["a", "b"], highlight="c", **SAY),
        "highlight: got 'c'",
    ),
    "no series": (lambda: figures.lines({}, **AXES, **SAY), "series: got none"),
    "lengths": (
        lambda: figures.lines({"a": ([1, 2], [1])}, **AXES, **SAY),
        "a: got 2 x and 1 y",
    ),
    "log": (
        lambda: figures.lines({"a": ([0, 1], [1, 1])}, log_x=True, **AXES, **SAY),
        "x of a: got 0, .*leave log_x out",
    ),
    "roles": (
        lambda: figures.lines({"a": ([0, 1], [1, 1])}, roles={"b": "q"}, **AXES, **SAY),
        "roles: got none for 'a'",
    ),
    "no bars": (lambda: figures.bars({}, x_label="x", **SAY), "values: got none"),
    "bar": (
        lambda: figures.bars({"a": np.nan}, x_label="x", **SAY),
        r"values: got nan at \[0\]",
    ),
    "labels": (
        lambda: figures.heat_map([[1]], rows=["a", "b"], **SAY),
        "rows: got 2 labels for 1",
    ),
    "box": (
        lambda: figures.architecture({"rnn": "a"}, **SAY),
        "links: got 'rnn', expected one of",
    ),
    "href": (
        lambda: figures.architecture({"linear": ""}, **SAY),
        r"links\['linear'\]: got ''",
    ),
    "links": (lambda: figures.architecture(["linear"], **SAY), "links: got list"),
    "width": (lambda: figures.new(width=0), "width: got 0, expected inches"),
    "no figure": (
        lambda: figures.finish(3, **SAY),
        "fig: got int, expected a matplotlib figure",
    ),
}


@pytest.mark.parametrize("case", WRONG)
def test_wrong_input_gets_one_clear_error(case):
    make, message = WRONG[case]
    assert_one_clear_error(make, message)


def test_foreign_colours_and_pictures_are_refused():
    fig, ax = figures.new()
    ax.plot([1, 2], [1, 2], color="#123456")
    with pytest.raises(ValueError, match="got #123456.*figures.colour"):
        figures.finish(fig, **SAY)
    fig, ax = figures.new()
    ax.imshow(M)
    with pytest.raises(ValueError, match="imshow.*figures.heat_map"):
        figures.finish(fig, **SAY)
