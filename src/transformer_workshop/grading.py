"""A folder of submissions, graded: each in processes of its own, the results in a CSV file."""

import csv
import sys
from pathlib import Path

from .checking import judge_file, task_named
from .judge import Verdict
from .reader_file import ReaderError
from .tasks import tasks_by_name

COLUMNS = ("file", "task", "mark", "state", "mistakes", "says")


def grade(folder, names, out):
    """Check every .py file of a folder and write a CSV file with a row for each of its tasks.

    Parameters
    ----------
    folder : path-like
    names : list of str or None
        The tasks that count; None for all.
    out : path-like

    Returns
    -------
    int
        0; the process's exit code.

    Raises
    ------
    ReaderError
        If there is no such folder or task.
    """
    files = sorted(Path(folder).glob("*.py"))
    if not files:
        raise ReaderError(f"{folder} has no .py file; expected one for each submission")
    names = [task_named(name).name for name in names or tasks_by_name()]
    with Path(out).open("w", newline="", encoding="utf-8") as file:
        rows = csv.DictWriter(file, COLUMNS)
        rows.writeheader()
        for path in files:
            try:
                verdicts = judge_file(path, names)
            except ReaderError as error:
                verdicts = [Verdict(name, "wrong", says=[str(error)]) for name in names]
            rows.writerows(row_of(path, verdict) for verdict in verdicts)
            done = sum(verdict.state == "right" for verdict in verdicts)
            print(f"{path.name}: {done} of {len(names)}", file=sys.stderr)
    return 0


def row_of(path, verdict):
    """Return a row of the CSV file."""
    return {
        "file": path.name,
        "task": verdict.task,
        "mark": int(verdict.state == "right"),
        "state": verdict.state,
        "mistakes": " ".join(slip.mistake or slip.name for slip in verdict.slips),
        "says": "; ".join(verdict.says),
    }
