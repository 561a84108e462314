"""``nn.MixtureOfExperts`` beside Mixtral's block of ``transformers``, and dense networks."""

import torch
from transformers.models.mixtral.configuration_mixtral import MixtralConfig
from transformers.models.mixtral.modeling_mixtral import MixtralSparseMoeBlock

from transformer_book import nn
from transformer_book.nn.linear import linear

from .memory import measure_peak_bytes
from .targets import format_maximum
from .timing import median_seconds_and_ratios

D_MODEL, D_FF = 512, 1024  # of each expert
EXPERTS, ACTIVE = 8, 2
BATCH_SHAPES = (
    (1, 1),
    (16, 1),
    (4, 256),
)  # texts, and words of each: decode, and a batch


class GatedNetwork(torch.nn.Module):
    """A feed-forward network as Mixtral's experts are: three matrices, no biases, silu."""

    def __init__(self, d_model, d_ff):
        super().__init__()
        self.W_gate_up = torch.nn.Parameter(torch.empty(d_model, 2 * d_ff))
        self.W_down = torch.nn.Parameter(torch.empty(d_ff, d_model))
        for W in self.parameters():
            torch.nn.init.xavier_uniform_(W)

    def forward(self, x):
        gate, up = linear(x, self.W_gate_up).chunk(2, dim=-1)
        return linear(torch.nn.functional.silu(gate) * up, self.W_down)


# How transformers computes the experts: grouped_mm is its choice where a model leaves it open.
MIXTRAL_IMPLEMENTATIONS = ("grouped_mm", "eager")


def make_blocks() -> tuple[torch.nn.Module, ...]:
    """Return our mixture, two of Mixtral's block on its weights, and dense ones: active, held."""
    torch.manual_seed(0)
    ours = nn.MixtureOfExperts(D_MODEL, D_FF, EXPERTS, ACTIVE, expert=GatedNetwork)
    dense = GatedNetwork(D_MODEL, ACTIVE * D_FF), GatedNetwork(D_MODEL, EXPERTS * D_FF)
    return (
        ours,
        *(make_mixtral_block(ours, kind) for kind in MIXTRAL_IMPLEMENTATIONS),
        *dense,
    )


def make_mixtral_block(our_mixture, implementation: str) -> MixtralSparseMoeBlock:
    """Return Mixtral's block with copies of our weights, computed in one of ``MIXTRAL_IMPLEMENTATIONS``."""
    config = MixtralConfig(
        hidden_size=D_MODEL,
        intermediate_size=D_FF,
        num_local_experts=EXPERTS,
        num_experts_per_tok=ACTIVE,
    )
    config._experts_implementation = implementation
    theirs = MixtralSparseMoeBlock(config)
    with torch.no_grad():
        theirs.gate.weight.copy_(our_mixture.W_router.T)
        for i, expert in enumerate(our_mixture.experts):
            theirs.experts.gate_up_proj[i].copy_(expert.W_gate_up.T)
            theirs.experts.down_proj[i].copy_(expert.W_down.T)
    return theirs


def measure_row(
    text_count: int, words_per_text: int, measures_backward: bool
) -> tuple[str, str, str]:
    measured_blocks = make_blocks()
    x = torch.randn(
        text_count, words_per_text, D_MODEL, requires_grad=measures_backward
    )
    with torch.no_grad():
        for theirs in measured_blocks[1:3]:
            torch.testing.assert_close(
                measured_blocks[0](x), theirs(x), atol=1e-4, rtol=1e-4
            )

    def make_call(block):
        if measures_backward:
            return lambda: torch.autograd.grad(
                block(x).sum(), [x, *block.parameters()], allow_unused=True
            )
        return lambda: block(x)

    calls = [make_call(block) for block in measured_blocks]
    with torch.set_grad_enabled(measures_backward):
        seconds, *times = median_seconds_and_ratios(*calls, min_seconds=6.0)
        ours, *memories = (measure_peak_bytes(forward) for forward in calls[:3])
    grouped, eager = (
        f"{time:.2f} x the time and {ours / memory:.2f} x the memory of `transformers`' block, {kind}"
        for time, memory, kind in zip(times, memories, MIXTRAL_IMPLEMENTATIONS)
    )
    return (
        f"`nn.MixtureOfExperts`, {EXPERTS} experts, {ACTIVE} active, {text_count} x {words_per_text} words, "
        f"{'forward and backward' if measures_backward else 'forward'}",
        f"{seconds * 1e3:.1f} ms, {ours / 2**20:.1f} MB",
        f"{grouped} ({format_maximum(times[0], 1, '1.00 x the time')}); {eager}; {times[2]:.2f} x the "
        f"time of a dense network of as many active parameters, {times[3]:.2f} x of as many held",
    )


def measure_rows() -> list[tuple[str, str, str]]:
    """Return a row for each batch: forward, and for the largest with backward too."""
    torch.set_num_threads(2)
    return [
        *(measure_row(*shape, False) for shape in BATCH_SHAPES),
        measure_row(*BATCH_SHAPES[-1], True),
    ]
