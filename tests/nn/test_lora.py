"""LoRA against the formula written out with torch's own products, and against finite models."""

import numpy as np
import pytest
import torch

from tests.nn import models
from tests.nn.cases import close, tensors
from transformer_book import nn
from transformer_book.config import ConfigError, TransformerConfig

EVERY = ("W_QKV", "W_O", "W_1", "W_2")
IDS = torch.randint(0, 30, (3, 9), generator=torch.Generator().manual_seed(1))


def model(share="none", dtype=torch.float32, **changes):
    torch.manual_seed(0)
    config = TransformerConfig(
        30, 30, 16, 24, h=4, N=2, norm="pre", share=share, dropout=0.0, **changes
    )
    return nn.LanguageModel(config).to(dtype).eval()


def moved(adapted, seed=2):
    """Give every parameter that can learn another value, as training would."""
    generator = torch.Generator().manual_seed(seed)
    with torch.no_grad():
        for W in adapted.parameters():
            if W.requires_grad:
                W += 0.3 * torch.randn(W.shape, generator=generator)
    return adapted


def test_the_sum_and_its_gradients_are_the_formula_s():
    W, A, B, x = tensors(3, (6, 5), (6, 2), (2, 5), (4, 6))
    lora = nn.LoRA(6, 5, 2, alpha=3.0).double()
    with torch.no_grad():
        lora.A.copy_(A)
        lora.B.copy_(B)
    output = x @ lora(W)
    expected = x @ W + 1.5 * (x @ A) @ B  # never a matrix as large as W
    close(output, expected, 1e-14)
    ours = torch.autograd.grad(output.square().sum(), (x, lora.A, lora.B))
    theirs = torch.autograd.grad(expected.square().sum(), (x, A, B))
    for given, wanted in zip(ours, theirs, strict=True):
        close(given, wanted, 1e-13)


def test_by_default_the_scale_is_1_and_B_is_0_and_A_is_not():
    lora = nn.LoRA(6, 5, 2)
    assert lora.scale == 1.0 and nn.LoRA(6, 5, 2, alpha=8).scale == 4.0
    assert not lora.B.any() and lora.A.all()
    wide = nn.LoRA(400, 5, 100)
    assert wide.A.std().item() == pytest.approx(400**-0.5, rel=0.02)


def test_an_adapted_model_begins_as_the_model_and_leaves_it_alone():
    plain = model()
    before = {name: W.clone() for name, W in plain.named_parameters()}
    adapted = nn.adapt(plain, 2, EVERY)
    assert torch.equal(adapted(IDS)[0], plain(IDS)[0])
    moved(adapted)
    assert not torch.allclose(adapted(IDS)[0], plain(IDS)[0], atol=0.1)
    for name, W in plain.named_parameters():
        assert torch.equal(W, before[name]) and W.requires_grad


@pytest.mark.parametrize(
    "names, count",
    [
        (("W_QKV",), 2 * 3 * (16 + 48)),
        (("W_O", "W_1"), 2 * 3 * (32 + 40)),
        (("layers.1.feed_forward.W_2",), 3 * 40),
        (
            ("W_O", "layers.0.self_attention.W_O"),
            2 * 3 * 32,
        ),  # named twice, put on once
        (("output",), 3 * (30 + 16)),
    ],
)
def test_only_what_is_added_learns_and_it_is_so_many(names, count):
    adapted = nn.adapt(model(), 3, names)
    learns = {name for name, W in adapted.named_parameters() if W.requires_grad}
    assert all(name.endswith((".A", ".B")) for name in learns)
    assert sum(adapted.get_parameter(name).numel() for name in learns) == count
    optimiser = torch.optim.Adam(adapted.parameters(), lr=0.1)
    frozen = {
        name: W.clone() for name, W in adapted.named_parameters() if name not in learns
    }
    before = adapted(IDS)[0].detach()
    for _ in range(2):
        optimiser.zero_grad()
        adapted(IDS)[0].square().mean().backward()
        optimiser.step()
    for name, W in frozen.items():
        assert torch.equal(adapted.get_parameter(name), W)
    assert not torch.allclose(adapted(IDS)[0], before, atol=1e-3)


def test_merged_is_a_plain_model_with_the_same_output_to_the_last_bit():
    plain = model()
    adapted = moved(nn.adapt(plain, 2, EVERY, alpha=5.0))
    expected = adapted(IDS)[0]
    merged = nn.merge(adapted)
    assert torch.equal(merged(IDS)[0], expected)
    assert torch.equal(adapted(IDS)[0], expected)  # as it was
    shapes = {name: W.shape for name, W in plain.named_parameters()}
    assert {name: W.shape for name, W in merged.named_parameters()} == shapes
    assert all(W.requires_grad for W in merged.parameters())
    kinds = [type(module) for module in plain.modules()]
    assert [type(module) for module in merged.modules()] == kinds


def test_merged_weights_are_the_formula_s_in_numpy():
    plain = model(dtype=torch.float64)
    merged = nn.merge(adapted := moved(nn.adapt(plain, 2, ("W_QKV",), alpha=5.0)))
    added = adapted.layers[1].self_attention.parametrizations.W_QKV[0]
    W, A, B = (
        x.detach().numpy()
        for x in (plain.layers[1].self_attention.W_QKV, added.A, added.B)
    )
    given = merged.layers[1].self_attention.W_QKV.detach().numpy()
    np.testing.assert_allclose(given, W + 2.5 * A @ B, rtol=0, atol=1e-14)
    assert np.linalg.matrix_rank(given - W) == 2


def test_a_merged_model_is_saved_and_loaded_and_adapted_again(tmp_path):
    merged = nn.merge(moved(nn.adapt(model(), 2, EVERY)))
    nn.save_weights(tmp_path / "merged.safetensors", merged)
    loaded = nn.load_language_model(tmp_path / "merged.safetensors")
    assert torch.equal(loaded(IDS)[0], merged(IDS)[0])
    again = nn.adapt(merged, 1, EVERY)
    assert torch.equal(again(IDS)[0], merged(IDS)[0])


def test_it_works_in_grouped_heads_and_with_a_cache():
    adapted = moved(nn.adapt(model(g=2), 2, EVERY))
    cache = nn.LanguageModelCache(2)
    rows = [adapted(ids, cache=cache)[0] for ids in IDS.split(1, dim=1)]
    close(torch.cat(rows, dim=1), adapted(IDS)[0], 1e-5)


def test_a_translator_is_adapted_in_all_its_attention_too():
    plain = models.model(models.config(), dtype=torch.float32)
    adapted = moved(nn.adapt(plain, 2, EVERY))
    source, target = models.ids(11, [5, 3]), models.ids(11, [4, 2])
    merged = nn.merge(adapted)
    given, expected = (one(source, target)[0] for one in (merged, adapted))
    assert torch.equal(given, expected)
    assert not torch.allclose(given, plain(source, target)[0], atol=0.1)


def test_under_autocast_the_sum_keeps_the_precision_of_the_matrix():
    adapted = moved(nn.adapt(model(), 2, EVERY))
    merged = nn.merge(adapted)
    with torch.autocast("cpu", torch.bfloat16):
        assert torch.equal(adapted(IDS)[0], merged(IDS)[0])


def test_the_seed_decides_A_and_nothing_else_is_drawn():
    plain = model()
    torch.manual_seed(7)
    expected = torch.rand(3)
    torch.manual_seed(7)
    A = [
        nn.adapt(plain, 2, seed=seed).layers[0].self_attention.parametrizations.W_O[0].A
        for seed in (0, 0, 1)
    ]
    assert torch.equal(torch.rand(3), expected)
    assert torch.equal(A[0], A[1]) and not torch.equal(A[0], A[2])


@pytest.mark.parametrize("r", [0, -1, 1.5])
def test_a_rank_below_1_is_an_error(r):
    with pytest.raises(ConfigError, match=rf"LoRA: r is {r}; expected a rank"):
        nn.adapt(model(), r)


@pytest.mark.parametrize(
    "name", ["W_K", "b_1", "layers.2.self_attention.W_O", "KV", ""]
)
def test_a_name_of_no_matrix_is_an_error_that_says_which_there_are(name):
    with pytest.raises(
        ConfigError, match=f"'{name}' is the name of no matrix; .*W_1, W_2, W_O, W_QKV"
    ):
        nn.adapt(model(), 2, (name,))


def test_a_matrix_in_two_places_is_not_parted():
    with pytest.raises(ConfigError, match="embedding stands in two places"):
        nn.adapt(model("all"), 2, ("embedding",))


def test_to_adapt_twice_is_an_error_and_so_is_to_merge_nothing():
    with pytest.raises(ConfigError, match="already adapted; expected a plain one"):
        nn.adapt(nn.adapt(model(), 2), 2, ("W_1",))
    with pytest.raises(ConfigError, match="merge: the model is not adapted"):
        nn.merge(model())


@pytest.mark.parametrize("alpha", ["a", torch.tensor(2.0), True, float("nan")])
def test_an_alpha_that_is_no_number_is_an_error(alpha):
    with pytest.raises(ConfigError, match="LoRA: alpha is .*; expected a number"):
        nn.adapt(model(), 2, alpha=alpha)


def test_numbers_of_numpy_are_numbers():
    given = nn.adapt(model(), np.int64(2), EVERY, np.float32(3), seed=np.int64(1))
    expected = nn.adapt(model(), 2, EVERY, 3.0, seed=1)
    assert torch.equal(moved(given)(IDS)[0], moved(expected)(IDS)[0])
    scale = given.layers[0].self_attention.parametrizations.W_O[0].scale
    assert type(scale) is float and scale == 1.5
    with pytest.raises(ConfigError, match="adapt: seed is True; expected a whole"):
        nn.adapt(model(), 2, seed=True)
