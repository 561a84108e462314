"""Caches of other kinds: what they keep, what a token sees through them, and what fits."""

import pytest
import torch

from transformer_book import decode, nn
from transformer_book.decode.errors import DecodeError
from transformer_book.nn import (
    LanguageModelCache,
    PreallocatedCache,
    SlidingWindowCache,
)
from transformer_book.shapes import ShapeError

IDS = torch.tensor([[4, 7, 7, 5, 9, 6, 8], [5, 11, 10, 4, 4, 8, 6]])


@pytest.fixture(scope="session")
def model():
    torch.manual_seed(0)
    sizes = dict(d_model=16, d_ff=24, h=2, N=2, dropout=0.0, norm="pre")
    config = nn.TransformerConfig(12, 12, **sizes, share="none", max_length=30)
    return nn.LanguageModel(config).double().eval()


@torch.no_grad()
def read(model, pieces, make):
    """Return the logits of IDS read in pieces, and the cache."""
    cache, out = LanguageModelCache(model.config.N, make), []
    for new in IDS.split(pieces, dim=1):
        out.append(model(new, cache=cache)[0])
    assert len(cache) == cache.next_position == IDS.shape[1]
    return torch.cat(out, dim=1), cache


@torch.no_grad()
def with_mask(model, mask):
    """Return the logits of IDS where a mask, (1, n, n), stands in for the cache."""
    x = model.embedding[IDS] * model.config.d_model**0.5 + model.PE[: IDS.shape[1]]
    for layer in model.layers:
        x, _ = layer(x, mask)
    return model.logits(model.norm(x))


PIECES = [[7], [3, 4], [1] * 7, [2, 1, 3, 1]]


@pytest.mark.parametrize("pieces", PIECES)
def test_preallocated_is_the_growing_one_to_the_bit(model, pieces):
    ours, cache = read(model, pieces, lambda: PreallocatedCache(9))
    growing, _ = read(model, pieces, nn.KeyValueCache)
    assert torch.equal(ours, growing)
    torch.testing.assert_close(ours, model(IDS)[0])
    assert cache.nbytes == 2 * 2 * (2 * 9 * 16) * 8  # K and V, layers, rows, float64


def test_preallocated_writes_in_place(model):
    cache = PreallocatedCache(4)
    K, V = torch.randn(2, 1, 3, 8)
    first, _ = cache.extend(K, V)
    cache.extend(K[:, :1], V[:, :1])
    assert first.data_ptr() == cache.K.data_ptr() == cache.buffers[0].data_ptr()
    assert torch.equal(cache.K, torch.cat([K, K[:, :1]], dim=1))
    assert torch.equal(cache.V, torch.cat([V, V[:, :1]], dim=1))


def test_preallocated_selects_and_goes_on(model):
    cache = LanguageModelCache(2, lambda: PreallocatedCache(7))
    with torch.no_grad():
        model(IDS[:, :4], cache=cache)
        cache.select(torch.tensor([1, 1, 0]))
        ours, _ = model(IDS[[1, 1, 0], 4:], cache=cache)
        torch.testing.assert_close(ours, model(IDS[[1, 1, 0]])[0][:, 4:])


def test_rows_that_do_not_fit_are_refused_and_nothing_is_lost(model):
    cache = LanguageModelCache(2, lambda: PreallocatedCache(6))
    with pytest.raises(ShapeError, match="7 rows behind 0; expected at most 6 in all"):
        model(IDS, cache=cache)
    with torch.no_grad():
        model(IDS[:, :5], cache=cache)
        with pytest.raises(ShapeError, match="2 rows behind 5; .* larger longest"):
            model(IDS[:, 5:], cache=cache)
        ours, _ = model(IDS[:, 5:6], cache=cache)
        torch.testing.assert_close(ours, model(IDS[:, :6])[0][:, 5:])


@pytest.mark.parametrize("pieces", PIECES)
@pytest.mark.parametrize("window", [1, 2, 3, 6, 7, 20])
def test_a_sliding_window_is_a_band_in_the_mask(model, pieces, window):
    ours, cache = read(model, pieces, lambda: SlidingWindowCache(window))
    i, j = torch.arange(7)[:, None], torch.arange(7)
    band = (j <= i) & (j > i - window)
    torch.testing.assert_close(ours, with_mask(model, band[None]))
    rows = min(7, window - 1)
    assert cache.nbytes == 2 * 2 * (2 * rows * 16) * 8


ATTENTIONS = {
    "multi-head": lambda: nn.GeneralAttention(8, 2),
    "grouped": lambda: nn.GeneralAttention(8, 4, g=2),
    "latent": lambda: nn.LatentAttention(8, 2, 4),
}
CACHES = {
    "growing": nn.KeyValueCache,
    "preallocated": lambda: PreallocatedCache(9),
    **{f"window {w}": lambda w=w: SlidingWindowCache(w) for w in (1, 2, 3, 6)},
}


@pytest.mark.parametrize("need_weights", [True, False])
@pytest.mark.parametrize("shape", [(1, 6), (6, 6), (2, 1, 6), (2, 6, 6)])
@pytest.mark.parametrize("cache", CACHES)
@pytest.mark.parametrize("attention", ATTENTIONS)
def test_a_mask_shows_nothing_that_cache_and_causal_hide(
    attention, cache, shape, need_weights
):
    torch.manual_seed(0)
    attention, cache = ATTENTIONS[attention]().double().eval(), CACHES[cache]()
    x, mask = torch.randn(2, 6, 8).double(), torch.rand(shape) < 0.7
    i, j = torch.arange(6)[:, None], torch.arange(6)
    seen = (j <= i) & (j > i - getattr(cache, "window", 6))
    expected, A = attention(x, mask=mask & seen)
    found, weights = attention(
        x, mask=mask, causal=True, cache=cache, need_weights=need_weights
    )
    torch.testing.assert_close(found, expected)
    if need_weights:
        torch.testing.assert_close(weights, A)
        assert not weights.masked_select(~seen).any()
    with pytest.raises(ShapeError, match="a mask, and 6 words in the cache"):
        attention(x, mask=mask, causal=True, cache=cache)


def test_it_keeps_no_memory_of_what_is_let_go():
    cache = SlidingWindowCache(3)
    cache.extend(*torch.randn(2, 1, 100, 8))
    assert cache.K.untyped_storage().nbytes() == cache.K.nbytes == 2 * 8 * 4


@pytest.mark.parametrize("make", [PreallocatedCache, SlidingWindowCache])
@pytest.mark.parametrize("size", [0, -1, 2.0])
def test_a_size_is_a_positive_whole_number(make, size):
    with pytest.raises(ShapeError, match=f"{make.__name__}: .* {size}"):
        make(size)


def test_generate_writes_into_the_cache_it_is_given(model):
    prompt = IDS[:, :3]
    given = LanguageModelCache(2, lambda: PreallocatedCache(12))
    ours = decode.generate(model, prompt, 8, cache=given)
    assert ours == decode.generate(model, prompt, 8)
    assert len(given) > 3
    with pytest.raises(
        DecodeError, match=f"read {len(given)} tokens; expected an empty"
    ):
        decode.generate(model, prompt, 8, cache=given)
    with pytest.raises(DecodeError, match="as use_cache is False"):
        decode.generate(model, prompt, 8, cache=LanguageModelCache(2), use_cache=False)
    with pytest.raises(DecodeError, match="has 3 layers; expected 2"):
        decode.generate(model, prompt, 8, cache=LanguageModelCache(3))


@pytest.mark.parametrize("make", [nn.KeyValueCache, lambda: PreallocatedCache(7)])
def test_cropped_rows_are_as_if_they_had_never_come(model, make):
    cache = LanguageModelCache(2, make)
    with torch.no_grad():
        model(IDS.flip(0), cache=cache)
        cache.crop(0)
        model(IDS[:, :6], cache=cache)
        cache.crop(4)
        ours, _ = model(IDS[:, 4:], cache=cache)
        torch.testing.assert_close(ours, model(IDS)[0][:, 4:])


def test_a_window_cannot_be_cropped():
    with pytest.raises(ShapeError, match="SlidingWindowCache: rows .* taken back"):
        SlidingWindowCache(3).crop(0)


def interrupted(*_, **__):
    raise KeyboardInterrupt


MAKE = {
    "growing": nn.KeyValueCache,
    "preallocated": lambda: PreallocatedCache(9),
    "window": lambda: SlidingWindowCache(3),
}


@pytest.mark.parametrize("before", [0, 3])
@pytest.mark.parametrize("kind", MAKE)
@pytest.mark.parametrize("where", ["layer", "feed_forward", "norm", "logits"])
def test_a_pass_that_is_interrupted_leaves_the_cache_as_it_was(
    model, kind, before, where, monkeypatch
):
    parts = {"layer": model.layers[1], "feed_forward": model.layers[0].feed_forward}
    part = {**parts, "norm": model.norm, "logits": model}[where]
    name = "logits" if where == "logits" else "forward"
    caches = [LanguageModelCache(2, MAKE[kind]) for _ in range(2)]
    with torch.no_grad():
        if before:
            for cache in caches:
                model(IDS[:, :before], cache=cache)
        monkeypatch.setattr(part, name, interrupted)
        with pytest.raises(KeyboardInterrupt):
            # Another batch, which a cache must not keep its room for.
            model(IDS[:, before:5] if before else IDS[:1], cache=caches[0])
        monkeypatch.undo()
        assert [len(own) for own in caches[0].layers] == [before] * 2
        found, expected = (model(IDS[:, before:], cache=cache)[0] for cache in caches)
    assert torch.equal(found, expected)


@pytest.mark.parametrize("part", ["cross_attention", "feed_forward", "add_and_norm_3"])
def test_a_decoder_that_is_interrupted_leaves_its_cache_as_it_was(part, monkeypatch):
    torch.manual_seed(0)
    sizes = dict(d_model=16, d_ff=24, h=2, N=2, dropout=0.0)
    made = nn.Transformer(nn.TransformerConfig(12, 12, **sizes)).double().eval()
    cache = nn.DecoderCache(2)
    with torch.no_grad():
        memory, _ = made.encode(IDS)
        expected, _ = made.decode(IDS, memory)
        last = getattr(made.decoder[1], part)
        name = "add_output" if part == "add_and_norm_3" else "forward"
        monkeypatch.setattr(last, name, interrupted)
        with pytest.raises(KeyboardInterrupt):
            made.decode(IDS[:, :3], memory.flip(0), cache=cache)
        monkeypatch.undo()
        assert not len(cache)
        pieces = [made.decode(new, memory, cache=cache)[0] for new in IDS.split(4, 1)]
    torch.testing.assert_close(torch.cat(pieces, dim=1), expected)


@pytest.mark.parametrize("latent", [False, True])
def test_an_attention_that_fails_leaves_its_cache_as_it_was(latent, monkeypatch):
    torch.manual_seed(0)
    attention = nn.LatentAttention(8, 2, 4) if latent else nn.GeneralAttention(8, 2)
    cache, x = nn.KeyValueCache(), torch.randn(1, 5, 8)
    module = nn.shared_heads
    with torch.no_grad():
        first, new = x[:, :2], x[:, 2:]
        attention(first, causal=True, cache=cache)
        monkeypatch.setattr(module, "scaled_dot_product_attention", interrupted)
        with pytest.raises(KeyboardInterrupt):
            attention(new, causal=True, cache=cache)
        monkeypatch.undo()
        assert len(cache) == 2
        last, _ = attention(new, causal=True, cache=cache)
        whole, _ = attention(x, causal=True)
    torch.testing.assert_close(last, whole[:, 2:])


def mixed():
    """Layers of two kinds, of which the second cannot take rows back."""
    cache = LanguageModelCache(2)
    cache.layers[1] = SlidingWindowCache(4)
    return cache


def test_rows_are_taken_back_or_chosen_in_all_layers_or_in_none(model):
    cache, other = mixed(), LanguageModelCache(2)
    with torch.no_grad():
        model(IDS[:, :5], cache=cache)
        with pytest.raises(ShapeError, match="rows were to be taken back"):
            cache.crop(2)
        assert [len(own) for own in cache.layers] == [5, 5]
        model(IDS[:, :5], cache=other)
        other.layers[1].select = interrupted
        with pytest.raises(KeyboardInterrupt):
            other.select(torch.tensor([0]))
        assert [len(own.K) for own in other.layers] == [2, 2]


def test_a_window_counts_no_rows_that_do_not_fit():
    cache = SlidingWindowCache(4)
    cache.extend(*torch.randn(2, 1, 3, 8))
    with pytest.raises(RuntimeError):
        cache.extend(*torch.randn(2, 1, 3, 9))
    assert len(cache) == 3 and cache.K.shape[-2] == 3


def test_generate_gives_an_empty_cache_back_where_it_is_interrupted(model, monkeypatch):
    cache, expected = LanguageModelCache(2), decode.generate(model, IDS, 9)
    calls, logits = [], model.logits

    def third(x):
        calls.append(x)
        return interrupted() if len(calls) == 3 else logits(x)

    monkeypatch.setattr(model, "logits", third)
    with pytest.raises(KeyboardInterrupt):
        decode.generate(model, IDS, 9, cache=cache)
    monkeypatch.undo()
    assert decode.generate(model, IDS, 9, cache=cache) == expected
