"""Greedy decoding, and what it has in common with every way of decoding."""

import functools

import pytest
import torch

from tests.decode import cases
from transformer_book import decode, nn
from transformer_book.data import BOS, EOS, PAD
from transformer_book.shapes import ShapeError

source = cases.sentences()


def sampled(model, source, **options):
    return decode.sample(
        model, source, generator=torch.Generator().manual_seed(0), **options
    )


def beam(model, source, **options):
    return [found[0].ids for found in decode.beam_search(model, source, **options)]


def stepped(model, source, **options):
    tokens = [step.token for step in decode.steps(model, source[:1], **options)]
    return [tokens[: tokens.index(EOS)] if EOS in tokens else tokens]


WAYS = [decode.greedy, sampled, beam, stepped]


@functools.cache
def one_by_one(norm, share, seed, dtype):
    """Each word the most probable after those before it, the whole model run for each."""
    model, translations = cases.lively(seed, norm, share, dtype), []
    for sentence in cases.alone(source):
        words, limit = [], min(sentence.shape[1] + 50, model.config.max_length)
        while len(words) < limit:
            log_p = cases.next_log_p(model, sentence, words)
            word = max(cases.possible(model), key=log_p.tolist().__getitem__)
            if word == EOS:
                break
            words.append(word)
        translations.append(words)
    return translations


@pytest.mark.parametrize("dtype", [torch.float64, torch.float32])
@pytest.mark.parametrize("norm, share", cases.VARIANTS)
@pytest.mark.parametrize("use_cache", [True, False])
def test_greedy_takes_the_most_probable_word_each_time(norm, share, use_cache, dtype):
    seen = []
    for seed in range(2):
        model = cases.lively(seed, norm, share, dtype)
        translations = decode.greedy(model, source, use_cache=use_cache)
        assert translations == one_by_one(norm, share, seed, dtype)
        seen += [len(set(words)) for words in translations]
    assert max(seen) > 2  # not one word for ever


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("norm, share", cases.VARIANTS)
def test_the_cache_changes_no_word(way, norm, share):
    model = cases.lively(1, norm, share)
    assert way(model, source) == way(model, source, use_cache=False)


@pytest.mark.parametrize("way", [decode.greedy, beam])
def test_a_batch_is_its_sentences_one_by_one(way):
    for seed in range(4):
        model = cases.lively(seed)
        separately = [way(model, sentence)[0] for sentence in cases.alone(source)]
        assert way(model, source) == separately
        assert len({len(words) for words in separately}) > 1


@pytest.mark.parametrize("way", WAYS)
def test_the_model_is_left_as_it_was(way):
    model = cases.lively(1, dropout=0.5)
    expected = way(model, source)
    model.train()
    model.encoder[0].eval()
    modes = [module.training for module in model.modules()]
    weights = {name: W.clone() for name, W in model.state_dict().items()}
    random = torch.get_rng_state()
    assert way(model, source) == expected  # without dropout
    assert torch.equal(torch.get_rng_state(), random)
    with pytest.raises(decode.DecodeError):
        way(model, source, max_length=0)
    assert [module.training for module in model.modules()] == modes
    assert all(torch.equal(W, weights[name]) for name, W in model.state_dict().items())
    assert all(W.grad is None and W.requires_grad for W in model.parameters())


@pytest.mark.parametrize("way", WAYS)
def test_no_translation_holds_padding_or_bos(way, monkeypatch):
    model = cases.lively(2)
    logits, marks = model.logits, torch.tensor([PAD, BOS])
    monkeypatch.setattr(model, "logits", lambda x: logits(x).index_fill(-1, marks, 9.0))
    translations = way(model, source)
    assert not {PAD, BOS, EOS} & {word for words in translations for word in words}
    assert max(map(len, translations)) > 1


@pytest.mark.parametrize("way", WAYS)
def test_max_length_is_the_most_tokens(way, monkeypatch):
    model = cases.lively(0)
    logits, eos = model.logits, torch.tensor([EOS])
    monkeypatch.setattr(
        model, "logits", lambda x: logits(x).index_fill(-1, eos, -torch.inf)
    )
    for length in (1, 2, 24):
        assert {len(words) for words in way(model, source, max_length=length)} == {
            length
        }
    assert {len(words) for words in way(model, source)} == {
        24
    }  # the positions there are


def test_by_default_a_translation_has_room_for_50_more_than_its_own_source(monkeypatch):
    model = cases.lively(0, max_length=100)
    logits, eos = model.logits, torch.tensor([EOS])
    monkeypatch.setattr(
        model, "logits", lambda x: logits(x).index_fill(-1, eos, -torch.inf)
    )
    assert [len(words) for words in decode.greedy(model, source)] == [54, 56, 52]
    assert [len(words) for words in beam(model, source, beams=2)] == [54, 56, 52]


def test_it_stops_when_all_have_ended_and_the_cache_takes_one_token_a_step(monkeypatch):
    model = cases.lively(0)
    shapes = cases.calls(monkeypatch, model)
    longest = max(map(len, decode.greedy(model, source))) + 1  # and EOS
    assert longest < 24 and shapes == [(3, 1)] * longest
    shapes.clear()
    decode.greedy(model, source, use_cache=False)
    assert shapes == [(3, length) for length in range(1, longest + 1)]


def test_a_sentence_that_is_cut_is_waited_for_no_longer(monkeypatch):
    model = cases.lively(0, max_length=100)
    logits, shapes = model.logits, cases.calls(monkeypatch, model)
    row, word = torch.arange(3)[:, None], torch.arange(cases.WORDS)
    push = 99.0 * ((word == EOS) & (row < 2)) - 99.0 * ((word == EOS) & (row == 2))
    monkeypatch.setattr(model, "logits", lambda x: logits(x) + push)
    assert [len(words) for words in decode.greedy(model, source)] == [0, 0, 52]
    assert len(shapes) == 52  # where the longest of the three might have had 56


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize(
    "wrong, message",
    [
        (torch.full((1, 3), 12), "source has ids from 12 to 12; expected 0 to 11"),
        (torch.tensor([[5, -1, EOS]]), "source has ids from -1 to 5; expected 0 to 11"),
        (
            torch.tensor([[PAD, PAD]]),
            r"source has nothing but padding in rows \[0\]; expected",
        ),
        (
            torch.tensor([[5, PAD, EOS]]),
            r"source has padding before a word in rows \[0\]; expected padding at",
        ),
        (
            torch.zeros(1, 0, dtype=int),
            r"source is of shape \(1, 0\); expected a sentence",
        ),
    ],
)
def test_a_wrong_source_is_named(way, wrong, message):
    with pytest.raises(decode.DecodeError, match=message):
        way(cases.lively(), wrong)


@pytest.mark.parametrize("way", [decode.greedy, beam])
def test_sentences_are_padded_at_the_end_alone(way):
    left = torch.tensor([[5, 6, EOS], [PAD, 5, EOS]])
    with pytest.raises(decode.DecodeError, match=r"before a word in rows \[1\]"):
        way(cases.lively(), left)


@pytest.mark.parametrize("dtype", [torch.float32, torch.bool])
@pytest.mark.parametrize("way", WAYS)
def test_a_source_holds_whole_numbers(way, dtype):
    with pytest.raises(ShapeError, match="source holds .*; expected int"):
        way(cases.lively(), source.to(dtype))


@pytest.mark.parametrize("way", WAYS)
def test_a_source_of_another_kind_or_too_long_is_named(way):
    model = cases.lively()
    with pytest.raises(ShapeError, match="source is a list; expected a tensor"):
        way(model, [[5, EOS]])
    with pytest.raises(ShapeError, match="source has 30 tokens; expected at most 24"):
        way(model, torch.full((1, 30), 5))


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("length", [0, -1, 2.5, 25, "9"])
def test_a_wrong_max_length_is_named(way, length):
    message = f"max_length is {length!r}; expected a whole number from 1 to 24. The model has 24 positions"
    with pytest.raises(decode.DecodeError, match=message):
        way(cases.lively(), source, max_length=length)


def test_a_source_may_lack_eos_and_the_pad_id_is_the_models(monkeypatch):
    config = nn.TransformerConfig(
        12, 12, d_model=16, d_ff=32, h=2, N=1, max_length=24, pad_id=7
    )
    torch.manual_seed(0)  # whatever ran before
    model = cases.Lively(config).double()
    logits, marks = model.logits, torch.tensor([7, BOS])
    monkeypatch.setattr(model, "logits", lambda x: logits(x).index_fill(-1, marks, 9.0))
    padded, bare = torch.tensor([[5, 6, 7, 7]]), torch.tensor([[5, 6]])
    assert decode.greedy(model, padded) == decode.greedy(model, bare)
    assert decode.greedy(model, bare)[0] and 7 not in decode.greedy(model, bare)[0]
