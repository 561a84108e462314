"""Attention with a memory or without, with a cache or without: each says which words it reads."""

import pytest
import torch

from transformer_book import nn
from transformer_book.shapes import ShapeError

from .cases import close


def attention(**choices):
    torch.manual_seed(0)
    return nn.GeneralAttention(8, 2, **choices).eval()


@pytest.mark.parametrize("need_weights", [True, False])
@pytest.mark.parametrize("crosses", [True, False])
def test_without_choices_it_is_plain_attention_on_the_same_weights(
    need_weights, crosses
):
    general, plain = attention(), nn.MultiHeadAttention(8, 2).eval()
    plain.load_state_dict(general.state_dict())
    x, memory = torch.randn(2, 5, 8), torch.randn(2, 5, 8) if crosses else None
    read = memory if crosses else x
    for how in (dict(causal=True), dict(mask=torch.rand(2, 5, 5) > 0.3)):
        ours = general(x, memory, need_weights=need_weights, **how)
        theirs = plain(x, read, read, need_weights=need_weights, **how)
        close(ours[0], theirs[0], 1e-6)
        assert ours[1] is theirs[1] is None or torch.allclose(ours[1], theirs[1])


@pytest.mark.parametrize("m, n", [(2, 5), (5, 2)])
@pytest.mark.parametrize("with_cache", [False, True])
def test_causal_is_refused_for_a_memory_of_another_length(m, n, with_cache):
    mask = torch.ones(1, 1, n, dtype=torch.bool)
    mask[..., 0] = False
    cache = nn.KeyValueCache() if with_cache else None
    for each in (mask, None):
        with pytest.raises(ShapeError, match=f"causal with {m} queries and {n} keys"):
            attention()(
                torch.randn(1, m, 8),
                torch.randn(1, n, 8),
                each,
                causal=True,
                cache=cache,
            )


@pytest.mark.parametrize("pieces", [[5], [2, 3], [1] * 5])
@pytest.mark.parametrize("copied", [False, True])
def test_a_text_may_be_read_in_pieces(pieces, copied):
    general, x = attention(), torch.randn(1, 5, 8)
    expected, A = general(x, causal=True)
    cache, rows = nn.KeyValueCache(), []
    for new in x.split(pieces, dim=1):
        new = new.clone() if copied else new
        output, weights = general(new, causal=True, cache=cache)
        rows.append(output)
    close(torch.cat(rows, dim=1), expected, 1e-6)
    close(weights, A[..., -pieces[-1] :, :], 1e-6)
    assert cache.K.shape == (1, 2, 5, 4)  # (batch, heads, n, d_k)


def test_a_memory_is_read_once_and_only_that_one():
    general, cache = attention(), nn.KeyValueCache()
    x, memory = torch.randn(1, 4, 8), torch.randn(1, 6, 8)
    expected, _ = general(x, memory)
    rows = [general(one, memory, cache=cache)[0] for one in x.split(1, 1)]
    close(torch.cat(rows, dim=1), expected, 1e-6)
    assert len(cache) == 6
    with pytest.raises(ShapeError, match="a memory of 5 words, and 6 in the cache"):
        general(x, memory[:, :5], cache=cache)


@pytest.mark.parametrize("window", [1, 2, 4, 9])
@pytest.mark.parametrize("pieces", [[7], [3, 4], [1] * 7])
def test_a_window_hides_what_is_too_far_back(window, pieces):
    general, x = attention(), torch.randn(2, 7, 8)
    distance = torch.arange(7)[:, None] - torch.arange(7)
    seen = (distance >= 0) & (distance < window)
    expected, _ = general(x, mask=seen[None])
    general.window = window
    close(general(x, causal=True)[0], expected, 1e-6)
    for make in (nn.KeyValueCache, lambda: nn.SlidingWindowCache(window)):
        cache, rows = make(), []
        for new in x.split(pieces, dim=1):
            rows.append(general(new, causal=True, cache=cache)[0])
        close(torch.cat(rows, dim=1), expected, 1e-6)


def test_scores_are_scaled_and_bounded_as_they_are_told():
    general, x = attention(bias="all"), torch.randn(1, 5, 8)
    with torch.no_grad():
        general.b_QKV.normal_(), general.b_O.normal_()
    Q, K, V = (
        (x @ general.W_QKV + general.b_QKV)
        .unflatten(-1, (3, 2, 4))
        .permute(2, 0, 3, 1, 4)
    )
    general.scale, general.cap = 0.7, 1.5
    S = 1.5 * torch.tanh(0.7 * Q @ K.mT / 1.5)
    weights = S.masked_fill(~nn.causal_mask(5), -torch.inf).softmax(-1)
    Z = (weights @ V).transpose(1, 2).flatten(2) @ general.W_O + general.b_O
    for need_weights in (True, False):
        output, _ = general(x, causal=True, need_weights=need_weights)
        close(output, Z, 1e-5)
    close(general(x, causal=True)[1], weights, 1e-5)
