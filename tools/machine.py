"""This machine's processor, and how many of its cores a process may use."""

import functools
import os
import platform
from pathlib import Path

# What is written about a processor once for each of its cores, and decides how sums are rounded.
PROCESSOR_FIELDS = ("vendor_id", "model name", "flags", "CPU implementer", "Features")


@functools.cache
def processor_description() -> str:
    """Return a text that differs between kinds of processors.

    NumPy and PyTorch choose their kernels by it, and so the last digits of a sum.
    """
    try:
        text = Path("/proc/cpuinfo").read_text("utf-8", errors="replace")
    except OSError:  # not Linux
        return f"{platform.machine()} {platform.processor()}"
    lines = {line for line in text.splitlines() if line.startswith(PROCESSOR_FIELDS)}
    return "\n".join([platform.machine(), *sorted(lines)])


def core_count() -> int:
    """Return how many processors this process may use."""
    if hasattr(os, "process_cpu_count"):  # from Python 3.13 on
        return os.process_cpu_count() or 1
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
