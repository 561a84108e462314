"""A language model's training: torch's own steps, losses each counted once."""

import pytest
import torch
from torch.nn.functional import cross_entropy

from tests.nn import models
from transformer_book import data, nn, train
from transformer_book.config import ConfigError
from transformer_book.data import DataError
from transformer_book.decode import DecodeError, generate
from transformer_book.shapes import ShapeError
from transformer_book.train.settings import mix_seed

SENTENCE = "the black cat sat on the couch and the brown dog slept on the rug"
ARTICLE = SENTENCE.split()
SETTINGS = train.Settings(
    steps=3, tokens=32, warmup=2, clip=1.0, smoothing=0.0, validate_every=2
)


@pytest.fixture(scope="session")
def text():
    return data.Text.from_articles([ARTICLE] * 4, [ARTICLE[:9]], n_merges=30)


def fresh(text, **changes):
    sizes = {"d_model": 16, "d_ff": 32, "h": 2, "N": 2, **changes}
    return train.fresh_language_model(text, 0, **sizes)


def test_it_takes_the_steps_of_torch(text):
    ours, theirs = fresh(text), fresh(text)
    history = train.train_language_model(ours, text, SETTINGS, contexts=(8,))
    adam = torch.optim.Adam(theirs.parameters(), betas=(0.9, 0.98), eps=1e-9)
    draw, ids = torch.Generator().manual_seed(mix_seed(0)), torch.from_numpy(text.train)
    for step in range(1, 4):
        first = torch.randint(len(ids) - 8, (4, 1), generator=draw)
        window = ids[first + torch.arange(9)]
        loss = cross_entropy(theirs(window[:, :-1])[0].mT, window[:, 1:])
        assert history.losses[step - 1] == pytest.approx(loss.item(), rel=1e-5)
        adam.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(theirs.parameters(), 1.0)
        adam.param_groups[0]["lr"] = SETTINGS.learning_rate(step, 16)
        adam.step()
    for one, other in zip(ours.parameters(), theirs.parameters()):
        torch.testing.assert_close(one, other, atol=1e-4, rtol=1e-3)
    assert history.tokens == 3 * 32 and not ours.training
    assert [step for step, _ in history.validation] == [2, 3]


def test_the_same_seed_gives_the_same_model_and_draws_nothing_from_torch(text):
    torch.manual_seed(5)
    expected = torch.rand(1)
    torch.manual_seed(5)
    models = [fresh(text, dropout=0.2) for _ in range(2)]
    for model in models:
        train.train_language_model(model, text, SETTINGS, contexts=(8,))
    assert torch.rand(1) == expected
    for one, other in zip(*(model.parameters() for model in models)):
        assert torch.equal(one, other)


def test_windows_grow(text):
    model, read = fresh(text), []
    model.layers[0].register_forward_pre_hook(lambda _, x: read.append(x[0].shape[:2]))
    settings = SETTINGS.changed(steps=4, warmup=1, validate_every=4)
    train.train_language_model(model, text, settings, contexts=(4, 8))
    assert read[:4] == [(8, 4), (8, 4), (4, 8), (4, 8)]


def test_it_learns_a_sentence_by_heart(text):
    model = fresh(text)
    many = SETTINGS.changed(steps=150, warmup=30, validate_every=150)
    history = train.train_language_model(model, text, many, contexts=(8,))
    assert history.losses[-1] < 0.5 < history.losses[0]
    prompt = torch.tensor([text.ids("the black cat")])
    found = text.decode_text(generate(model, prompt, 8)[0])
    assert SENTENCE.startswith(f"the black cat {found}"[:25])


@pytest.mark.parametrize("context, stride", [(4, 1), (4, 2), (4, 4), (7, 3), (90, 0)])
def test_each_token_is_asked_for_once_with_enough_before_it(text, context, stride):
    model, ids = fresh(text).eval(), torch.from_numpy(text.train[:60])
    found = train.token_losses(model, ids, context, stride)
    assert len(found) == 59
    stride = stride or context // 2
    for t in (1, 2, context, 17, 40, 58, 59):
        if t > 59:
            continue
        starts = [*range(0, max(59 - context, 0), stride), max(59 - context, 0)]
        start = next(s for s in starts if s < t <= s + context)
        with torch.no_grad():
            logits, _ = model(ids[None, start:t])
        wanted = cross_entropy(logits[0, -1:].double(), ids[t : t + 1])
        assert found[t - 1].item() == pytest.approx(wanted.item(), abs=1e-5)
        assert t - start > min(context - stride, t - 1)


@pytest.mark.parametrize("context", [33, 10_000, 0, 4.0, True])
def test_a_window_that_is_too_long_is_one_clear_error(text, context):
    with pytest.raises(DataError, match=f"windows of {context} tokens"):
        train.train_language_model(fresh(text), text, SETTINGS, (8, context))


@pytest.mark.parametrize("of", ["batch", "text"])
def test_a_window_may_be_as_long_as_a_batch_or_a_token_shorter_than_the_text(text, of):
    most = 32 if of == "batch" else len(text.train) - 1
    settings = SETTINGS.changed(tokens=32 if of == "batch" else 10 * most, steps=1)
    model = fresh(text, max_length=len(text.train) + 1)
    history = train.train_language_model(model, text, settings, (most,))
    assert history.tokens == settings.tokens // most * most
    with pytest.raises(DataError, match=f"windows of {most + 1} tokens"):
        train.train_language_model(fresh(text), text, settings, (most + 1,))


@pytest.mark.parametrize(
    "ids, context, error, said",
    [
        (
            [3],
            4,
            ShapeError,
            "the number of tokens is 1; expected a text, a whole number of at least 2",
        ),
        ([3, 4], 0, ConfigError, "context is 0"),
        ([3, 4], 1.5, ConfigError, "context is 1.5"),
    ],
)
def test_a_text_of_one_token_asks_for_nothing(text, ids, context, error, said):
    with pytest.raises(error, match=said):
        train.token_losses(fresh(text), torch.tensor(ids), context)


def test_the_balancing_loss_is_learned_from_and_not_counted(text):
    ours, theirs = (fresh(text, experts=3, active=2) for _ in range(2))
    history = train.train_language_model(ours, text, SETTINGS, (8,), balance=0.5)
    adam = torch.optim.Adam(theirs.parameters(), betas=(0.9, 0.98), eps=1e-9)
    draw, ids = torch.Generator().manual_seed(mix_seed(0)), torch.from_numpy(text.train)
    for step in range(1, 4):
        first = torch.randint(len(ids) - 8, (4, 1), generator=draw)
        window = ids[first + torch.arange(9)]
        with nn.record_routes(theirs) as routes:
            logits, _ = theirs(window[:, :-1])
        loss = cross_entropy(logits.mT, window[:, 1:])
        assert history.losses[step - 1] == pytest.approx(loss.item(), rel=1e-4)
        assert len(routes) == 2
        loss = loss + 0.5 * sum(nn.balancing_loss(P, 2) for _, P in routes)
        adam.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(theirs.parameters(), 1.0)
        adam.param_groups[0]["lr"] = SETTINGS.learning_rate(step, 16)
        adam.step()
    for one, other in zip(ours.parameters(), theirs.parameters()):
        torch.testing.assert_close(one, other, atol=1e-4, rtol=1e-3)


def test_a_model_that_is_interrupted_is_in_evaluation_mode(text, monkeypatch):
    model = fresh(text, dropout=0.5)

    def interrupted(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(torch.nn.utils, "clip_grad_norm_", interrupted)
    with pytest.raises(KeyboardInterrupt):
        train.train_language_model(model, text, SETTINGS, contexts=(8,))
    assert not any(module.training for module in model.modules())


def test_weights_that_the_last_step_has_spoiled_are_noticed(text):
    wild = SETTINGS.changed(steps=1, factor=1e38, clip=None)
    with pytest.raises(FloatingPointError, match="the validation loss is nan"):
        train.train_language_model(fresh(text), text, wild, contexts=(8,))


def test_a_model_of_another_kind_is_refused_at_the_door(text):
    translator = nn.Transformer(models.config())
    with pytest.raises(
        ConfigError, match="train_language_model: model is of .*nn.Lang"
    ):
        train.train_language_model(translator, text, SETTINGS)
    with pytest.raises(DecodeError, match="token_losses: model is of .*nn.LanguageM"):
        train.token_losses(translator, torch.arange(3, 9), 4)


def test_a_model_in_which_nothing_learns_is_refused_and_part_of_one_can(text):
    model = fresh(text).requires_grad_(False)
    with pytest.raises(ConfigError, match="no parameter of the model requires a grad"):
        train.train_language_model(model, text, SETTINGS)
    before = [p.clone() for p in model.parameters()]
    model.output.requires_grad_(True)
    train.train_language_model(model, text, SETTINGS.changed(steps=2), (8,))
    changed = [not torch.equal(a, b) for a, b in zip(before, model.parameters())]
    assert changed == [p is model.output for p in model.parameters()]
