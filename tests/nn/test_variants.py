"""A language model with other norms, bends and gates: the parts it says, and no other."""

import json

import pytest
import torch
from safetensors import safe_open
from safetensors.torch import load_file, save_file

from tests.nn import models
from transformer_book import nn
from transformer_book.config import ConfigError
from transformer_lab.torch_transformer import TorchLanguageModel

CHANGES = [
    dict(normalise="rms"),
    dict(activation="gelu"),
    dict(activation="silu", gated=True),
    dict(bias=False),
    dict(qk_norm=True),
    dict(qk_norm=True, g=2),
    dict(normalise="rms", activation="silu", gated=True, bias=False, qk_norm=True, g=1),
]


def made(seed=0, **changes):
    torch.manual_seed(seed)
    config = models.config(d_model=16, h=4, N=2, norm="pre", **changes)
    model = nn.LanguageModel(config).double().eval()
    with torch.no_grad():
        for p in model.parameters():
            if p.ndim == 1:  # away from 1 and 0, as after training
                p.add_(0.3 * torch.randn_like(p))
    return model


IDS = models.ids(11, [7, 7])


@pytest.mark.parametrize("norm", ["pre", "post"])
@pytest.mark.parametrize("bias", [True, False])
@pytest.mark.parametrize("activation", ["relu", "gelu", "silu"])
def test_bends_and_biases_are_those_of_torch_s_stack(activation, bias, norm):
    torch.manual_seed(0)
    config = models.config(activation=activation, bias=bias, norm=norm)
    model = nn.LanguageModel(config).double().eval()
    torch.testing.assert_close(model(IDS)[0], TorchLanguageModel(model)(IDS))


def by_parts(model):
    """The same model out of torch's own parts; nothing here is ours but the weights."""
    c, F = model.config, torch.nn.functional
    d, h, g = c.d_model, c.h, c.g or c.h

    def norm(x, ours):
        if c.normalise == "rms":
            return F.rms_norm(x, x.shape[-1:], ours.gamma, 1e-6)
        return F.layer_norm(x, x.shape[-1:], ours.gamma, ours.beta, 1e-5)

    x = F.embedding(IDS, model.embedding) * d**0.5 + model.PE[: IDS.shape[1]]
    for layer in model.layers:
        att, ffn = layer.self_attention, layer.feed_forward
        y = norm(x, layer.add_and_norm_1.layer_norm)
        Q, K, V = ((y @ W).unflatten(-1, (-1, d // h)).transpose(1, 2)
                   for W in (att.W_Q, att.W_K, att.W_V))  # fmt: skip
        if c.qk_norm:
            Q = F.rms_norm(Q, Q.shape[-1:], att.q_norm.gamma, 1e-6)
            K = F.rms_norm(K, K.shape[-1:], att.k_norm.gamma, 1e-6)
        Z = F.scaled_dot_product_attention(Q, K, V, is_causal=True, enable_gqa=g < h)
        x = x + Z.transpose(1, 2).flatten(-2) @ att.W_O
        y = norm(x, layer.add_and_norm_2.layer_norm)
        bend = getattr(F, c.activation)
        if c.gated:
            x = x + (bend(y @ ffn.W_gate) * (y @ ffn.W_1)) @ ffn.W_2
        elif c.bias:
            x = x + bend(y @ ffn.W_1 + ffn.b_1) @ ffn.W_2 + ffn.b_2
        else:
            x = x + bend(y @ ffn.W_1) @ ffn.W_2
    return norm(x, model.norm) @ model.output.T


@pytest.mark.parametrize("changes", CHANGES)
def test_it_is_what_torch_s_parts_make(changes):
    model = made(**changes)
    torch.testing.assert_close(model(IDS)[0], by_parts(model))


@pytest.mark.parametrize("changes", CHANGES)
@pytest.mark.parametrize("pieces", [[3, 4], [1] * 7])
def test_with_a_cache_it_may_read_in_pieces(changes, pieces):
    model, cache = made(**changes), nn.LanguageModelCache(2)
    found = [model(piece, cache=cache)[0] for piece in IDS.split(pieces, dim=1)]
    torch.testing.assert_close(torch.cat(found, dim=1), model(IDS)[0])


@pytest.mark.parametrize("changes", CHANGES)
def test_the_file_brings_the_same_model_back(changes, tmp_path):
    model, path = made(**changes), tmp_path / "model.safetensors"
    nn.save_weights(path, model)
    again = nn.load_language_model(path)
    assert again.config == model.config
    assert torch.equal(again(IDS)[0], model(IDS)[0])


def test_a_file_that_knows_none_of_the_settings_is_the_paper_s(tmp_path):
    model, path = made(), tmp_path / "model.safetensors"
    nn.save_weights(path, model)
    with safe_open(path, "pt") as file:
        config = json.loads(file.metadata()["config"])
    names = ("normalise", "activation", "gated", "bias", "qk_norm")
    old = {name: value for name, value in config.items() if name not in names}
    assert len(old) == len(config) - 5
    save_file(load_file(path), path, {"config": json.dumps(old)})
    again = nn.load_language_model(path)
    assert again.config == model.config
    assert torch.equal(again(IDS)[0], model(IDS)[0])


def first_weights(**changes):
    torch.manual_seed(3)
    config = models.config(d_model=16, h=4, N=2, norm="pre", **changes)
    model = nn.LanguageModel(config)
    return dict(model.named_parameters()), torch.rand(1)


@pytest.mark.parametrize("changes", [c for c in CHANGES if not {"g", "gated"} & {*c}])
def test_models_of_one_seed_begin_with_the_same_weights(changes):
    (plain, then), (other, also) = first_weights(), first_weights(**changes)
    assert then == also  # no draw more, no draw less
    shared = plain.keys() & other.keys()
    assert all(torch.equal(plain[name], other[name]) for name in shared)
    lost, new = plain.keys() - other.keys(), other.keys() - plain.keys()
    assert all(name.endswith(("beta", "b_1", "b_2")) for name in lost)
    assert all("_norm.gamma" in name for name in new)


def test_the_default_draws_what_it_drew_before_these_settings():
    # Of the model as it was before: the sum over weights each times its place.
    torch.manual_seed(3)
    model = nn.LanguageModel(models.config(d_model=16, h=4, g=2, norm="pre"))
    flat = torch.cat([W.detach().double().flatten() for W in model.parameters()])
    found = (flat * torch.arange(len(flat)).cos()).sum().item()
    assert found == pytest.approx(BEFORE, rel=1e-5)


BEFORE = -9.399310361770747


@pytest.mark.parametrize("norm", ["post", "pre", "output", "both"])
@pytest.mark.parametrize(
    "changes",
    [
        dict(g=2),
        dict(normalise="rms", activation="gelu"),
        dict(gated=True),
        dict(bias=False, attention_bias="all"),
        dict(qk_norm=True, d_k=6),
        dict(qk_norm=True, qk_norm_of_all=True, g=1),
        dict(experts=4, active=2),
        dict(positions="t5", buckets=4, farthest=8),
        dict(positions="rope", N_decoder=3),
        dict(positions="none", score_scale=1.0, score_cap=2.0, logit_cap=3.0),
        dict(share="embeddings", output_bias=True, output_scaled=True),
        dict(window=3, global_layers=(0,)),
    ],
)
def test_the_translator_may_have_them_and_writes_with_a_cache_what_it_reads(
    changes, norm
):
    torch.manual_seed(0)
    model = nn.Transformer(models.config(norm=norm, **changes)).double().eval()
    with torch.no_grad():
        for W in model.parameters():
            W.add_(torch.randn_like(W) / 10)
    source, target = models.ids(11, [5, 7]), models.ids(11, [8, 8], seed=1)
    mask = nn.padding_mask(source, 0)
    expected, _ = model(source, target)
    memory, _ = model.encode(source)
    cache = nn.DecoderCache(len(model.decoder))
    found = [
        model.logits(model.decode(piece, memory, mask, cache=cache)[0])
        for piece in target.split([3, 1, 4], dim=1)
    ]
    torch.testing.assert_close(torch.cat(found, dim=1), expected)
    alone, _ = model(source[:1, :5], target[:1])
    torch.testing.assert_close(alone, expected[:1])  # padding is not seen


@pytest.mark.parametrize(
    "changes, said",
    [
        (dict(normalise="batch"), r"normalise is 'batch'; expected one of \('layer', "),
        (dict(activation="tanh"), "activation is 'tanh'; expected one of"),
        (dict(gated=1), "gated is 1; expected True or False"),
        (dict(bias="no"), "bias is 'no'; expected True or False"),
        (dict(qk_norm=None), "qk_norm is None; expected True or False"),
    ],
)
def test_a_wrong_setting_is_named(changes, said):
    with pytest.raises(ConfigError, match=said):
        models.config(**changes)
