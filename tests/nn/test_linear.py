"""The product of vectors and weights, by whichever library: the same numbers as torch's."""

from unittest import mock

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch.utils.flop_counter import FlopCounterMode

from transformer_book.nn import onednn
from transformer_book.nn.linear import linear

NAMES = ("x", "W", "b")
INTEL, AMD = "GenuineIntel", "AuthenticAMD"
both = pytest.mark.parametrize("maker", [INTEL, AMD])


def on(maker):
    """Take the products as on a processor of this maker."""
    return mock.patch.object(onednn, "ONEDNN_IS_USED", onednn.prefers_onednn(maker))


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


@both
@given(
    rows=st.sampled_from([(700,), (25, 30), (3, 5, 50)]),
    d_in=st.integers(30, 70),
    d_out=st.integers(30, 70),
    seed=st.integers(0, 99),
)
def test_values_and_gradients_equal_torch(maker, rows, d_in, d_out, seed):
    with on(maker):
        check(*made((*rows, d_in), d_out, seed=seed))


@both
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
def test_parts_of_wider_matrices_give_the_same(maker, part):
    with on(maker):
        check(*part(*made((40, 300, 90), 120)))


@both
@pytest.mark.parametrize("dtype", [torch.float64, torch.bfloat16])
def test_other_dtypes_are_left_to_torch(maker, dtype):
    x, W, b = made((200, 100), 100, dtype)
    with on(maker):
        assert torch.equal(linear(x, W), x @ W)
        assert torch.equal(linear(x, W, b), torch.nn.functional.linear(x, W.T, b))


@both
@pytest.mark.parametrize("biases", [0, 1])
def test_autocast_lowers_the_precision_here_too(maker, biases):
    x, W, b = made((200, 100), 100)
    with on(maker), torch.autocast("cpu", torch.bfloat16):
        assert linear(x, W, *[b][:biases]).dtype == torch.bfloat16


@both
def test_a_count_of_operations_is_that_of_the_plain_product(maker):
    x, W, b = made((200, 100), 100)
    with on(maker), FlopCounterMode(display=False) as counter:
        linear(x, W, b)
    assert counter.get_total_flops() == 2 * 200 * 100 * 100


@both
def test_the_gradient_of_a_gradient_equals_torch(maker):
    x, W, _ = made((200, 100), 100)

    def bent(function):
        leaf = x.detach().requires_grad_()
        (slope,) = torch.autograd.grad(
            (function(leaf) ** 2).sum(), leaf, create_graph=True
        )
        return torch.autograd.grad((slope**2).sum(), leaf)[0]

    with on(maker):
        ours = bent(lambda x: linear(x, W))
    torch.testing.assert_close(ours, bent(lambda x: x @ W), atol=0, rtol=1e-3)


@pytest.mark.parametrize("rows, asks", [((1, 1), False), ((2, 1), True)])
def test_a_single_row_is_left_to_torch(rows, asks):
    x, W, b = made((*rows, 1024), 1024)
    with (
        on(AMD),
        mock.patch.object(
            onednn, "_onednn_linear", wraps=onednn._onednn_linear
        ) as asked,
    ):
        out = linear(x, W, b)
    assert asked.called is asks
    torch.testing.assert_close(out, x @ W + b, atol=1e-3, rtol=0)


@pytest.mark.parametrize("maker", [INTEL, AMD, "another", None])
def test_onednn_is_asked_where_it_was_measured_to_be_faster(maker):
    x, W, _ = made((200, 100), 100)
    with (
        on(maker),
        mock.patch.object(
            onednn, "_onednn_linear", wraps=onednn._onednn_linear
        ) as asked,
    ):
        linear(x, W)
        called = asked.called
        linear(x[:1], W)  # too small a product
    assert called == onednn.prefers_onednn(maker) and asked.call_count == called
    assert maker == AMD or not called


@pytest.mark.parametrize(
    "text, name", [("vendor_id\t: A B\n" * 2, "A B"), ("cpu\n", None)]
)
def test_the_maker_is_read_from_linux(text, name):
    with mock.patch("builtins.open", mock.mock_open(read_data="processor: 0\n" + text)):
        assert onednn.processor_maker() == name
    with mock.patch("builtins.open", side_effect=FileNotFoundError):
        assert onednn.processor_maker() is None


@pytest.mark.parametrize(
    "missing",
    [
        {"torch.utils._python_dispatch._get_current_dispatch_mode": mock.DEFAULT},
        {"torch.ops.mkldnn": object()},  # no operator of that name
        {"torch.ops.mkldnn._linear_pointwise": lambda x, W: None},  # another signature
        {"torch.backends.mkldnn.is_available": lambda: False},
    ],
)
def test_another_release_of_torch_gets_the_plain_product(missing, monkeypatch):
    ((name, put),) = missing.items()
    if put is mock.DEFAULT:
        monkeypatch.delattr(name)
    else:
        monkeypatch.setattr(name, put)
    assert not onednn.prefers_onednn(AMD)
    x, W, _ = made((200, 100), 100)
    with on(AMD):
        assert torch.equal(linear(x, W), x @ W)


def test_torch_s_compiler_sees_torch_s_own_product():
    def call(
        x, W, b
    ):  # not linear itself, among whose globals the compiler would put its own
        return linear(x, W, b)

    x, W, b = made((64, 256), 128)
    with on(AMD):
        if onednn.ONEDNN_IS_USED:
            assert onednn.is_onednn_faster(x, W)
        compiled = torch.compile(call, backend="eager", fullgraph=True)
        out, gradients = with_gradients(compiled, (x, W, b), torch.ones(64, 128))
    expected, others = with_gradients(linear, (x, W, b), torch.ones(64, 128))
    for given_, right in zip((out, *gradients), (expected, *others), strict=True):
        torch.testing.assert_close(given_, right, atol=1e-4, rtol=1e-4)
