"""The online softmax: two parts together are what the whole is."""

import numpy as np
import pytest
import torch

from transformer_book import by_hand
from transformer_workshop.judge import judge
from transformer_workshop.tasks.merge_softmax_parts import TASK, softmax_part


def test_merged_parts_give_the_output_of_attention():
    random = np.random.default_rng(1)
    Q, K, V = (random.normal(size=(5, 4)) for _ in range(3))
    scores = Q @ K.T / 2
    parts = [softmax_part(scores[:, own], V[own]) for own in (slice(3), slice(3, None))]
    for merge in (TASK.reference, TASK.solution):
        m, l, o = merge(*parts[0], *parts[1])  # noqa: E741
        whole, _ = by_hand.scaled_dot_product_attention(Q, K, V)
        assert np.allclose(o / l, whole)
        assert np.allclose([m, l], softmax_part(scores, V)[:2])


def by_loops(m_1, l_1, o_1, m_2, l_2, o_2):
    m, l, o = (np.zeros(x.shape) for x in (m_1, l_1, o_1))  # noqa: E741
    for place in np.ndindex(m_1.shape[:-1]):
        m[place] = max(m_1[place][0], m_2[place][0])
        for largest, total, values in ((m_1, l_1, o_1), (m_2, l_2, o_2)):
            factor = np.exp(largest[place] - m[place])
            l[place] += total[place] * factor
            o[place] += values[place] * factor
    return m, l, o


def by_logarithms(m_1, l_1, o_1, m_2, l_2, o_2):
    m = torch.maximum(m_1, m_2)
    total = torch.logaddexp(m_1 + l_1.log(), m_2 + l_2.log())
    return m, (total - m).exp(), o_1 * (m_1 - m).exp() + o_2 * (m_2 - m).exp()


@pytest.mark.parametrize("function", [by_loops, by_logarithms])
def test_other_right_functions_are_right(function):
    assert judge(TASK, function).state == "right"


def test_the_loop_of_a_tile_is_told_that_it_corrects_one_part_only():
    def only_the_earlier(m_1, l_1, o_1, m_2, l_2, o_2):
        m = np.maximum(m_1, m_2)
        shrink = np.exp(m_1 - m)
        return m, shrink * l_1 + l_2, shrink * o_1 + o_2

    verdict = judge(TASK, only_the_earlier)
    assert [(slip.name, slip.mistake) for slip in verdict.slips] == [("second", "M30")]


def test_averages_that_are_merged_are_told_from_sums():
    def of_averages(m_1, l_1, o_1, m_2, l_2, o_2):
        m = np.maximum(m_1, m_2)
        f_1, f_2 = l_1 * np.exp(m_1 - m), l_2 * np.exp(m_2 - m)
        return m, f_1 + f_2, (f_1 * o_1 + f_2 * o_2) / (f_1 + f_2)

    names = {slip.name for slip in judge(TASK, of_averages).slips}
    assert names == {"divided", "averages"}
