"""RMSNorm against torch's and Llama's; the norm of queries and keys against Qwen3's."""

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from transformers import Qwen3Config
from transformers.models.llama.modeling_llama import LlamaRMSNorm
from transformers.models.qwen3.modeling_qwen3 import Qwen3Attention

from tests.nn.cases import close, gradients, tensors
from transformer_book import by_hand, nn
from transformer_book.shapes import ShapeError

sizes = st.integers(1, 6)
seeds = st.integers(0, 2**32 - 1)
batches = st.lists(sizes, max_size=2)
epsilons = st.sampled_from([1e-6, 1e-3, 0.5])


@given(seeds, batches, sizes, epsilons)
def test_rms_norm_equals_torch_on_both_floors(seed, batch, d_model, epsilon):
    x, gamma = tensors(seed, (*batch, d_model), (d_model,))
    reference = torch.nn.RMSNorm(d_model, eps=epsilon, dtype=torch.float64)
    with torch.no_grad():
        reference.weight.copy_(gamma)
    expected = reference(x)
    arrays = [t.detach().numpy() for t in (x, gamma)]
    close(by_hand.rms_norm(*arrays, epsilon), expected, 1e-12)
    ours = nn.rms_norm(x, gamma, epsilon)
    close(ours, expected, 1e-12)
    theirs = gradients(expected, (x, reference.weight), seed)
    for mine, other in zip(gradients(ours, (x, gamma), seed), theirs):
        close(mine, other, 1e-10)


@given(seeds, batches, sizes, epsilons)
def test_the_module_is_llama_s(seed, batch, d_model, epsilon):
    x, gamma = tensors(seed, (*batch, d_model), (d_model,), dtype=torch.float32)
    ours, llama = nn.RMSNorm(d_model, epsilon), LlamaRMSNorm(d_model, epsilon)
    with torch.no_grad():
        ours.gamma.copy_(gamma), llama.weight.copy_(gamma)
    close(ours(x), llama(x), 1e-6)
    pairs = (ours(x), (x, ours.gamma)), (llama(x), (x, llama.weight))
    for mine, other in zip(*(gradients(y, inputs, seed) for y, inputs in pairs)):
        close(mine, other, 1e-5)


def test_the_default_epsilon_is_llama_s_and_stands_inside_the_root():
    x = torch.tensor([[1e-3, -1e-3]])
    close(nn.RMSNorm(2)(x), LlamaRMSNorm(2)(x), 1e-6)
    close(nn.RMSNorm(2)(x), x / 2e-6**0.5, 1e-6)
    array = x.numpy()
    close(by_hand.rms_norm(array, np.ones(2, np.float32)), array / 2e-6**0.5, 1e-6)
    for floor, zeros in ((nn, torch.zeros), (by_hand, np.zeros)):
        assert not floor.rms_norm(zeros((2, 4)), zeros(4) + 1).any()


def test_layer_norm_may_have_no_shift_and_another_epsilon():
    (x,) = tensors(0, (3, 5))
    ours = nn.LayerNorm(5, epsilon=0.3, bias=False).double()
    reference = torch.nn.LayerNorm(5, eps=0.3, bias=False, dtype=torch.float64)
    with torch.no_grad():
        ours.gamma.uniform_(), reference.weight.copy_(ours.gamma)
    close(ours(x), reference(x), 1e-12)
    assert ours.beta is None and [*ours.state_dict()] == ["gamma"]


@pytest.mark.parametrize("floor, array", [(nn, torch.zeros), (by_hand, np.zeros)])
def test_wrong_shapes_are_named(floor, array):
    said = r"rms_norm: gamma has shape \(3,\); expected \(d_model=4,\)"
    with pytest.raises(ShapeError, match=said):
        floor.rms_norm(array((2, 4)), array(3))
    with pytest.raises(ShapeError, match="RMSNorm: d_model is 0; expected a width"):
        nn.RMSNorm(0)


def attention_of(h, g):
    """Ours and Qwen3's on the same weights, whose norms have learned something."""
    ours = nn.GeneralAttention(12, h, g=g, qk_norm=True).eval()
    config = Qwen3Config(
        hidden_size=12,
        num_attention_heads=h,
        num_key_value_heads=g,
        head_dim=12 // h,
        rms_norm_eps=1e-6,
        attn_implementation="eager",
    )
    theirs = Qwen3Attention(config, 0).eval()
    with torch.no_grad():
        for norm in (ours.q_norm, ours.k_norm):
            norm.gamma.copy_(1 + 0.3 * torch.randn(12 // h))
        for name in ("q", "k"):
            norm = getattr(ours, f"{name}_norm")
            getattr(theirs, f"{name}_norm").weight.copy_(norm.gamma)
        for name in ("Q", "K", "V", "O"):
            W = getattr(ours, f"W_{name}")
            getattr(theirs, f"{name.lower()}_proj").weight.copy_(W.T)
    return ours, theirs


@pytest.mark.parametrize("h, g", [(3, 3), (6, 2), (4, 1)])
def test_queries_and_keys_are_normalised_as_in_qwen3(h, g):
    torch.manual_seed(0)
    ours, theirs = attention_of(h, g)
    x = torch.randn(2, 5, 12)
    still = torch.ones(2, 5, 12 // h), torch.zeros(2, 5, 12 // h)  # turns nothing
    expected, A = theirs(x, still, None)
    output, weights = ours(x)
    close(output, expected, 1e-5)
    close(weights, A, 1e-5)
    if h == g:
        plain = nn.GeneralAttention(12, h, qk_norm=True)
        plain.load_state_dict(ours.state_dict())
        close(plain(x)[0], expected, 1e-5)


@pytest.mark.parametrize("g", [4, 2])
def test_the_length_of_queries_and_keys_changes_no_weight(g):
    torch.manual_seed(0)
    attention, x = nn.GeneralAttention(16, 4, g=g, qk_norm=True), torch.randn(1, 5, 16)
    before = attention(x)[1]
    with torch.no_grad():
        attention.W_Q.mul_(1000), attention.W_K.mul_(1000)
    close(attention(x)[1], before, 1e-4)


def test_cross_attention_keeps_normalised_keys():
    torch.manual_seed(0)
    attention = nn.GeneralAttention(16, 4, qk_norm=True).double().eval()
    with torch.no_grad():
        attention.k_norm.gamma.mul_(2), attention.q_norm.gamma.mul_(0.3)
    x, memory = torch.randn(1, 4, 16).double(), torch.randn(1, 6, 16).double()
    whole, cache = attention(x, memory)[0], nn.KeyValueCache()
    made = [attention(one, memory, cache=cache)[0] for one in x.split(1, 1)]
    close(torch.cat(made, dim=1), whole, 1e-12)
    squares = cache.K.square().mean(-1)
    close(squares, torch.full_like(squares, 4), 1e-4)


def test_pooled_heads_keep_their_norms():
    torch.manual_seed(0)
    attention = nn.GeneralAttention(12, 6, qk_norm=True)
    with torch.no_grad():
        attention.k_norm.gamma.mul_(3)
    pooled = nn.mean_pool(attention, 6)
    x = torch.randn(2, 4, 12)
    close(pooled(x)[0], attention(x)[0], 1e-6)
    assert pooled.k_norm is not attention.k_norm


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16])
def test_fewer_digits_are_rounded_once_as_torch_does(dtype):
    x, gamma = tensors(0, (3, 40), (40,), dtype=dtype)
    reference = torch.nn.RMSNorm(40, eps=1e-6, dtype=dtype)
    with torch.no_grad():
        reference.weight.copy_(gamma)
    assert torch.equal(nn.rms_norm(x, gamma), reference(x))


def test_under_autocast_the_norms_of_heads_have_all_digits():
    torch.manual_seed(0)
    attention, x = nn.GeneralAttention(16, 4, qk_norm=True), torch.randn(1, 5, 16)
    expected = attention(x)[0]
    with torch.autocast("cpu", torch.bfloat16):
        found = attention(x)[0]
    close(found.float(), expected, 0.02)


def test_a_gradient_is_taken_for_a_part_of_the_inputs_and_once():
    x, gamma = tensors(0, (2, 3, 4), (4,))
    for inputs in ((x,), (gamma,)):
        mine = torch.autograd.grad(nn.rms_norm(x, gamma).square().sum(), inputs)
        by_torch = torch.nn.functional.rms_norm(x, (4,), gamma, 1e-6).square().sum()
        close(mine[0], torch.autograd.grad(by_torch, inputs)[0], 1e-10)
    for loss in (lambda y: y.square().sum(), lambda y: y.sum()):
        found = torch.autograd.grad(
            loss(nn.rms_norm(x, gamma)), (x, gamma), create_graph=True
        )
        for gradient in found:
            with pytest.raises(RuntimeError, match="once_differentiable"):
                gradient.sum().backward(retain_graph=True)


def test_autocast_rounds_no_gradient():
    x, gamma = tensors(1, (5, 40), (40,), dtype=torch.float32)
    expected = gradients(nn.rms_norm(x, gamma), (x, gamma), 0)
    with torch.autocast("cpu", torch.bfloat16):
        found = gradients(nn.rms_norm(x, gamma), (x, gamma), 0)
    for mine, other in zip(found, expected):
        assert torch.equal(mine, other)
