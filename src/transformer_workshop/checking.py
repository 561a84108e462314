"""The functions of a file, judged one after the other, each in a process of its own."""

import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from .isolation import run_isolated
from .judge import Verdict
from .reader_file import ReaderError, judge_function_in_file, load_reader_file
from .task import Task
from .tasks import tasks_by_name
from .trial import global_names_used

MAX_LOADING_SECONDS = 30  # the import of PyTorch among them


def find_task(name: str) -> Task:
    """Return a task, or raise ReaderError with the names that there are."""
    known = tasks_by_name()
    if name not in known:
        raise ReaderError(
            f"there is no function {name!r}; expected one of {', '.join(known)}"
        )
    return known[name]


def judge_file(path, task_names: Iterable[str] | None = None) -> list[Verdict]:
    """Judge functions of a file, each in a process of its own.

    The functions that they call are judged, too: where one is wrong, the workshop's stands in for it.

    Parameters
    ----------
    path : path-like
    task_names : iterable of str, optional
        Without them, all.

    Returns
    -------
    list of Verdict

    Raises
    ------
    ReaderError
        If the file cannot be loaded.
    """
    outcome = run_isolated(
        inspect_file, path, reader_path=path, max_processor_seconds=MAX_LOADING_SECONDS
    )
    calls: Any
    problem, has_torch, calls = outcome.value or (outcome.problem, False, {})
    if problem:
        raise ReaderError(f"{path}: {problem}")
    if has_torch:  # once here, and not in every process again
        import torch

        torch.set_num_threads(1)
        if "optim" in Path(path).read_text("utf-8"):  # whose first object imports much
            torch.optim.Adam([torch.zeros(1, requires_grad=True)])
    wanted = list(tasks_by_name() if task_names is None else task_names)
    needed = set(wanted).union(*(calls.get(name, ()) for name in wanted))
    verdicts: dict[str, Verdict] = {}
    wrong: list[str] = []
    for name in filter(needed.__contains__, tasks_by_name()):
        outcome = run_isolated(
            judge_function_in_file, path, name, wrong, reader_path=path
        )
        verdicts[name] = outcome.value or Verdict(name, "wrong", says=[outcome.problem])
        if verdicts[name].state != "right":
            wrong.append(name)
    return [verdicts[name] for name in wanted]


def inspect_file(path) -> tuple[str, bool, dict[str, set[str]]]:
    """Return why the file cannot be loaded, whether it has PyTorch, and which task calls which."""
    try:
        space = vars(load_reader_file(path))
    except ReaderError as error:
        return str(error), False, {}
    calls = {}
    for name in filter(space.__contains__, tasks_by_name()):
        code = getattr(space[name], "__code__", None)
        calls[name] = global_names_used([code], space).intersection(tasks_by_name())
    return "", "torch" in sys.modules, calls
