"""A training step of this book's model beside the same step of ``torch.nn.Transformer``."""

import torch
from torch.nn import functional as F

from transformer_book import nn
from transformer_book.train import output_loss
from transformer_lab.torch_transformer import TorchTransformer

from .memory import measure_peak_bytes
from .targets import format_minimum
from .timing import median_seconds_and_ratios

LONGEST_SENTENCE = 32  # tokens in the longest sentence of a batch
SENTENCE_COUNT_BY_PRESET = {"tiny": 64, "base": 32}
SMOOTHING = 0.1


def make_batch(
    word_count: int, sentence_count: int
) -> tuple[torch.Tensor, torch.Tensor]:
    """Return source and target ids; lengths fall to 85 % of the longest, as in a bucket."""
    generator = torch.Generator().manual_seed(0)
    source, target = (
        torch.randint(
            4,
            word_count,
            (sentence_count, LONGEST_SENTENCE + extra),
            generator=generator,
        )
        for extra in (0, 1)
    )
    for row in range(sentence_count):
        cut = int(0.15 * LONGEST_SENTENCE * row / sentence_count)
        source[row, LONGEST_SENTENCE - cut :] = 0
        target[row, LONGEST_SENTENCE + 1 - cut :] = 0
    return source, target


def make_steps_losses_and_word_count(
    preset_name: str, dropout: float, in_bfloat16: bool
) -> tuple[list, tuple, int]:
    """Return a training step of ours, of torch's, and of ours with all logits at once.

    All see the same weights and batch, and the loss is the same; the optimiser, which would be
    the same too, is left out.
    """
    torch.manual_seed(0)
    config = getattr(nn.TransformerConfig, preset_name)(dropout=dropout)
    ours = nn.Transformer(config)
    torch_model = TorchTransformer(ours)
    source, target = make_batch(
        config.source_words, SENTENCE_COUNT_BY_PRESET[preset_name]
    )
    labels = target[:, 1:]
    words = (labels != 0).sum()

    def fast_loss() -> torch.Tensor:
        memory, _ = ours.encode(source)
        x, _ = ours.decode(target[:, :-1], memory, nn.padding_mask(source, 0))
        return output_loss(x, ours.output, labels, SMOOTHING) / words

    def make_plain_loss(model):
        def compute_loss() -> torch.Tensor:
            outputs = model(source, target[:, :-1])
            logits = outputs[0] if isinstance(outputs, tuple) else outputs
            return F.cross_entropy(
                logits.flatten(0, 1),
                labels.flatten(),
                ignore_index=0,
                label_smoothing=SMOOTHING,
            )

        return compute_loss

    losses = (fast_loss, make_plain_loss(torch_model), make_plain_loss(ours))
    return [make_step(loss, in_bfloat16) for loss in losses], losses, int(words)


def make_step(compute_loss, in_bfloat16: bool):
    def forward_and_backward() -> None:
        with torch.autocast("cpu", torch.bfloat16, enabled=in_bfloat16):
            value = compute_loss()
        value.backward()

    return forward_and_backward


def measure_row(
    preset_name: str, dropout: float, in_bfloat16=False
) -> tuple[str, str, str]:
    steps_of_three, losses, words = make_steps_losses_and_word_count(
        preset_name, dropout, in_bfloat16
    )
    if not dropout and not in_bfloat16:
        values = [loss().item() for loss in losses]
        torch.testing.assert_close(values, [values[0]] * 3, atol=1e-4, rtol=0)
    seconds, *times = median_seconds_and_ratios(
        *steps_of_three, min_seconds=20.0 if preset_name == "base" else 8.0
    )
    memory = [measure_peak_bytes(call) for call in steps_of_three]
    rate, plain = (
        f"{1 / time:.2f} x the tokens per second, {memory[0] / peer_memory:.2f} x the memory"
        for time, peer_memory in zip(times, memory[1:])
    )
    goal = "" if in_bfloat16 else f" ({format_minimum(1 / times[0], 1.25, '1.25 x')})"
    return (
        f"training step, `{preset_name}`, {SENTENCE_COUNT_BY_PRESET[preset_name]} x "
        f"{LONGEST_SENTENCE} words, "
        f"{'bfloat16' if in_bfloat16 else 'float32'}, dropout {dropout}",
        f"{words / seconds:,.0f} target tokens/s, {memory[0] / 2**20:.0f} MB",
        f"{rate} of `torch.nn.Transformer`{goal}; {plain} of "
        "ours with all logits at once",
    )


def multiplies_bfloat16() -> bool:
    """Whether the processor multiplies bfloat16 itself; elsewhere it is only slower."""
    return torch.cpu._is_avx512_bf16_supported() or torch.cpu._is_amx_tile_supported()


def measure_rows() -> list[tuple[str, str, str]]:
    """Return rows for ``tiny`` and ``base``: no dropout (the same numbers), the usual, bfloat16."""
    torch.set_num_threads(2)
    table_rows = [
        measure_row(preset, dropout)
        for preset in SENTENCE_COUNT_BY_PRESET
        for dropout in (0.0, 0.1)
    ]
    return table_rows + (
        [
            measure_row(preset, 0.0, in_bfloat16=True)
            for preset in SENTENCE_COUNT_BY_PRESET
        ]
        if multiplies_bfloat16()
        else []
    )
