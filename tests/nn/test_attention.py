"""``nn`` attention against ``by_hand``, torch's own kernel and finite differences."""

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.nn.cases import close, gradients, masks, tensors
from transformer_book import by_hand, nn
from transformer_book.shapes import ShapeError

sizes = st.integers(1, 6)
batches = st.lists(st.integers(1, 3), max_size=2)
seeds = st.integers(0, 2**32 - 1)


@st.composite
def cases(draw, dtype=torch.float64):
    """Q, K, V and a mask; some queries may attend to nothing."""
    batch, m, n, d_k, d_v = (draw(batches), *(draw(sizes) for _ in range(4)))
    seed = draw(seeds)
    Q, K, V = tensors(
        seed, (*batch, m, d_k), (*batch, n, d_k), (*batch, n, d_v), dtype=dtype
    )
    return Q, K, V, draw(masks(batch, m, n))


@given(cases(), st.booleans())
@settings(max_examples=200)
def test_both_paths_are_by_hands(case, need_weights):
    Q, K, V, mask = case
    output, weights = nn.scaled_dot_product_attention(
        Q, K, V, mask, need_weights=need_weights
    )
    expected = by_hand.scaled_dot_product_attention(
        *(x.detach().numpy() for x in (Q, K, V)), None if mask is None else mask.numpy()
    )
    close(output, expected[0], 1e-10)
    assert need_weights or weights is None
    if need_weights:
        close(weights, expected[1], 1e-10)


@given(cases(), st.integers(0, 99))
@settings(max_examples=100)
def test_both_paths_have_the_same_gradients(case, seed):
    Q, K, V, mask = case
    explicit, fast = (
        gradients(
            nn.scaled_dot_product_attention(Q, K, V, mask, need_weights=wanted)[0],
            (Q, K, V),
            seed,
        )
        for wanted in (True, False)
    )
    for mine, theirs in zip(explicit, fast):
        close(mine, theirs, 1e-10)


@given(cases(torch.float32), st.integers(0, 99), st.booleans())
@settings(max_examples=200)
def test_the_kernel_of_torch_agrees_forward_and_backward(case, seed, need_weights):
    Q, K, V, mask = case
    output, _ = nn.scaled_dot_product_attention(
        Q, K, V, mask, need_weights=need_weights
    )
    batch = np.broadcast_shapes(Q.shape[:-2], () if mask is None else mask.shape[:-2])
    reference = torch.nn.functional.scaled_dot_product_attention(
        *(x.expand(*batch, *x.shape[-2:]) for x in (Q, K, V)), attn_mask=mask
    )
    close(output, reference, 1e-6)
    for mine, theirs in zip(
        gradients(output, (Q, K, V), seed), gradients(reference, (Q, K, V), seed)
    ):
        close(mine, theirs, 1e-6)


@given(cases())
@settings(max_examples=30)
def test_gradients_are_those_of_finite_differences(case):
    Q, K, V, mask = case

    def outputs(Q, K, V):
        return nn.scaled_dot_product_attention(Q, K, V, mask)

    assert torch.autograd.gradcheck(outputs, (Q, K, V))


@given(seeds, st.lists(sizes, min_size=1, max_size=3), st.sampled_from([0, -1]))
def test_softmax_equals_torch_with_its_gradient(seed, shape, axis):
    (x,) = tensors(seed, shape)
    close(nn.softmax(x, axis), torch.softmax(x, axis), 1e-12)
    assert torch.autograd.gradcheck(lambda x: nn.softmax(x, axis), x)


def test_softmax_of_huge_scores_does_not_overflow():
    x = torch.tensor([1e38, 0.0, -1e38])
    assert nn.softmax(x).tolist() == [1, 0, 0]


def test_softmax_of_nothing_allowed_is_zero_where_torch_gives_nan():
    x = torch.full((2, 3), -torch.inf)
    assert torch.softmax(x, -1).isnan().all()
    assert nn.softmax(x).tolist() == [[0] * 3] * 2


@pytest.mark.parametrize("need_weights", [True, False])
def test_a_query_that_may_attend_to_nothing_gets_zeros_and_harms_no_gradient(
    need_weights,
):
    Q, K, V = tensors(0, (2, 3), (4, 3), (4, 3))
    mask = torch.tensor([[True, True, False, True], [False] * 4])
    output, weights = nn.scaled_dot_product_attention(
        Q, K, V, mask, need_weights=need_weights
    )
    assert output[0].all() and not output[1].any()
    assert weights is None or not weights[1].any()
    for gradient in gradients(output, (Q, K, V), 0):
        assert gradient.isfinite().all()
    assert not gradients(output, (Q, K, V), 0)[0][1].any()


@given(seeds, batches, sizes, st.booleans(), st.booleans())
def test_causal_is_the_causal_mask(seed, batch, n, need_weights, padded):
    Q, K, V = tensors(seed, *[(*batch, n, 4)] * 3)
    mask = torch.ones(1, n, dtype=torch.bool)
    mask[:, -1] = not padded
    output, weights = nn.scaled_dot_product_attention(
        Q, K, V, mask if padded else None, causal=True, need_weights=need_weights
    )
    expected = nn.scaled_dot_product_attention(Q, K, V, mask & nn.causal_mask(n))
    close(output, expected[0], 1e-10)
    if need_weights:
        close(weights, expected[1], 1e-10)


def test_causal_wants_as_many_queries_as_keys():
    Q, K = tensors(0, (2, 3), (4, 3))
    with pytest.raises(
        ShapeError, match="causal with 2 queries and 4 keys; expected as many"
    ):
        nn.scaled_dot_product_attention(Q, K, K, causal=True)


@pytest.mark.parametrize("need_weights", [True, False])
def test_dropout_drops_weights_and_keeps_the_mean(need_weights):
    torch.manual_seed(0)
    Q, K = torch.zeros(1, 4), torch.zeros(20_000, 4)  # uniform weights
    V = torch.ones(20_000, 1)
    kept, weights = nn.scaled_dot_product_attention(
        Q, K, V, dropout=0.4, need_weights=need_weights
    )
    assert kept.item() != 1 and abs(kept.item() - 1) < 0.05
    if need_weights:
        close(
            weights.sum(), 1.0, 1e-5
        )  # the weights handed back are those before dropout
    wider, _ = nn.scaled_dot_product_attention(
        Q, K, torch.eye(20_000, 500), dropout=0.4, need_weights=need_weights
    )
    assert 0.3 < (wider == 0).double().mean() < 0.5


@pytest.mark.parametrize("shape, axis", [((3, 0), -1), ((0, 3), 0), ((2, 0, 4), 1)])
def test_softmax_of_nothing_is_nothing_as_for_torch(shape, axis):
    (x,) = tensors(0, shape)
    for found in (nn.softmax(x, axis), torch.softmax(x, axis)):
        assert found.shape == shape
    assert by_hand.softmax(x.detach().numpy(), axis).shape == shape
    nn.softmax(x, axis).sum().backward()
    assert x.grad.shape == shape


@pytest.mark.parametrize("need_weights", [True, False])
def test_without_keys_a_query_gets_zeros(need_weights):
    Q, K, V = tensors(0, (2, 3, 4), (2, 0, 4), (2, 0, 5))
    output, weights = nn.scaled_dot_product_attention(
        Q, K, V, need_weights=need_weights
    )
    arrays = (x.detach().numpy() for x in (Q, K, V))
    expected = by_hand.scaled_dot_product_attention(*arrays)
    for mine, theirs in zip((output, weights), expected):
        assert mine is None or (mine.shape == theirs.shape and not mine.any())
    assert not any(x.any() for x in gradients(output, (Q, K, V), 0))


@pytest.mark.parametrize("need_weights", [True, False])
@pytest.mark.parametrize("g", [None, 1])
def test_heads_without_keys_give_zeros(g, need_weights):
    attention = nn.GeneralAttention(8, 2, g=g)
    Q, none = torch.randn(2, 3, 8), torch.zeros(2, 0, 8)
    output, _ = attention(Q, none, need_weights=need_weights)
    assert output.shape == Q.shape and not output.any()
    arrays = [x.detach().numpy() for x in (Q, none, none)]
    W = [getattr(attention, f"W_{name}").detach().numpy() for name in "QKVO"]
    if not g:
        assert not by_hand.multi_head_attention(*arrays, *W, h=2)[0].any()
    additive = nn.AdditiveAttention(8, 8, 4)(Q, none, none)[0]
    assert additive.shape == Q.shape and not additive.any()


@pytest.fixture
def kernel_calls(monkeypatch):
    """The keyword arguments of every call of torch's kernel."""
    calls, kernel = [], torch.nn.functional.scaled_dot_product_attention
    monkeypatch.setattr(
        torch.nn.functional,
        "scaled_dot_product_attention",
        lambda *args, **kwargs: calls.append(kwargs) or kernel(*args, **kwargs),
    )
    return calls


def test_the_fast_path_hands_the_work_to_torch(kernel_calls):
    Q, K, V = tensors(0, *[(2, 5, 4)] * 3)
    nn.scaled_dot_product_attention(Q, K, V, causal=True)
    assert not kernel_calls
    nn.scaled_dot_product_attention(Q, K, V, causal=True, need_weights=False)
    (call,) = kernel_calls
    assert call["is_causal"] and call["attn_mask"] is None  # so it may skip the future


@pytest.mark.parametrize("shape", [(5, 5), (2, 1, 5), (2, 5, 5)])
def test_masks_reach_the_kernel_in_a_form_that_it_is_fast_with(kernel_calls, shape):
    x, mha = torch.randn(2, 5, 8), nn.MultiHeadAttention(8, 2)
    mha(x, x, x, torch.ones(shape, dtype=torch.bool), need_weights=False)
    assert kernel_calls[0]["attn_mask"].ndim == 4  # with three axes it does not fuse


def test_under_autocast_on_a_processor_the_kernel_works_in_float32():
    Q, K, V = (x.bfloat16() for x in tensors(0, *[(2, 5, 4)] * 3, dtype=torch.float32))
    expected = torch.nn.functional.scaled_dot_product_attention(
        Q.float(), K.float(), V.float()
    )
    with torch.autocast("cpu", torch.bfloat16):
        Z, _ = nn.scaled_dot_product_attention(Q, K, V, need_weights=False)
    assert Z.dtype == torch.float32 and torch.equal(Z, expected)


@pytest.mark.parametrize("need_weights", [True, False])
@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16])
def test_of_halves_both_paths_are_about_as_exact(dtype, need_weights):
    inputs = tensors(3, *[(2, 200, 32)] * 3, dtype=dtype)
    Z, _ = nn.scaled_dot_product_attention(*inputs, need_weights=need_weights)
    exact, _ = nn.scaled_dot_product_attention(*(x.double() for x in inputs))
    assert Z.dtype == dtype
    digits = torch.finfo(dtype).eps
    assert (Z.double() - exact).norm() < 0.4 * digits * exact.norm()
