"""What the chapter on Add & Norm claims of the package's layers."""

import math

import numpy as np
import pytest
import torch

from transformer_book import by_hand, nn

POST_AND_PRE = pytest.mark.parametrize("norm", ["post", "pre"])
D, H, D_FF, LENGTH, WORDS = 64, 4, 256, 16, 50


def normalised(x):
    return torch.nn.functional.layer_norm(x, x.shape[-1:])


def encoder(N, norm, seed):
    """The encoder of a fresh model and the words above it; their loss has gone backward."""
    torch.manual_seed(seed)
    config = nn.TransformerConfig(
        WORDS, WORDS, d_model=D, d_ff=D_FF, h=H, N=N, dropout=0, norm=norm
    )
    model = nn.Transformer(config).double()
    ids, labels = torch.randint(1, WORDS, (2, 4, LENGTH))
    x, _ = model.encode(ids)
    torch.nn.functional.cross_entropy(model.logits(x).mT, labels).backward()
    return model.encoder, x.detach()


def of_matrices(layer):
    return math.sqrt(
        sum(p.grad.square().sum() for p in layer.parameters() if p.ndim == 2)
    )


def difference(x):
    return ((x - x.mean(dim=1, keepdim=True)).norm() / x.norm()).item()


@POST_AND_PRE
def test_what_is_added_is_the_input_itself_on_both_floors(norm):
    """A layer whose sub-layers answer 0 hands on its input: no projection of it."""
    torch.manual_seed(0)
    layer = nn.EncoderLayer(D, H, D_FF, norm=norm).double()
    with torch.no_grad():
        layer.self_attention.W_O.zero_()
        layer.feed_forward.W_2.zero_()
        x = torch.randn(2, 5, D).double()
        expected = x if norm == "pre" else normalised(normalised(x))
        W = {name: p.numpy() for name, p in layer.named_parameters()}
        torch.testing.assert_close(layer(x)[0], expected)
        on_paper, _ = by_hand.encoder_layer(x.numpy(), W, H, norm=norm)
    np.testing.assert_allclose(on_paper, expected, rtol=1e-12, atol=1e-12)


@POST_AND_PRE
def test_dropout_never_falls_on_the_direct_way(norm):
    torch.manual_seed(0)
    around, x, y = (
        nn.AddAndNorm(D, dropout=0.5, norm=norm),
        torch.randn(200, D),
        torch.ones(200, D),
    )
    around.layer_norm = torch.nn.Identity()
    added = around.add_output(x, y) - x
    kept = added > 1  # an entry of y is dropped, or doubled
    torch.testing.assert_close(added, 2.0 * kept, rtol=0, atol=1e-5)
    assert 0.45 < kept.float().mean() < 0.55
    assert torch.equal(around.sub_layer_input(x), x)


def test_dropout_falls_once_on_what_enters_each_stack():
    torch.manual_seed(0)
    config = nn.TransformerConfig(WORDS, WORDS, d_model=D, h=H, N=1, dropout=0.5)
    model, entered = nn.Transformer(config).train(), []
    for stack in (model.encoder, model.decoder):
        stack[0].register_forward_pre_hook(lambda _, x: entered.append(x[0]))
    model(*torch.randint(1, WORDS, (2, 8, LENGTH)))
    for x in entered:
        assert 0.45 < (x == 0).float().mean() < 0.55
    assert len(entered) == 2


@pytest.mark.parametrize("floor", ["by_hand", "nn"])
def test_layer_norm_forgets_shift_and_scale_and_knows_no_neighbours(floor):
    x = torch.randn(4, 7, D, generator=torch.Generator().manual_seed(0)).double()
    one, zero = torch.ones(D).double(), torch.zeros(D).double()

    def norm(x):
        if floor == "nn":
            return nn.layer_norm(x, one, zero)
        return torch.tensor(by_hand.layer_norm(x.numpy(), one.numpy(), zero.numpy()))

    torch.testing.assert_close(norm(7 * x + 100), norm(x), rtol=0, atol=1e-4)
    torch.testing.assert_close(norm(-x), -norm(x))
    padded = torch.nn.functional.pad(x[:1, :3], (0, 0, 0, 9))
    torch.testing.assert_close(norm(padded)[0, :3], norm(x)[0, :3], rtol=0, atol=0)
    judge = torch.nn.BatchNorm1d(D, affine=False).double()  # in training
    assert not torch.allclose(
        judge(x.mT).mT[0, :3], judge(padded.mT).mT[0, :3], atol=0.1
    )


def test_no_gradient_of_layer_norm_points_to_what_it_forgets():
    generator = torch.Generator().manual_seed(0)
    x, pull = torch.randn(2, 30, D, generator=generator).double()
    x.requires_grad_()
    y = nn.layer_norm(x, torch.ones(D).double(), torch.zeros(D).double())
    (gradient,) = torch.autograd.grad(y, x, pull)
    unit = y.detach()
    assert (gradient @ torch.ones(D).double()).abs().max() < 1e-10
    assert (gradient * unit).sum(dim=-1).abs().max() < 1e-3  # not quite 0: epsilon
    across = (
        pull - pull.mean(-1, keepdim=True) - (pull * unit).mean(-1, keepdim=True) * unit
    )
    sigma = x.detach().std(dim=-1, unbiased=False, keepdim=True)
    torch.testing.assert_close(gradient, across / sigma, rtol=0, atol=1e-4)


def test_the_last_layer_s_gradient_falls_with_depth_in_pre_ln_alone():
    ratio = {
        norm: np.mean(
            [
                of_matrices(encoder(4, norm, seed)[0][-1])
                / of_matrices(encoder(36, norm, seed)[0][-1])
                for seed in range(2)
            ]
        )
        for norm in ("post", "pre")
    }
    assert 0.6 < ratio["post"] < 1.7
    assert 1.8 < ratio["pre"] < 5  # the square root of 36/4 is 3


def test_words_merge_with_depth_in_post_ln_alone():
    apart = {
        (norm, N): difference(encoder(N, norm, 0)[1])
        for norm in ("post", "pre")
        for N in (4, 36)
    }
    assert min(apart["post", 4], apart["pre", 4], apart["pre", 36]) > 0.1
    assert apart["post", 36] < 1e-3


def test_only_pre_ln_ends_its_stacks_with_a_norm_and_needs_it():
    for norm in ("post", "pre"):
        model = nn.Transformer(nn.TransformerConfig.tiny(20, norm=norm))
        ends = [
            isinstance(end, nn.LayerNorm)
            for end in (model.encoder_norm, model.decoder_norm)
        ]
        assert ends == [norm == "pre"] * 2
    torch.manual_seed(0)
    x = torch.randn(2, LENGTH, D).double()
    for layer in encoder(36, "pre", 0)[0]:
        x = layer(x)[0].detach()
    assert x.std() > 4  # the stream has grown
