"""The documented mistakes that need layers or the whole model: the wrong and the right figure."""

import math

import numpy as np
import pytest
import torch

from tests.chapters.test_mistakes import close, ran
from transformer_book import by_hand, data, decode, nn
from transformer_lab.torch_transformer import TorchTransformer

EPSILON = 1e-5  # torch's default, and the package's


@pytest.mark.parametrize("norm", ["post", "pre"])
def test_m22_two_experiments_tell_post_ln_from_pre_ln(norm):
    page, post = ran(22), norm == "post"
    x, f = page["x"], page["f"]
    normalised = torch.nn.functional.layer_norm
    expected = {
        "post": normalised(x + f(x), (16,)),
        "pre": x + f(normalised(x, (16,))),
    }[norm]
    wiring = page["by_text" if post else "by_code"]
    torch.testing.assert_close(wiring(x, f), expected)
    layer = nn.EncoderLayer(16, 2, 64, norm=norm)
    assert page["normal"](layer(x[None])[0]) == post
    before = [p.clone() for p in layer.parameters()]
    for p in layer.parameters():
        p.data += 0.1  # as if trained
    judge = torch.nn.TransformerEncoderLayer(16, 2, 64, norm_first=not post)
    assert page["is_pre"](layer) == page["is_pre"](judge) == (not post)
    for p, old in zip(layer.parameters(), before):  # looked at, not changed
        torch.testing.assert_close(p, old + 0.1)


@pytest.mark.parametrize("d_model", [4, 512])
@pytest.mark.parametrize("sigma", [1.0, 0.001])
def test_m23_what_the_other_deviations_give(d_model, sigma):
    variance = sigma**2
    right = sigma / math.sqrt(variance + EPSILON)
    n_minus_1 = sigma / math.sqrt(variance * d_model / (d_model - 1) + EPSILON)
    outside = sigma / (sigma + EPSILON)
    close(ran(23)["largest"][d_model, sigma], [right, n_minus_1, outside], 1e-5)
    if sigma == 1:  # a seventh at width 4, a thousandth at width 512
        assert n_minus_1 / right == pytest.approx(math.sqrt(1 - 1 / d_model), abs=1e-5)
        assert 1 - n_minus_1 / right > (0.13 if d_model == 4 else 9e-4)
    else:
        assert outside > 3 * right
    x = sigma * np.tile([1.0, -1.0], d_model // 2)
    one, zero = np.ones(d_model), np.zeros(d_model)
    close(by_hand.layer_norm(x, one, zero).max(), right)
    close(nn.layer_norm(*map(torch.from_numpy, (x, one, zero))).max(), right)


def test_m24_torch_ends_each_post_ln_stack_with_one_more_norm(tmp_path):
    page, file = ran(24), tmp_path / "model.safetensors"
    nn.save_weights(file, page["model"])  # gammas are not 1, betas not 0
    config, W = by_hand.load_weights(file)
    source, target = page["source"], page["target"]
    expected, _ = by_hand.transformer(source.numpy(), target.numpy(), W, config)
    for one_more in (True, False):
        logits = (
            page["in_torch"](page["model"], one_more)(source, target).detach().numpy()
        )
        assert (np.abs(logits - expected).max() > 0.1) == one_more
    assert TorchTransformer(page["model"]).stacks.decoder.norm is None
    for of_torch in (page["stock"].encoder.norm, page["stock"].decoder.norm):
        assert torch.equal(of_torch.weight, torch.ones(16)) and not of_torch.bias.any()
    # Fresh, the logits hide it; doubling the last gamma and beta does not.
    plain = nn.Transformer(page["config"])
    logits, _ = plain(source, target)
    for one_more in (True, False):
        made = page["in_torch"](plain, one_more)
        assert (made(source, target) - logits).abs().max() < 1e-3
        assert page["doubles"](made) != one_more


@pytest.mark.parametrize("name", ["right", "no mask", "no shift"])
def test_m26_a_loss_near_zero_says_nothing_about_what_it_writes(name):
    page = ran(26)
    loss, said, written = page["report"][name]
    assert loss < 0.3 and said > 0.9
    assert written > 0.85 if name == "right" else written < 0.5
    source, target = page["pairs"](50, seed=10_000)
    wrote = decode.greedy(page["models"][name], source, max_length=8, use_cache=False)
    good = [row.flip(0).add(10).tolist() for row in source[:, :-1]]
    assert [row[1:-1] for row in target.tolist()] == good
    agree = np.mean([a == b for a, b in zip(wrote, good)])
    assert agree > 0.85 if name == "right" else agree < 0.5


def test_m26_the_flow_of_information_finds_both_forms():
    page, config = ran(26), nn.TransformerConfig.tiny(24, d_model=16, d_ff=32, N=2)
    leaks, shifted, unshifted = (
        page[name] for name in ("leaks", "shifted", "unshifted")
    )
    model = nn.Transformer(config).eval()
    assert leaks(model, shifted) == []
    assert leaks(model, unshifted) == list(range(8))
    for layer in model.decoder:
        layer.self_attention = page["Unmasked"](16, 4)
    assert leaks(model, shifted) == list(
        range(7)
    )  # the last target is not in the input
    source, target = page["pairs"](2, seed=1)
    _, seen = model(source, target, need_weights=True)
    assert (seen["decoder.0.self_attention"] > 0).all()
    assert target[0, 0] == data.BOS and target[0, -1] == data.EOS == source[0, -1]
