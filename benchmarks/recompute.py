"""A training step of a deep language model with each layer recomputed, beside ``transformers``' GPT-2."""

from typing import Any

import torch
from torch.nn.functional import cross_entropy

from transformer_book import nn, train

from .gpt2 import make_gpt2
from .memory import measure_peak_bytes
from .timing import median_seconds_and_ratios

BATCH, N, WORDS = 16, 128, 1000
SIZES: dict[str, Any] = {"d_model": 128, "d_ff": 512, "h": 4, "N": 24}


def make_training_steps() -> tuple:
    """Return the step of ours recomputed and not, and of GPT-2 on the same weights; gradients agree."""
    torch.manual_seed(0)
    config = nn.TransformerConfig(
        WORDS, WORDS, **SIZES, norm="pre", share="none", dropout=0.0, max_length=N
    )
    model = nn.LanguageModel(config)
    ids = torch.randint(WORDS, (BATCH, N + 1))

    def make_step(model, compute_logits):
        weights = [W for W in model.parameters() if W.requires_grad]

        def run_step() -> tuple[torch.Tensor, tuple[torch.Tensor, ...]]:
            logits = compute_logits(ids[:, :-1])
            loss = cross_entropy(logits.flatten(0, 1), ids[:, 1:].flatten())
            return loss.detach(), torch.autograd.grad(loss, weights)

        return run_step

    plain = make_step(model, lambda x: model(x)[0])

    def recomputed_step():
        with train.recomputing(model):
            return plain()

    theirs, theirs_again = (
        make_step(peer, lambda x, peer=peer: peer(x, use_cache=False).logits)
        for peer in (
            make_training_gpt2(model, recomputes=False),
            make_training_gpt2(model, recomputes=True),
        )
    )
    torch.testing.assert_close(recomputed_step(), plain())
    torch.testing.assert_close(theirs_again(), theirs())
    torch.testing.assert_close(theirs()[0], plain()[0], atol=1e-3, rtol=1e-3)
    return recomputed_step, plain, theirs_again, theirs


def make_training_gpt2(model: nn.LanguageModel, recomputes: bool):
    """Return a GPT-2 with the model's weights that learns without dropout, recomputing or not."""
    peer: Any = make_gpt2(model)
    for part in peer.modules():
        if isinstance(part, torch.nn.Dropout):
            part.p = 0.0
    if recomputes:
        peer.activation_checkpointing_enable({"use_reentrant": False})
    return peer.train()


def measure_rows() -> list[tuple[str, str, str]]:
    """Return a row for recomputation in ours, and one for that in GPT-2."""
    torch.set_num_threads(2)
    again, plain, theirs_again, theirs = make_training_steps()
    seconds, to_plain, to_theirs_again, to_theirs = median_seconds_and_ratios(
        again, plain, theirs_again, theirs, min_seconds=30.0
    )
    memories = [
        measure_peak_bytes(step) for step in (again, plain, theirs_again, theirs)
    ]
    size = f"{SIZES['N']} layers, d_model {SIZES['d_model']}, {BATCH} x {N} tokens"

    def format_comparison(
        time_ratio: float, memory_ratio: float, peer_name: str
    ) -> str:
        return f"{time_ratio:.2f} x the time and {memory_ratio:.2f} x the memory of {peer_name}"

    return [
        (
            f"training step, {size}, each layer recomputed",
            f"{seconds * 1e3:,.0f} ms, {memories[0] / 2**20:.0f} MB",
            f"{format_comparison(to_plain, memories[0] / memories[1], 'the same with all kept')}; "
            + format_comparison(
                to_theirs_again,
                memories[0] / memories[2],
                "`transformers`' GPT-2, recomputed",
            ),
        ),
        (
            f"training step, {size}, GPT-2 of `transformers`, `activation_checkpointing_enable`",
            f"{seconds / to_theirs_again * 1e3:,.0f} ms, {memories[2] / 2**20:.0f} MB",
            format_comparison(
                to_theirs / to_theirs_again,
                memories[2] / memories[3],
                "the same with all kept",
            ),
        ),
    ]
