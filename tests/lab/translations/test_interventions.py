"""A trained model with a part taken away, against the same model built without that part."""

import math
from itertools import pairwise

import pytest
import torch

from tests.nn import models
from transformer_book import decode
from transformer_lab.translations.interventions import (
    attention_heads,
    model_without_parts,
    sub_layer_names,
)


@pytest.fixture(params=["post", "pre"])
def model(request):
    return models.model(models.config(norm=request.param, N=2, h=2))


@pytest.fixture
def ids():
    return models.ids(11, [5, 3]), models.ids(11, [6, 6], seed=1)


def logits(model, ids):
    """Weights are asked for: then no kernel of torch's hides what is patched here."""
    with torch.inference_mode():
        return model(*ids, need_weights=True)[0]


def logits_when(model, ids, **changes):
    with model_without_parts(model, **changes):
        return logits(model, ids)


def test_a_silent_head_is_one_without_values(model, ids):
    for name, head in [
        ("encoder.1.self_attention", 0),
        ("decoder.0.cross_attention", 1),
    ]:
        found = logits_when(model, ids, silenced=[(name, head)])
        d_v = model.config.d_model // 2
        own = model.get_submodule(name).W_V
        kept = own.detach().clone()
        with torch.no_grad():
            own[:, head * d_v : (head + 1) * d_v] = 0
            expected = logits(model, ids)
            own.copy_(kept)
        torch.testing.assert_close(found, expected)
        assert (found - logits(model, ids)).abs().max() > 1e-3


def test_without_the_scale_nothing_is_divided(model, ids, monkeypatch):
    found = logits_when(model, ids, scale=False)
    d_k = model.config.d_model // model.config.h
    sqrt = math.sqrt
    monkeypatch.setattr(
        "transformer_book.nn.attention.math.sqrt",
        lambda x: 1.0 if x == d_k else sqrt(x),
    )
    torch.testing.assert_close(found, logits(model, ids))


def test_without_the_mask_a_word_sees_those_behind_it(model, ids, monkeypatch):
    found = logits_when(model, ids, causal=False)
    monkeypatch.setattr(
        "transformer_book.nn.attention.causal_mask",
        lambda n, device=None: torch.ones(n, n, dtype=torch.bool),
    )
    torch.testing.assert_close(found, logits(model, ids))


@pytest.mark.parametrize("sides", [False, ["source"], ["target"]])
def test_without_positions_none_are_added(sides, model, ids, monkeypatch):
    found = logits_when(model, ids, positions=sides)
    embed = model._embed

    def bare(name, *rest):
        PE = model.PE
        if sides is False or name in sides:
            model.PE = torch.zeros_like(PE)
        try:
            return embed(name, *rest)
        finally:
            model.PE = PE

    monkeypatch.setattr(model, "_embed", bare)
    torch.testing.assert_close(found, logits(model, ids))


def test_without_positions_the_source_is_a_bag_of_words(model, ids):
    source, target = ids
    turned = source.clone()
    turned[0, [1, 3]] = source[0, [3, 1]]
    bag = logits_when(model, (source, target), positions=["source"])
    torch.testing.assert_close(
        logits_when(model, (turned, target), positions=["source"]), bag
    )
    assert (logits(model, (turned, target)) - logits(model, ids)).abs().max() > 1e-3


def test_without_residuals_a_layer_is_what_its_parts_make(model, ids):
    x = torch.randn(2, 5, model.config.d_model, dtype=torch.float64)
    layer = model.encoder[0]
    pre = model.config.norm == "pre"
    ends = [
        around.layer_norm for around in (layer.add_and_norm_1, layer.add_and_norm_2)
    ]

    def attend(x):
        y = ends[0](x) if pre else x
        Z, _ = layer.self_attention(y)
        return Z if pre else ends[0](Z)

    with torch.inference_mode():
        y = attend(x)
        with_it = (
            y + layer.feed_forward(ends[1](y))
            if pre
            else ends[1](y + layer.feed_forward(y))
        )
        without = (
            layer.feed_forward(ends[1](y)) if pre else ends[1](layer.feed_forward(y))
        )
        with model_without_parts(model, residual=["encoder.0.self_attention"]):
            torch.testing.assert_close(layer(x)[0], with_it)
        with model_without_parts(model, residual=False):
            torch.testing.assert_close(layer(x)[0], without)


def test_every_part_is_named_and_every_one_matters(model, ids):
    assert (
        len(attention_heads(model)) == 3 * 2 * 2
        and len(sub_layer_names(model)) == 2 * 2 + 3 * 2
    )
    plain = logits(model, ids)
    changes = [{"silenced": [one]} for one in attention_heads(model)]
    changes += [{"residual": [one]} for one in sub_layer_names(model)]
    found = [logits_when(model, ids, **one) for one in changes]
    for one, other in pairwise([plain, *found]):
        assert (one - other).abs().max() > 1e-6


def test_the_model_is_as_it_was_even_after_an_error(model, ids):
    weights = {name: W.clone() for name, W in model.state_dict().items()}
    plain = logits(model, ids)
    everything = {
        "silenced": attention_heads(model), "scale": False, "causal": False, "positions": False,
        "residual": False,
    }  # fmt: skip
    with (
        pytest.raises(RuntimeError, match="boom"),
        model_without_parts(model, **everything),
    ):
        assert (logits(model, ids) - plain).abs().max() > 1e-3
        raise RuntimeError("boom")
    torch.testing.assert_close(model.state_dict(), weights, rtol=0, atol=0)
    assert torch.equal(logits(model, ids), plain)


def test_with_a_cache_the_mask_is_not_missed(model, ids):
    source, _ = ids
    expected = decode.greedy(model, source, max_length=9)
    with model_without_parts(model, causal=False):
        assert decode.greedy(model, source, max_length=9) == expected


@pytest.mark.parametrize(
    "changes",
    [
        {"scale": False},
        {"positions": False},
        {"residual": False},
        {"silenced": [("decoder.1.self_attention", 0)]},
    ],
)
def test_all_but_the_mask_can_go_with_a_cache(changes, model, ids):
    source, _ = ids
    with model_without_parts(model, **changes):
        expected = decode.greedy(model, source, max_length=9, use_cache=False)
        assert decode.greedy(model, source, max_length=9) == expected


@pytest.mark.parametrize(
    "changes, said",
    [
        ({"silenced": [("encoder.7.self_attention", 0)]}, "silenced has"),
        ({"silenced": [("encoder.0.self_attention", 9)]}, "silenced has"),
        ({"positions": ["left"]}, "left"),
        ({"residual": ["encoder.0.attention"]}, "encoder.0.attention"),
    ],
)
def test_a_part_that_the_model_has_not_is_refused(changes, said, model):
    with pytest.raises(ValueError, match=said), model_without_parts(model, **changes):
        pass
