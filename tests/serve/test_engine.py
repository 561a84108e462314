"""The engine: whoever asks beside you, your tokens are those of ``generate``; no block is lost."""

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.nn import models
from transformer_book.decode import DecodeError, Sampling, generate
from transformer_book.nn import LanguageModel
from transformer_book.serve import Engine

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
            cancelled, age = load[i][4], engine.steps - request.arrived
            running = request.id in engine.requests
            if running and cancelled is not None and cancelled <= age:
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
    assert engine.cache.allocator.free_count == blocks


def test_who_is_sent_back_writes_the_same(model):
    engine = Engine(model, blocks=8, block_size=4, most=4)
    prompts = [[4, 5, 6], [7, 8], [9, 10, 4, 4], [5]]
    requests = [engine.add(p, 19, seed=i + 1) for i, p in enumerate(prompts)]
    engine.run()
    assert sum(request.preempted for request in requests) > 0
    assert requests[0].preempted == 0  # who came first is never sent back
    for i, request in enumerate(requests):
        assert request.written == alone(model, prompts[i], 19, seed=i + 1)
    assert engine.cache.allocator.free_count == 8


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
    before = engine.cache.allocator.free_count
    assert engine.cancel(gone.id) is gone and not gone.ended
    assert engine.cache.allocator.free_count > before
    engine.cancel(waits.id)
    engine.run()
    assert keep.written == alone(model, [4, 5, 6], 9)
    assert len(gone.written) == 1 and waits.written == []
    assert engine.cache.allocator.free_count == 12


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
    assert engine.requests == {} and engine.cache.allocator.free_count == 4


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
