"""Time and bytes of a step in each way of sharing a model, beside torch's DDP in the same run."""

from transformer_lab.parallel import launch
from transformer_lab.parallel.__main__ import WAY_NAMES

COMMAND_LINE_SIZES = {
    "d-model": 128,
    "d-ff": 256,
    "batch": 16,
    "length": 64,
    "words": 1000,
    "steps": 10,
}


def measure_rows() -> list[tuple[str, str, str]]:
    """Return a row for each way, on four processes."""
    options = [
        word
        for name, size in COMMAND_LINE_SIZES.items()
        for word in (f"--{name}", size)
    ]
    first, *others = launch(*WAY_NAMES, *options)["ways"]
    return [format_row(first, [])] + [
        format_row(way, time_and_bytes_relative_to_ddp(way, first)) for way in others
    ]


def time_and_bytes_relative_to_ddp(way_result: dict, ddp_result: dict) -> list[str]:
    """Return what a way takes beside the first, torch's DistributedDataParallel."""
    return [
        f"{way_result['seconds'] / ddp_result['seconds']:.2f} x the time",
        f"{max(way_result['sent']) / max(ddp_result['sent']):.2f} x the bytes of torch's DDP",
    ]


def format_row(way_result: dict, comparison_texts: list[str]) -> tuple[str, str, str]:
    times_formula = max(way_result["sent"]) / max(way_result["formula"])
    return (
        f"`{way_result['way']}`, 4 processes, "
        f"batch of {COMMAND_LINE_SIZES['batch']} x {COMMAND_LINE_SIZES['length']} tokens",
        f"{1e3 * way_result['seconds']:,.0f} ms, {max(way_result['sent']) / 1e6:.1f} MB sent",
        ", ".join(
            [*comparison_texts, f"{times_formula:.2f} x the bytes of the formula"]
        ),
    )
