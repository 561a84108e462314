"""``nn.flash_attention`` beside explicit attention and torch's kernels, at lengths that hurt."""

import torch

from transformer_book import nn

from .memory import peak
from .targets import at_most
from .timing import ratios

D_K = 64
LENGTHS = (4096, 16384)


def calls(n, causal):
    """Return attention of one head three ways: in tiles, explicit, torch's; outputs must agree."""
    torch.manual_seed(0)
    Q, K, V = (torch.randn(1, 1, n, D_K, requires_grad=True) for _ in range(3))
    ways = (
        lambda: nn.flash_attention(Q, K, V, causal=causal)[0],
        lambda: nn.scaled_dot_product_attention(Q, K, V, causal=causal)[0],
        lambda: torch.nn.functional.scaled_dot_product_attention(
            Q, K, V, is_causal=causal
        ),
    )
    with torch.no_grad():
        tiled, *others = (call() for call in ways)
    for other in others:
        torch.testing.assert_close(tiled, other, atol=1e-5, rtol=1e-4)
    return [without_gradient(call) for call in ways], [
        training(call, (Q, K, V)) for call in ways
    ]


def without_gradient(call):
    def forward():
        with torch.no_grad():
            return call()

    return forward


def training(call, inputs):
    return lambda: torch.autograd.grad(call().sum(), inputs)


def row(n, causal, what, ways):
    seconds, *times = ratios(*ways, seconds=10.0, least=3)
    ours, *others = (peak(call) for call in ways)
    explicit, kernel = (
        f"{time:.2f} x the time and {ours / peer_memory:.3f} x the memory"
        for time, peer_memory in zip(times, others, strict=True)
    )
    return (
        f"`nn.flash_attention`, {n:,} words, {'causal' if causal else 'no mask'}, {what}",
        f"{seconds * 1e3:,.0f} ms, {ours / 2**20:.0f} MB",
        f"{explicit} of explicit attention ({at_most(ours / others[0], 0.1, '0.1 x the memory')}); "
        f"{kernel} of torch's kernel",
    )


def rows():
    """Return two rows, forward alone and with backward, for each length, with and without a mask."""
    torch.set_num_threads(2)
    return [
        row(n, causal, what, ways)
        for n in LENGTHS
        for causal in (False, True)
        for what, ways in zip(
            ("forward", "forward and backward"), calls(n, causal), strict=True
        )
    ]
