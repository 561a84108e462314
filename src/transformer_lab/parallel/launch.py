"""Start ``torchrun`` from a page or a test, and bring back what its processes have measured."""

import json
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

from transformer_book.expect import expect_integer
from transformer_book.options import ConfigError

# What torchrun reports of the process that failed first.
ROOT_CAUSE_PATTERN = re.compile(
    r"Root Cause.*?rank\s*: (\d+).*?exitcode\s*: (-?\d+)", re.DOTALL
)
ERROR_LINE_PATTERN = re.compile(r"^\w+Error: .+", re.MULTILINE)

# For torchrun: what --standalone is, but for the name localhost, which a bare container does not know.
TORCHRUN_ONE_MACHINE_OPTIONS = (
    "--rdzv-backend=c10d",
    "--rdzv-endpoint=127.0.0.1:0",
    "--local-addr=127.0.0.1",
)


class LaunchError(RuntimeError):
    """The processes did not all end well."""


def launch(*arguments, process_count=4, timeout_seconds=300.0) -> dict:
    """Run ``torchrun --nproc-per-node PROCESSES -m transformer_lab.parallel ARGUMENTS``.

    ``start`` runs it, so that the processes need not import torch one by one.

    Parameters
    ----------
    *arguments : object
        Of the command line: ways, and options with their values.
    process_count : int
    timeout_seconds : float
        After which the run is given up.

    Returns
    -------
    dict
        What the first process has written with ``--out``.

    Raises
    ------
    LaunchError
        With the one sentence that the processes have left, or, if one ended without a word, with
        its number and its exit code.
    ConfigError
        If ``process_count`` is not a positive whole number.
    """
    remedy = "Start one or more."
    expect_integer(ConfigError, "launch", "process_count", process_count, remedy=remedy)
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "measurements.json"
        command = [
            *(
                sys.executable,
                "-m",
                "transformer_lab.parallel.start",
                str(process_count),
            ),
            f"--out={out}",
            *map(str, arguments),
        ]
        with subprocess.Popen(
            command,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env={**os.environ, "OMP_NUM_THREADS": "1", "PYTHONUTF8": "1"},
            encoding="utf-8",
        ) as process:
            try:
                _, stderr = process.communicate(timeout=timeout_seconds)
            except subprocess.TimeoutExpired as timeout:
                process.terminate()  # torchrun ends its processes
                process.communicate()
                raise LaunchError(
                    f"launch: the {process_count} processes took more than {timeout_seconds:g} s; expected "
                    "them to end by then. Give them more seconds, or fewer things to do."
                ) from timeout
        if process.returncode:
            raise LaunchError(failure_reason(stderr, process_count))
        return json.loads(out.read_text("utf-8"))


def failure_reason(stderr: str, process_count: int) -> str:
    """Return one sentence on why a run failed, from what stands in its standard error."""
    error_line, root_cause = (
        ERROR_LINE_PATTERN.search(stderr),
        ROOT_CAUSE_PATTERN.search(stderr),
    )
    if root_cause and root_cause[2] != "1":  # it ended in another way, without a word
        code = int(root_cause[2])
        ending = (
            f"was killed by signal {-code}"
            if code < 0
            else f"ended with exit code {code}"
        )
        return (
            f"Process {root_cause[1]} of {process_count} {ending}; expected all of them to end with 0. "
            "torchrun has ended the others."
        )
    return error_line[0] if error_line else stderr[-2000:]
