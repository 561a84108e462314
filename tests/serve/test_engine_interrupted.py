"""The engine, interrupted at any line: it goes on with the right tokens, and no block is lost."""

import sys

import pytest
import torch

import transformer_book.serve
from tests.serve import test_engine
from tests.serve.test_engine import alone
from transformer_book.serve import Engine, Request

model = test_engine.model
LOAD = [([4, 5, 6, 7, 8, 9], 9, None), ([7, 8], 6, 1), ([9, 10, 4, 4], 9, 2)]


def wanted(model):
    return [alone(model, *asked) for asked in LOAD]


def steps_after(engine, count):
    """Ask for the load and make some steps."""
    requests = [engine.add(p, n, seed=seed) for p, n, seed in LOAD]
    for _ in range(count):
        engine.step()
    return requests


def interrupt(monkeypatch, owner, name, after):
    """Let the call of a method that comes after some others be interrupted, before or behind it."""
    method, calls = getattr(owner, name), []

    def interrupted(*args, **options):
        calls.append(name)
        if len(calls) == after + 1:
            raise KeyboardInterrupt
        result = method(*args, **options)
        if len(calls) == -after:
            raise KeyboardInterrupt
        return result

    monkeypatch.setattr(owner, name, interrupted)


PLACES = {
    "a layer": lambda engine: (engine.model.layers[1], "forward"),
    "the logits": lambda engine: (engine.model, "logits"),
    "a draw": lambda engine: (Request, "draw"),
    "a token": lambda engine: (Request, "write"),
    "a block": lambda engine: (transformer_book.serve.PagedCache, "append"),
    "an admission": lambda engine: (transformer_book.serve.PagedCache, "add"),
    "an end": lambda engine: (transformer_book.serve.Scheduler, "remove"),
}


@pytest.mark.parametrize("after", [0, 1, -1])
@pytest.mark.parametrize("place", PLACES)
def test_an_interrupted_run_goes_on_with_the_right_tokens(
    model, place, after, monkeypatch
):
    engine = Engine(model, blocks=7, block_size=4, most=2)
    requests = steps_after(engine, 1 if place != "an admission" else 0)
    interrupt(monkeypatch, *PLACES[place](engine), after)
    with pytest.raises(KeyboardInterrupt):
        engine.run()
    monkeypatch.undo()
    assert engine.run() == {r.id: w for r, w in zip(requests, wanted(model))}
    for request in requests:
        assert len(request.steps) - len(request.written) in (0, 1)
    assert engine.cache.allocator.free_count == 7 and not engine.requests


def interrupt_at_line(count, work):
    """Do as Ctrl+C does at a line of the package that ``work`` comes to; return whether it came."""
    package, left, came = transformer_book.serve.__path__[0], count, False

    def watch(frame, event, arg):
        nonlocal left, came
        if not frame.f_code.co_filename.startswith(package):
            return None
        left -= event == "line"
        if left < 0:
            sys.settrace(None)
            came = True
            raise KeyboardInterrupt
        return watch

    before = sys.gettrace()
    try:
        sys.settrace(watch)
        work()
    except KeyboardInterrupt:
        pass
    finally:
        sys.settrace(before)
    return came


def test_a_run_may_be_interrupted_at_any_line(model):
    expected, line, came = wanted(model), 0, True
    while came:
        engine = Engine(model, blocks=7, block_size=4, most=2)
        requests = steps_after(engine, 1)
        came = interrupt_at_line(line, engine.run)
        engine.run()
        assert [request.written for request in requests] == expected, f"line {line}"
        assert engine.cache.allocator.free_count == 7
        line += 97
    assert line > 1000


def test_a_request_takes_back_what_a_step_has_begun():
    request, logits = Request(0, [4], 3, seed=1), torch.zeros(10_000)
    request.write(request.draw(logits), 1)
    expected = request.draw(logits)
    request.steps.append(2)
    request.drop_unfinished_step()
    assert request.steps == [1] and not request.ended
    assert request.draw(logits) == expected


def test_who_asks_or_cancels_may_be_interrupted_at_any_line(model):
    line, came = 0, True
    while came:
        engine = Engine(model)
        one, two = engine.add([4, 5], 3), engine.add([6], 3)
        engine.step()

        def work(engine=engine, one=one):
            engine.add([7, 8], 3)
            engine.cancel(one.id)

        came = interrupt_at_line(line, work)
        found = engine.run()
        for request in (one, two):
            if request.ended:
                assert found.pop(request.id) == alone(model, request.prompt, 3)
        assert [*found.values()] in ([], [alone(model, [7, 8], 3)])
        assert two.ended and not engine.requests
        line += 3


def test_a_run_after_one_that_was_interrupted_returns_all_that_ended(
    model, monkeypatch
):
    engine = Engine(model)
    early, late = engine.add([4, 5], 2), engine.add([6], 9)
    interrupt(monkeypatch, engine, "step", 3)
    with pytest.raises(KeyboardInterrupt):
        engine.run()
    monkeypatch.undo()
    assert early.ended and not late.ended
    assert engine.run() == {
        r.id: alone(model, r.prompt, r.tokens) for r in (early, late)
    }
