"""Norms and gated networks beside torch's and beside what they replaced."""

import torch
from torch.nn import functional as F

from transformer_book import nn

from .timing import ratios

ROWS, D_MODEL, D_FF = 2048, 512, 2048
TWO_THIRDS = 1365  # of D_FF: three matrices as large as two


def learned(module, x):
    """Return a call that goes forward and backward, to the input as well."""
    pull = torch.randn(x.shape)
    inputs = [x, *module.parameters()]
    return lambda: torch.autograd.grad(module(x), inputs, pull)


def beside(what, calls, names):
    """Return a row: the time of the first call, and how many times each other's that is."""
    seconds, *times = ratios(*calls, seconds=4.0)
    comparison = "; ".join(
        f"{time:.2f} x the time of {name}" for time, name in zip(times, names)
    )
    return what, f"{1e3 * seconds:.2f} ms", comparison


def norm_rows(rows, d_model):
    """Return rows for both norms of this book beside torch's, forward, and backward as well."""
    x = torch.randn(rows, d_model, requires_grad=True)
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
        what = f"`nn.{name}`, {rows:,} x {d_model}"
        with torch.no_grad():
            calls = [lambda module=module: module(x) for module in modules]
            table_rows.append(beside(f"{what}, forward", calls, names))
        calls = [learned(module, x) for module in modules]
        table_rows.append(beside(f"{what}, forward and backward", calls, names))
    return table_rows


class ByTorch(torch.nn.Module):
    """The gated network out of torch's linear layers, as ``transformers`` writes Llama's."""

    def __init__(self, ours):
        super().__init__()
        d_model, d_ff = ours.W_1.shape
        self.gate = torch.nn.Linear(d_model, d_ff, bias=False)
        self.up = torch.nn.Linear(d_model, d_ff, bias=False)
        self.down = torch.nn.Linear(d_ff, d_model, bias=False)
        with torch.no_grad():
            for linear, W in zip((self.gate, self.up, self.down), ours.parameters()):
                linear.weight.copy_(W.T)

    def forward(self, x):
        return self.down(F.silu(self.gate(x)) * self.up(x))


def network_row():
    """Return a row for the gated network beside torch's and beside the plain one of its size."""
    x = torch.randn(ROWS, D_MODEL, requires_grad=True)
    gated = nn.GatedFeedForward(D_MODEL, TWO_THIRDS)
    plain = nn.FeedForward(D_MODEL, D_FF, bias=False)
    peer = ByTorch(gated)
    torch.testing.assert_close(gated(x), peer(x), atol=1e-4, rtol=1e-4)
    calls = [learned(module, x) for module in (gated, peer, plain)]
    names = "torch's linear layers", "`nn.FeedForward` at as many parameters"
    what = f"`nn.GatedFeedForward`, {ROWS:,} x {D_MODEL}, d_ff {TWO_THIRDS:,}"
    return beside(f"{what}, forward and backward", calls, names)


def rows():
    """Return the rows of norms at two sizes, and one of the gated network."""
    torch.set_num_threads(2)
    torch.manual_seed(0)
    return [*norm_rows(4096, 128), *norm_rows(ROWS, D_MODEL), network_row()]
