"""Other processes, which begin with torch imported: forks of a server that imports it once.

What is tested is what a process does, not how Python starts, which takes longer than most of it. A server
has run no test, so that its forks begin alike.
"""

import multiprocessing
import os
import signal
from pathlib import Path

import torch.distributed.run

from transformer_lab.parallel.launch import TORCHRUN_ONE_MACHINE_OPTIONS

CONTEXT = multiprocessing.get_context("forkserver")
# The first optimiser of a process imports torch._dynamo.
CONTEXT.set_forkserver_preload(["torch._dynamo", "torch.distributed.run"])
PATIENCE = 240  # seconds, for a machine with much else to do; a test itself has more


class Process:
    """A function of a module in a process of its own, whose output goes to files.

    Parameters
    ----------
    folder : path-like
        Where ``out`` and ``err`` are written; several processes may share it.
    function : callable
    *given : object
        What it is called with.
    **environment : str
        Variables that are set before.
    """

    def __init__(self, folder, function, *given, **environment):
        self.folder = Path(folder)
        self.folder.mkdir(exist_ok=True)
        call = (self.folder, environment, function, *given)
        self.process = CONTEXT.Process(target=_run, args=call)
        self.process.start()

    def kill(self):
        """End it at once, wherever it is."""
        self.process.kill()
        assert self.ended() == -signal.SIGKILL, f"it had ended before: {self.err}"

    def ended(self):
        """Wait for its end; return its status, minus the signal of one that was killed."""
        self.process.join(PATIENCE)
        assert self.process.exitcode is not None, self.err
        return self.process.exitcode

    @property
    def out(self):
        return (self.folder / "out").read_text("utf-8")

    @property
    def err(self):
        return (self.folder / "err").read_text("utf-8")


def _run(folder, environment, function, *given):
    for stream, name in enumerate(("out", "err"), start=1):
        flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND
        os.dup2(os.open(folder / name, flags), stream)
    os.environ |= environment
    torch.set_num_threads(1)  # else sums round in another order than the test's own
    function(*given)


def torchrun(script, *words):
    """Run a script in two processes, forks of this one: ``torchrun --nproc-per-node=2``.

    Of processes that fail it names only the one whose end it sees first.
    """
    how = (
        *TORCHRUN_ONE_MACHINE_OPTIONS,
        "--nproc-per-node=2",
        "--start-method=fork",
        "--run-path",
    )
    torch.distributed.run.main([*how, *map(str, (script, *words))])
