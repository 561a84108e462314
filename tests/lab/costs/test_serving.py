"""Loads, static batches, and who waited when."""

import numpy as np
import pytest
import torch

from tests.nn import models
from transformer_book.decode import generate
from transformer_book.nn import LanguageModel
from transformer_book.serve import Engine
from transformer_lab.costs import serving


@pytest.fixture(scope="session")
def model():
    torch.manual_seed(0)
    made = LanguageModel(models.config(norm="pre", N=1)).double().eval()
    with torch.no_grad():  # no text ends by itself
        made.output[3] = -made.output[5:].mean(0)
    return made


ASKED = [serving.TimedRequest(0, [4, 5], n) for n in (3, 7, 2, 4)]


def test_a_load_is_cut_out_of_its_text():
    ids = np.arange(100)
    load = serving.load(ids, 50, 0, prompt=(2, 5), tokens=(3, 9), gap=2.0)
    assert {len(one.prompt) for one in load} == {2, 3, 4, 5}
    assert {one.tokens for one in load} == {*range(3, 10)}
    assert all(np.all(np.diff(one.prompt) == 1) for one in load)
    times = [one.at for one in load]
    assert times[0] == 0 and times == sorted(times) and 1 < np.diff(times).mean() < 3
    assert all(one.at == 0 for one in serving.load(ids, 3, 0, prompt=(2, 5)))


@pytest.mark.parametrize(
    "scheduler, expected",
    [
        (serving.StaticScheduler, [(1, 3), (1, 7), (8, 9), (8, 11)]),
        (None, [(1, 3), (1, 7), (4, 5), (6, 9)]),
    ],
)
def test_a_static_batch_waits_for_its_longest(model, scheduler, expected):
    options = {} if scheduler is None else {"scheduler": scheduler}
    requests, seconds = serving.play(Engine(model, most=2, **options), ASKED)
    (ids,) = generate(model, torch.tensor([[4, 5]]), 7)
    assert [(r.steps[0], r.steps[-1]) for r in requests] == expected
    assert all(r.written == ids[: r.tokens] and len(ids) == 7 for r in requests)
    assert len(seconds) == 1 + expected[-1][1] and (np.diff(seconds) > 0).all()
    waits = serving.first_tokens(ASKED, requests, seconds)
    assert waits[2] == seconds[expected[2][0]]


def test_spans_say_who_waits_writes_and_is_idle(model):
    engine = Engine(model, most=2, scheduler=serving.StaticScheduler)
    requests, _ = serving.play(engine, ASKED)
    assert serving.request_phases(requests) == [
        [(0, 3, "writes"), (3, 7, "idle")],
        [(0, 7, "writes")],
        [(0, 7, "waits"), (7, 9, "writes"), (9, 11, "idle")],
        [(0, 7, "waits"), (7, 11, "writes")],
    ]


def test_a_place_that_is_given_away_is_not_idle(model):
    requests, _ = serving.play(Engine(model, most=2), ASKED)
    assert serving.request_phases(requests) == [
        [(0, 3, "writes")],
        [(0, 7, "writes"), (7, 9, "idle")],
        [(0, 3, "waits"), (3, 5, "writes")],
        [(0, 5, "waits"), (5, 9, "writes")],
    ]


def test_who_was_sent_back_waits_again(model):
    engine = Engine(model, blocks=4, block_size=4, most=2)
    requests, _ = serving.play(
        engine, [serving.TimedRequest(0, [i], 12) for i in (4, 6)]
    )
    _, own = serving.request_phases(requests)
    assert requests[1].preempted == 1
    assert [kind for *_, kind in own] == ["writes", "waits", "writes"]
    assert own[1][1] == requests[0].steps[-1] == 12  # until the other's blocks are free


@pytest.mark.parametrize("clock", [False, True])
def test_each_comes_when_its_time_has_come(model, clock):
    late = [
        serving.TimedRequest(0, [4], 2),
        serving.TimedRequest(0.2 if clock else 6, [5], 2),
    ]
    requests, seconds = serving.play(Engine(model), late, clock=clock)
    assert requests[1].steps[0] == (3 if clock else 7)
    if clock:
        assert (
            seconds[3] >= 0.2 and serving.first_tokens(late, requests, seconds)[1] > 0
        )


def test_who_leaves_is_cancelled(model):
    asked = [
        serving.TimedRequest(0, [4], 9, leaves=3),
        serving.TimedRequest(2, [5], 4, leaves=9),
    ]
    engine = Engine(model, blocks=8)
    (gone, stays), _ = serving.play(engine, asked)
    assert gone.steps == [1, 2, 3] and not gone.ended
    assert stays.ended and stays.steps == [3, 4, 5, 6]
    assert engine.cache.allocator.free_count == 8
