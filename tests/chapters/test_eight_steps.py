"""The worked example's steps that attention keeps to itself, and its two slips."""

import numpy as np
import pytest
import scipy.special

from tests import worked_example as fact
from transformer_book import by_hand

# Q, K, V and the scores of both heads, worked out apart from the package.
Q = [[[1, 0], [2, 4], [2, 2]], [[2, 1], [0, 2], [2, 2]]]
K = [[[0, 1], [4, 0], [2, 1]], [[1, 1], [2, 0], [2, 1]]]
V = [[[1, 2], [2, 8], [2, 6]], [[5, 0], [2, 4], [6, 2]]]
SCORES = np.array(
    [
        [
            [0, 2.82842712, 1.41421356],
            [2.82842712, 5.65685425, 5.65685425],
            [1.41421356, 5.65685425, 4.24264069],
        ],
        [
            [2.12132034, 2.82842712, 3.53553391],
            [1.41421356, 0, 1.41421356],
            [2.82842712, 2.82842712, 4.24264069],
        ],
    ]
)
WEIGHTS = [fact.WEIGHTS_1, fact.WEIGHTS_2]
H_ONE_SOFTMAX = [  # the softmax of head 2 taken over the whole matrix
    [2.746, 2.425, 8.146, 11.734],
    [2.042, 0.345, 6.927, 9.173],
    [3.190, 4.313, 8.746, 13.846],
]


@pytest.mark.parametrize(
    ("W", "expected"), [(fact.W_Q, Q), (fact.W_K, K), (fact.W_V, V)]
)
def test_each_head_gets_its_own_queries_keys_and_values(W, expected):
    np.testing.assert_array_equal(by_hand.split_heads(fact.X @ W, 2), expected)


def test_softmax_of_the_scores_gives_the_weights():
    np.testing.assert_allclose(by_hand.softmax(SCORES), WEIGHTS, rtol=0, atol=1e-8)


def test_attention_used_these_scores():
    """The logarithm of a row of weights is its row of scores, up to one number for the row."""
    _, weights = by_hand.multi_head_attention(
        fact.X, fact.X, fact.X, fact.W_Q, fact.W_K, fact.W_V, fact.W_O, h=2
    )
    used = np.log(weights) + scipy.special.logsumexp(SCORES, axis=-1, keepdims=True)
    np.testing.assert_allclose(used, SCORES, rtol=0, atol=1.2e-8)


def test_one_softmax_for_the_whole_matrix_gives_other_budgets_and_another_output():
    wrong = by_hand.softmax(SCORES[1].reshape(-1)).reshape(3, 3)
    np.testing.assert_allclose(wrong.sum(axis=-1), [0.346, 0.054, 0.601], atol=5e-4)
    right = np.stack([by_hand.softmax(SCORES[0]), wrong])
    H = by_hand.merge_heads(right @ np.array(V, dtype=float)) @ fact.W_O
    np.testing.assert_allclose(H, H_ONE_SOFTMAX, rtol=0, atol=5.1e-4)
    assert not np.isclose(H, fact.H).any(axis=1).all()


def test_matrices_of_different_heads_give_the_weights_of_neither():
    W_K_of_head_2 = np.hstack([fact.W_K2, fact.W_K2])
    _, weights = by_hand.multi_head_attention(
        fact.X, fact.X, fact.X, fact.W_Q, W_K_of_head_2, fact.W_V, fact.W_O, h=2
    )
    assert not any(np.allclose(weights[0], right, atol=1e-3) for right in WEIGHTS)
    np.testing.assert_allclose(weights[1], fact.WEIGHTS_2, rtol=0, atol=5e-9)
