"""``nn`` attention, fast path, beside ``torch.nn.MultiheadAttention`` and its own explicit path."""

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
    torchs = torch.nn.MultiheadAttention(D_MODEL, HEADS, bias=False, batch_first=True)
    with torch.no_grad():
        torchs.in_proj_weight.copy_(ours.W_QKV.T)
        torchs.out_proj.weight.copy_(ours.W_O.T)
    return ours, torchs


def calls(n, causal):
    """Return self-attention three ways: fast path, torch's module, explicit path."""
    ours, torchs = modules()
    x = torch.randn(WORDS // n, n, D_MODEL)
    hidden = ~nn.causal_mask(n) if causal else None  # torch's True hides
    three = (
        lambda: ours(x, x, x, causal=causal, need_weights=False)[0],
        lambda: torchs(x, x, x, attn_mask=hidden, is_causal=causal, need_weights=False)[
            0
        ],
        lambda: ours(x, x, x, causal=causal)[0],
    )
    fast, *others = (call() for call in three)
    for other in others:
        torch.testing.assert_close(other, fast, atol=1e-5, rtol=1e-4)
    return three


def training(call):
    return lambda: call().sum().backward()


def row(n, causal, train):
    if train:
        three = [training(call) for call in calls(n, causal)]
        seconds, *times = ratios(*three, seconds=4.0)
        memory = [peak(call) for call in three]
    else:
        with torch.inference_mode():
            three = calls(n, causal)
            seconds, *times = ratios(*three, seconds=4.0)
            memory = [peak(call) for call in three]
    torchs, explicit = (
        f"{time:.2f} x the time and {memory[0] / held:.2f} x the memory"
        for time, held in zip(times, memory[1:], strict=True)
    )
    return (
        f"`nn.MultiHeadAttention`, {WORDS // n} x {n} words, {'causal' if causal else 'no mask'}, "
        f"{'forward and backward' if train else 'forward'}",
        f"{seconds * 1e3:.0f} ms, {memory[0] / 2**20:.0f} MB",
        f"{torchs} of torch's ({at_most(times[0], 1, '1.00 x the time')}); {explicit} of the explicit path",
    )


def rows():
    """Return a row per length: forward alone, with backward, and with backward and causal."""
    torch.set_num_threads(2)
    return [
        row(n, causal, train)
        for causal, train in ((False, False), (False, True), (True, True))
        for n in LENGTHS
    ]
