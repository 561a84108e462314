"""The reader's code runs in a process of its own, with a limit of time and of memory.

What it protects from is accidents: an endless loop, a crash, ``sys.exit``, a huge array, a thousand
printed lines. The code runs with the reader's own rights: it can read and write files and reach the
network, so a lecturer runs code of strangers in a container.
"""

import faulthandler
import multiprocessing
import os
import signal
import sys
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

MAX_PROCESSOR_SECONDS = 10  # of the processor
# Where the machine has other work, or the code only waits.
CLOCK_SECONDS_PER_PROCESSOR_SECOND = 6
MAX_EXTRA_BYTES = 2**31  # beside what the process has when it begins
NOT_ENDED_MESSAGE = "it did not end within {} seconds; is there an endless loop?"
MAX_PRINTED_CHARACTERS = 2_000  # of what the code prints


@dataclass
class Outcome:
    """What came of a call in a process of its own.

    Parameters
    ----------
    value : object
        What the call returned, where it did.
    problem : str
        In one sentence why it did not; empty where it did.
    printed : str
        The last characters that the code printed.
    """

    value: Any = None
    problem: str = ""
    printed: str = ""


def run_isolated(
    function: Callable,
    *arguments,
    reader_path=None,
    max_processor_seconds: int = MAX_PROCESSOR_SECONDS,
    max_extra_bytes: int = MAX_EXTRA_BYTES,
) -> Outcome:
    """Call a function in a process of its own.

    Parameters
    ----------
    function : callable
        Returns what can be pickled.
    *arguments
    reader_path : path-like, optional
        The reader's file; a line of it is named where the call does not end.
    max_processor_seconds : int
        Of the processor's time.
    max_extra_bytes : int
        Of memory, beside what the process has when it begins.

    Returns
    -------
    Outcome
    """
    context: Any = multiprocessing.get_context(
        "fork" if hasattr(os, "fork") else "spawn"
    )
    receiver, sender = context.Pipe(duplex=False)
    with tempfile.TemporaryDirectory() as folder:
        printed_path, stack_path = Path(folder, "printed"), Path(folder, "stack")
        child = context.Process(
            target=_run_in_child,
            args=(
                sender,
                function,
                arguments,
                str(printed_path),
                str(stack_path),
                max_processor_seconds,
                max_extra_bytes,
            ),
        )
        child.start()
        sender.close()
        outcome = _await_outcome(child, receiver, max_processor_seconds)
        if outcome.problem:
            outcome.problem += _describe_reader_line(stack_path, reader_path)
        if printed_path.exists():
            outcome.printed = printed_path.read_text("utf-8", "replace")[
                -MAX_PRINTED_CHARACTERS:
            ]
    return outcome


def _await_outcome(child_process, receiver, max_processor_seconds: int) -> Outcome:
    try:
        if not receiver.poll(
            CLOCK_SECONDS_PER_PROCESSOR_SECOND * max_processor_seconds
        ):
            return Outcome(
                problem=NOT_ENDED_MESSAGE.format(
                    CLOCK_SECONDS_PER_PROCESSOR_SECOND * max_processor_seconds
                )
            )
        value = receiver.recv()
    except EOFError:  # the process ended and has sent nothing
        child_process.join()
        code = child_process.exitcode
        if code < 0:
            name = signal.Signals(-code).name
            if name == "SIGXCPU":
                return Outcome(problem=NOT_ENDED_MESSAGE.format(max_processor_seconds))
            return Outcome(problem=f"the process crashed ({name}).")
        return Outcome(problem=f"the process ended itself with the exit code {code}.")
    finally:
        if child_process.is_alive():
            child_process.join(0.2)
        if child_process.is_alive():
            child_process.kill()
        child_process.join()
        receiver.close()
    return value if isinstance(value, Outcome) else Outcome(value)


def _run_in_child(
    sender,
    function: Callable,
    arguments: tuple,
    printed_path: str,
    stack_path: str,
    max_processor_seconds: int,
    max_extra_bytes: int,
) -> None:
    with (
        open(printed_path, "w", encoding="utf-8") as output,
        open(stack_path, "w", encoding="utf-8") as stack_file,
    ):
        os.dup2(output.fileno(), 1), os.dup2(output.fileno(), 2)
        sys.stdout = sys.stderr = output
        sys.stdin = open(os.devnull, encoding="utf-8")
        faulthandler.enable(stack_file)
        faulthandler.dump_traceback_later(
            0.9 * CLOCK_SECONDS_PER_PROCESSOR_SECOND * max_processor_seconds,
            file=stack_file,
        )
        _limit_this_process(max_processor_seconds, max_extra_bytes, stack_file)
        try:
            value = function(*arguments)
        except SystemExit:
            value = Outcome(problem="it called sys.exit; a function returns its result")
        except MemoryError:
            limit = f"{max_extra_bytes / 2**30:g} GiB"
            value = Outcome(problem=f"it asked for more than {limit} of memory")
        except KeyboardInterrupt:
            value = Outcome(problem="it was interrupted")
        faulthandler.cancel_dump_traceback_later()
        output.flush()
        sender.send(value)
        sender.close()
    os._exit(0)


def _limit_this_process(
    max_processor_seconds: int, max_extra_bytes: int, stack_file
) -> None:
    """Limit this process; its frames are written down when its time is over."""
    try:
        import resource
    except ImportError:  # Windows has no such limits, but that of the clock
        return
    faulthandler.register(signal.SIGXCPU, file=stack_file, chain=True)
    resource.setrlimit(
        resource.RLIMIT_CPU, (max_processor_seconds, max_processor_seconds + 1)
    )
    try:
        pages = int(Path("/proc/self/statm").read_text("utf-8").split()[0])
    except OSError:  # no Linux
        return
    now = pages * resource.getpagesize()
    resource.setrlimit(
        resource.RLIMIT_AS, (now + max_extra_bytes, now + max_extra_bytes)
    )


def _describe_reader_line(stack_path: Path, reader_path) -> str:
    """Return where in the reader's file the process was, from the frames it wrote down."""
    if reader_path is None or not stack_path.exists():
        return ""
    name = str(Path(reader_path).resolve())
    for line in stack_path.read_text("utf-8", "replace").splitlines():
        if f'"{name}", line ' in line:
            number = int(line.split(", line ")[1].split(" ")[0])
            text = Path(reader_path).read_text("utf-8").splitlines()[number - 1].strip()
            return f" It was in line {number}, `{text}`"
    return ""
