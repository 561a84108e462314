"""What the chapter on the whole model says: counts, the paper's table, and what shapes hide."""

import pytest
import torch

from tests.nn.models import config, ids, model
from transformer_book import nn
from transformer_lab.torch_transformer import TorchTransformer

# Table 3 of the paper: what differs from base, and millions of parameters.
TABLE = {
    "base": ({}, 65),
    "N 2": ({"N": 2}, 36),
    "N 4": ({"N": 4}, 50),
    "N 8": ({"N": 8}, 80),
    "d_model 256": ({"d_model": 256}, 28),
    "d_model 1024": ({"d_model": 1024}, 168),
    "d_ff 1024": ({"d_ff": 1024}, 53),
    "d_ff 4096": ({"d_ff": 4096}, 90),
    "big": ({"d_model": 1024, "d_ff": 4096, "h": 16}, 213),
}


def count(settings):
    with torch.device("meta"):
        return sum(W.numel() for W in nn.Transformer(settings).parameters())


@pytest.mark.parametrize("norm", ["post", "pre"])
@pytest.mark.parametrize(
    "words, d_model, d_ff, h, N", [(10, 4, 8, 2, 1), (37, 24, 10, 3, 5)]
)
def test_every_parameter_is_in_the_formula(words, d_model, d_ff, h, N, norm):
    settings = nn.TransformerConfig(words, words, d_model, d_ff, h, N, norm=norm)
    ends = 2 * 2 * d_model if norm == "pre" else 0
    attention, ffn = 4 * d_model**2, 2 * d_model * d_ff + d_ff + d_model
    expected = (
        words * d_model + 3 * N * attention + 2 * N * ffn + 5 * N * 2 * d_model + ends
    )
    assert count(settings) == expected


def test_most_biases_leave_base_at_63_1_million():
    theirs = TorchTransformer(nn.Transformer(config(N=2))).stacks
    biases = sum(
        p.numel()
        for name, p in theirs.named_parameters()
        if "attn" in name and "bias" in name
    )
    assert (
        biases == 3 * 2 * 4 * config().d_model
    )  # N attentions in threes, four biases each
    base = count(nn.TransformerConfig.base())
    assert base + 3 * 6 * 4 * 512 == 63_082_496


def test_no_vocabulary_gives_the_tables_base_and_big():
    found = {}
    for name, (changes, millions) in TABLE.items():
        settings = nn.TransformerConfig.base(1).changed(**changes)
        rest, d_model = count(settings) - settings.d_model, settings.d_model
        found[name] = [(millions * 1e6 + e - rest) / d_model for e in (-5e5, 0, 5e5)]
    others = [found[name] for name in TABLE if name != "big"]
    assert 37_000 < max(f[0] for f in others) < min(f[2] for f in others)
    assert found["big"][2] < min(f[0] for f in others)
    assert (
        round(found["base"][1], -2) == 40_800 and round(found["big"][1], -2) == 35_900
    )


def test_a_wrong_number_of_heads_is_silent_unless_the_file_is_asked(tmp_path):
    path, made = tmp_path / "model.safetensors", model(config())
    nn.save_weights(path, made)
    source, target = ids(11, [7, 4], 1), ids(11, [3, 9], 2)
    wrong = nn.Transformer(config().changed(h=2)).double()
    nn.set_weights(wrong, dict(made.named_parameters()))
    assert (wrong(source, target)[0] - made(source, target)[0]).abs().max() > 0.01
    assert torch.equal(
        nn.load_weights(path)(source, target)[0], made(source, target)[0]
    )


def test_an_activation_is_in_no_file_and_comes_back_as_relu(tmp_path):
    path, made = tmp_path / "model.safetensors", model(config())
    source, target = ids(11, [7, 4], 1), ids(11, [3, 9], 2)
    with_relu = made(source, target)[0]
    for layer in (*made.encoder, *made.decoder):
        layer.feed_forward.activation = torch.nn.functional.gelu
    nn.save_weights(path, made)
    loaded = nn.load_weights(path)(source, target)[0]
    assert torch.equal(loaded, with_relu)
    assert (loaded - made(source, target)[0]).abs().max() > 0.01


def test_a_wrong_pad_id_shows_in_a_batch_of_unequal_sentences_alone():
    made = model(config())
    guess = nn.Transformer(config().changed(pad_id=10)).double()
    nn.set_weights(guess, dict(made.named_parameters()))
    source, target = ids(10, [7, 4], 1), ids(10, [5, 3], 2)  # ids up to 9; padding is 0
    off = (guess(source, target)[0] - made(source, target)[0]).abs().amax(dim=(1, 2))
    assert off[0] < 1e-12 and off[1] > 0.01


def test_a_padding_mask_on_the_target_changes_no_row_of_a_word():
    made = model(config())
    source, target = ids(11, [7, 4], 1), ids(11, [5, 3], 2)
    theirs = TorchTransformer(made)
    stacks, hidden = theirs.stacks, target == 0
    handed = {}
    stacks.register_forward_pre_hook(
        lambda module, inputs, options: (inputs, options | handed), with_kwargs=True
    )
    before = theirs(source, target)
    handed["tgt_key_padding_mask"] = (
        torch.zeros(2, 5).double().masked_fill(hidden, -torch.inf)
    )
    after = theirs(source, target)
    torch.testing.assert_close(after[~hidden], before[~hidden])
    torch.testing.assert_close(made(source, target)[0][~hidden], after[~hidden])
    assert not torch.allclose(
        after[hidden], before[hidden], atol=1e-4
    )  # the mask was used


@pytest.mark.parametrize("norm", ["post", "pre"])
def test_silent_sublayers_leave_x_in_pre_ln_alone(norm):
    memory, x = torch.randn(1, 4, 16), 5 + 3 * torch.randn(1, 6, 16)
    theirs = torch.nn.TransformerEncoderLayer(
        16, 2, 32, batch_first=True, norm_first=norm == "pre"
    )
    layers = (
        nn.EncoderLayer(16, 2, 32, norm=norm),
        nn.DecoderLayer(16, 2, 32, norm=norm),
    )
    with torch.no_grad():
        for W in layers[0].feed_forward.parameters():
            W.zero_()
        # What Pre-LN's attention adds does not depend on how long x is; it reads x normalised.
        added = [layers[0](s * x)[0] - s * x for s in (1, 100)]
        assert torch.allclose(*added, atol=0.01) == (norm == "pre")
        for layer in (*layers, theirs):
            for name, W in layer.named_parameters():
                if "norm" not in name:
                    W.zero_()
        left = [layers[0](x)[0], layers[1](x, memory)[0], theirs(x)]
    assert [torch.equal(y, x) for y in left] == [norm == "pre"] * 3
    normed = torch.nn.functional.layer_norm(x, (16,))
    assert [torch.allclose(y, normed, atol=1e-3) for y in left] == [norm == "post"] * 3
