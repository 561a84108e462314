"""A model of another kind is refused at the door of whatever would ask it for a word."""

import numpy as np
import pytest
import torch

from tests.decode import cases
from transformer_book import decode, nn, serve
from transformer_book.data import EOS
from transformer_book.decode import DecodeError

PROMPT = torch.tensor([[4, 5, 6]])
SOURCE = torch.tensor([[4, 5, EOS]])
DRAWS = torch.Generator()


def language_model():
    config = cases.lively().config.changed(norm="pre")
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(0)
        return nn.LanguageModel(config).eval()


TRANSLATE = {
    "greedy": lambda model: decode.greedy(model, SOURCE),
    "beam_search": lambda model: decode.beam_search(model, SOURCE, 2),
    "sample": lambda model: decode.sample(model, SOURCE, generator=DRAWS),
    "steps": lambda model: decode.steps(model, SOURCE),
    "log_probability": lambda model: decode.log_probability(model, SOURCE, [[4]]),
    "translate": lambda model: decode.translate(model, None, "The cat sat."),
}
CONTINUE = {
    "generate": lambda model: decode.generate(model, PROMPT, 2),
    "speculative": lambda model: decode.speculative(model, lambda ids: ids, PROMPT, 2),
    "Engine": serve.Engine,
}
NEITHER = {
    "Encoder": lambda: nn.Encoder(cases.lively().config.changed(kind="encoder-only")),
    "torch.nn.Transformer": lambda: torch.nn.Transformer(8, 2, 1, 1, 8),
    "Linear": lambda: torch.nn.Linear(2, 2),
    "DataParallel": lambda: torch.nn.DataParallel(cases.lively()),
    "a class": lambda: nn.Transformer,
    "nothing": lambda: None,
}


@pytest.mark.parametrize("name", TRANSLATE)
@pytest.mark.parametrize("make", [language_model, *NEITHER.values()])
def test_what_cannot_translate_is_refused(name, make):
    said = rf"^{name}: model is of <class .*; expected an nn.Transformer\..*generate"
    with pytest.raises(DecodeError, match=said):
        TRANSLATE[name](make())


@pytest.mark.parametrize("name", CONTINUE)
@pytest.mark.parametrize("make", [cases.lively, *NEITHER.values()])
def test_what_cannot_continue_a_text_is_refused(name, make):
    said = rf"^{name}: model is of <class .*; expected an nn.LanguageModel\..*greedy"
    with pytest.raises(DecodeError, match=said):
        CONTINUE[name](make())


def test_a_compiled_or_adapted_model_passes():
    model = nn.adapt(language_model(), 2)
    expected = decode.generate(model, PROMPT, 3)
    compiled = torch.compile(model, backend="eager")
    assert decode.generate(compiled, PROMPT, 3) == expected
    engine = serve.Engine(compiled)
    request = engine.add(PROMPT[0].tolist(), 3)
    assert engine.run() == {request.id: expected[0]}
    translator = torch.compile(cases.lively(), backend="eager")
    assert decode.greedy(translator, SOURCE) == decode.greedy(cases.lively(), SOURCE)


@pytest.mark.parametrize("cache", [nn.DecoderCache(2), nn.KeyValueCache(), {}])
def test_a_cache_of_another_kind_is_refused(cache):
    with pytest.raises(
        DecodeError, match="cache is of .*expected an nn.LanguageModelC"
    ):
        decode.generate(language_model(), PROMPT, 2, cache=cache)


def test_a_draft_that_cannot_be_called_is_refused():
    with pytest.raises(DecodeError, match="draft is None; expected a function"):
        decode.speculative(language_model(), None, PROMPT, 2)


def test_numbers_of_numpy_are_numbers():
    model, draw = language_model(), lambda: torch.Generator().manual_seed(3)
    plain = decode.Sampling(1.5, 4, 0.75)
    expected = decode.generate(model, PROMPT, 5, plain, generator=draw())
    sampling = decode.Sampling(np.float32(1.5), np.int32(4), np.float64(0.75))
    numbers = np.int64(5), sampling
    assert decode.generate(model, PROMPT, *numbers, generator=draw()) == expected
    engine = serve.Engine(
        model, blocks=np.int64(8), block_size=np.int32(4), most=np.int64(2)
    )
    request = engine.add([4, 5, 6], *numbers, seed=np.int64(3))
    assert engine.run() == {request.id: expected[0]}
    assert engine.cache.allocator.free_count == 8
    translator = cases.lively()
    given = decode.beam_search(
        translator, SOURCE, np.int64(2), np.float32(0.5), max_length=np.int64(7)
    )
    assert given == decode.beam_search(translator, SOURCE, 2, 0.5, max_length=7)


@pytest.mark.parametrize("wrong", [True, torch.tensor(2), np.array([2]), "2", 2.0])
def test_what_only_looks_like_a_whole_number_is_none(wrong):
    model, translator = language_model(), cases.lively()
    for name, call in {
        "tokens": lambda: decode.generate(model, PROMPT, wrong),
        "k": lambda: decode.speculative(model, lambda ids: ids, PROMPT, 2, wrong),
        "seed": lambda: serve.Engine(model).add([4], 2, seed=wrong),
        "most": lambda: serve.Engine(model, most=wrong),
        "blocks": lambda: serve.Engine(model, blocks=wrong),
        "beams": lambda: decode.beam_search(translator, SOURCE, wrong),
        "max_length": lambda: decode.greedy(translator, SOURCE, max_length=wrong),
    }.items():
        with pytest.raises(ValueError, match=f"{name} is .*; expected "):
            call()
