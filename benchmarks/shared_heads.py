"""Cache bytes and tokens per second against g, beside torch's ``enable_gqa`` and ``transformers``."""

from typing import Any

import torch
from transformers.cache_utils import DynamicCache

from transformer_book import nn

from .gpt2 import gpt2
from .timing import ratios

BATCH, N, HEADS, D_K = 8, 1024, 8, 64
SIZES: dict[str, Any] = {
    "d_model": HEADS * D_K,
    "d_ff": 4 * HEADS * D_K,
    "h": HEADS,
    "N": 4,
}


def model_of(g, d_c=None):
    """Return a language model with g heads of keys, or with latent attention of width d_c."""
    torch.manual_seed(0)
    config = nn.TransformerConfig(
        1000, 1000, **SIZES, g=g, norm="pre", share="none", max_length=N + 1
    )
    model = nn.LanguageModel(config)
    if d_c:
        for layer in model.layers:
            layer.self_attention = nn.LatentAttention(HEADS * D_K, HEADS, d_c)
    return model.eval()


def filled(heads, widths):
    """Return what each layer has in its cache: random keys and values of N tokens.

    Parameters
    ----------
    heads : int
    widths : (int, int)
        Of a head's keys, and of its values.
    """
    torch.manual_seed(1)
    return [
        [torch.randn(BATCH, heads, N, width) for width in widths]
        for _ in range(SIZES["N"])
    ]


def step_of(model, cached):
    """Return a step of decode on a cache that is always as full, and the bytes of the cache."""
    token = torch.full((BATCH, 1), 4)

    def step():
        cache = nn.LanguageModelCache(len(cached))
        for layer, rows in zip(cache.layers, cached, strict=True):
            layer.extend(*rows)
        return model(token, cache=cache)[0]

    return step, sum(tensor.nbytes for rows in cached for tensor in rows)


class ByTorch(nn.GeneralAttention):
    """The same module, whose attention is torch's kernel with ``enable_gqa``."""

    def _attend(self, Q, K, V, mask, bias, causal, need_weights):
        Z = torch.nn.functional.scaled_dot_product_attention(
            Q, K, V, attn_mask=mask, is_causal=causal, enable_gqa=True
        )
        return Z, None


def by_torch(model, cached):
    """Return the step of the same model with torch's grouped attention."""
    peer = model_of(model.config.g)
    peer.load_state_dict(model.state_dict())
    for layer in peer.layers:
        layer.self_attention.__class__ = ByTorch
    return step_of(peer, cached)[0]


def by_transformers(model, cached):
    """Return the step of a model of ``transformers`` with the same weights, for g = h and g = 1."""
    peer: Any = gpt2(model)
    token = torch.full((BATCH, 1), 4)

    def step():
        cache = DynamicCache()
        for i, (K, V) in enumerate(cached):
            cache.update(K, V, i)
        return peer(token, cache=cache, use_cache=True).logits

    return step


def row(g):
    model, cached = model_of(g), filled(g, (D_K, D_K))
    step, cache_bytes = step_of(model, cached)
    peers = {"torch's `enable_gqa` in the same model": by_torch(model, cached)}
    if g in (1, HEADS):
        name = "GPTBigCode" if g == 1 else "GPT-2"
        peers[f"`transformers`' {name} on the same weights"] = by_transformers(
            model, cached
        )
    all_heads_step = step_of(model_of(HEADS), filled(HEADS, (D_K, D_K)))[0]
    for peer in peers.values():
        torch.testing.assert_close(peer()[:, -1], step()[:, -1], atol=1e-3, rtol=1e-3)
    seconds, slower, *times = ratios(step, all_heads_step, *peers.values(), seconds=4.0)
    beside = [f"{1 / slower:.2f} x the tokens per second of g = {HEADS}"]
    beside += [f"{1 / time:.2f} x of {name}" for name, time in zip(peers, times)]
    return row_of(f"g = {g}", cache_bytes, seconds, beside[g == HEADS :])


def row_of(what, cache_bytes, seconds, beside):
    return (
        f"decode, {BATCH} x {N:,} tokens in the cache, {HEADS} heads, {what}",
        f"{cache_bytes / 2**20:.0f} MB of cache, {BATCH / seconds:,.0f} tokens/s",
        "; ".join(beside),
    )


def latent_row(d_c=2 * D_K):
    step, cache_bytes = step_of(model_of(None, d_c), filled(1, (d_c, 0)))
    all_heads_step = step_of(model_of(HEADS), filled(HEADS, (D_K, D_K)))[0]
    seconds, slower = ratios(step, all_heads_step, seconds=4.0)
    beside = [f"{1 / slower:.2f} x the tokens per second of g = {HEADS}"]
    return row_of(f"latent, d_c = {d_c}", cache_bytes, seconds, beside)


def rows():
    """Return a row for each g, and one for latent attention that keeps as much as g = 1."""
    torch.set_num_threads(2)
    with torch.inference_mode():
        return [*map(row, (8, 4, 2, 1)), latent_row()]
