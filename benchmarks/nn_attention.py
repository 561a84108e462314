"""``nn`` attention, fast path, beside ``torch.nn.MultiheadAttention`` and its explicit path."""

from collections.abc import Callable

import torch

from transformer_book import nn

from .memory import measure_peak_bytes
from .targets import format_maximum
from .timing import median_seconds_and_ratios

D_MODEL, HEAD_COUNT = 512, 8  # the paper's base model
WORDS_PER_BATCH = 4096  # in a batch, however long its sentences are
SEQUENCE_LENGTHS = (64, 256, 1024, 4096)


def make_our_and_torch_module() -> tuple[
    nn.MultiHeadAttention, torch.nn.MultiheadAttention
]:
    """Return this book's module and torch's, with the same weights."""
    torch.manual_seed(0)
    ours = nn.MultiHeadAttention(D_MODEL, HEAD_COUNT)
    torch_mha = torch.nn.MultiheadAttention(
        D_MODEL, HEAD_COUNT, bias=False, batch_first=True
    )
    with torch.no_grad():
        torch_mha.in_proj_weight.copy_(ours.W_QKV.T)
        torch_mha.out_proj.weight.copy_(ours.W_O.T)
    return ours, torch_mha


def attention_calls(n: int, is_causal: bool):
    """Return self-attention three ways: fast path, torch's module, explicit path."""
    ours, torch_mha = make_our_and_torch_module()
    x = torch.randn(WORDS_PER_BATCH // n, n, D_MODEL)
    hidden = ~nn.causal_mask(n) if is_causal else None  # torch's True hides
    ways = (
        lambda: ours(x, x, x, causal=is_causal, need_weights=False)[0],
        lambda: torch_mha(
            x, x, x, attn_mask=hidden, is_causal=is_causal, need_weights=False
        )[0],
        lambda: ours(x, x, x, causal=is_causal)[0],
    )
    fast, *others = (call() for call in ways)
    for other in others:
        torch.testing.assert_close(other, fast, atol=1e-5, rtol=1e-4)
    return ways


def with_backward(attend: Callable) -> Callable[[], None]:
    return lambda: attend().sum().backward()


def measure_row(
    n: int, is_causal: bool, measures_backward: bool
) -> tuple[str, str, str]:
    if measures_backward:
        ways = [with_backward(call) for call in attention_calls(n, is_causal)]
        seconds, *times = median_seconds_and_ratios(*ways, min_seconds=4.0)
        memory = [measure_peak_bytes(call) for call in ways]
    else:
        with torch.inference_mode():
            ways = attention_calls(n, is_causal)
            seconds, *times = median_seconds_and_ratios(*ways, min_seconds=4.0)
            memory = [measure_peak_bytes(call) for call in ways]
    fused, explicit = (
        f"{time:.2f} x the time and {memory[0] / peer_memory:.2f} x the memory"
        for time, peer_memory in zip(times, memory[1:], strict=True)
    )
    return (
        f"`nn.MultiHeadAttention`, {WORDS_PER_BATCH // n} x {n} words, "
        f"{'causal' if is_causal else 'no mask'}, "
        f"{'forward and backward' if measures_backward else 'forward'}",
        f"{seconds * 1e3:.0f} ms, {memory[0] / 2**20:.0f} MB",
        f"{fused} of torch's ({format_maximum(times[0], 1, '1.00 x the time')}); "
        f"{explicit} of the explicit path",
    )


def measure_rows() -> list[tuple[str, str, str]]:
    """Return a row per length: forward alone, with backward, and with backward and causal."""
    torch.set_num_threads(2)
    return [
        measure_row(n, causal, train)
        for causal, train in ((False, False), (False, True), (True, True))
        for n in SEQUENCE_LENGTHS
    ]
