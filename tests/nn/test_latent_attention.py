"""Latent attention: multi-head attention with matrices of low rank, in and out of its space."""

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from tests.nn import models
from tests.nn.cases import close, gradients, masks, tensors
from transformer_book import by_hand, nn
from transformer_book.shapes import ShapeError


def made(h, d_k, d_c):
    torch.manual_seed(0)
    return nn.LatentAttention(h * d_k, h, d_c).double()


@st.composite
def cases(draw):
    attention = made(*(draw(st.integers(1, 4)) for _ in range(3)))
    batch, n = draw(st.integers(1, 3)), draw(st.integers(1, 5))
    (x,) = tensors(draw(st.integers(0, 99)), (batch, n, len(attention.W_O)))
    return attention, x, draw(masks([batch], n, n))


@given(cases(), st.booleans())
def test_it_is_multi_head_attention_whose_matrices_are_products(case, absorb):
    attention, x, mask = case
    W_Q, W_DKV, W_UK, W_UV, W_O = (p.detach().numpy() for p in attention.parameters())
    array = x.detach().numpy()
    expected = by_hand.multi_head_attention(
        *(array, array, array, W_Q, W_DKV @ W_UK, W_DKV @ W_UV, W_O, attention.h),
        mask=mask if mask is None else mask.numpy(),
    )
    for given_, wanted in zip(attention(x, mask=mask, absorb=absorb), expected):
        close(given_, wanted, 1e-10)
    output, weights = attention(x, mask=mask, absorb=absorb, need_weights=False)
    close(output, expected[0], 1e-10)
    assert weights is None


@given(cases(), st.integers(0, 99), st.booleans())
def test_absorbed_it_has_the_same_gradients(case, seed, causal):
    attention, x, mask = case
    inputs = (x, *attention.parameters())
    plain, absorbed = (
        gradients(
            attention(x, mask=mask, causal=causal, absorb=absorb)[0], inputs, seed
        )
        for absorb in (False, True)
    )
    for mine, other in zip(absorbed, plain):
        close(mine, other, 1e-10)


@pytest.mark.parametrize("absorb", [None, True, False])
@pytest.mark.parametrize("pieces", [[7], [3, 4], [1] * 7, [2, 1, 3, 1]])
def test_with_a_cache_it_may_read_in_pieces(pieces, absorb):
    attention, (x,) = made(3, 4, 5), tensors(0, (2, 7, 12))
    expected, A = attention(x, causal=True)
    cache, found = nn.KeyValueCache(), []
    for piece in x.split(pieces, dim=1):
        output, weights = attention(piece, causal=True, cache=cache, absorb=absorb)
        found.append(output)
    close(torch.cat(found, dim=1), expected, 1e-10)
    close(weights, A[..., -pieces[-1] :, :], 1e-10)
    assert cache.K.shape == (2, 1, 7, 5) and cache.V.numel() == 0  # c, and no value


def test_it_stands_in_a_language_model_and_its_cache():
    model = nn.LanguageModel(models.config(d_model=16, h=4, norm="pre")).eval()
    for layer in model.layers:
        layer.self_attention = nn.LatentAttention(16, 4, 6)
    model.double()
    ids, cache = models.ids(11, [7, 7]), nn.LanguageModelCache(model.config.N)
    model(ids[:, :5], cache=cache)
    cache.select(torch.tensor([1, 1, 0]))
    rows = ids[[1, 1, 0]]
    torch.testing.assert_close(
        model(rows[:, 5:], cache=cache)[0], model(rows)[0][:, 5:]
    )


def test_words_that_came_before_are_met_in_the_space_of_c(monkeypatch):
    attention, (x,) = made(2, 4, 3), tensors(0, (1, 4, 8))
    asked = []
    for way in ("_attend_to_latents", "_attend_to_keys"):
        plain = getattr(attention, way)
        monkeypatch.setattr(
            attention,
            way,
            lambda *x, way=way, go=plain, **how: asked.append(way) or go(*x, **how),
        )
    cache = nn.KeyValueCache()
    for piece in x.split([3, 1], dim=1):
        attention(piece, causal=True, cache=cache)
    assert asked == ["_attend_to_keys", "_attend_to_latents"]


def test_dropout_only_while_training():
    attention, x = nn.LatentAttention(8, 2, 3, dropout=0.5), torch.randn(1, 5, 8)
    assert not torch.equal(attention(x)[0], attention(x)[0])
    attention.eval()
    assert torch.equal(attention(x)[0], attention(x)[0])


def test_bad_input_is_one_clear_error():
    with pytest.raises(
        ShapeError, match="d_c is 0; expected a width, a whole number of at least 1"
    ):
        nn.LatentAttention(8, 2, 0)
    with pytest.raises(ShapeError, match="h is 3 and d_model is 8"):
        nn.LatentAttention(8, 3, 4)
    attention, x, cache = (
        nn.LatentAttention(8, 2, 3),
        torch.ones(1, 2, 8),
        nn.KeyValueCache(),
    )
    with pytest.raises(ShapeError, match="a memory; expected none"):
        attention(x, x.clone())
    with pytest.raises(ShapeError, match=r"x has shape \(1, 2, 7\)"):
        attention(x[..., :7])
    attention(x, causal=True, cache=cache)
    with pytest.raises(ShapeError, match="a mask, and 2 words in the cache"):
        attention(x, mask=torch.ones(1, 2, 2, dtype=torch.bool), cache=cache)
