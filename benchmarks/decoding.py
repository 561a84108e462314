"""Decoding 128 tokens with the cache, without it, and by re-running ``torch.nn.Transformer``."""

import torch

from transformer_book import decode, nn
from transformer_lab.torch_transformer import TorchTransformer

from .memory import measure_peak_bytes
from .targets import format_minimum
from .timing import median_seconds_and_ratios

TOKENS_TO_WRITE, SOURCE_LENGTH = 128, 32


def decoding_calls(preset_name: str, sentence_count: int) -> tuple:
    """Return greedy decoding three ways; all must write the same tokens."""
    torch.manual_seed(0)
    model = nn.Transformer(getattr(nn.TransformerConfig, preset_name)()).eval()
    torch_model = TorchTransformer(model).eval()
    with torch.no_grad():  # no sentence may end before its 128 tokens
        for decoder in (model, torch_model):
            decoder.output[3] = 0.0
    source = torch.randint(
        4, model.config.source_words, (sentence_count, SOURCE_LENGTH)
    )

    def decode_without_cache_by_torch() -> list[list[int]]:
        target = torch.full((sentence_count, 1), 2)
        for _ in range(TOKENS_TO_WRITE):
            next_word = torch_model(source, target)[:, -1].argmax(-1, keepdim=True)
            target = torch.cat([target, next_word], dim=1)
        return target[:, 1:].tolist()

    return (
        lambda: decode.greedy(model, source, max_length=TOKENS_TO_WRITE),
        lambda: decode.greedy(
            model, source, max_length=TOKENS_TO_WRITE, use_cache=False
        ),
        decode_without_cache_by_torch,
    )


def measure_row(
    preset_name: str, sentence_count: int, min_speedup: float | None = 5
) -> tuple[str, str, str]:
    with torch.inference_mode():
        ways = decoding_calls(preset_name, sentence_count)
        written = [call() for call in ways]
        assert written[0] == written[1] == written[2], (
            "the three ways wrote different tokens"
        )
        assert all(len(sentence) == TOKENS_TO_WRITE for sentence in written[0])
        seconds, *times = median_seconds_and_ratios(
            *ways, min_repeats=1, is_warm=True
        )  # a minute a turn
        memory = [measure_peak_bytes(call) for call in ways]
    without, rerun = (
        f"{1 / time:.1f} x as fast, {memory[0] / peer_memory:.2f} x the memory"
        for time, peer_memory in zip(times, memory[1:])
    )
    goal = (
        f" ({format_minimum(1 / times[0], min_speedup, f'{min_speedup} x')})"
        if min_speedup
        else ""
    )
    return (
        f"greedy decoding, `{preset_name}`, {sentence_count} x {TOKENS_TO_WRITE} tokens, with the cache",
        f"{sentence_count * TOKENS_TO_WRITE / seconds:,.0f} tokens/s, {memory[0] / 2**20:.0f} MB",
        f"{without} as without{goal}; {rerun} as re-running `torch.nn.Transformer`",
    )


def measure_rows() -> list[tuple[str, str, str]]:
    """Return rows for ``tiny`` and ``base``, and one for a sentence alone."""
    torch.set_num_threads(2)
    # A step of one sentence is nearly all calls of small operations, with the cache and without.
    return [
        measure_row("tiny", 1, min_speedup=None),
        measure_row("tiny", 32),
        measure_row("base", 8),
    ]
