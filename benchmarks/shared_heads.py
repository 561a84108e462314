"""Cache bytes and tokens per second against g, beside torch's ``enable_gqa`` and ``transformers``."""

from typing import Any

import torch
from transformers.cache_utils import DynamicCache

from transformer_book import nn

from .gpt2 import make_gpt2
from .timing import median_seconds_and_ratios

BATCH, N, HEAD_COUNT, D_K = 8, 1024, 8, 64
SIZES: dict[str, Any] = {
    "d_model": HEAD_COUNT * D_K,
    "d_ff": 4 * HEAD_COUNT * D_K,
    "h": HEAD_COUNT,
    "N": 4,
}


def make_model(g: int | None, d_c: int | None = None) -> nn.LanguageModel:
    """Return a language model with g heads of keys, or with latent attention of width d_c."""
    torch.manual_seed(0)
    config = nn.TransformerConfig(
        1000, 1000, **SIZES, g=g, norm="pre", share="none", max_length=N + 1
    )
    model = nn.LanguageModel(config)
    if d_c:
        for layer in model.layers:
            layer.self_attention = nn.LatentAttention(HEAD_COUNT * D_K, HEAD_COUNT, d_c)
    return model.eval()


def random_cache_tensors(
    head_count: int, key_and_value_widths: tuple[int, int]
) -> list[list[torch.Tensor]]:
    """Return what each layer has in its cache: random keys and values of N tokens.

    Parameters
    ----------
    head_count : int
    key_and_value_widths : (int, int)
        Of a head's keys, and of its values.
    """
    torch.manual_seed(1)
    return [
        [torch.randn(BATCH, head_count, N, width) for width in key_and_value_widths]
        for _ in range(SIZES["N"])
    ]


def make_step_and_cache_bytes(
    model: nn.LanguageModel, cache_tensors: list[list[torch.Tensor]]
) -> tuple:
    """Return a step of decode on a cache that is always as full, and the bytes of the cache."""
    token = torch.full((BATCH, 1), 4)

    def decode_step() -> torch.Tensor:
        cache = nn.LanguageModelCache(len(cache_tensors))
        for layer, rows in zip(cache.layers, cache_tensors, strict=True):
            layer.extend(*rows)
        return model(token, cache=cache)[0]

    return decode_step, sum(tensor.nbytes for rows in cache_tensors for tensor in rows)


class TorchGroupedAttention(nn.GeneralAttention):
    """The same module, whose attention is torch's kernel with ``enable_gqa``."""

    def _attend(self, Q, K, V, mask, bias, causal, need_weights) -> tuple:
        Z = torch.nn.functional.scaled_dot_product_attention(
            Q, K, V, attn_mask=mask, is_causal=causal, enable_gqa=True
        )
        return Z, None


def make_torch_step(model: nn.LanguageModel, cache_tensors: list[list[torch.Tensor]]):
    """Return the step of the same model with torch's grouped attention."""
    peer = make_model(model.config.g)
    peer.load_state_dict(model.state_dict())
    for layer in peer.layers:
        layer.self_attention.__class__ = TorchGroupedAttention
    return make_step_and_cache_bytes(peer, cache_tensors)[0]


def make_transformers_step(
    model: nn.LanguageModel, cache_tensors: list[list[torch.Tensor]]
):
    """Return the step of a model of ``transformers`` with the same weights, for g = h and g = 1."""
    peer: Any = make_gpt2(model)
    token = torch.full((BATCH, 1), 4)

    def decode_step() -> torch.Tensor:
        cache = DynamicCache()
        for i, (K, V) in enumerate(cache_tensors):
            cache.update(K, V, i)
        return peer(token, cache=cache, use_cache=True).logits

    return decode_step


def measure_row(g: int) -> tuple[str, str, str]:
    model, cached = make_model(g), random_cache_tensors(g, (D_K, D_K))
    step, cache_bytes = make_step_and_cache_bytes(model, cached)
    peers = {"torch's `enable_gqa` in the same model": make_torch_step(model, cached)}
    if g in (1, HEAD_COUNT):
        name = "GPTBigCode" if g == 1 else "GPT-2"
        peers[f"`transformers`' {name} on the same weights"] = make_transformers_step(
            model, cached
        )
    all_heads_step = make_step_and_cache_bytes(
        make_model(HEAD_COUNT), random_cache_tensors(HEAD_COUNT, (D_K, D_K))
    )[0]
    for peer in peers.values():
        torch.testing.assert_close(peer()[:, -1], step()[:, -1], atol=1e-3, rtol=1e-3)
    seconds, slower, *times = median_seconds_and_ratios(
        step, all_heads_step, *peers.values(), min_seconds=4.0
    )
    beside = [f"{1 / slower:.2f} x the tokens per second of g = {HEAD_COUNT}"]
    beside += [f"{1 / time:.2f} x of {name}" for name, time in zip(peers, times)]
    return format_row(f"g = {g}", cache_bytes, seconds, beside[g == HEAD_COUNT :])


def format_row(
    variant_name: str,
    cache_bytes: int,
    step_seconds: float,
    comparison_texts: list[str],
) -> tuple[str, str, str]:
    return (
        f"decode, {BATCH} x {N:,} tokens in the cache, {HEAD_COUNT} heads, {variant_name}",
        f"{cache_bytes / 2**20:.0f} MB of cache, {BATCH / step_seconds:,.0f} tokens/s",
        "; ".join(comparison_texts),
    )


def measure_latent_row(d_c=2 * D_K) -> tuple[str, str, str]:
    step, cache_bytes = make_step_and_cache_bytes(
        make_model(None, d_c), random_cache_tensors(1, (d_c, 0))
    )
    all_heads_step = make_step_and_cache_bytes(
        make_model(HEAD_COUNT), random_cache_tensors(HEAD_COUNT, (D_K, D_K))
    )[0]
    seconds, slower = median_seconds_and_ratios(step, all_heads_step, min_seconds=4.0)
    beside = [f"{1 / slower:.2f} x the tokens per second of g = {HEAD_COUNT}"]
    return format_row(f"latent, d_c = {d_c}", cache_bytes, seconds, beside)


def measure_rows() -> list[tuple[str, str, str]]:
    """Return a row for each g, and one for latent attention that keeps as much as g = 1."""
    torch.set_num_threads(2)
    with torch.inference_mode():
        return [*map(measure_row, (8, 4, 2, 1)), measure_latent_row()]
