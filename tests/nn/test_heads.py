"""Multi-head attention of ``nn`` against ``by_hand`` and ``torch.nn.MultiheadAttention``."""

import re

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from tests import worked_example as fact
from tests.nn.cases import close, gradients, masks, tensors
from transformer_book import by_hand, nn
from transformer_book.shapes import ShapeError

sizes = st.integers(1, 5)
seeds = st.integers(0, 2**32 - 1)


@st.composite
def cases(draw, dtype):
    """A module, queries, keys, values (in all three ways of sharing) and a mask."""
    h, d_k = draw(st.sampled_from([1, 2, 3, 4])), draw(st.integers(1, 3))
    batch, m, n = draw(sizes), draw(sizes), draw(sizes)
    use = draw(st.sampled_from(["self", "cross", "three", "values apart"]))
    m = n if use in ("self", "values apart") else m
    torch.manual_seed(draw(st.integers(0, 99)))
    mha = nn.MultiHeadAttention(h * d_k, h).to(dtype)
    queries, keys, values = tensors(
        draw(seeds),
        (batch, m, h * d_k),
        (batch, n, h * d_k),
        (batch, n, h * d_k),
        dtype=dtype,
    )
    if (
        dtype == torch.float32
    ):  # single precision has 7 digits; large scores leave fewer than 6
        queries, keys, values = (0.5 * x for x in (queries, keys, values))
    if use in ("self", "cross"):
        values = keys
    if use in ("self", "values apart"):
        queries = keys
    return mha, queries, keys, values, draw(masks([batch], m, n))


def torch_attention(mha):
    """torch's module with the same weights; torch keeps each projection transposed."""
    d_model = len(mha.W_O)
    reference = torch.nn.MultiheadAttention(
        d_model, mha.h, bias=False, batch_first=True
    )
    reference = reference.to(mha.W_O.dtype)
    with torch.no_grad():
        reference.in_proj_weight.copy_(mha.W_QKV.T)
        reference.out_proj.weight.copy_(mha.W_O.T)
    return reference


def hides(mask, h, batch, m, n):
    """torch's mask: True hides, one (m, n) for each head of each sentence."""
    if mask is None:
        return None
    return (~mask).expand(batch, m, n).repeat_interleave(h, dim=0)


@given(cases(torch.float64), st.booleans())
@settings(max_examples=150)
def test_module_and_function_are_by_hands(case, need_weights):
    mha, *inputs, mask = case
    W = [mha.W_Q, mha.W_K, mha.W_V, mha.W_O]
    expected = by_hand.multi_head_attention(
        *(x.detach().numpy() for x in (*inputs, *W)),
        mha.h,
        None if mask is None else mask.numpy(),
    )
    for output, weights in (
        mha(*inputs, mask, need_weights=need_weights),
        nn.multi_head_attention(*inputs, *W, mha.h, mask, need_weights=need_weights),
    ):
        close(output, expected[0], 1e-10)
        if need_weights:
            close(weights, expected[1], 1e-10)
        else:
            assert weights is None


@given(cases(torch.float32), st.integers(0, 99), st.booleans())
@settings(max_examples=150)
def test_module_equals_torch_forward_and_backward(case, seed, need_weights):
    mha, *inputs, mask = case
    reference = torch_attention(mha)
    batch, m, n = *inputs[0].shape[:2], inputs[1].shape[1]
    expected, _ = reference(
        *inputs, attn_mask=hides(mask, mha.h, batch, m, n), need_weights=False
    )
    output, _ = mha(*inputs, mask, need_weights=need_weights)
    close(output, expected, 1e-6)
    mine = gradients(output, (*inputs, mha.W_QKV, mha.W_O), seed)
    theirs = gradients(
        expected, (*inputs, reference.in_proj_weight, reference.out_proj.weight), seed
    )
    for gradient, other in zip(mine, (*theirs[:3], theirs[3].T, theirs[4].T)):
        close(gradient, other, 1e-6)


@given(cases(torch.float32))
def test_weights_equal_torch_wherever_torch_gives_numbers(case):
    mha, *inputs, mask = case
    batch, m, n = *inputs[0].shape[:2], inputs[1].shape[1]
    _, expected = torch_attention(mha)(
        *inputs, attn_mask=hides(mask, mha.h, batch, m, n), average_attn_weights=False
    )
    _, weights = mha(*inputs, mask)
    assert weights.isfinite().all()
    # torch gives NaN to a query that may attend to nothing, this book zeros
    close(weights, expected.nan_to_num(0.0), 1e-6)


def test_the_padding_mask_is_the_key_padding_mask_of_torch():
    torch.manual_seed(0)
    mha = nn.MultiHeadAttention(8, 2)
    x, ids = torch.randn(2, 4, 8), torch.tensor([[5, 6, 7, 0], [8, 0, 0, 0]])
    output, _ = mha(x, x, x, nn.padding_mask(ids, 0))
    expected, _ = torch_attention(mha)(x, x, x, key_padding_mask=ids == 0)
    close(output, expected, 1e-6)


def test_the_worked_example_whole():
    X, *W = (torch.tensor(a) for a in (fact.X, fact.W_Q, fact.W_K, fact.W_V, fact.W_O))
    output, weights = nn.multi_head_attention(X, X, X, *W, h=2)
    close(output, fact.H, 1e-8)
    close(weights, [fact.WEIGHTS_1, fact.WEIGHTS_2], 5e-9)
    _, weights = nn.multi_head_attention(X, X, X, *W, h=2, causal=True)
    close(weights, [fact.CAUSAL_1, fact.CAUSAL_2], 5e-9)


def test_gradients_are_those_of_finite_differences():
    x, y, *W = tensors(1, (2, 3, 4), (2, 5, 4), *[(4, 4)] * 4)
    mask = torch.tensor([True, True, False, True, False])[None]

    def outputs(x, y, *W):
        return nn.multi_head_attention(x, y, y, *W, h=2, mask=mask)

    assert torch.autograd.gradcheck(outputs, (x, y, *W))


def test_a_new_module_starts_as_xavier_says():
    torch.manual_seed(0)
    mha = nn.MultiHeadAttention(256, 4)
    bound = (6 / (256 + 256)) ** 0.5
    for W in (mha.W_Q, mha.W_K, mha.W_V, mha.W_O):
        assert bound * 0.99 < W.abs().max() <= bound
    assert sum(p.numel() for p in mha.parameters()) == 4 * 256**2


def test_dropout_only_while_training():
    torch.manual_seed(0)
    mha, x = nn.MultiHeadAttention(8, 2, dropout=0.5), torch.randn(1, 5, 8)
    assert not torch.equal(mha(x, x, x)[0], mha(x, x, x)[0])
    mha.eval()
    assert torch.equal(mha(x, x, x)[0], mha(x, x, x)[0])


@given(seeds, st.lists(sizes, max_size=2), sizes, sizes, sizes)
def test_split_and_merge_are_by_hands(seed, batch, n, h, d):
    (x,) = tensors(seed, (*batch, n, h * d))
    close(nn.split_heads(x, h), by_hand.split_heads(x.detach().numpy(), h), 0)
    assert torch.equal(nn.merge_heads(nn.split_heads(x, h)), x)
    assert (
        nn.split_heads(x, h).data_ptr() == x.data_ptr()
    )  # a view, as the docstring says


def test_the_columns_told_are_those_of_a_head_counted_from_1():
    h, d, x = 3, 2, np.arange(24.0).reshape(4, 6)
    split, attend = by_hand.split_heads, by_hand.multi_head_attention
    told = re.search(r"counted from 1, holds ``(.*?)``", split.__doc__)[1]
    for i, head in enumerate(split(x, h), 1):
        assert np.array_equal(head, eval(told, {"x": x, "i": i, "d": d}))
    owned = told.split("...,")[1].strip(" ]").replace("d", "d_k")
    words = " ".join(attend.__doc__.split())  # Python 3.13 indents it otherwise
    assert f"counted from 1, owns the columns ``{owned}``" in words
    for told in (nn.split_heads, nn.multi_head_attention):
        assert "(i + 1)" not in told.__doc__  # as from 0


@pytest.mark.parametrize("h", [3, 0, -1, 2.0, "2"])
def test_h_must_divide_d_model(h):
    with pytest.raises(
        ShapeError, match=f"h is {h!r} and d_model is 4; expected .* width 4"
    ):
        nn.MultiHeadAttention(4, h)


@pytest.mark.parametrize("m, n", [(2, 5), (5, 2)])
def test_causal_is_refused_where_nothing_says_which_words_came_before(m, n):
    mha, Y, X = nn.MultiHeadAttention(8, 2), torch.randn(1, m, 8), torch.randn(1, n, 8)
    mask = torch.ones(1, 1, n, dtype=torch.bool)
    mask[..., 0] = False
    for each in (mask, None):
        with pytest.raises(ShapeError, match=f"causal with {m} queries and {n} keys"):
            mha(Y, X, X, each, causal=True)


@pytest.mark.parametrize("floor", [nn, by_hand])
def test_W_O_must_bring_back_the_width_of_the_queries(floor):
    X, *W = fact.X, fact.W_Q, fact.W_K, fact.W_V, fact.W_O[:, :1]
    if floor is nn:
        X, *W = (torch.tensor(a) for a in (X, *W))
    with pytest.raises(ShapeError, match=r"W_O has shape \(4, 1\); expected"):
        floor.multi_head_attention(X, X, X, *W, h=2)
