"""What outputs depend on beside the pages and our code: versions, data, and the processor."""

import functools
import os
import platform
import subprocess
import sys
from pathlib import Path

from .cache.store import key_of

# What is written about a processor once for each of its cores, and decides how sums are rounded.
ABOUT_PROCESSOR = ("vendor_id", "model name", "flags", "CPU implementer", "Features")


@functools.cache
def processor():
    """Return a text that differs between kinds of processors.

    NumPy and PyTorch choose their kernels by it, and so the last digits of a sum.
    """
    try:
        text = Path("/proc/cpuinfo").read_text("utf-8", errors="replace")
    except OSError:  # not Linux
        return f"{platform.machine()} {platform.processor()}"
    lines = {line for line in text.splitlines() if line.startswith(ABOUT_PROCESSOR)}
    return "\n".join([platform.machine(), *sorted(lines)])


@functools.cache
def data_in_use():
    """Ask the package, in a process of its own, which corpus the pages would get now."""
    code = "from transformer_book import data; print(data.fingerprint())"
    return subprocess.run(
        [sys.executable, "-c", code],
        check=True,
        capture_output=True,
        text=True,
        encoding="utf-8",
    ).stdout


def environment_key(root):
    """Hash what all outputs depend on: Python, the pinned versions, the data, the processor."""
    pins = (Path(root) / "requirements.txt").read_bytes()
    return key_of(sys.version, pins, data_in_use(), processor())


def cores():
    """Return how many processors this process may use."""
    if hasattr(os, "process_cpu_count"):  # from Python 3.13 on
        return os.process_cpu_count() or 1
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
