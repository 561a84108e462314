"""What the check prints: the smallest input, both results and the first difference."""

import numpy as np

from transformer_workshop.judge import Verdict, judge
from transformer_workshop.report import (
    format_value,
    iterate_named_values,
    verdict_lines,
    verdict_table,
)
from transformer_workshop.tasks import tasks_by_name

ATTENTION = tasks_by_name()["scaled_dot_product_attention"]


def test_two_mistakes_at_once_are_both_named():
    wrong = frozenset({"no scale", "ignored"})
    verdict = judge(ATTENTION, lambda *x: ATTENTION.reference(*x, slips=wrong))
    lines = verdict_lines(verdict, ATTENTION)
    assert lines[1] == "Two mistakes at once:"
    assert "did not divide" in lines[2] and "ignored the mask" in lines[3]


def test_the_first_function_that_is_not_written_is_the_next_one():
    states = ["right", "todo", "wrong", "todo"]
    marks = list(
        verdict_table([Verdict("f", state) for state in states]).columns[2].cells
    )
    assert [mark.split("[")[0].strip() for mark in marks] == ["", "next", "", "to do"]


def test_the_part_of_a_tuple_that_differs_is_shown():
    wrong = frozenset({"scores"})
    verdict = judge(ATTENTION, lambda *x: ATTENTION.reference(*x, slips=wrong))
    assert any(
        "result[1][0, 0] is" in line for line in verdict_lines(verdict, ATTENTION)
    )


def test_a_large_array_is_told_by_its_shape():
    assert format_value(np.zeros((9, 9)), 2) == "an array of shape (9, 9), of float64"


def test_the_arrays_of_a_dict_have_their_names():
    named = iterate_named_values(["x", "W"], [1, {"norm": {"gamma": 2}, "b": 3}])
    assert dict(named) == {"x": 1, 'W["norm"]["gamma"]': 2, 'W["b"]': 3}


def test_an_array_that_is_given_twice_is_shown_once_and_those_of_a_dict_in_a_line():
    def shown(name):
        task = tasks_by_name()[name]
        verdict = judge(
            task, lambda *x: task.reference(*x, slips=frozenset({"residual", "pre"}))
        )
        return verdict_lines(verdict, task)

    assert "  keys = queries" in shown("multi_head_attention")
    assert '  W["feed_forward"]["W_1"] = [[1.], [0.]]' in shown("encoder_layer")
