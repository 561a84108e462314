"""Each wrong input gets one ValueError: what was given, what was expected, what to do."""

import numpy as np
import pytest

from tests.press.figures.drawn import SAY, assert_one_clear_error, later
from transformer_press import figures

M = np.eye(2)
NAN = np.array([[1.0, np.nan]])
AXES = {"x_label": "x", "y_label": "y"}

WRONG = {
    "empty": (later.heat_map([]), r"M: got shape \(0,\), expected 2 axes"),
    "ragged": (later.heat_map([[1], [1, 2]]), "M: .*rows of equal length"),
    "words": (later.heat_map([["a"]]), "M: got list that is no array"),
    "vector": (later.heat_map([1.0, 2.0]), r"M: got shape \(2,\)"),
    "nan": (later.heat_map(NAN), r"M: got nan at \[0, 1\], expected finite"),
    "rows": (
        later.heat_map(M, row_labels=["a"]),
        "row_labels: got 1 labels for 2 rows of M",
    ),
    "columns": (
        later.heat_map(M, column_labels="abc"),
        "column_labels: got 1 labels for 2",
    ),
    "role": (later.heat_map(M, role="red"), "role: got 'red', expected one of q"),
    "negative": (later.heat_map(-M), "M: got -1, .*signed=True"),
    "highlight": (later.heat_map(M, highlight=(0, 2)), "got 2, .*from 0 to 1"),
    "mask": (later.heat_map(M, mask=np.ones((2, 3), bool)), r"mask: .*\(2, 3\)"),
    "mask type": (later.heat_map(M, mask=np.ones((2, 2))), "mask: got float64"),
    "title": (later.heat_map(M, title=" ", alt="a"), "title: got ' '.*the finding"),
    "alt": (later.heat_map(M, title="t", alt=None), "alt: got None.*what the figure"),
    "no matrices": (later.matrices([]), "items: got none"),
    "no role": (later.matrices([("Q", M)]), r"items: .*\(name, matrix, role\)"),
    "item rows": (
        later.matrices([("Q", M, "q")], row_labels=list("abc")),
        "row_labels: got 3 labels for 2 rows of Q",
    ),
    "shapes": (later.matrix_product(M, np.ones((3, 2)), M), r"C: got shapes"),
    "not the product": (
        later.matrix_product(M, M, 2 * M),
        r"C: got 2 at \[0, 0\], expected A @ B",
    ),
    "cell": (later.matrix_product(M, M, M, cell=(2, 0)), "cell row: got 2"),
    "names": (later.matrix_product(M, M, M, names=("a",)), "names: got 1 labels"),
    "weights": (later.arcs(["a", "b"], [1.0], 0), "words: got 2 labels for 1"),
    "negative weight": (later.arcs(["a", "b"], [2, -1], 0), "got -1.*softmax"),
    "infinite weight": (later.arcs(["a"], [np.inf], 0), r"weights: got inf at"),
    "source": (later.arcs(["a"], [1.0], -1), "source: got -1.*from 0 to 0"),
    "no tokens": (later.token_strip([]), "pieces: got none"),
    "ids": (later.token_strip(["a"], [1, 2]), "ids: got 2 labels for 1 tokens"),
    "position": (later.position_map(np.ones(3)), r"PE: got shape \(3,\)"),
    "points": (later.word_map(np.ones((2, 3)), "ab"), r"points: .*\(n, 2"),
    "groups": (
        later.word_map(M, ["a", "b"], groups=["x"]),
        "groups: got 1 labels for 2",
    ),
    "stranger": (later.word_map(M, ["a", "b"], highlight="c"), "highlight: got 'c'"),
    "no series": (later.lines({}, **AXES), "series: got none"),
    "lengths": (later.lines({"a": ([1, 2], [1])}, **AXES), "a: got 2 x and 1 y"),
    "log": (
        later.lines({"a": ([0, 1], [1, 1])}, log_x=True, **AXES),
        "x of a: got 0, .*leave log_x out",
    ),
    "roles": (
        later.lines({"a": ([0, 1], [1, 1])}, roles={"b": "q"}, **AXES),
        "roles: got none for 'a'",
    ),
    "no bars": (later.bars({}, x_label="x"), "values: got none"),
    "bar": (later.bars({"a": np.nan}, x_label="x"), r"values: got nan at \[0\]"),
    "labels": (
        later.heat_map([[1]], row_labels=["a", "b"]),
        "row_labels: got 2 labels for 1",
    ),
    "box": (later.architecture({"rnn": "a"}), "links: got 'rnn', expected one of"),
    "href": (later.architecture({"linear": ""}), r"links\['linear'\]: got ''"),
    "links": (later.architecture(["linear"]), "links: got list"),
    "width": (lambda: figures.new_figure(width=0), "width: got 0, expected inches"),
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
    fig, ax = figures.new_figure()
    ax.plot([1, 2], [1, 2], color="#123456")
    with pytest.raises(ValueError, match="got #123456.*figures.colour"):
        figures.finish(fig, **SAY)
    fig, ax = figures.new_figure()
    ax.imshow(M)
    with pytest.raises(ValueError, match="imshow.*figures.heat_map"):
        figures.finish(fig, **SAY)
