"""A training step of this book's model beside the same step of ``torch.nn.Transformer``."""

import torch
from torch.nn import functional as F

from transformer_book import nn
from transformer_book.train import output_loss
from transformer_lab.torch_transformer import TorchTransformer

from .memory import peak
from .targets import at_least
from .timing import ratios

LENGTH = 32  # tokens in the longest sentence of a batch
SENTENCES = {"tiny": 64, "base": 32}
SMOOTHING = 0.1


def batch(words, sentences):
    """Return source and target ids; lengths fall to 85 % of the longest, as in a bucket."""
    generator = torch.Generator().manual_seed(0)
    source, target = (
        torch.randint(4, words, (sentences, LENGTH + extra), generator=generator)
        for extra in (0, 1)
    )
    for row in range(sentences):
        cut = int(0.15 * LENGTH * row / sentences)
        source[row, LENGTH - cut :] = 0
        target[row, LENGTH + 1 - cut :] = 0
    return source, target


def steps(preset, dropout, bf16):
    """Return a training step of ours, of torch's, and of ours with all logits at once.

    All see the same weights and batch, and the loss is the same; the optimiser, which would be
    the same too, is left out.
    """
    torch.manual_seed(0)
    config = getattr(nn.TransformerConfig, preset)(dropout=dropout)
    ours = nn.Transformer(config)
    torch_model = TorchTransformer(ours)
    source, target = batch(config.source_words, SENTENCES[preset])
    labels = target[:, 1:]
    words = (labels != 0).sum()

    def fast():
        memory, _ = ours.encode(source)
        x, _ = ours.decode(target[:, :-1], memory, nn.padding_mask(source, 0))
        return output_loss(x, ours.output, labels, SMOOTHING) / words

    def plain(model):
        def loss():
            outputs = model(source, target[:, :-1])
            logits = outputs[0] if isinstance(outputs, tuple) else outputs
            return F.cross_entropy(
                logits.flatten(0, 1),
                labels.flatten(),
                ignore_index=0,
                label_smoothing=SMOOTHING,
            )

        return loss

    losses = (fast, plain(torch_model), plain(ours))
    return [step(loss, bf16) for loss in losses], losses, int(words)


def step(loss, bf16):
    def forward_and_backward():
        with torch.autocast("cpu", torch.bfloat16, enabled=bf16):
            value = loss()
        value.backward()

    return forward_and_backward


def row(preset, dropout, bf16=False):
    steps_of_three, losses, words = steps(preset, dropout, bf16)
    if not dropout and not bf16:
        values = [loss().item() for loss in losses]
        torch.testing.assert_close(values, [values[0]] * 3, atol=1e-4, rtol=0)
    seconds, *times = ratios(*steps_of_three, seconds=20.0 if preset == "base" else 8.0)
    memory = [peak(call) for call in steps_of_three]
    rate, plain = (
        f"{1 / time:.2f} x the tokens per second, {memory[0] / peer_memory:.2f} x the memory"
        for time, peer_memory in zip(times, memory[1:])
    )
    goal = "" if bf16 else f" ({at_least(1 / times[0], 1.25, '1.25 x')})"
    return (
        f"training step, `{preset}`, {SENTENCES[preset]} x {LENGTH} words, "
        f"{'bfloat16' if bf16 else 'float32'}, dropout {dropout}",
        f"{words / seconds:,.0f} target tokens/s, {memory[0] / 2**20:.0f} MB",
        f"{rate} of `torch.nn.Transformer`{goal}; {plain} of "
        "ours with all logits at once",
    )


def has_bf16():
    """Whether the processor multiplies bfloat16 itself; elsewhere it is only slower."""
    return torch.cpu._is_avx512_bf16_supported() or torch.cpu._is_amx_tile_supported()


def rows():
    """Return rows for ``tiny`` and ``base``: no dropout (the same numbers), the usual, bfloat16."""
    torch.set_num_threads(2)
    table_rows = [
        row(preset, dropout) for preset in SENTENCES for dropout in (0.0, 0.1)
    ]
    return table_rows + (
        [row(preset, 0.0, bf16=True) for preset in SENTENCES] if has_bf16() else []
    )
