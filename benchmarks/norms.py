"""Norms and gated networks beside torch's and beside what they replaced."""

import torch
from torch.nn import functional as F

from transformer_book import nn

from .timing import median_seconds_and_ratios

ROW_COUNT, D_MODEL, D_FF = 2048, 512, 2048
GATED_D_FF = 1365  # of D_FF: three matrices as large as two


def make_forward_and_backward(module, x):
    """Return a call that goes forward and backward, to the input as well."""
    pull = torch.randn(x.shape)
    inputs = [x, *module.parameters()]
    return lambda: torch.autograd.grad(module(x), inputs, pull)


def measure_row(
    what_is_measured: str, calls: list, peer_names: tuple[str, ...]
) -> tuple[str, str, str]:
    """Return a row: the time of the first call, and how many times each other's that is."""
    seconds, *times = median_seconds_and_ratios(*calls, min_seconds=4.0)
    comparison = "; ".join(
        f"{time:.2f} x the time of {name}" for time, name in zip(times, peer_names)
    )
    return what_is_measured, f"{1e3 * seconds:.2f} ms", comparison


def measure_norm_rows(row_count: int, d_model: int) -> list[tuple[str, str, str]]:
    """Return rows for both norms of this book beside torch's, forward, and backward as well."""
    x = torch.randn(row_count, d_model, requires_grad=True)
    ours = {"RMSNorm": nn.RMSNorm(d_model), "LayerNorm": nn.LayerNorm(d_model)}
    torch_s = {
        "RMSNorm": torch.nn.RMSNorm(d_model, eps=1e-6),
        "LayerNorm": torch.nn.LayerNorm(d_model),
    }
    table_rows = []
    for name, other in (("RMSNorm", "LayerNorm"), ("LayerNorm", "RMSNorm")):
        modules = ours[name], torch_s[name], ours[other]
        names = f"`torch.nn.{name}`", f"`nn.{other}`"
        torch.testing.assert_close(modules[0](x), modules[1](x))
        what = f"`nn.{name}`, {row_count:,} x {d_model}"
        with torch.no_grad():
            calls = [lambda module=module: module(x) for module in modules]
            table_rows.append(measure_row(f"{what}, forward", calls, names))
        calls = [make_forward_and_backward(module, x) for module in modules]
        table_rows.append(measure_row(f"{what}, forward and backward", calls, names))
    return table_rows


class TorchGatedNetwork(torch.nn.Module):
    """The gated network out of torch's linear layers, as ``transformers`` writes Llama's."""

    def __init__(self, our_network):
        super().__init__()
        d_model, d_ff = our_network.W_1.shape
        self.gate = torch.nn.Linear(d_model, d_ff, bias=False)
        self.up = torch.nn.Linear(d_model, d_ff, bias=False)
        self.down = torch.nn.Linear(d_ff, d_model, bias=False)
        with torch.no_grad():
            for linear, W in zip(
                (self.gate, self.up, self.down), our_network.parameters()
            ):
                linear.weight.copy_(W.T)

    def forward(self, x):
        return self.down(F.silu(self.gate(x)) * self.up(x))


def measure_gated_network_row() -> tuple[str, str, str]:
    """Return a row for the gated network beside torch's and beside the plain one of its size."""
    x = torch.randn(ROW_COUNT, D_MODEL, requires_grad=True)
    gated = nn.GatedFeedForward(D_MODEL, GATED_D_FF)
    plain = nn.FeedForward(D_MODEL, D_FF, bias=False)
    peer = TorchGatedNetwork(gated)
    torch.testing.assert_close(gated(x), peer(x), atol=1e-4, rtol=1e-4)
    calls = [make_forward_and_backward(module, x) for module in (gated, peer, plain)]
    names = "torch's linear layers", "`nn.FeedForward` at as many parameters"
    what = f"`nn.GatedFeedForward`, {ROW_COUNT:,} x {D_MODEL}, d_ff {GATED_D_FF:,}"
    return measure_row(f"{what}, forward and backward", calls, names)


def measure_rows() -> list[tuple[str, str, str]]:
    """Return the rows of norms at two sizes, and one of the gated network."""
    torch.set_num_threads(2)
    torch.manual_seed(0)
    return [
        *measure_norm_rows(4096, 128),
        *measure_norm_rows(ROW_COUNT, D_MODEL),
        measure_gated_network_row(),
    ]
