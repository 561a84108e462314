"""The engine: whoever asks beside you, your tokens are those of ``generate``; no block is lost."""

import copy
import sys

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

import transformer_book.serve
from tests.nn import models
from transformer_book.data import EOS
from transformer_book.decode import DecodeError, Sampling, generate
from transformer_book.nn import LanguageModel
from transformer_book.serve import Engine, Request

DRAWN = {"sampling": Sampling(temperature=1.3, top_k=6, top_p=0.9)}


@pytest.fixture(scope="session")
def model():
    torch.manual_seed(3)
    return LanguageModel(models.config(norm="pre", N=2)).double().eval()


def alone(model, prompt, tokens, seed=None, **settings):
    draw = None if seed is None else torch.Generator().manual_seed(seed)
    (ids,) = generate(model, torch.tensor([prompt]), tokens, **settings, generator=draw)
    return ids


@st.composite
def asked(draw):
    """A prompt, how many tokens, the settings, when it comes, and when it is cancelled if at all."""
    prompt = draw(st.lists(st.integers(3, 10), min_size=1, max_size=9))
    tokens = draw(st.integers(1, 24 - len(prompt)))
    seed = draw(st.none() | st.integers(0, 99))
    own = {} if seed is None else {"seed": seed, **draw(st.sampled_from([{}, DRAWN]))}
    cancelled = draw(st.none() | st.none() | st.integers(0, 25))
    return prompt, tokens, own, draw(st.integers(0, 12)), cancelled


@settings(max_examples=40)
@given(st.lists(asked(), min_size=1, max_size=7), st.integers(6, 20), st.integers(1, 4))
def test_any_load_gets_what_each_gets_alone_and_gives_all_blocks_back(
    model, load, blocks, most
):
    engine = Engine(model, blocks=blocks, block_size=4, most=most)
    requests = {}
    while engine.requests or len(requests) < len(load):
        for i, (prompt, tokens, own, arrives, _) in enumerate(load):
            if i not in requests and arrives <= engine.steps:
                requests[i] = engine.add(prompt, tokens, **own)
        for i, request in requests.items():
            after, running = load[i][4], request.id in engine.requests
            if (
                running
                and after is not None
                and after <= engine.steps - request.arrived
            ):
                engine.cancel(request.id)
        engine.step()
        assert len(engine.scheduler.running) <= most
        assert engine.steps < 500
    for i, request in requests.items():
        prompt, tokens, own, *_ = load[i]
        expected = alone(model, prompt, tokens, **own)
        if request.ended:
            assert request.written == expected
        else:  # cancelled
            assert request.written == expected[: len(request.written)]
    assert engine.cache.allocator.left == blocks


def test_who_is_sent_back_writes_the_same(model):
    engine = Engine(model, blocks=8, block_size=4, most=4)
    prompts = [[4, 5, 6], [7, 8], [9, 10, 4, 4], [5]]
    requests = [engine.add(p, 19, seed=i + 1) for i, p in enumerate(prompts)]
    engine.run()
    assert sum(request.preempted for request in requests) > 0
    assert requests[0].preempted == 0  # who came first is never sent back
    for i, request in enumerate(requests):
        assert request.written == alone(model, prompts[i], 19, seed=i + 1)
    assert engine.cache.allocator.left == 8


def test_who_is_sent_back_is_the_next_to_be_let_in(model):
    engine = Engine(model, blocks=4, block_size=4, most=2)
    one, two, three = (engine.add([i], 12) for i in (4, 6, 8))
    engine.step()
    assert engine.scheduler.running == [one, two]
    while not two.preempted:
        engine.step()
    assert engine.scheduler.running == [one]
    assert [*engine.scheduler.waiting] == [two, three]


def test_first_come_first_served_and_gone_at_once(model):
    engine = Engine(model, most=2)
    one, two, three = (engine.add([4, 5], n) for n in (3, 9, 4))
    engine.step()
    assert engine.scheduler.running == [one, two]
    assert [*engine.scheduler.waiting] == [three]
    ended = [engine.step() for _ in range(2)]
    assert one.ended and one not in engine.scheduler.running
    engine.step()
    assert three.steps == [4] and one.steps[-1] == 3
    assert [[request.id for request in some] for some in ended] == [[], [one.id]]


def test_texts_of_like_length_are_read_together_and_others_apart(model):
    engine = Engine(model, blocks=40, block_size=4)
    prompts = [[3] * n for n in (9, 4, 3, 8, 7, 17, 2)]
    requests = [engine.add(prompt, 2) for prompt in prompts]
    read = []
    plain = engine.model.vectors

    def vectors(ids, **options):
        read.append(tuple(ids.shape))
        return plain(ids, **options)

    engine.model.vectors = vectors
    try:
        engine.step()
    finally:
        del engine.model.vectors
    # 2, 3 and 4; 7, 8 and 9; 17, each padded to the longest of its pass.
    assert read == [(3, 4), (3, 9), (1, 17)]
    engine.run()
    assert [r.written for r in requests] == [alone(model, p, 2) for p in prompts]


def test_a_text_that_ends_is_ended(model):
    """EOS is no part of the answer, and takes no more steps."""
    seed = next(s for s in range(50) if len(alone(model, [4, 5], 12, s)) < 10)
    engine = Engine(model)
    request = engine.add([4, 5], 12, seed=seed)
    engine.run()
    expected = alone(model, [4, 5], 12, seed)
    assert request.written == expected and len(request.steps) == len(expected) + 1


def test_run_returns_what_was_written(model):
    engine = Engine(model)
    requests = [engine.add(p, 5) for p in ([4, 5], [6])]
    assert engine.run() == {r.id: r.written for r in requests}
    assert engine.run() == {} and engine.requests == {}


def test_who_is_cancelled_is_gone_and_the_others_go_on(model):
    engine = Engine(model, blocks=12, block_size=4, most=2)
    keep, gone, waits = (engine.add([4, 5, 6], 9) for _ in range(3))
    engine.step()
    before = engine.cache.allocator.left
    assert engine.cancel(gone.id) is gone and not gone.ended
    assert engine.cache.allocator.left > before
    engine.cancel(waits.id)
    engine.run()
    assert keep.written == alone(model, [4, 5, 6], 9)
    assert (
        len(gone.written) == 1
        and waits.written == []
        and engine.cache.allocator.left == 12
    )


@pytest.mark.parametrize(
    "prompt, tokens, own, said",
    [
        ([], 1, {}, "prompt is of shape .* expected a text of a token or more"),
        ([4] * 24, 1, {}, "prompt is 24 tokens long; expected at most 23"),
        ([4], 24, {}, "tokens is 24; expected a whole number from 1 to 23"),
        ([11], 1, {}, "ids from 11 to 11; expected 0 to 10"),
        ([2**70], 1, {}, "ids from 11805.* expected 0 to 10"),
        ([4.7, 5.2], 1, {}, r"prompt is \[4.7, 5.2\]; expected a list of ids, whole"),
        ([True, False], 1, {}, r"prompt is \[True, False\]; expected a list of ids"),
        (torch.tensor([4.0]), 1, {}, r"prompt is tensor\(.*; expected a list of ids"),
        ("abc", 1, {}, "prompt is 'abc'; expected a list of ids, whole numbers"),
        ([[5, 6]], 1, {}, r"prompt is \[\[5, 6\]\]; expected a list of ids, whole"),
        ([None], 1, {}, r"prompt is \[None\]; expected a list of ids, whole numbers"),
        (5, 1, {}, "prompt is 5; expected a list of ids, whole numbers"),
        ([4, 0], 1, {}, r"prompt has \[0\] in it; expected no padding"),
        ([2, 4], 1, {}, r"prompt has \[2\] in it; expected no padding"),
        ([4], True, {}, "tokens is True; expected a whole number"),
        ([4], 5, {"seed": 2**64}, "seed is 18446744073709551616; expected a whole"),
        ([4], 5, {"sampling": Sampling()}, "seed is None; expected a whole number"),
        ([4], 5, {"seed": "a"}, "seed is 'a'; expected a whole number from 0 to 1844"),
        ([4], 5, {"seed": 1, "sampling": 2}, "sampling is 2; expected a decode.Samp"),
        ([4] * 9, 9, {}, "17 .* 5 blocks; expected at most 4"),
    ],
)
def test_what_cannot_be_served_is_one_clear_error(model, prompt, tokens, own, said):
    engine = Engine(model, blocks=4, block_size=4)
    with pytest.raises(DecodeError, match=said):
        engine.add(prompt, tokens, **own)
    assert engine.requests == {} and engine.cache.allocator.left == 4


@pytest.mark.parametrize("kind", [tuple, np.array, torch.tensor])
def test_a_prompt_may_come_as_any_list_of_whole_numbers(model, kind):
    engine = Engine(model)
    request = engine.add(kind([4, 5, 6]), 5)
    engine.run()
    assert request.prompt == [4, 5, 6] and request.written == alone(model, [4, 5, 6], 5)


def test_the_padding_is_that_of_the_model():
    torch.manual_seed(3)
    own = LanguageModel(models.config(norm="pre", N=2, pad_id=7)).double().eval()
    with torch.no_grad():
        own.output[7] = 100 * own.vectors(torch.tensor([[4, 5]]))[0][0, -1]
        assert int(own(torch.tensor([[4, 5]]))[0][0, -1].argmax()) == 7
    engine = Engine(own)
    request = engine.add([4, 5], 9)
    engine.run()
    assert 7 not in request.written and request.written == alone(own, [4, 5], 9)


def test_who_just_fits_is_served(model):
    engine = Engine(model, blocks=4, block_size=4)
    request = engine.add([4] * 9, 8)  # 16 are read, the last one is only written
    engine.run()
    assert request.written == alone(model, [4] * 9, 8)


def test_an_unknown_id_is_one_clear_error(model):
    engine = Engine(model)
    request = engine.add([4], 1)
    with pytest.raises(DecodeError, match=r"id is 7; expected one of \[0\]"):
        engine.cancel(7)
    engine.run()
    with pytest.raises(DecodeError, match=f"id is {request.id}; expected"):
        engine.cancel(request.id)


@pytest.mark.parametrize("name", ["blocks", "block_size", "most"])
def test_a_size_must_be_a_whole_number(model, name):
    with pytest.raises(ValueError, match=f"{name}.* 0.*expected"):
        Engine(model, **{name: 0})


def test_the_model_is_in_evaluation_mode(model):
    model.train()
    assert not Engine(model).model.training


def test_a_step_is_without_dropout_and_leaves_the_mode_as_it_was():
    torch.manual_seed(3)
    model = LanguageModel(models.config(norm="pre", N=2, dropout=0.5)).double()
    engine = Engine(model)
    model.train()
    model.layers[1].eval()
    request = engine.add([4, 5, 6], 12)
    engine.run()
    assert model.training and model.layers[0].training and not model.layers[1].training
    assert request.written == alone(model, [4, 5, 6], 12)


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
    assert engine.cache.allocator.left == 7 and not engine.requests


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
        assert engine.cache.allocator.left == 7
        line += 97
    assert line > 1000


def test_a_request_takes_back_what_a_step_has_begun():
    request, logits = Request(0, [4], 3, seed=1), torch.zeros(10_000)
    request.write(request.draw(logits), 1)
    expected = request.draw(logits)
    request.steps.append(2)
    request.take_back()
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


def trained(model):
    """The same model after some steps of learning."""
    other = copy.deepcopy(model)
    with torch.no_grad():
        for p in other.parameters():
            p += 0.3 * torch.randn_like(p)
    return other


def by_adam(model, other):
    """Take a step of torch's fused Adam."""
    adam = torch.optim.Adam(model.parameters(), lr=0.3, fused=True)
    for p in model.parameters():
        p.grad = torch.randn_like(p)
    adam.step()
    model.zero_grad()


def by_data(model, other):
    for p, new in zip(model.parameters(), other.parameters()):
        p.data.copy_(new)


def by_data_of_one(model, other):
    model.embedding.data.copy_(other.embedding)


def by_new_data(model, other):
    for p, new in zip(model.parameters(), other.parameters()):
        p.data = new.detach().clone()


def by_assigning(model, other):
    model.load_state_dict(copy.deepcopy(other.state_dict()), assign=True)


def by_a_layer(model, other):
    model.layers[0] = other.layers[0]


CHANGES = {
    "load_state_dict": lambda model, other: model.load_state_dict(other.state_dict()),
    "assigned": by_assigning,
    "Adam": by_adam,
    "data": by_data,
    "data of one": by_data_of_one,
    "new data": by_new_data,
    "a layer": by_a_layer,
    "dtype": lambda model, other: model.float(),
}


@pytest.mark.parametrize("change", CHANGES)
def test_other_weights_have_no_keys_and_values_of_the_weights_before(model, change):
    model, other, prompt = copy.deepcopy(model), trained(model), [4, 5, 6, 7, 8, 9, 10]
    engine = Engine(model, blocks=16, block_size=2)
    before = engine.add(prompt, 8)
    engine.run()
    cache = engine.cache
    assert cache.add("same", prompt) == 6  # it would be shared
    cache.free("same")
    CHANGES[change](model, other)
    after = engine.add(prompt, 8)
    engine.run()
    assert after.written == alone(model, prompt, 8)
    assert (before.written == after.written) == (change == "dtype")
    assert engine.cache is not cache
    assert engine.cache.allocator.left == 16


@pytest.mark.parametrize(
    "change", [change for change in CHANGES if change != "data of one"]
)
def test_a_text_that_runs_goes_on_as_the_new_weights_would(model, change):
    model, other = copy.deepcopy(model), trained(model)
    engine = Engine(model)
    request = engine.add([4, 5, 6], 12)
    for _ in range(4):
        engine.step()
    begun = [*request.written]
    CHANGES[change](model, other)
    engine.run()
    assert request.written == begun + alone(model, [4, 5, 6, *begun], 8)


def test_unchanged_weights_keep_what_is_shared(model):
    engine = Engine(model, block_size=2)
    engine.add([4, 5, 6, 7, 8], 3)
    engine.run()
    cache = engine.cache
    engine.add([4, 5, 6, 7, 9], 3)
    engine.step()
    assert engine.cache is cache and cache.allocator.shared == 0
    assert cache._texts[1].keys and engine.run()
    assert cache.add("again", [4, 5, 6, 7, 9]) == 4


@pytest.fixture
def with_nan(model):
    """A model that token 9 makes dizzy."""
    model = copy.deepcopy(model)
    with torch.no_grad():
        model.output = torch.nn.Parameter(model.embedding.detach().clone())
        model.embedding[9] = torch.nan
    return model


NO_NUMBERS = (
    "Engine: the logits of the text of request {}, after {} tokens are not finite"
)


def test_a_text_without_numbers_ends_and_the_others_go_on(with_nan):
    engine = Engine(with_nan, blocks=12, block_size=4)
    # Longer than the others, so that its rows stand where theirs have ended.
    prompts = [[9, 9, 4, 4, 5, 5, 6, 6, 7, 7], [4, 5], [6, 7, 8], [5, 9], [8, 8]]
    requests = [engine.add(p, 6) for p in prompts]
    with pytest.raises(DecodeError, match=NO_NUMBERS.format(0, 0)):
        engine.run()
    with pytest.raises(DecodeError, match=NO_NUMBERS.format(3, 0)):
        engine.run()
    found = engine.run()
    assert [*found] == [1, 2, 4]
    for i, prompt in enumerate(prompts):
        if i in found:
            expected = alone(with_nan, prompt, 6)
            assert found[i] == requests[i].written == expected
            assert requests[i].error is None
    assert engine.cache.allocator.left == 12 and engine.run() == {}


@pytest.mark.parametrize("token", range(3, 11))
def test_a_text_may_lose_its_numbers_on_the_way(model, token):
    """Its rows are then among those of the others, and stay in blocks that they take next."""
    model, prompts = copy.deepcopy(model), [[4, 5, 6], [7], [8, 8], [10, 4, 4, 4, 6]]
    with torch.no_grad():
        model.output = torch.nn.Parameter(model.embedding.detach().clone())
        model.embedding[token] = torch.nan
    engine = Engine(model, blocks=12, block_size=4, most=3)
    requests = [engine.add(p, 12, seed=i) for i, p in enumerate(prompts)]
    while engine.requests:
        engine.step()
    for i, (request, prompt) in enumerate(zip(requests, prompts)):
        text = [*prompt, *request.written]
        if request.error:
            assert token in text
            written = len(request.written)
            assert NO_NUMBERS.format(i, written) in str(request.error)
            if written:
                assert request.written == alone(model, prompt, written, i)
        else:
            assert token not in text[:-1]
            assert request.written == alone(model, prompt, 12, i)


def test_a_failed_text_is_not_begun_again_by_its_prompt(with_nan):
    """A beginning that has no numbers may be shared; who shares it says so too."""
    engine = Engine(with_nan, block_size=2)
    for _ in range(2):
        engine.add([9, 4, 5, 6, 7], 3)
        with pytest.raises(DecodeError, match="not finite"):
            engine.run()
    assert EOS not in engine.add([4, 5], 3).written and engine.run()
