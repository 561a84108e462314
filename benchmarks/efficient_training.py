"""What each way to cheaper training takes of time and memory, beside the plain step of the same model."""

import copy
from collections.abc import Callable

import torch

from transformer_book import nn, train
from transformer_lab.language.efficient_training import LORA_MATRICES

from . import output_loss
from .memory import measure_peak_bytes
from .timing import median_seconds_and_ratios

ROWS, N, WORDS, WIDTH, LAYERS = 16, 128, 4_000, 256, 4
SIZE_TEXT = f"{ROWS} x {N} tokens, d_model {WIDTH}, {LAYERS} layers"


def make_model_and_batch() -> tuple[nn.LanguageModel, torch.Tensor]:
    """Return a language model, and a batch for it."""
    torch.manual_seed(0)
    config = nn.TransformerConfig(
        WORDS,
        WORDS,
        WIDTH,
        4 * WIDTH,
        h=8,
        N=LAYERS,
        norm="pre",
        share="none",
        dropout=0.0,
        max_length=N,
    )
    return nn.LanguageModel(config), torch.randint(4, WORDS, (ROWS, N + 1))


def make_step(
    model,
    ids: torch.Tensor,
    piece_count=1,
    in_bfloat16=False,
    compute_vectors: Callable | None = None,
) -> Callable[[], float]:
    """Return a step of training without Adam, which gives the loss: forward and backward."""
    compute_vectors = compute_vectors or model.vectors

    def run_step() -> float:
        model.zero_grad()
        total = 0.0
        for rows in ids.chunk(piece_count):
            with torch.autocast("cpu", torch.bfloat16, in_bfloat16):
                x, _ = compute_vectors(rows[:, :-1])
                loss = train.output_loss(x, model.output, rows[:, 1:], 0.0, -1)
            (loss / (ROWS * N)).backward()
            total += loss.item() / (ROWS * N)
        return total

    return run_step


def with_adam_step(model, step: Callable) -> Callable[[], None]:
    """Return the step with one of Adam behind it."""
    adam = torch.optim.Adam(model.parameters(), lr=1e-5, fused=True)

    def step_with_adam() -> None:
        step()
        adam.step()

    return step_with_adam


def flat_gradient(model) -> torch.Tensor:
    return torch.cat([W.grad.flatten() for W in model.parameters()])


def measure_row(
    what_is_measured, our_call, plain_call, peer_name, measures_memory=True
) -> tuple[str, str, str]:
    """Return a row: the median time of ours, and time and memory beside those of plain."""
    seconds, time = median_seconds_and_ratios(our_call, plain_call, min_seconds=10.0)
    cost, ratio = f"{seconds * 1e3:.0f} ms", f"{time:.2f} x the time"
    if measures_memory:
        memory_of_ours, memory_of_plain = (
            measure_peak_bytes(our_call),
            measure_peak_bytes(plain_call),
        )
        cost += f", {memory_of_ours / 2**20:.0f} MB"
        ratio += f" and {memory_of_ours / memory_of_plain:.2f} x the memory"
    return what_is_measured, cost, f"{ratio} of {peer_name}"


def accumulation_row(piece_count=8) -> tuple[str, str, str]:
    """A batch in pieces, beside the batch at once."""
    model, ids = make_model_and_batch()
    plain, ours = make_step(model, ids), make_step(model, ids, piece_count)
    plain()
    expected = flat_gradient(model)
    ours()
    torch.testing.assert_close(flat_gradient(model), expected, atol=1e-5, rtol=1e-3)
    return measure_row(
        f"a step in {piece_count} pieces, {SIZE_TEXT}", ours, plain, "the batch at once"
    )


def mixed_precision_row() -> tuple[str, str, str]:
    """A step whose products are in bfloat16, beside float32."""
    model, ids = make_model_and_batch()
    plain, ours = make_step(model, ids), make_step(model, ids, in_bfloat16=True)
    assert abs(plain() - ours()) < 0.01
    return measure_row(
        f"a step under autocast in bfloat16, {SIZE_TEXT}", ours, plain, "float32"
    )


def compilation_row() -> tuple[str, str, str]:
    """A step of the compiled model, beside the same model; needs a compiler for C++."""
    model, ids = make_model_and_batch()
    plain = make_step(model, ids)
    ours = make_step(model, ids, compute_vectors=torch.compile(model.vectors))
    plain()
    expected = flat_gradient(model)
    ours()
    torch.testing.assert_close(flat_gradient(model), expected, atol=1e-5, rtol=1e-3)
    return measure_row(
        f"a step with `torch.compile`, {SIZE_TEXT}",
        ours,
        plain,
        "it as it is",
        measures_memory=False,
    )


def lora_row(rank=8) -> tuple[str, str, str]:
    """A step of LoRA with Adam, beside one of all weights."""
    model, ids = make_model_and_batch()
    adapter = nn.adapt(model, rank, LORA_MATRICES)
    plain, ours = (make_step(trained, ids) for trained in (model, adapter))
    assert plain() == ours()  # B is 0
    learns = sum(W.numel() for W in adapter.parameters() if W.requires_grad)
    all_weights = sum(W.numel() for W in model.parameters())
    share = f"{100 * learns / all_weights:.1f} % of the parameters"
    what = f"a step of LoRA with Adam, rank {rank}, {share}, {SIZE_TEXT}"
    model = copy.deepcopy(model)
    return measure_row(
        what,
        with_adam_step(adapter, ours),
        with_adam_step(model, make_step(model, ids)),
        "a step of all weights",
    )


def output_loss_row(word_count=32_000) -> tuple[str, str, str]:
    """The loss some rows of logits at a time, beside ``cross_entropy`` on all of them."""
    ours, plain = output_loss.loss_and_gradient_calls(word_count, WIDTH)
    return measure_row(
        f"`train.output_loss`, forward and backward, {output_loss.POSITION_COUNT:,} positions, "
        f"{word_count:,} words, d_model {WIDTH}",
        ours,
        plain,
        "`cross_entropy` on all logits",
    )


def measure_rows() -> list[tuple[str, str, str]]:
    """Return a row for each way."""
    torch.set_num_threads(2)
    return [
        output_loss_row(),
        accumulation_row(),
        mixed_precision_row(),
        compilation_row(),
        lora_row(),
    ]
