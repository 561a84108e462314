"""The functions of a file, judged one after the other, each in a process of its own."""

import importlib
import sys
from pathlib import Path

from .isolation import run_isolated
from .judge import Verdict
from .reader_file import ReaderError, judge_in_file, load
from .tasks import tasks

LOADING_SECONDS = 30  # the import of PyTorch among them


def task_named(name):
    """Return a task, or raise ReaderError with the names that there are."""
    known = tasks()
    if name not in known:
        raise ReaderError(
            f"there is no function {name!r}; expected one of {', '.join(known)}"
        )
    return known[name]


def judge_file(path, names=None):
    """Judge functions of a file, each in a process of its own.

    Parameters
    ----------
    path : path-like
    names : iterable of str, optional
        Without them, all.

    Returns
    -------
    list of Verdict

    Raises
    ------
    ReaderError
        If the file cannot be loaded.
    """
    outcome = run_isolated(load_only, path, file=path, seconds=LOADING_SECONDS)
    problem, has_torch = outcome.value or (outcome.problem, False)
    if problem:
        raise ReaderError(f"{path}: {problem}")
    if has_torch:  # once here, and not in every process again
        torch = importlib.import_module("torch")
        torch.set_num_threads(1)
        if "optim" in Path(path).read_text("utf-8"):  # whose first object imports much
            torch.optim.Adam([torch.zeros(1, requires_grad=True)])
    verdicts, wrong = [], []
    for name in tasks() if names is None else names:
        outcome = run_isolated(judge_in_file, path, name, wrong, file=path)
        verdict = outcome.value or Verdict(name, "wrong", says=[outcome.problem])
        verdicts.append(verdict)
        if verdict.state != "right" and not has_torch:  # the solutions take arrays
            wrong.append(name)
    return verdicts


def load_only(path):
    """Return in words why the file cannot be loaded, or nothing; and whether it has PyTorch."""
    try:
        load(path)
    except ReaderError as error:
        return str(error), False
    return "", "torch" in sys.modules
