"""The gated network against Llama's and T5's, its activations against torch's and SciPy's."""

import numpy as np
import pytest
import scipy.special
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch.nn import functional as F
from transformers import LlamaConfig, T5Config
from transformers.models.llama.modeling_llama import LlamaMLP
from transformers.models.t5.modeling_t5 import T5DenseGatedActDense

from tests.nn.cases import close, gradients, tensors
from transformer_book import by_hand, nn
from transformer_book.shapes import ShapeError

sizes = st.integers(1, 6)
seeds = st.integers(0, 2**32 - 1)
FAMILY = {
    "relu": (by_hand.relu, torch.relu),
    "sigmoid": (by_hand.sigmoid, torch.sigmoid),
    "silu": (by_hand.silu, F.silu),
    "gelu": (by_hand.gelu, F.gelu),
    "gelu_tanh": (by_hand.gelu_tanh, lambda x: F.gelu(x, approximate="tanh")),
}


@pytest.mark.parametrize("ours, theirs", FAMILY.values(), ids=FAMILY)
def test_an_activation_is_torch_s_without_overflow(ours, theirs):
    x = np.concatenate([np.linspace(-12, 12, 241), [-1e3, 1e3]])
    with np.errstate(over="raise"):
        found = ours(x)
    close(found, theirs(torch.from_numpy(x)), 1e-12)
    assert ours(x.astype(np.float32)).dtype == np.float32
    assert ours(x.reshape(3, 81)).shape == (3, 81)


def test_two_of_them_are_scipy_s():
    x = np.linspace(-5, 5, 101)
    close(by_hand.sigmoid(x), scipy.special.expit(x), 1e-12)
    close(by_hand.gelu(x), x * scipy.special.ndtr(x), 1e-12)


def mlp(d_model, d_ff, activation="silu"):
    config = LlamaConfig(
        hidden_size=d_model,
        intermediate_size=d_ff,
        hidden_act=activation.replace("gelu_tanh", "gelu_pytorch_tanh"),
        num_attention_heads=1,
        head_dim=2,
    )
    return LlamaMLP(config).double()


@given(seeds, st.lists(sizes, max_size=2), sizes, sizes, st.sampled_from([*FAMILY]))
def test_it_is_llama_s_forward_and_backward(seed, batch, d_model, d_ff, name):
    by_numpy, by_torch = FAMILY[name]
    shapes = (*batch, d_model), (d_model, d_ff), (d_model, d_ff), (d_ff, d_model)
    arguments = x, W_gate, W_1, W_2 = tensors(seed, *shapes)
    llama = mlp(d_model, d_ff, name)
    named = {"gate_proj": W_gate, "up_proj": W_1, "down_proj": W_2}
    with torch.no_grad():
        for part, W in named.items():
            getattr(llama, part).weight.copy_(W.T)
    expected = llama(x)
    ours = nn.gated_feed_forward(*arguments, by_torch)
    close(ours, expected, 1e-10)
    arrays = [t.detach().numpy() for t in arguments]
    close(by_hand.gated_feed_forward(*arrays, by_numpy), expected, 1e-10)
    weights = [getattr(llama, part).weight for part in named]
    mine = gradients(ours, arguments, seed)
    theirs = gradients(expected, (x, *weights), seed)
    for gradient, other in zip(mine, (theirs[0], *(W.T for W in theirs[1:]))):
        close(gradient, other, 1e-10)


def test_the_gate_is_silu_s_by_default_as_llama_s():
    arguments = tensors(0, (2, 3), (3, 5), (3, 5), (5, 3))
    llama = mlp(3, 5)
    with torch.no_grad():
        for linear, W in zip(
            (llama.gate_proj, llama.up_proj, llama.down_proj), arguments[1:]
        ):
            linear.weight.copy_(W.T)
    expected = llama(arguments[0])
    close(nn.gated_feed_forward(*arguments), expected, 1e-12)
    arrays = [t.detach().numpy() for t in arguments]
    close(by_hand.gated_feed_forward(*arrays), expected, 1e-12)
    module = nn.GatedFeedForward(3, 5).double()
    with torch.no_grad():
        for W, given_ in zip(module.parameters(), arguments[1:], strict=True):
            W.copy_(given_)
    close(module(arguments[0]), expected, 1e-12)


def test_with_gelu_it_is_t5_s():
    module = nn.GatedFeedForward(4, 6, FAMILY["gelu_tanh"][1]).eval()
    config = T5Config(d_model=4, d_ff=6, feed_forward_proj="gated-gelu")
    t5 = T5DenseGatedActDense(config).eval()
    with torch.no_grad():
        t5.wi_0.weight.copy_(module.W_gate.T), t5.wi_1.weight.copy_(module.W_1.T)
        t5.wo.weight.copy_(module.W_2.T)
    x = torch.randn(2, 3, 4)
    close(module(x), t5(x), 1e-6)


def test_three_matrices_at_two_thirds_are_as_many_parameters_as_two():
    def count(module):
        return sum(W.numel() for W in module.parameters())

    plain = nn.FeedForward(96, 384, bias=False)
    assert count(nn.GatedFeedForward(96, 256)) == count(plain) == 2 * 96 * 384
    assert count(nn.FeedForward(96, 384)) == count(plain) + 384 + 96


@pytest.mark.parametrize("activation", [torch.relu, F.gelu, F.silu])
@pytest.mark.parametrize("bias", [True, False])
def test_the_plain_network_is_torch_s_with_other_bends_and_without_biases(
    activation, bias
):
    torch.manual_seed(0)
    ours = nn.FeedForward(4, 6, activation, bias=bias).double()
    first = torch.nn.Linear(4, 6, bias=bias).double()
    second = torch.nn.Linear(6, 4, bias=bias).double()
    with torch.no_grad():
        for linear, W, b in ((first, ours.W_1, ours.b_1), (second, ours.W_2, ours.b_2)):
            linear.weight.copy_(W.T)
            if bias:
                b.normal_(), linear.bias.copy_(b)
    (x,) = tensors(1, (2, 3, 4))
    close(ours(x), second(activation(first(x))), 1e-12)
    assert len(ours.state_dict()) == (4 if bias else 2)


def test_a_new_module_starts_as_xavier_says():
    for W in nn.GatedFeedForward(256, 192).parameters():
        bound = (6 / sum(W.shape)) ** 0.5
        assert bound * 0.98 < W.abs().max() <= bound


@pytest.mark.parametrize("floor, array", [(nn, torch.zeros), (by_hand, np.zeros)])
def test_wrong_shapes_are_named(floor, array):
    said = r"gated_feed_forward: W_1 has shape \(4, 5\); expected \(d_model=4, d_ff=6"
    with pytest.raises(ShapeError, match=said):
        floor.gated_feed_forward(*map(array, ((2, 4), (4, 6), (4, 5), (6, 4))))
    with pytest.raises(ShapeError, match="GatedFeedForward: d_ff is 2.0; expected a"):
        nn.GatedFeedForward(4, 2.0)
