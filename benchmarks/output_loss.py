"""The loss of the output layer some rows at a time, beside all logits at once and torch's loss."""

import torch
from torch.nn import functional as F

from transformer_book.train import output_loss

from .memory import peak
from .timing import ratios

POSITIONS = 2_000  # of a batch
WORDS = (10_000, 37_000)
WIDTHS = (128, 512)
SMOOTHING = 0.1


def calls(words, d_model):
    """Return forward and backward both ways; value and gradients must be the same."""
    torch.manual_seed(0)
    x = torch.randn(POSITIONS, d_model, requires_grad=True)
    output = (torch.randn(words, d_model) * d_model**-0.5).requires_grad_()
    labels = torch.randint(1, words, (POSITIONS,))

    def ours():
        return output_loss(x, output, labels, SMOOTHING)

    def plain():
        return F.cross_entropy(
            x @ output.T,
            labels,
            ignore_index=0,
            label_smoothing=SMOOTHING,
            reduction="sum",
        )

    losses_and_gradients = [
        (loss(), torch.autograd.grad(loss(), (x, output))) for loss in (ours, plain)
    ]
    torch.testing.assert_close(*losses_and_gradients, atol=1e-4, rtol=1e-4)
    return [
        lambda loss=loss: torch.autograd.grad(loss(), (x, output))
        for loss in (ours, plain)
    ]


def row(words, d_model):
    ours_and_plain = calls(words, d_model)
    seconds, time = ratios(*ours_and_plain, seconds=10.0)
    ours, plain = (peak(call) for call in ours_and_plain)
    return (
        f"`train.output_loss`, forward and backward, {POSITIONS:,} positions, {words:,} words, "
        f"d_model {d_model}",
        f"{seconds * 1e3:.0f} ms, {ours / 2**20:.0f} MB",
        f"{time:.2f} x the time and {ours / plain:.2f} x the memory of all logits at once with "
        "torch's loss",
    )


def rows():
    """Return a row for each number of words and each width."""
    torch.set_num_threads(2)
    return [row(words, d_model) for words in WORDS for d_model in WIDTHS]
