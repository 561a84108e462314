"""The reader's code in a process of its own: whatever it does, one sentence comes back."""

import os
import sys
import time

import numpy as np
import pytest

from transformer_workshop.isolation import run_isolated


def loop():
    while True:
        pass


def leave():
    sys.exit(3)


def end():
    os._exit(5)


def crash():
    os.kill(os.getpid(), 11)


def fill():
    return np.ones(2**40)


@pytest.mark.parametrize(
    "call, says",
    [
        (loop, "it did not end within"),
        (leave, "it called sys.exit"),
        (end, "ended itself with the exit code 5"),
        (crash, "crashed (SIGSEGV)"),
    ],
)
def test_what_does_not_return_is_told_in_a_sentence(call, says):
    assert says in run_isolated(call, max_processor_seconds=1).problem


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux limits a process so")
def test_too_much_memory_is_told():
    assert "of memory" in run_isolated(fill, max_extra_bytes=2**28).problem


def test_what_is_printed_is_kept_apart_and_cut(capfd):
    outcome = run_isolated(lambda: print("x" * 10_000) or 7)
    assert outcome.value == 7 and len(outcome.printed) <= 2_000
    assert capfd.readouterr().out == ""


@pytest.mark.parametrize(
    "lines", ["while True:\n        n = 1", "import os\n    os.kill(os.getpid(), 11)"]
)
def test_the_line_that_loops_or_crashes_is_named(lines, tmp_path):
    file = tmp_path / "mine.py"
    file.write_text(f"def f():\n    {lines}\n", "utf-8")
    space = {}
    exec(compile(file.read_text("utf-8"), str(file), "exec"), space)
    problem = run_isolated(
        space["f"], reader_path=file, max_processor_seconds=1
    ).problem
    assert "It was in line" in problem and "`" in problem


def test_a_process_that_ends_late_does_not_keep_the_check(tmp_path):
    began = time.monotonic()
    run_isolated(loop, max_processor_seconds=1)
    assert time.monotonic() - began < 60  # not for ever; no measure of speed
