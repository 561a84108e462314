"""The product of vectors and weights, by whichever library: the same numbers as torch's."""

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch.utils.flop_counter import FlopCounterMode

from transformer_book.nn import linear as room
from transformer_book.nn.linear import linear

NAMES = ("x", "W", "b")


def made(shape, d_out, dtype=torch.float32, seed=0):
    """Return x, W and b, large enough that oneDNN is asked."""
    torch.manual_seed(seed)
    sizes = shape, (shape[-1], d_out), (d_out,)
    return [torch.randn(size, dtype=dtype) for size in sizes]


def with_gradients(function, tensors, pull):
    leaves = [tensor.detach().requires_grad_() for tensor in tensors]
    out = function(*leaves)
    return out, torch.autograd.grad(out, leaves, pull.to(out.dtype))


def check(x, W, b):
    """Compare with torch's own in float64, values and gradients."""
    pull = torch.randn(*x.shape[:-1], W.shape[-1])
    out, gradients = with_gradients(linear, (x, W, b), pull)
    expected, others = with_gradients(
        lambda x, W, b: torch.nn.functional.linear(x, W.T, b),
        (t.double() for t in (x, W, b)),
        pull,
    )
    for name, given_, right in zip(
        ("out", *NAMES), (out, *gradients), (expected, *others)
    ):
        scale = right.abs().max().clamp_min(1)
        torch.testing.assert_close(
            given_.double() / scale,
            right / scale,
            atol=1e-5,
            rtol=0,
            msg=lambda m, name=name: f"{name}: {m}",
        )


@given(
    rows=st.sampled_from([(700,), (25, 30), (3, 5, 50)]),
    d_in=st.integers(30, 70),
    d_out=st.integers(30, 70),
    seed=st.integers(0, 99),
)
def test_values_and_gradients_are_torchs(rows, d_in, d_out, seed):
    check(*made((*rows, d_in), d_out, seed=seed))


@pytest.mark.parametrize(
    "part",
    [
        lambda x, W, b: (x.transpose(0, 1), W, b),
        lambda x, W, b: (x[:, ::2], W, b),
        lambda x, W, b: (x[..., 40:], W[40:], b),
        lambda x, W, b: (x, W[:, 20:60], b[20:60]),
        lambda x, W, b: (x, W.T.contiguous().T, b),
        lambda x, W, b: (x[0], W.chunk(3, dim=-1)[1], b.chunk(3)[1]),
    ],
)
def test_parts_of_wider_matrices_give_the_same(part):
    check(*part(*made((40, 300, 90), 120)))


@pytest.mark.parametrize("dtype", [torch.float64, torch.bfloat16])
def test_other_dtypes_are_left_to_torch(dtype):
    x, W, b = made((200, 100), 100, dtype)
    assert torch.equal(linear(x, W, b), torch.nn.functional.linear(x, W.T, b))


def test_autocast_lowers_the_precision_here_too():
    x, W, b = made((200, 100), 100)
    with torch.autocast("cpu", torch.bfloat16):
        assert linear(x, W, b).dtype == torch.bfloat16


def test_a_count_of_operations_is_that_of_the_plain_product():
    x, W, b = made((200, 100), 100)
    with FlopCounterMode(display=False) as counter:
        linear(x, W, b)
    assert counter.get_total_flops() == 2 * 200 * 100 * 100


def test_without_onednn_the_values_are_the_same(monkeypatch):
    x, W, b = made((200, 100), 100)
    fast = linear(x, W, b)
    monkeypatch.setattr(room, "ONEDNN", False)
    torch.testing.assert_close(linear(x, W, b), fast, atol=1e-4, rtol=0)


def test_the_gradient_of_a_gradient_is_torchs():
    x, W, _ = made((200, 100), 100)

    def bent(function):
        leaf = x.detach().requires_grad_()
        (slope,) = torch.autograd.grad(
            (function(leaf) ** 2).sum(), leaf, create_graph=True
        )
        return torch.autograd.grad((slope**2).sum(), leaf)[0]

    ours, torchs = bent(lambda x: linear(x, W)), bent(lambda x: x @ W)
    torch.testing.assert_close(ours, torchs, atol=0, rtol=1e-3)
