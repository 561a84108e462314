"""``nn.flash_attention`` beside explicit attention and torch's kernels, at lengths that hurt."""

from collections.abc import Callable

import torch

from transformer_book import nn

from .memory import measure_peak_bytes
from .targets import format_maximum
from .timing import median_seconds_and_ratios

D_K = 64
SEQUENCE_LENGTHS = (4096, 16384)


def attention_calls(n: int, is_causal: bool) -> tuple[list[Callable], list[Callable]]:
    """Return attention of one head three ways: in tiles, explicit, torch's; outputs must agree."""
    torch.manual_seed(0)
    Q, K, V = (torch.randn(1, 1, n, D_K, requires_grad=True) for _ in range(3))
    ways = (
        lambda: nn.flash_attention(Q, K, V, causal=is_causal)[0],
        lambda: nn.scaled_dot_product_attention(Q, K, V, causal=is_causal)[0],
        lambda: torch.nn.functional.scaled_dot_product_attention(
            Q, K, V, is_causal=is_causal
        ),
    )
    with torch.no_grad():
        tiled, *others = (call() for call in ways)
    for other in others:
        torch.testing.assert_close(tiled, other, atol=1e-5, rtol=1e-4)
    return [without_gradient(call) for call in ways], [
        with_backward(call, (Q, K, V)) for call in ways
    ]


def without_gradient(
    attend: Callable[[], torch.Tensor],
) -> Callable[[], torch.Tensor]:
    def forward() -> torch.Tensor:
        with torch.no_grad():
            return attend()

    return forward


def with_backward(
    attend: Callable[[], torch.Tensor], inputs: tuple[torch.Tensor, ...]
) -> Callable[[], tuple[torch.Tensor, ...]]:
    return lambda: torch.autograd.grad(attend().sum(), inputs)


def measure_row(
    n: int, is_causal: bool, pass_name: str, calls: list[Callable]
) -> tuple[str, str, str]:
    seconds, *times = median_seconds_and_ratios(*calls, min_seconds=10.0, min_repeats=3)
    ours, *others = (measure_peak_bytes(call) for call in calls)
    explicit, kernel = (
        f"{time:.2f} x the time and {ours / peer_memory:.3f} x the memory"
        for time, peer_memory in zip(times, others, strict=True)
    )
    return (
        f"`nn.flash_attention`, {n:,} words, {'causal' if is_causal else 'no mask'}, {pass_name}",
        f"{seconds * 1e3:,.0f} ms, {ours / 2**20:.0f} MB",
        f"{explicit} of explicit attention ({format_maximum(ours / others[0], 0.1, '0.1 x the memory')}); "
        f"{kernel} of torch's kernel",
    )


def measure_rows() -> list[tuple[str, str, str]]:
    """Return two rows, forward alone and with backward, for each length, with and without a mask."""
    torch.set_num_threads(2)
    return [
        measure_row(n, causal, what, ways)
        for n in SEQUENCE_LENGTHS
        for causal in (False, True)
        for what, ways in zip(
            ("forward", "forward and backward"), attention_calls(n, causal), strict=True
        )
    ]
