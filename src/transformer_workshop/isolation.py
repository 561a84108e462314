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
from dataclasses import dataclass
from pathlib import Path
from typing import Any

SECONDS = 10  # of the processor
WAITING = 6  # times as long on the clock, where the machine has other work or the code only waits
BYTES = 2**31  # beside what the process has when it begins
NOT_ENDED = "it did not end within {} seconds; is there an endless loop?"
KEPT_CHARACTERS = 2_000  # of what the code prints


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


def run_isolated(call, *arguments, file=None, seconds=SECONDS, memory=BYTES):
    """Call a function in a process of its own.

    Parameters
    ----------
    call : callable
        Returns what can be pickled.
    *arguments
    file : path-like, optional
        The reader's file; a line of it is named where the call does not end.
    seconds : int
        Of the processor's time.
    memory : int
        In bytes.

    Returns
    -------
    Outcome
    """
    context: Any = multiprocessing.get_context(
        "fork" if hasattr(os, "fork") else "spawn"
    )
    receiver, sender = context.Pipe(duplex=False)
    with tempfile.TemporaryDirectory() as folder:
        printed, stack = Path(folder, "printed"), Path(folder, "stack")
        child = context.Process(
            target=_child,
            args=(sender, call, arguments, str(printed), str(stack), seconds, memory),
        )
        child.start()
        sender.close()
        outcome = _wait(child, receiver, seconds)
        if outcome.problem:
            outcome.problem += _line_of(stack, file)
        if printed.exists():
            outcome.printed = printed.read_text("utf-8", "replace")[-KEPT_CHARACTERS:]
    return outcome


def _wait(child, receiver, seconds):
    try:
        if not receiver.poll(WAITING * seconds):
            return Outcome(problem=NOT_ENDED.format(WAITING * seconds))
        value = receiver.recv()
    except EOFError:  # the process ended and has sent nothing
        child.join()
        code = child.exitcode
        if code < 0:
            name = signal.Signals(-code).name
            if name == "SIGXCPU":
                return Outcome(problem=NOT_ENDED.format(seconds))
            return Outcome(problem=f"the process crashed ({name}).")
        return Outcome(problem=f"the process ended itself with the exit code {code}.")
    finally:
        if child.is_alive():
            child.join(0.2)
        if child.is_alive():
            child.kill()
        child.join()
        receiver.close()
    return value if isinstance(value, Outcome) else Outcome(value)


def _child(sender, call, arguments, printed, stack, seconds, memory):
    with (
        open(printed, "w", encoding="utf-8") as output,
        open(stack, "w", encoding="utf-8") as frames,
    ):
        os.dup2(output.fileno(), 1), os.dup2(output.fileno(), 2)
        sys.stdout = sys.stderr = output
        sys.stdin = open(os.devnull, encoding="utf-8")
        faulthandler.enable(frames)
        faulthandler.dump_traceback_later(0.9 * WAITING * seconds, file=frames)
        _limit(seconds, memory, frames)
        try:
            value = call(*arguments)
        except SystemExit:
            value = Outcome(problem="it called sys.exit; a function returns its result")
        except MemoryError:
            limit = f"{memory / 2**30:g} GiB"
            value = Outcome(problem=f"it asked for more than {limit} of memory")
        except KeyboardInterrupt:
            value = Outcome(problem="it was interrupted")
        faulthandler.cancel_dump_traceback_later()
        output.flush()
        sender.send(value)
        sender.close()
    os._exit(0)


def _limit(seconds, memory, frames):
    """Limit this process; its frames are written down when its time is over."""
    try:
        import resource
    except ImportError:  # Windows has no such limits, but that of the clock
        return
    faulthandler.register(signal.SIGXCPU, file=frames, chain=True)
    resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds + 1))
    try:
        pages = int(Path("/proc/self/statm").read_text("utf-8").split()[0])
    except OSError:  # no Linux
        return
    now = pages * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (now + memory, now + memory))


def _line_of(stack, file):
    """Return where in the reader's file the process was, from the frames it wrote down."""
    if file is None or not stack.exists():
        return ""
    name = str(Path(file).resolve())
    for line in stack.read_text("utf-8", "replace").splitlines():
        if f'"{name}", line ' in line:
            number = int(line.split(", line ")[1].split(" ")[0])
            text = Path(file).read_text("utf-8").splitlines()[number - 1].strip()
            return f" It was in line {number}, `{text}`"
    return ""
