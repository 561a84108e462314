"""The loss of the output layer some rows at a time, beside all logits at once and torch's loss."""

import torch
from torch.nn import functional as F

from transformer_book.train import output_loss

from .memory import measure_peak_bytes
from .timing import median_seconds_and_ratios

POSITION_COUNT = 2_000  # of a batch
WORD_COUNTS = (10_000, 37_000)
WIDTHS = (128, 512)
SMOOTHING = 0.1


def loss_and_gradient_calls(word_count: int, d_model: int) -> list:
    """Return forward and backward both ways; value and gradients must be the same."""
    torch.manual_seed(0)
    x = torch.randn(POSITION_COUNT, d_model, requires_grad=True)
    output = (torch.randn(word_count, d_model) * d_model**-0.5).requires_grad_()
    labels = torch.randint(1, word_count, (POSITION_COUNT,))

    def loss_some_rows_at_a_time() -> torch.Tensor:
        return output_loss(x, output, labels, SMOOTHING)

    def loss_of_all_logits() -> torch.Tensor:
        return F.cross_entropy(
            x @ output.T,
            labels,
            ignore_index=0,
            label_smoothing=SMOOTHING,
            reduction="sum",
        )

    losses_and_gradients = [
        (loss(), torch.autograd.grad(loss(), (x, output)))
        for loss in (loss_some_rows_at_a_time, loss_of_all_logits)
    ]
    torch.testing.assert_close(*losses_and_gradients, atol=1e-4, rtol=1e-4)
    return [
        lambda loss=loss: torch.autograd.grad(loss(), (x, output))
        for loss in (loss_some_rows_at_a_time, loss_of_all_logits)
    ]


def measure_row(word_count, d_model) -> tuple[str, str, str]:
    ours_and_plain = loss_and_gradient_calls(word_count, d_model)
    seconds, time = median_seconds_and_ratios(*ours_and_plain, min_seconds=10.0)
    ours, plain = (measure_peak_bytes(call) for call in ours_and_plain)
    return (
        f"`train.output_loss`, forward and backward, {POSITION_COUNT:,} positions, {word_count:,} words, "
        f"d_model {d_model}",
        f"{seconds * 1e3:.0f} ms, {ours / 2**20:.0f} MB",
        f"{time:.2f} x the time and {ours / plain:.2f} x the memory of all logits at once with "
        "torch's loss",
    )


def measure_rows() -> list[tuple[str, str, str]]:
    """Return a row for each number of words and each width."""
    torch.set_num_threads(2)
    return [measure_row(words, d_model) for words in WORD_COUNTS for d_model in WIDTHS]
