"""What the check prints: the smallest input, both results and the first difference."""

import numpy as np

from transformer_workshop.judge import judge
from transformer_workshop.report import named_arrays, sentences, written
from transformer_workshop.tasks import tasks

ATTENTION = tasks()["scaled_dot_product_attention"]


def test_two_mistakes_at_once_are_both_named():
    wrong = frozenset({"no scale", "ignored"})
    verdict = judge(ATTENTION, lambda *x: ATTENTION.reference(*x, slips=wrong))
    lines = sentences(verdict, ATTENTION)
    assert lines[1] == "Two mistakes at once:"
    assert "did not divide" in lines[2] and "ignored the mask" in lines[3]


def test_the_part_of_a_tuple_that_differs_is_shown():
    wrong = frozenset({"scores"})
    verdict = judge(ATTENTION, lambda *x: ATTENTION.reference(*x, slips=wrong))
    assert any("result[1][0, 0] is" in line for line in sentences(verdict, ATTENTION))


def test_a_large_array_is_told_by_its_shape():
    assert written(np.zeros((9, 9)), 2) == "an array of shape (9, 9), of float64"


def test_the_arrays_of_a_dict_have_their_names():
    named = named_arrays(["x", "W"], [1, {"norm": {"gamma": 2}, "b": 3}])
    assert dict(named) == {"x": 1, 'W["norm"]["gamma"]': 2, 'W["b"]': 3}
