"""``nn.MixtureOfExperts`` beside Mixtral's block of ``transformers``, and dense networks."""

import torch
from transformers.models.mixtral.configuration_mixtral import MixtralConfig
from transformers.models.mixtral.modeling_mixtral import MixtralSparseMoeBlock

from transformer_book import nn
from transformer_book.nn.linear import linear

from .memory import peak
from .targets import at_most
from .timing import ratios

D_MODEL, D_FF = 512, 1024  # of each expert
EXPERTS, ACTIVE = 8, 2
SHAPES = ((1, 1), (16, 1), (4, 256))  # texts, and words of each: decode, and a batch


class Gated(torch.nn.Module):
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
KINDS = ("grouped_mm", "eager")


def blocks():
    """Return our mixture, two of Mixtral's block on its weights, and dense ones: active, held."""
    torch.manual_seed(0)
    ours = nn.MixtureOfExperts(D_MODEL, D_FF, EXPERTS, ACTIVE, expert=Gated)
    dense = Gated(D_MODEL, ACTIVE * D_FF), Gated(D_MODEL, EXPERTS * D_FF)
    return ours, *(mixtral(ours, kind) for kind in KINDS), *dense


def mixtral(ours, kind):
    """Return Mixtral's block with copies of our weights, computed in one of ``KINDS``."""
    config = MixtralConfig(
        hidden_size=D_MODEL,
        intermediate_size=D_FF,
        num_local_experts=EXPERTS,
        num_experts_per_tok=ACTIVE,
    )
    config._experts_implementation = kind
    theirs = MixtralSparseMoeBlock(config)
    with torch.no_grad():
        theirs.gate.weight.copy_(ours.W_router.T)
        for i, expert in enumerate(ours.experts):
            theirs.experts.gate_up_proj[i].copy_(expert.W_gate_up.T)
            theirs.experts.down_proj[i].copy_(expert.W_down.T)
    return theirs


def row(texts, n, train):
    measured_blocks = blocks()
    x = torch.randn(texts, n, D_MODEL, requires_grad=train)
    with torch.no_grad():
        for theirs in measured_blocks[1:3]:
            torch.testing.assert_close(
                measured_blocks[0](x), theirs(x), atol=1e-4, rtol=1e-4
            )

    def call(block):
        if train:
            return lambda: torch.autograd.grad(
                block(x).sum(), [x, *block.parameters()], allow_unused=True
            )
        return lambda: block(x)

    calls = [call(block) for block in measured_blocks]
    with torch.set_grad_enabled(train):
        seconds, *times = ratios(*calls, seconds=6.0)
        ours, *memories = (peak(forward) for forward in calls[:3])
    grouped, eager = (
        f"{time:.2f} x the time and {ours / memory:.2f} x the memory of `transformers`' block, {kind}"
        for time, memory, kind in zip(times, memories, KINDS)
    )
    return (
        f"`nn.MixtureOfExperts`, {EXPERTS} experts, {ACTIVE} active, {texts} x {n} words, "
        f"{'forward and backward' if train else 'forward'}",
        f"{seconds * 1e3:.1f} ms, {ours / 2**20:.1f} MB",
        f"{grouped} ({at_most(times[0], 1, '1.00 x the time')}); {eager}; {times[2]:.2f} x the "
        f"time of a dense network of as many active parameters, {times[3]:.2f} x of as many held",
    )


def rows():
    """Return a row for each batch: forward, and for the largest with backward too."""
    torch.set_num_threads(2)
    return [*(row(*shape, False) for shape in SHAPES), row(*SHAPES[-1], True)]
