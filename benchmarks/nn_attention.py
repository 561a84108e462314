"""``nn`` attention, fast path, beside ``torch.nn.MultiheadAttention`` and its explicit path."""

import torch

from transformer_book import nn

from .memory import peak
from .targets import at_most
from .timing import ratios

D_MODEL, HEADS = 512, 8  # the paper's base model
WORDS = 4096  # in a batch, however long its sentences are
LENGTHS = (64, 256, 1024, 4096)


def modules():
    """Return this book's module and torch's, with the same weights."""
    torch.manual_seed(0)
    ours = nn.MultiHeadAttention(D_MODEL, HEADS)
    torch_mha = torch.nn.MultiheadAttention(
        D_MODEL, HEADS, bias=False, batch_first=True
    )
    with torch.no_grad():
        torch_mha.in_proj_weight.copy_(ours.W_QKV.T)
        torch_mha.out_proj.weight.copy_(ours.W_O.T)
    return ours, torch_mha


def calls(n, causal):
    """Return self-attention three ways: fast path, torch's module, explicit path."""
    ours, torch_mha = modules()
    x = torch.randn(WORDS // n, n, D_MODEL)
    hidden = ~nn.causal_mask(n) if causal else None  # torch's True hides
    ways = (
        lambda: ours(x, x, x, causal=causal, need_weights=False)[0],
        lambda: torch_mha(
            x, x, x, attn_mask=hidden, is_causal=causal, need_weights=False
        )[0],
        lambda: ours(x, x, x, causal=causal)[0],
    )
    fast, *others = (call() for call in ways)
    for other in others:
        torch.testing.assert_close(other, fast, atol=1e-5, rtol=1e-4)
    return ways


def training(call):
    return lambda: call().sum().backward()


def row(n, causal, train):
    if train:
        ways = [training(call) for call in calls(n, causal)]
        seconds, *times = ratios(*ways, seconds=4.0)
        memory = [peak(call) for call in ways]
    else:
        with torch.inference_mode():
            ways = calls(n, causal)
            seconds, *times = ratios(*ways, seconds=4.0)
            memory = [peak(call) for call in ways]
    fused, explicit = (
        f"{time:.2f} x the time and {memory[0] / peer_memory:.2f} x the memory"
        for time, peer_memory in zip(times, memory[1:], strict=True)
    )
    return (
        f"`nn.MultiHeadAttention`, {WORDS // n} x {n} words, {'causal' if causal else 'no mask'}, "
        f"{'forward and backward' if train else 'forward'}",
        f"{seconds * 1e3:.0f} ms, {memory[0] / 2**20:.0f} MB",
        f"{fused} of torch's ({at_most(times[0], 1, '1.00 x the time')}); {explicit} of the explicit path",
    )


def rows():
    """Return a row per length: forward alone, with backward, and with backward and causal."""
    torch.set_num_threads(2)
    return [
        row(n, causal, train)
        for causal, train in ((False, False), (False, True), (True, True))
        for n in LENGTHS
    ]
