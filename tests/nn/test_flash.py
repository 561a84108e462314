"""Attention in tiles, with gradients, against ``by_hand``, torch's own kernels and finite differences."""

import warnings

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch.nn.attention import flex_attention as flex

from tests.nn.cases import close, gradients, tensors
from transformer_book import by_hand, nn
from transformer_book.shapes import ShapeError

sizes, tile = st.integers(1, 9), st.integers(1, 10)
batches = st.lists(st.integers(1, 3), max_size=2)
seeds = st.integers(0, 2**32 - 1)


@st.composite
def cases(draw):
    """Q, K, V and the options of the tiles."""
    batch, causal = draw(batches), draw(st.booleans())
    m, n, d_k, d_v = (draw(sizes) for _ in range(4))
    m = n if causal else m
    shapes = (*batch, m, d_k), (*batch, n, d_k), (*batch, n, d_v)
    options = dict(causal=causal, rows=draw(tile), columns=draw(tile))
    return tensors(draw(seeds), *shapes), options


@given(cases())
@settings(max_examples=200)
def test_it_is_by_hands(case):
    inputs, options = case
    expected = by_hand.flash_attention(*(x.detach().numpy() for x in inputs), **options)
    for mine, theirs in zip(nn.flash_attention(*inputs, **options), expected):
        close(mine, theirs, 1e-12)


@given(cases(), st.integers(0, 99))
@settings(max_examples=200)
def test_output_and_gradients_are_those_of_torchs_kernel(case, seed):
    inputs, options = case
    Z, _ = nn.flash_attention(*inputs, **options)
    reference = torch.nn.functional.scaled_dot_product_attention(
        *inputs, is_causal=options["causal"]
    )
    close(Z, reference, 1e-12)
    for mine, theirs in zip(
        gradients(Z, inputs, seed), gradients(reference, inputs, seed)
    ):
        close(mine, theirs, 1e-11)


@given(cases())
@settings(max_examples=30)
def test_gradients_are_those_of_finite_differences(case):
    inputs, options = case
    assert torch.autograd.gradcheck(
        lambda *x: nn.flash_attention(*x, **options), inputs
    )


def test_gradients_of_keys_that_heads_share_are_summed():
    Q, K, V = tensors(0, (2, 3, 5, 4), (2, 1, 5, 4), (5, 4))
    Z, _ = nn.flash_attention(Q, K, V, rows=2, columns=3)
    explicit, _ = nn.scaled_dot_product_attention(Q, K, V)
    for mine, theirs in zip(
        gradients(Z, (Q, K, V), 0), gradients(explicit, (Q, K, V), 0)
    ):
        close(mine, theirs, 1e-12)


def kept(attend):
    """The shapes of all that a forward pass keeps for the gradient."""
    shapes = []
    hooks = torch.autograd.graph.saved_tensors_hooks
    with hooks(lambda x: shapes.append(tuple(x.shape)) or x, lambda x: x):
        attend()
    return shapes


def test_nothing_as_large_as_the_weights_is_kept():
    Q, K, V = tensors(0, *[(40, 4)] * 3)
    most = lambda shapes: max(map(np.prod, shapes))  # noqa: E731
    assert most(kept(lambda: nn.scaled_dot_product_attention(Q, K, V))) == 40 * 40
    tiled = kept(lambda: nn.flash_attention(Q, K, V, rows=8, columns=8))
    assert most(tiled) == 40 * 4


@pytest.mark.parametrize("rows, columns", [(2, 2), (4, 1), (1, 3), (3, 2)])
def test_the_future_is_never_computed(rows, columns, monkeypatch):
    seen = []
    scores = nn.flash._tile_scores
    monkeypatch.setattr(
        nn.flash, "_tile_scores", lambda *a: seen.append(a[2:4]) or scores(*a)
    )
    inputs = tensors(0, *[(6, 2)] * 3)
    Z, _ = nn.flash_attention(*inputs, causal=True, rows=rows, columns=columns)
    forward, seen[:] = sorted(seen), []
    Z.sum().backward()
    expected = [
        (i, j)
        for i in range(0, 6, rows)
        for j in range(0, 6, columns)
        if j < min(6, i + rows)
    ]
    assert forward == sorted(seen) == expected


@pytest.mark.parametrize("loss", [lambda Z: (Z**2).sum(), lambda Z: Z.sum()])
def test_a_gradient_of_the_gradient_is_refused(loss):
    inputs = tensors(0, *[(3, 2)] * 3)
    Z, _ = nn.flash_attention(*inputs)
    for gradient in torch.autograd.grad(loss(Z), inputs, create_graph=True):
        with pytest.raises(RuntimeError, match="once_differentiable"):
            gradient.sum().backward(retain_graph=True)


def by_torch(inputs, causal):
    """Output and gradients of torch's kernel, of these numbers in float64."""
    inputs = [x.detach().double().requires_grad_() for x in inputs]
    Z = torch.nn.functional.scaled_dot_product_attention(*inputs, is_causal=causal)
    return Z, *gradients(Z, inputs, 0)


def far(rounded, exact):
    return ((rounded.double() - exact).norm() / exact.norm()).item()


@pytest.mark.parametrize("causal", [False, True])
@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16])
def test_halves_are_rounded_once(dtype, causal):
    """The scores are large, and the tiles many: that would show in sums of halves."""
    inputs = tensors(1, *[(2, 200, 32)] * 3, dtype=dtype)
    inputs[0] = (3 * inputs[0]).detach().requires_grad_()
    Z, L = nn.flash_attention(*inputs, causal=causal, rows=16, columns=8)
    assert L.dtype == torch.float32 and Z.dtype == dtype
    exact = by_torch(inputs, causal)
    (pull,) = tensors(0, Z.shape)
    found = torch.autograd.grad(Z, inputs, pull.detach().to(dtype))
    digits = torch.finfo(dtype).eps
    for mine, theirs in zip((Z, *found), exact):
        assert mine.dtype == dtype
        assert far(mine, theirs) < 0.7 * digits


@pytest.mark.parametrize("inside", [False, True])
def test_autocast_rounds_no_score(inside):
    inputs = tensors(2, *[(60, 16)] * 3, dtype=torch.float32)
    exact = by_torch(inputs, False)
    (pull,) = tensors(0, exact[0].shape, dtype=torch.float32)
    with torch.autocast("cpu", torch.bfloat16):
        Z, _ = nn.flash_attention(*inputs, rows=16, columns=16)
        if inside:
            found = torch.autograd.grad(Z, inputs, pull)
    if not inside:
        found = torch.autograd.grad(Z, inputs, pull)
    for mine, theirs in zip((Z, *found), exact):
        assert far(mine, theirs) < 1e-5


def test_flex_attention_agrees():
    Q, K, V = (x.detach() for x in tensors(0, *[(2, 3, 40, 16)] * 3))
    block_mask = flex.create_block_mask(
        lambda b, h, query, key: query >= key, None, None, 40, 40, device="cpu"
    )
    with warnings.catch_warnings():
        # Not compiled, which would take the better part of a minute, it holds all scores.
        warnings.filterwarnings("ignore", message="flex_attention called without")
        expected = flex.flex_attention(Q, K, V, block_mask=block_mask)
    Z, _ = nn.flash_attention(Q, K, V, causal=True, rows=16, columns=8)
    close(Z, expected, 1e-12)


def test_one_clear_error():
    Q, K = tensors(0, (2, 3), (4, 3))
    with pytest.raises(ShapeError, match="causal with 2 queries and 4 keys"):
        nn.flash_attention(Q, K, K, causal=True)
    with pytest.raises(ShapeError, match="V has shape"):
        nn.flash_attention(Q, K, Q)
