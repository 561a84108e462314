"""A model with experts: read in pieces, kept in a file, recomputed, compiled, under autocast."""

import weakref

import pytest
import torch

from tests.nn import models
from tests.nn.cases import close
from transformer_book import nn, train
from transformer_book.config import ConfigError


def language_model(**changes):
    torch.manual_seed(0)
    config = models.config(d_model=16, h=4, norm="pre", experts=4, active=2, **changes)
    return nn.LanguageModel(config).double().eval()


@pytest.mark.parametrize("pieces", [[3, 4], [1] * 7])
def test_a_language_model_with_experts_may_read_in_pieces(pieces):
    model, ids = language_model(g=2), models.ids(11, [7, 7])
    cache = nn.LanguageModelCache(model.config.N)
    found = [model(piece, cache=cache)[0] for piece in ids.split(pieces, dim=1)]
    torch.testing.assert_close(torch.cat(found, dim=1), model(ids)[0])


def test_every_layer_has_its_experts_and_the_file_brings_them_back(tmp_path):
    model, ids = language_model().float(), models.ids(11, [7])
    for layer in model.layers:
        assert len(layer.feed_forward.experts) == 4 and layer.feed_forward.active == 2
        assert layer.feed_forward.capacity is None
    nn.save_weights(tmp_path / "model.safetensors", model)
    again = nn.load_language_model(tmp_path / "model.safetensors")
    assert again.config.experts == 4 and again.config.active == 2
    assert torch.equal(again(ids)[0], model(ids)[0])


def test_without_experts_a_model_draws_the_same_weights_as_ever():
    torch.manual_seed(0)
    model = nn.LanguageModel(models.config(d_model=16, h=4, norm="pre"))
    # As it was, and what torch drew next, before there were experts.
    total = sum(p.double().abs().sum() for p in model.parameters()).item()
    assert total == pytest.approx(1774.3092905634694, rel=1e-9)
    assert torch.rand(1).item() == pytest.approx(0.9731900691986084)


def test_routed_collects_each_mixture_and_leaves_no_hook():
    model, ids = language_model(), models.ids(11, [7, 7])
    with nn.record_routes(model) as found:
        model(ids)
    assert len(found) == model.config.N
    for weights, P in found:
        assert weights.shape == P.shape == (2, 7, 4)
        close(weights.sum(-1), torch.ones(2, 7), 1e-12)
    model(ids)
    assert len(found) == model.config.N
    with nn.record_routes(nn.FeedForward(4, 8)) as none:
        pass
    assert none == []


@pytest.mark.parametrize("inside", [True, False])
@pytest.mark.parametrize("every", [1, 2])
def test_routes_are_learned_from_also_where_layers_are_recomputed(every, inside):
    model, ids = language_model(), models.ids(11, [7, 7])

    def gradients(backward_inside):
        with nn.record_routes(model) as found:
            logits = model(ids)[0]
            loss = sum(nn.balancing_loss(P, 2) for _, P in found)
            loss = loss + logits.square().mean()
            if backward_inside:
                return grad(loss), found
        return grad(loss), found

    def grad(loss):
        return torch.autograd.grad(loss, [*model.parameters()], materialize_grads=True)

    expected, routes = gradients(False)
    with train.recomputing(model, every):
        again, recomputed = gradients(inside)
    assert all(map(torch.equal, again, expected))
    assert len(recomputed) == len(routes) == model.config.N
    for one, other in zip(recomputed, routes):
        assert all(map(torch.equal, one, other))


@pytest.mark.parametrize("part", ["model", "in place", "layer"])
def test_a_compiled_model_says_that_it_tells_no_routes(part):
    model = language_model()
    if part == "model":
        model = torch.compile(model, backend="eager")
    elif part == "in place":
        model.compile(backend="eager")
    else:
        model.layers[1] = torch.compile(model.layers[1], backend="eager")
    said = "record_routes: the model is compiled"
    with pytest.raises(ConfigError, match=said), nn.record_routes(model):
        raise AssertionError


def test_routes_leave_nothing_in_memory():
    model, ids, held = language_model(), models.ids(11, [7, 7]), []
    with nn.record_routes(model) as found:
        model(ids)
        held += [weakref.ref(P) for _, P in found]
        found.clear()
    assert not any(P() is not None for P in held)  # and not only when gc comes


def test_under_autocast_the_words_take_the_same_experts():
    """The experts' products have fewer digits, as those of any feed-forward network there."""
    torch.manual_seed(0)
    mixture, x = nn.MixtureOfExperts(16, 32, 8, 2), torch.randn(4, 50, 16)
    x.requires_grad_()
    weights, P = mixture.route(x)
    plain = mixture(x)
    with torch.autocast("cpu", torch.bfloat16), nn.record_routes(mixture) as found:
        made = mixture(x)
    ((low_weights, low_P),) = found
    assert torch.equal(low_weights, weights) and torch.equal(low_P, P)
    close(made, plain, 0.02)
    wanted = torch.autograd.grad(plain.square().sum(), (x, *mixture.parameters()))
    learned = torch.autograd.grad(made.square().sum(), (x, *mixture.parameters()))
    for mine, theirs in zip(learned, wanted):
        assert mine.dtype == torch.float32
        assert (mine - theirs).norm() < 0.1 * theirs.norm()


def test_a_language_model_with_experts_learns_under_autocast():
    model, ids = language_model(), models.ids(11, [20, 20])
    model = model.float()
    expected = model(ids)[0]
    with torch.autocast("cpu", torch.bfloat16):
        logits, _ = model(ids)
    close(logits.float(), expected, 0.05)
    logits.float().square().mean().backward()
    for expert in model.layers[0].feed_forward.experts:
        assert all(p.grad.isfinite().all() for p in expert.parameters())
