"""Grouped-query attention against torch's own, ``transformers``' and multi-head attention."""

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from transformers.models.llama.modeling_llama import repeat_kv

from tests.nn import models
from tests.nn.cases import close, gradients, masks, tensors
from transformer_book import by_hand, nn
from transformer_book.config import ConfigError, TransformerConfig
from transformer_book.shapes import ShapeError

seeds = st.integers(0, 2**32 - 1)


@st.composite
def cases(draw):
    """h and g, the inputs, the four matrices and a mask; of one query as well as of many."""
    h, g = draw(st.sampled_from([(1, 1), (2, 1), (4, 1), (4, 2), (4, 4), (6, 2)]))
    d_k, d_v = draw(st.integers(1, 3)), draw(st.integers(1, 3))
    batch, m, n = (draw(st.integers(1, 4)) for _ in range(3))
    shapes = [(batch, m, 5), (batch, n, 5), (batch, n, 5)]
    shapes += [(5, h * d_k), (5, g * d_k), (5, g * d_v), (h * d_v, 5)]
    arrays = tensors(draw(seeds), *shapes)
    return h, g, arrays, draw(masks([batch], m, n))


def by_torch(h, g, arrays, mask):
    """torch's kernel, told that heads of keys are shared; nothing here is ours."""
    *X, W_Q, W_K, W_V, W_O = arrays
    Q, K, V = (
        (x @ W).unflatten(-1, (heads, -1)).transpose(1, 2)
        for x, W, heads in zip(X, (W_Q, W_K, W_V), (h, g, g))
    )
    attend = torch.nn.functional.scaled_dot_product_attention
    mask = None if mask is None else mask.unsqueeze(-3)
    Z = attend(Q, K, V, attn_mask=mask, enable_gqa=True)
    return Z.transpose(1, 2).flatten(-2) @ W_O


@given(cases(), seeds, st.booleans())
@settings(max_examples=150)
def test_it_is_torch_s_forward_and_backward(case, seed, need_weights):
    h, g, arrays, mask = case
    expected = by_torch(h, g, arrays, mask)
    output, weights = nn.grouped_query_attention(
        *arrays, h, g, mask, need_weights=need_weights
    )
    close(output, expected, 1e-10)
    pairs = (gradients(x, arrays, seed) for x in (output, expected))
    for mine, theirs in zip(*pairs):
        close(mine, theirs, 1e-10)
    assert (weights is not None) == need_weights


@given(cases())
def test_both_floors_agree(case):
    h, g, arrays, mask = case
    expected = by_hand.grouped_query_attention(
        *(x.detach().numpy() for x in arrays),
        h,
        g,
        mask if mask is None else mask.numpy(),
    )
    for given_, wanted in zip(
        nn.grouped_query_attention(*arrays, h, g, mask), expected
    ):
        close(given_, wanted, 1e-10)


@pytest.mark.parametrize("m", [1, 3])
def test_the_weights_are_those_of_keys_that_llama_repeats(m):
    Q, K, V = tensors(0, (2, 6, m, 4), (2, 2, 5, 4), (2, 2, 5, 4))
    scores = Q @ repeat_kv(K, 3).mT / 4**0.5
    Z, A = nn.shared_heads.attend_in_groups(Q, K, V)
    close(A, scores.softmax(-1), 1e-12)
    close(Z, scores.softmax(-1) @ repeat_kv(V, 3), 1e-12)


@pytest.mark.parametrize("need_weights", [True, False])
def test_with_g_equal_to_h_it_is_multi_head_attention(need_weights):
    mha, made = nn.MultiHeadAttention(12, 3), nn.GeneralAttention(12, 3, g=3)
    made.load_state_dict(mha.state_dict())
    x, y = torch.randn(2, 4, 12), torch.randn(2, 5, 12)
    for memory in (None, y):
        read = x if memory is None else memory
        expected, A = mha(x, read, read, need_weights=need_weights)
        output, weights = made(x, memory, need_weights=need_weights)
        close(output, expected, 1e-6)
        assert weights is A is None or torch.allclose(weights, A)


def test_the_module_is_the_function_on_its_weights():
    made = nn.GeneralAttention(12, 6, g=2).double()
    x, y = tensors(1, (2, 4, 12), (2, 5, 12))
    W = made.W_Q, made.W_K, made.W_V, made.W_O
    for memory in (None, y):
        read = x if memory is None else memory
        expected, A = nn.grouped_query_attention(x, read, read, *W, 6, 2)
        output, weights = made(x, memory)
        close(output, expected, 1e-12)
        close(weights, A, 1e-12)
    assert made.W_K.shape == made.W_V.shape == (12, 4)


def test_a_new_module_starts_as_xavier_says():
    made = nn.GeneralAttention(256, 8, g=2)
    for W in (made.W_Q, made.W_K, made.W_V, made.W_O):
        bound = (6 / sum(W.shape)) ** 0.5
        assert bound * 0.98 < W.abs().max() <= bound


def test_dropout_only_while_training():
    made, x = nn.GeneralAttention(8, 4, g=2, dropout=0.5), torch.randn(1, 5, 8)
    assert not torch.equal(made(x)[0], made(x)[0])
    made.eval()
    assert torch.equal(made(x)[0], made(x)[0])


@pytest.mark.parametrize("pieces", [[7], [3, 4], [1] * 7, [2, 1, 3, 1]])
def test_a_language_model_with_shared_heads_may_read_in_pieces(pieces):
    torch.manual_seed(0)
    config = models.config(d_model=16, h=4, g=2, norm="pre")
    model = nn.LanguageModel(config).double().eval()
    ids, cache = models.ids(11, [7, 7]), nn.LanguageModelCache(config.N)
    found = [model(piece, cache=cache)[0] for piece in ids.split(pieces, dim=1)]
    torch.testing.assert_close(torch.cat(found, dim=1), model(ids)[0])
    assert cache.layers[0].K.shape == cache.layers[0].V.shape == (2, 2, 7, 4)


def test_the_file_brings_the_same_model_back(tmp_path):
    model = nn.LanguageModel(models.config(d_model=16, h=4, g=1)).eval()
    nn.save_weights(tmp_path / "model.safetensors", model)
    again, ids = (
        nn.load_language_model(tmp_path / "model.safetensors"),
        models.ids(11, [7]),
    )
    assert again.config.g == 1
    assert torch.equal(again(ids)[0], model(ids)[0])


def test_a_mean_of_equal_heads_changes_nothing():
    mha = nn.GeneralAttention(12, 6).double()
    with torch.no_grad():
        for W in (mha.W_K, mha.W_V):  # three heads alike, and other three
            one, other = W[:, :2].clone(), W[:, 6:8].clone()
            W.copy_(torch.cat([one] * 3 + [other] * 3, dim=-1))
    pooled, (x,) = nn.mean_pool(mha, 2), tensors(2, (2, 4, 12))
    close(pooled(x)[0], mha(x)[0], 1e-12)
    assert pooled.W_K.shape == (12, 4)


def test_each_key_head_is_the_mean_of_its_group():
    mha = nn.GeneralAttention(12, 6).eval()
    pooled = nn.mean_pool(mha, 2)
    for was, now in ((mha.W_K, pooled.W_K), (mha.W_V, pooled.W_V)):
        heads = was.split(2, dim=-1)
        close(now[:, :2], sum(heads[:3]) / 3, 1e-7)
        close(now[:, 2:], sum(heads[3:]) / 3, 1e-7)
    assert torch.equal(pooled.W_Q, mha.W_Q) and not pooled.training
    assert pooled.W_QKV.requires_grad


def test_a_converted_model_is_a_model_of_its_configuration():
    model = nn.LanguageModel(models.config(d_model=16, h=4)).eval()
    before, ids = (
        {k: v.clone() for k, v in model.state_dict().items()},
        models.ids(11, [7]),
    )
    made = nn.with_shared_heads(model, 2)
    again = nn.LanguageModel(made.config).eval()
    again.load_state_dict(made.state_dict())
    assert made.config == model.config.changed(g=2)
    torch.testing.assert_close(again(ids)[0], made(ids)[0])
    with torch.no_grad():
        made.embedding.zero_()
    assert all(torch.equal(v, before[k]) for k, v in model.state_dict().items())
    same = nn.with_shared_heads(model, 4)
    torch.testing.assert_close(same(ids)[0], model(ids)[0])


@pytest.mark.parametrize("g", [3, 0, 8, 2.0, "2"])
def test_g_must_divide_h(g):
    said = f"g is {g!r} and h is 4; expected .* divides 4"
    with pytest.raises(ShapeError, match=said):
        nn.GeneralAttention(8, 4, g=g)
    with pytest.raises(ShapeError, match=said):
        nn.mean_pool(nn.GeneralAttention(8, 4), g)
    with pytest.raises(ShapeError, match="mean_pool: g is 4 and h is 2; expected"):
        nn.mean_pool(nn.GeneralAttention(8, 4, g=2), 4)
    with pytest.raises(
        ShapeError, match="is a LatentAttention; expected a GeneralAttention"
    ):
        nn.mean_pool(nn.LatentAttention(8, 4, 3), 2)
    for floor, ones in ((nn, torch.ones), (by_hand, np.ones)):
        x, W = ones((1, 2, 8)), ones((8, 8))
        with pytest.raises(ShapeError, match=said):
            floor.grouped_query_attention(x, x, x, W, W, W, W, 4, g)
    with pytest.raises(ConfigError, match=f"g is {g!r}; expected a"):
        TransformerConfig.base(h=4, g=g)


@pytest.mark.parametrize("wrong, said", [(1, "W_K has 2 heads in 8"), (2, "W_V has 2")])
def test_a_matrix_of_another_width_is_named(wrong, said):
    shapes = [(1, 2, 8), (8, 8), (8, 4), (8, 4), (8, 8)]
    shapes[1 + wrong] = (8, 8)
    for floor, ones in ((nn, torch.ones), (by_hand, np.ones)):
        x, *W = map(ones, shapes)
        with pytest.raises(ShapeError, match=f"{said}.*Give W_. 4 columns"):
            floor.grouped_query_attention(x, x, x, *W, 4, 2)


def test_the_translator_shares_heads_in_both_attentions():
    model = nn.Transformer(models.config(g=2))
    for layer in model.decoder:
        assert layer.self_attention.g == layer.cross_attention.g == 2


def test_causal_without_a_cache_wants_as_many_queries_as_keys():
    made, x, y = (
        nn.GeneralAttention(8, 4, g=2),
        torch.ones(1, 1, 8),
        torch.ones(1, 3, 8),
    )
    with pytest.raises(ShapeError, match="causal with 1 queries and 3 keys"):
        made(x, y, causal=True)
