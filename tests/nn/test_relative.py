"""Biases by distance against ``transformers``' BLOOM and T5, and the papers' formulas."""

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from transformers import LlamaConfig, T5Config
from transformers.models.bloom.modeling_bloom import build_alibi_tensor
from transformers.models.llama.modeling_llama import (
    LlamaAttention,
    LlamaRotaryEmbedding,
)
from transformers.models.t5.modeling_t5 import T5Attention

from tests.nn.cases import close, gradients, masks, tensors
from transformer_book import by_hand, nn
from transformer_book.options import ConfigError
from transformer_book.shapes import ShapeError

seeds = st.integers(0, 2**32 - 1)


@pytest.mark.parametrize("h", range(1, 40))
def test_slopes_are_those_of_bloom(h):
    # BLOOM gives the key at j the bias slope * j, which softmax cannot tell from -slope * (i - j).
    theirs = build_alibi_tensor(torch.ones(1, 2).long(), h, torch.float64)[:, 0, 1]
    close(nn.alibi_slopes(h), theirs, 1e-6)
    close(by_hand.alibi_slopes(h), theirs, 1e-6)


def test_eight_heads_have_the_slopes_of_the_paper():
    assert by_hand.alibi_slopes(8).tolist() == [2.0**-i for i in range(1, 9)]


@pytest.mark.parametrize("bidirectional", [True, False])
@pytest.mark.parametrize(
    "buckets, farthest", [(32, 128), (16, 64), (8, 20), (64, 1000)]
)
def test_buckets_are_those_of_t5(bidirectional, buckets, farthest):
    distance = torch.arange(-1_500, 1_500).reshape(2, -1)
    expected = T5Attention._relative_position_bucket(
        -distance,  # of the key from the query
        bidirectional=bidirectional,
        num_buckets=buckets,
        max_distance=farthest,
    )
    how = (buckets, farthest, bidirectional)
    assert torch.equal(nn.t5_buckets(distance, *how), expected)
    np.testing.assert_array_equal(
        by_hand.t5_buckets(distance.numpy(), *how), expected.numpy()
    )
    assert expected.unique().numel() >= buckets - bidirectional


def test_buckets_are_made_where_the_distances_are():
    distance = torch.ones(2, 3, dtype=torch.int64, device="meta")  # without numbers
    assert nn.t5_buckets(distance).device.type == "meta"


@pytest.mark.parametrize("floor, one", [(by_hand, np.ones), (nn, torch.ones)])
def test_bad_input_is_one_clear_error(floor, one):
    distance = one((2,), dtype=(np if floor is by_hand else torch).int64)
    with pytest.raises(ConfigError, match="1 buckets on a side and farthest 128"):
        floor.t5_buckets(distance, 2, bidirectional=True)
    with pytest.raises(ConfigError, match="farthest 16; expected .* beyond 16"):
        floor.t5_buckets(distance, 32, 16)
    with pytest.raises(ShapeError, match="h is 0; expected a number of heads"):
        floor.alibi_slopes(0)
    with pytest.raises(ShapeError, match="farthest is 0; expected a distance"):
        nn.RelativeKeys(4, 0)


@st.composite
def cases(draw):
    """Q, K, V, a bias that broadcasts, and a mask."""
    batch, m, n, d = draw(st.integers(1, 3)), *(draw(st.integers(1, 4)) for _ in "mnd")
    shape = draw(st.sampled_from([(m, n), (1, n), (2, m, n), (batch, 1, m, n)]))
    shapes = [(batch, 2, m, d), (batch, 2, n, d), (batch, 2, n, d), shape]
    mask = draw(masks([batch, 1], m, n))
    return tensors(draw(seeds), *shapes), mask


@given(cases(), seeds, st.booleans())
@settings(max_examples=150)
def test_a_bias_is_torch_s_mask_of_floats(case, seed, need_weights):
    (Q, K, V, bias), mask = case
    floats = bias if mask is None else torch.where(mask, bias, -torch.inf)
    expected = torch.nn.functional.scaled_dot_product_attention(Q, K, V, floats)
    output, weights = nn.scaled_dot_product_attention(
        Q, K, V, mask, bias, need_weights=need_weights
    )
    close(output, expected, 1e-10)
    inputs = (Q, K, V, bias)
    for mine, theirs in zip(
        gradients(output, inputs, seed), gradients(expected, inputs, seed)
    ):
        close(mine, theirs, 1e-10)
    by_hands = by_hand.scaled_dot_product_attention(
        *(x.detach().numpy() for x in (Q, K, V)),
        None if mask is None else mask.numpy(),
        bias.detach().numpy(),
    )
    close(output, by_hands[0], 1e-10)
    if need_weights:
        close(weights, by_hands[1], 1e-10)


@pytest.mark.parametrize("need_weights", [True, False])
def test_a_bias_goes_with_causal(need_weights):
    Q, K, V, bias = tensors(0, *[(2, 3, 5, 4)] * 3, (3, 5, 5))
    how = {"need_weights": need_weights}
    found, _ = nn.scaled_dot_product_attention(Q, K, V, None, bias, causal=True, **how)
    expected, _ = nn.scaled_dot_product_attention(Q, K, V, nn.causal_mask(5), bias)
    close(found, expected, 1e-12)


def copied(attention, theirs, scale=1.0):
    """Give a module of ``transformers`` the weights of ours."""
    names = {"q": "W_Q", "k": "W_K", "v": "W_V", "o": "W_O"}
    with torch.no_grad():
        for name, own in names.items():
            W = getattr(attention, own).T * (scale if name == "q" else 1.0)
            linear = getattr(theirs, f"{name}_proj" if scale == 1.0 else name)
            linear.weight.copy_(W)
    return theirs.eval()


@pytest.mark.parametrize("g", [1, 2, 4])
def test_attention_with_rope_is_llama_s(g):
    config = LlamaConfig(
        hidden_size=32,
        num_attention_heads=4,
        num_key_value_heads=g,
        attn_implementation="eager",
    )
    ours = nn.GeneralAttention(32, 4, g=g)
    ours.positions = nn.RotaryPositions(8, layout="half")
    theirs = copied(ours, LlamaAttention(config, 0))
    x, at = torch.randn(2, 6, 32), torch.arange(6)[None]
    past = torch.where(nn.causal_mask(6), 0.0, -torch.inf)[None, None]
    expected, A = theirs(x, LlamaRotaryEmbedding(config)(x, at), past)
    output, weights = ours(x, causal=True)
    close(output, expected, 1e-5)
    close(weights, A, 1e-5)


@pytest.mark.parametrize("bidirectional", [True, False])
def test_attention_with_buckets_is_t5_s(bidirectional):
    config = T5Config(d_model=32, d_kv=8, num_heads=4, is_decoder=not bidirectional)
    theirs = T5Attention(config, has_relative_attention_bias=True, layer_idx=0)
    ours = nn.GeneralAttention(32, 4)
    ours.positions = nn.BucketBiases(4, bidirectional=bidirectional)
    copied(ours, theirs, scale=8**-0.5)  # T5 divides no score by the root of d_k
    with torch.no_grad():
        ours.positions.table.normal_()
        theirs.relative_attention_bias.weight.copy_(ours.positions.table)
    x = torch.randn(2, 40, 32)
    past = None if bidirectional else nn.causal_mask(40)
    added = None if past is None else torch.where(past, 0.0, -1e9)[None, None]
    expected = theirs(x, mask=added)[0]
    close(ours(x, causal=not bidirectional)[0], expected, 1e-5)


@pytest.mark.parametrize("farthest", [1, 3, 16])
def test_shaw_s_scores_are_those_of_keys_moved_by_the_distance(farthest):
    ours = nn.GeneralAttention(12, 3).double()
    ours.positions = nn.RelativeKeys(4, farthest).double()
    (x,) = tensors(1, (2, 7, 12))
    Q, K = nn.split_heads(x @ ours.W_Q, 3), nn.split_heads(x @ ours.W_K, 3)
    scores = torch.empty(2, 3, 7, 7).double()
    for i in range(7):
        for j in range(7):
            a = ours.positions.table[max(-farthest, min(farthest, i - j)) + farthest]
            scores[..., i, j] = (Q[..., i, :] * (K[..., j, :] + a)).sum(-1) / 2
    close(ours(x)[1], scores.softmax(-1), 1e-12)


def test_alibi_lowers_a_score_by_slope_times_distance():
    ours = nn.GeneralAttention(12, 3).double()
    (x,) = tensors(1, (2, 7, 12))
    Q, K = nn.split_heads(x @ ours.W_Q, 3), nn.split_heads(x @ ours.W_K, 3)
    ours.positions = nn.LinearBiases(3)
    i, j = torch.arange(7)[:, None], torch.arange(7)
    scores = Q @ K.mT / 2 - nn.alibi_slopes(3)[:, None, None] * (i - j)
    scores = scores.masked_fill(j > i, -torch.inf)
    close(ours(x, causal=True)[1], scores.softmax(-1), 1e-12)


def test_cross_attention_has_no_distances():
    ours, x, y = nn.GeneralAttention(8, 2), torch.ones(1, 2, 8), torch.ones(1, 3, 8)
    ours.positions = nn.RotaryPositions(4)
    with pytest.raises(ShapeError, match="positions are set; expected self-attention"):
        ours(x, y)
