"""The engine and its model's weights: others come while it runs, and some make no numbers."""

import copy

import pytest
import torch

from tests.serve import test_engine
from tests.serve.test_engine import alone
from transformer_book.data import EOS
from transformer_book.decode import DecodeError
from transformer_book.serve import Engine

model = test_engine.model


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
    torch.manual_seed(2)  # one after which every change is seen in the tokens
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
    assert engine.cache.allocator.free_count == 16


@pytest.mark.parametrize("change", sorted({*CHANGES} - {"data of one"}))
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
    assert engine.cache is cache and cache.allocator.shared_count == 0
    assert cache._texts[1].keys and engine.run()
    assert cache.add("again", [4, 5, 6, 7, 9]) == 4


def dizzy(model, token):
    """Return a copy of a model that this token makes dizzy."""
    model = copy.deepcopy(model)
    with torch.no_grad():
        model.output = torch.nn.Parameter(model.embedding.detach().clone())
        model.embedding[token] = torch.nan
    return model


NO_NUMBERS = "Engine: the logits of the text of request {}, after {} tokens are not"


def test_a_text_without_numbers_ends_and_the_others_go_on(model):
    model = dizzy(model, 9)
    engine = Engine(model, blocks=12, block_size=4)
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
            expected = alone(model, prompt, 6)
            assert found[i] == requests[i].written == expected
            assert requests[i].error is None
    assert engine.cache.allocator.free_count == 12 and engine.run() == {}


@pytest.mark.parametrize("token", range(3, 11))
def test_a_text_may_lose_its_numbers_on_the_way(model, token):
    """Its rows are then among those of the others, and stay in blocks that they take next."""
    model, prompts = dizzy(model, token), [[4, 5, 6], [7], [8, 8], [10, 4, 4, 4, 6]]
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


def test_a_failed_text_is_not_begun_again_by_its_prompt(model):
    """A beginning that has no numbers may be shared; who shares it says so too."""
    engine = Engine(dizzy(model, 9), block_size=2)
    for _ in range(2):
        engine.add([9, 4, 5, 6, 7], 3)
        with pytest.raises(DecodeError, match="not finite"):
            engine.run()
    assert EOS not in engine.add([4, 5], 3).written and engine.run()
