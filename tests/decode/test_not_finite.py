"""A model whose logits are no numbers: every way to decode says so, and only for texts that need them."""

import pytest
import torch

from tests.decode import cases
from tests.nn import models
from transformer_book import decode, nn
from transformer_book.data import EOS
from transformer_book.decode import DecodeError

SAID = r"{}: the logits of texts \[{}\] are not finite; expected numbers.* Look for a weight"
PROMPT = torch.tensor([[4, 7, 5], [9, 9, 8], [10, 6, 4]])


def translator(bad, **changes):
    model = cases.lively(**changes)
    with torch.no_grad():
        model.decoder[0].feed_forward.b_2[0] = bad
    return model


@pytest.fixture
def language():
    torch.manual_seed(3)
    made = nn.LanguageModel(models.config(norm="pre", share="none")).double().eval()
    return made.requires_grad_(False)


WAYS = {
    "greedy": lambda model, source: decode.greedy(model, source),
    "beam_search": lambda model, source: decode.beam_search(model, source),
    "sample": lambda model, source: decode.sample(
        model, source, generator=torch.Generator()
    ),
    "steps": lambda model, source: decode.steps(model, source),
    "log_probability": lambda model, source: decode.log_probability(
        model, source, [[4]] * len(source)
    ),
}


@pytest.mark.parametrize("bad", [torch.nan, torch.inf])
@pytest.mark.parametrize("way", WAYS)
def test_every_way_to_translate_says_so(way, bad):
    model, source = translator(bad), cases.sentences()[1:2]
    with pytest.raises(DecodeError, match=SAID.format(way, 0)):
        WAYS[way](model, source)


@pytest.mark.parametrize("way", ["greedy", "beam_search", "log_probability"])
def test_it_names_the_sentences(way):
    model, source = cases.lively(share="none"), cases.sentences()
    with torch.no_grad():
        model.source_embedding[8] = torch.nan  # a word of the second sentence alone
    with pytest.raises(DecodeError, match=SAID.format(way, 1)):
        WAYS[way](model, source)
    assert WAYS[way](model, source[::2])


@pytest.mark.parametrize("draws", [False, True])
@pytest.mark.parametrize("use_cache", [False, True])
def test_a_text_continued_says_so(language, draws, use_cache):
    draw = torch.Generator() if draws else None
    language.embedding[9] = torch.nan
    with pytest.raises(DecodeError, match=SAID.format("generate", 1)):
        decode.generate(language, PROMPT, 4, generator=draw, use_cache=use_cache)


def test_a_draft_and_the_text_it_is_for_say_so(language):
    def guess(ids):
        return torch.zeros(11)

    language.embedding[9] = torch.nan
    with pytest.raises(DecodeError, match="the logits of the text are not finite"):
        decode.speculative(language, guess, PROMPT[1:2], 4)
    with pytest.raises(DecodeError, match="the logits of the draft are not finite"):
        decode.speculative(language, lambda ids: guess(ids) * torch.nan, PROMPT[:1], 4)


@pytest.mark.parametrize("draws", [False, True])
def test_what_follows_the_end_of_a_text_spoils_no_other(draws):
    model, source = cases.lively(share="none"), cases.sentences()

    def found(rows):
        draw = torch.Generator().manual_seed(1)
        if draws:
            return decode.sample(model, rows, generator=draw)
        return decode.greedy(model, rows)

    expected = found(source)
    assert len({len(ids) for ids in expected}) > 1  # some end before the others
    with torch.no_grad():
        model.target_embedding[EOS] = torch.nan
    assert found(source) == expected


def test_beams_that_have_ended_spoil_no_other():
    model, source = cases.lively(share="none"), cases.sentences()
    expected = decode.beam_search(model, source, 3)
    with torch.no_grad():
        model.target_embedding[EOS] = torch.nan
    assert decode.beam_search(model, source, 3) == expected


def test_a_text_that_has_ended_spoils_no_other(language):
    hot = decode.Sampling(temperature=2.0)
    draws = (torch.Generator().manual_seed(seed) for seed in range(50))
    for draw in draws:
        state = draw.get_state()
        expected = decode.generate(language, PROMPT, 12, hot, generator=draw)
        if len({len(ids) for ids in expected}) > 1:
            break
    language.embedding[EOS] = torch.nan
    draw.set_state(state)
    assert decode.generate(language, PROMPT, 12, hot, generator=draw) == expected


def only_padding(x):
    return torch.full((*x.shape[:-1], cases.WORDS), -torch.inf).index_fill(
        -1, torch.tensor([0]), 1.0
    )


def test_where_every_word_is_ruled_out_none_is_invented(language, monkeypatch):
    model, source = cases.lively(), cases.sentences()[:1]
    monkeypatch.setattr(model, "logits", only_padding)
    monkeypatch.setattr(language, "logits", only_padding)
    for call in (
        lambda: decode.greedy(model, source),
        lambda: decode.sample(model, source, generator=torch.Generator()),
        lambda: decode.generate(language, PROMPT, 3),
    ):
        with pytest.raises(DecodeError, match="the logits of texts .* are not finite"):
            call()
    with pytest.raises(DecodeError, match=r"rules out every word .* sentences \[0\]"):
        decode.beam_search(model, source)


@pytest.mark.parametrize("dtype", [torch.float16, torch.float32, torch.float64])
@pytest.mark.parametrize("temperature", [1e-4, 1e-40, 1e-310])
def test_a_temperature_near_0_leaves_the_largest_logit(dtype, temperature):
    logits = torch.tensor([[-80.0, 70.0, 70.5], [-9.0, -7.0, -torch.inf]], dtype=dtype)
    p = decode.with_temperature(logits, temperature).double().softmax(-1)
    assert p.tolist() == [[0, 0, 1], [0, 1, 0]]
