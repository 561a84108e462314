"""Time and bytes of a step in each way of sharing a model, beside torch's DDP in the same run."""

from transformer_lab.parallel import launch
from transformer_lab.parallel.__main__ import WAYS

SIZES = {
    "d-model": 128,
    "d-ff": 256,
    "batch": 16,
    "length": 64,
    "words": 1000,
    "steps": 10,
}


def rows():
    """Return a row for each way, on four processes."""
    options = [word for name, size in SIZES.items() for word in (f"--{name}", size)]
    first, *others = launch(*WAYS, *options)["ways"]
    return [row(first, [])] + [row(way, beside(way, first)) for way in others]


def beside(way, first):
    """Return what a way takes beside the first, torch's DistributedDataParallel."""
    return [
        f"{way['seconds'] / first['seconds']:.2f} x the time",
        f"{max(way['sent']) / max(first['sent']):.2f} x the bytes of torch's DDP",
    ]


def row(way, comparison):
    times_formula = max(way["sent"]) / max(way["formula"])
    return (
        f"`{way['way']}`, 4 processes, batch of {SIZES['batch']} x {SIZES['length']} tokens",
        f"{1e3 * way['seconds']:,.0f} ms, {max(way['sent']) / 1e6:.1f} MB sent",
        ", ".join([*comparison, f"{times_formula:.2f} x the bytes of the formula"]),
    )
