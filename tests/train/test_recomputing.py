"""Layers that are computed again: the gradients of plain training, from less that is kept."""

from functools import partial

import pytest
import torch
from torch.utils.checkpoint import checkpoint

from transformer_book import data, nn, train
from transformer_book.config import ConfigError, TransformerConfig

SENTENCE = "the black cat sat on the couch and the brown dog slept on the rug"
SIZES = dict(d_model=16, d_ff=32, h=2, N=5, max_length=32, dropout=0.0)


def language_model(**changes):
    torch.manual_seed(0)
    model = nn.LanguageModel(TransformerConfig(20, 20, **SIZES | changes))
    ids = torch.randint(20, (3, 9))
    return model, lambda **how: model(ids, **how)


def translator(**changes):
    torch.manual_seed(0)
    model = nn.Transformer(TransformerConfig(20, 20, **SIZES | changes))
    source, target = torch.randint(1, 20, (3, 9)), torch.randint(1, 20, (3, 7))
    source[1, 6:] = 0  # padded
    return model, lambda **how: model(source, target, **how)


def step(model, call, seed=1):
    """Return the logits and all gradients of one step."""
    torch.manual_seed(seed)
    model.zero_grad()
    logits, _ = call()
    logits.square().mean().backward()
    return [logits.detach(), *(W.grad for W in model.parameters())]


def equal(some, others):
    return all(torch.equal(a, b) for a, b in zip(some, others, strict=True))


def saved(model, call):
    """Return the bytes kept for backward, but for weights, each storage once."""
    weights = {W.untyped_storage().data_ptr() for W in model.parameters()}
    held = {}

    def keep(x):
        storage = x.untyped_storage()
        held[storage.data_ptr()] = storage.nbytes()
        return x

    with torch.autograd.graph.saved_tensors_hooks(keep, lambda x: x):
        call()
    return sum(size for address, size in held.items() if address not in weights)


@pytest.mark.parametrize("every", [1, 2, 3, 5, 9])
@pytest.mark.parametrize("make", [language_model, translator])
@pytest.mark.parametrize("norm", ["pre", "post"])
def test_gradients_are_those_of_plain_training_dropout_too(make, every, norm):
    model, call = make(dropout=0.3, norm=norm)
    plain = step(model, call)
    assert not equal(plain, step(model, call, seed=2))  # dropout is at work
    with train.recomputing(model, every=every) as same:
        assert same is model
        again = step(model, call)
    assert equal(plain, again)
    assert equal(plain, step(model, call))


def test_a_layer_may_stand_in_several_places():
    model, call = language_model(dropout=0.3)
    first = model.layers[0]
    model.layers = torch.nn.ModuleList([first, model.layers[1], first, first])
    plain = step(model, call)
    for every in (1, 3):
        with train.recomputing(model, every=every):
            assert equal(plain, step(model, call))


def test_what_is_drawn_next_is_the_same():
    model, call = language_model(dropout=0.3)
    step(model, call)
    expected = torch.rand(3)
    with train.recomputing(model):
        step(model, call)
    assert torch.equal(torch.rand(3), expected)


def by_torch(model, ids, every):
    """Return the logits of a loop that calls torch's checkpoint on each segment: the peer."""

    def run(first, x):
        for layer in model.layers[first : first + every]:
            x, _ = layer(x, causal=True)
        return x

    x = model.embedding[ids] * 16**0.5 + model.PE[:9].float()
    x = model.dropout(x)
    for first in range(0, 5, every):
        x = checkpoint(run, first, x, use_reentrant=False)
    return model.logits(model.norm(x))


def test_it_keeps_what_torch_keeps_of_its_own_segments():
    model, _ = language_model(dropout=0.3)
    ids = torch.randint(20, (3, 9), generator=torch.Generator().manual_seed(0))
    sizes = []
    for every in (1, 2, 5):
        expected = saved(model, partial(by_torch, model, ids, every))
        with train.recomputing(model, every=every):
            sizes.append(saved(model, partial(model, ids)))
        assert abs(sizes[-1] - expected) <= 0.01 * expected
    assert sizes[0] > sizes[1] > sizes[2]
    assert saved(model, partial(model, ids)) > 3 * sizes[0]


@pytest.mark.parametrize("every", [1, 2, 5])
@pytest.mark.parametrize("make", [language_model, translator])
def test_the_weights_of_attention_are_those_of_each_layer_and_teach(make, every):
    model, call = make()

    def found():
        logits, weights = call(need_weights=True)
        total = logits.square().mean() + sum(A.square().sum() for A in weights.values())
        return weights, torch.autograd.grad(total, list(model.parameters()))

    expected, gradients = found()
    with train.recomputing(model, every=every):
        weights, again = found()
    assert list(weights) == list(expected) and len(weights) >= 5
    assert equal(weights.values(), expected.values())
    assert equal(again, gradients)


@pytest.mark.parametrize("grad", [True, False])
def test_a_cached_call_is_untouched(grad):
    model, _ = language_model()
    ids = torch.randint(20, (2, 6))
    model.eval()
    expected, _ = model(ids)
    with train.recomputing(model, every=2), torch.set_grad_enabled(grad):
        cache = nn.LanguageModelCache(5)
        parts = [model(x, cache=cache)[0] for x in ids.split(2, dim=1)]
        assert cache.next_position == 6
        if grad:
            parts[0].sum().backward()  # nothing is computed again
            assert cache.next_position == 6
    torch.testing.assert_close(torch.cat(parts, dim=1), expected)


def test_without_gradients_no_layer_is_called_twice():
    model, call = language_model()
    calls = []
    for layer in model.layers:
        layer.register_forward_hook(lambda *_: calls.append(1))
    with train.recomputing(model, every=2):
        with torch.no_grad():
            call()
        assert len(calls) == 5
        step(model, call)
        assert len(calls) > 10


def test_afterwards_the_model_is_as_before_also_after_an_error():
    model, _ = translator()
    encoder, decoder = model.encoder, model.decoder
    names = list(model.state_dict())
    with pytest.raises(KeyError), train.recomputing(model, every=2):
        assert list(model.state_dict()) == names
        assert model.encoder is not encoder and model.encoder[1] is encoder[1]
        assert model.encoder[1:3][0] is encoder[1]
        raise KeyError
    assert model.encoder is encoder and model.decoder is decoder
    assert list(model.state_dict()) == names


def test_one_in_another_holds_while_it_lasts():
    model, call = language_model()
    plain = saved(model, call)
    with train.recomputing(model, every=1):
        ones = saved(model, call)
        with train.recomputing(model, every=5):
            assert saved(model, call) < ones
        assert saved(model, call) == ones < plain


@pytest.mark.parametrize("changes", [{}, dict(experts=3, active=2)])
def test_a_run_of_training_is_the_same_to_the_last_bit(changes):
    words = SENTENCE.split()
    text = data.Text.from_articles([words] * 4, [words[:9]], n_merges=30)
    settings = train.Settings(
        steps=4, tokens=32, warmup=2, smoothing=0.0, validate_every=2
    )
    losses = []
    for every in (None, 1, 2):
        model = train.fresh_language_model(
            text, 0, d_model=16, d_ff=32, h=2, N=3, dropout=0.2, **changes
        )
        if every is None:
            history = train.train_language_model(model, text, settings, (8,))
        else:
            with train.recomputing(model, every=every):
                history = train.train_language_model(model, text, settings, (8,))
        losses.append((history.losses, history.validation))
    assert losses[0] == losses[1] == losses[2]


def test_who_goes_through_the_layers_finds_them_and_can_change_them():
    model, call = language_model()
    first = model.layers[0]
    with train.recomputing(model, every=2):
        parts = [layer.self_attention for layer in model.layers]
        assert parts == [
            layer.self_attention for layer in model.layers._modules.values()
        ]
        shared = nn.with_shared_heads(model, 1)
        for layer in model.layers:
            layer.add_and_norm_1 = layer.add_and_norm_2
        assert first.add_and_norm_1 is first.add_and_norm_2
    assert all(layer.self_attention.g == 1 for layer in shared.layers)
    assert equal(step(model, call), step(model, call))


def test_what_is_exported_is_the_plain_program():
    model, _ = language_model(N=2)
    ids = torch.randint(20, (3, 9))
    with train.recomputing(model, every=2):
        exported = torch.export.export(model, (ids,))
    assert str(exported.graph) == str(torch.export.export(model, (ids,)).graph)
    torch.testing.assert_close(exported.module()(ids)[0], model(ids)[0])


@pytest.mark.parametrize("every", [0, -1, 1.5, "2", None])
def test_a_wrong_number_of_layers_is_named(every):
    model, _ = language_model()
    expected = pytest.raises(ConfigError, match="recomputing: every is .* at least 1")
    with expected, train.recomputing(model, every=every):
        pass


@pytest.mark.parametrize(
    "model", [torch.nn.Linear(2, 2), torch.nn.Sequential(), nn.EncoderLayer(8, 2, 8)]
)
def test_a_model_without_layers_is_named(model):
    expected = pytest.raises(ConfigError, match=f"{type(model).__name__} has no stack")
    with expected, train.recomputing(model):
        pass
