"""A folder of submissions, graded: each in processes of its own, the results in a CSV file."""

import csv
import sys
from pathlib import Path

from .checking import find_task, judge_file
from .judge import Verdict
from .reader_file import ReaderError
from .tasks import tasks_by_name

CSV_COLUMNS = ("file", "task", "mark", "state", "mistakes", "says")


def grade_folder(folder, task_names: list[str] | None, csv_path) -> int:
    """Check every .py file of a folder and write a CSV file with a row for each of its tasks.

    Parameters
    ----------
    folder : path-like
    task_names : list of str or None
        The tasks that count; None for all.
    csv_path : path-like

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
    task_names = [find_task(name).name for name in task_names or tasks_by_name()]
    with Path(csv_path).open("w", newline="", encoding="utf-8") as file:
        rows = csv.DictWriter(file, CSV_COLUMNS)
        rows.writeheader()
        for path in files:
            try:
                verdicts = judge_file(path, task_names)
            except ReaderError as error:
                verdicts = [
                    Verdict(name, "wrong", says=[str(error)]) for name in task_names
                ]
            rows.writerows(csv_row(path, verdict) for verdict in verdicts)
            done = sum(verdict.state == "right" for verdict in verdicts)
            print(f"{path.name}: {done} of {len(task_names)}", file=sys.stderr)
    return 0


def csv_row(path: Path, verdict: Verdict) -> dict[str, str | int]:
    """Return a row of the CSV file."""
    return {
        "file": path.name,
        "task": verdict.task,
        "mark": int(verdict.state == "right"),
        "state": verdict.state,
        "mistakes": " ".join(slip.mistake or slip.name for slip in verdict.slips),
        "says": "; ".join(verdict.says),
    }
