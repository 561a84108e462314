"""Workers played by one: a sum that goes round, a network in parts, a pipeline's timetable."""

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from transformer_book import by_hand
from transformer_book.options import ConfigError
from transformer_book.shapes import ShapeError


@given(p=st.integers(1, 6), n=st.integers(1, 30), seed=st.integers(0, 9))
def test_every_worker_of_a_ring_ends_with_the_sum(p, n, seed):
    parts = list(np.random.default_rng(seed).normal(size=(p, n)))
    before = [part.copy() for part in parts]
    sums, _ = by_hand.ring_all_reduce(parts)
    assert len(sums) == p
    for found in sums:
        np.testing.assert_allclose(found, np.sum(before, axis=0), atol=1e-12)
    assert all(np.array_equal(a, b) for a, b in zip(parts, before, strict=True))


@pytest.mark.parametrize("p", [1, 2, 3, 4, 8])
def test_a_worker_of_a_ring_sends_what_the_formula_says(p):
    _, sent = by_hand.ring_all_reduce([np.ones(24)] * p)
    assert sent == [2 * (p - 1) * 24 // p] * p


@pytest.mark.parametrize("p", [1, 2, 4])
@pytest.mark.parametrize("activation", [by_hand.relu, np.tanh])
def test_the_parts_of_a_network_add_up_to_that_of_torch(p, activation):
    rng = np.random.default_rng(p)
    x, W_1, b_1 = (
        rng.normal(size=(2, 3, 6)),
        rng.normal(size=(6, 8)),
        rng.normal(size=8),
    )
    W_2, b_2 = rng.normal(size=(8, 6)), rng.normal(size=6)
    first, second = torch.nn.Linear(6, 8).double(), torch.nn.Linear(8, 6).double()
    for module, W, b in ((first, W_1, b_1), (second, W_2, b_2)):
        module.load_state_dict({"weight": torch.tensor(W.T), "bias": torch.tensor(b)})
    between = torch.relu if activation is by_hand.relu else torch.tanh
    expected = second(between(first(torch.tensor(x)))).detach().numpy()
    parts = by_hand.feed_forward_in_parts(x, W_1, b_1, W_2, p, activation)
    assert len(parts) == p
    np.testing.assert_allclose(sum(parts) + b_2, expected)


@pytest.mark.parametrize("early", [False, True])
@pytest.mark.parametrize("p", [1, 2, 4, 5])
@pytest.mark.parametrize("m", [1, 3, 4, 8])
def test_a_timetable_keeps_its_order_and_has_the_bubble_of_the_formula(p, m, early):
    table = by_hand.pipeline_timetable(p, m, early)
    assert {len(row) for row in table} == {2 * (m + p - 1)}
    for row in table:
        assert row.count("") == 2 * (p - 1)
    at = [{task: slot for slot, task in enumerate(row) if task} for row in table]
    for i in range(1, m + 1):
        forward = [own[f"F{i}"] for own in at]
        back = [own[f"B{i}"] for own in at]
        assert forward == sorted(set(forward)) and back == sorted(set(back))[::-1]
        assert forward[-1] < back[-1]


def test_early_a_stage_keeps_no_more_parts_than_there_are_stages_from_it_on():
    most = []
    for early in (False, True):
        table = by_hand.pipeline_timetable(4, 8, early)
        steps = [[{"F": 1, "B": -1}.get(task[:1], 0) for task in row] for row in table]
        most.append(np.cumsum(steps, axis=1).max(axis=1).tolist())
    assert most == [[8, 8, 8, 8], [4, 3, 2, 1]]


@pytest.mark.parametrize(
    "action, said",
    [
        (lambda: by_hand.ring_all_reduce([]), "the number of parts is 0"),
        (
            lambda: by_hand.ring_all_reduce([np.ones(2), np.ones(3)]),
            "part 1 has shape (3,); expected (2,), the shape of part 0",
        ),
        (
            lambda: by_hand.feed_forward_in_parts(
                *map(np.ones, ((1, 2), (2, 6), 6, (6, 2))), 4
            ),
            "d_ff is 6 and there are 4 workers; expected a number of workers that divides 6",
        ),
    ],
)
def test_what_cannot_be_shared_is_named(action, said):
    with pytest.raises(ShapeError, match=r"expected") as error:
        action()
    assert said in str(error.value)


@pytest.mark.parametrize(
    "action, said",
    [
        (lambda: by_hand.pipeline_timetable(0, 4), "stages is 0; expected a whole"),
        (lambda: by_hand.pipeline_timetable(4, 1.5), "microbatches is 1.5; expected"),
        (
            lambda: by_hand.feed_forward_in_parts(
                *map(np.ones, ((1, 2), (2, 6), 6, (6, 2))), 0
            ),
            "p is 0; expected a number of workers",
        ),
    ],
)
def test_a_number_of_workers_is_a_setting(action, said):
    with pytest.raises(ConfigError, match=said):
        action()
