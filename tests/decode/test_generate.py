"""Texts continued: with and without cache alike, and as a loop over the whole text would."""

import pytest
import torch

from tests.nn import models
from transformer_book.data import EOS
from transformer_book.decode import (
    DecodeError,
    Sampling,
    generate,
    keep_top_k,
    with_temperature,
)
from transformer_book.nn import LanguageModel, LanguageModelCache
from transformer_book.shapes import ShapeError

PROMPT = torch.tensor([[4, 7, 5], [9, 9, 8], [10, 6, 4]])
MODES = {
    "greedy": None,
    "sampled": Sampling(),
    "hot": Sampling(temperature=2.0, top_k=5),
    "nucleus": Sampling(top_p=0.7),
}


@pytest.fixture(scope="session")
def model():
    torch.manual_seed(3)
    made = LanguageModel(models.config(norm="pre")).double()
    with torch.no_grad():  # surer than a fresh one
        made.output.mul_(4)
    return made


def drawing(mode):
    seeded = torch.Generator().manual_seed(7) if MODES[mode] else None
    return {"sampling": MODES[mode], "generator": seeded}


@pytest.mark.parametrize("mode", MODES)
def test_the_cache_changes_no_token(model, mode):
    found = generate(model, PROMPT, 20, **drawing(mode))
    assert found == generate(model, PROMPT, 20, use_cache=False, **drawing(mode))
    assert max(map(len, found)) > 3
    assert not {0, 1, 2, EOS} & {i for ids in found for i in ids}


def test_greedy_takes_the_largest_logit_of_the_whole_text(model):
    model.eval()
    for prompt, found in zip(PROMPT, generate(model, PROMPT, 15)):
        text = prompt.tolist()
        while len(text) < 18:
            with torch.no_grad():
                logits = model(torch.tensor([text]))[0][0, -1]
            logits[:3] = -torch.inf
            if int(logits.argmax()) == EOS:
                break
            text.append(int(logits.argmax()))
        assert found == text[3:]


def test_it_draws_as_often_as_the_model_says(model):
    draw, hot = torch.Generator().manual_seed(0), Sampling(1.5, 3)
    many = PROMPT[:1].expand(4000, -1)
    first = [[*ids, EOS][0] for ids in generate(model, many, 1, hot, generator=draw)]
    with torch.no_grad():
        logits = model.eval()(PROMPT[:1])[0][0, -1]
    logits[:3] = -torch.inf
    p = keep_top_k(with_temperature(logits, 1.5), 3).softmax(-1)
    share = torch.bincount(torch.tensor(first), minlength=11) / 4000
    torch.testing.assert_close(share.double(), p, atol=0.03, rtol=0)


@pytest.mark.parametrize("never", [0, 1, 2])
def test_what_stands_in_no_text_is_never_written(never):
    torch.manual_seed(3)
    made = LanguageModel(models.config(norm="post", share="none"))
    with torch.no_grad():
        wanted = made.vectors(PROMPT)[0][0, -1]
        made.output[never] = 100 * wanted  # by far the largest logit
        assert int(made(PROMPT)[0][0, -1].argmax()) == never
    assert never not in {i for ids in generate(made, PROMPT, 9) for i in ids}


def test_what_is_never_written_is_the_padding_of_the_model():
    torch.manual_seed(3)
    made = LanguageModel(models.config(norm="post", share="none", pad_id=7))
    prompt = torch.tensor([[4, 5, 5]])
    with torch.no_grad():
        wanted = made.vectors(prompt)[0][0, -1]
        made.output[7], made.output[0] = 100 * wanted, 99 * wanted
        assert int(made(prompt)[0][0, -1].argmax()) == 7
    (written,) = generate(made, prompt, 9)
    assert 7 not in written and written[0] == 0  # here a word like any other
    with pytest.raises(DecodeError, match=r"prompt has \[7\] in it; expected no pad"):
        generate(made, torch.tensor([[4, 7]]), 1)
    assert len(generate(made, torch.tensor([[4, 0]]), 1)) == 1


def test_the_model_stays_in_its_mode(model):
    model.train()
    generate(model, PROMPT, 2)
    assert model.training


@pytest.mark.parametrize(
    "prompt, tokens, more, said",
    [
        (torch.ones(1, 0).long(), 1, {}, "prompt is of shape .* a token or more"),
        (torch.tensor([[11]]), 1, {}, "ids from 11 to 11; expected 0 to 10"),
        (
            torch.tensor([[4, 5], [0, 5]]),
            1,
            {},
            r"prompt has \[0\] in it; expected no",
        ),
        (torch.tensor([[2, 5]]), 1, {}, r"prompt has \[2\] in it; .* in no text"),
        (PROMPT, True, {}, "tokens is True; expected a whole number"),
        (torch.ones(1, 24).long(), 1, {}, "24 tokens long; expected at most 23"),
        (PROMPT, 22, {}, "tokens is 22; expected a whole number from 1 to 21"),
        (PROMPT, 0, {}, "tokens is 0; expected a whole number from 1 to 21"),
        (PROMPT, 1, {"generator": 3}, "generator is 3; expected torch.Generator"),
        (PROMPT, 1, {"sampling": Sampling()}, "generator is None; expected a torch"),
        (PROMPT, 1, {"sampling": 3}, "sampling is 3; expected a decode.Sampling"),
    ],
)
def test_bad_input_is_one_clear_error(model, prompt, tokens, more, said):
    with pytest.raises(DecodeError, match=said):
        generate(model, prompt, tokens, **more)


@pytest.mark.parametrize("dtype", [torch.float32, torch.bool])
def test_a_prompt_holds_whole_numbers(model, dtype):
    with pytest.raises(ShapeError, match="prompt holds (float32|bool); expected int"):
        generate(model, PROMPT.to(dtype), 1)


@pytest.mark.parametrize("dtype", [torch.int8, torch.int16, torch.int32])
def test_a_prompt_may_hold_short_whole_numbers(model, dtype):
    assert generate(model, PROMPT.to(dtype), 9) == generate(model, PROMPT, 9)


def test_prefill_then_decode_by_hand(model):
    cache = LanguageModelCache(4)
    with torch.no_grad():
        model.eval()
        logits, _ = model(PROMPT, cache=cache)
        for step in range(3):
            logits[..., :3] = -torch.inf
            token = logits[:, -1].argmax(-1, keepdim=True)
            logits, _ = model(token, cache=cache)
            assert len(cache) == 4 + step
