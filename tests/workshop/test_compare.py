"""Results beside what is expected: kinds, shapes, and the first place where numbers differ."""

import numpy as np
import pytest
import torch

from transformer_workshop.compare import as_arrays, first_difference


@pytest.mark.parametrize(
    "result, expected, says",
    [
        ([1.0, 2.0], (np.array([1.0, 2.0]), 3.0), "it returned one value; expected 2"),
        ([[1.0]], [1.0], "the shape is (1, 1); expected (1,)"),
        ([1, 0], [True, False], "the entries are numbers; expected True and False"),
        (["a", "b"], ["a"], "the shape is (2,); expected (1,)"),
    ],
)
def test_a_difference_in_kind_is_told(result, expected, says):
    assert first_difference(as_arrays(result), as_arrays(expected), 1e-4).says == says


@pytest.mark.parametrize(
    "result, expected, index",
    [
        ([[1, 2], [3, 5]], [[1, 2], [3, 4]], (1, 1)),
        ([0.0, np.nan], [0.0, 1.0], (1,)),
        ([0.0, np.inf], [0.0, 1.0], (1,)),
        ([-np.inf, 1.0], [-np.inf, 1.1], (1,)),
        (["a", "c"], ["a", "b"], (1,)),
    ],
)
def test_the_first_difference_is_found(result, expected, index):
    assert first_difference(as_arrays(result), as_arrays(expected), 1e-4).index == index


@pytest.mark.parametrize(
    "result",
    [
        [1.0, -np.inf, np.nan],
        torch.tensor([1.0, -torch.inf, torch.nan], requires_grad=True),
        np.array([1.00001, -np.inf, np.nan], dtype=np.float32),
    ],
)
def test_equal_results_of_any_kind_are_equal(result):
    expected = as_arrays(np.array([1.0, -np.inf, np.nan]))
    assert first_difference(as_arrays(result), expected, 1e-4) is None
