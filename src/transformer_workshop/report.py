"""What the check found, as a person reads it."""

import re
from collections.abc import Iterable, Iterator

import numpy as np
from rich.console import Console
from rich.table import Table

from .mistakes import LINKS_BY_MISTAKE

MARKUP_BY_STATE = {"right": "[green]done[/]", "wrong": "[red]wrong[/]", "todo": "to do"}
MAX_PRINTED_NUMBERS = 48  # of an array that is printed whole


def verdict_table(verdicts) -> Table:
    """Return a table with a row for each task: its name, and whether it is done."""
    rows = Table(box=None, pad_edge=False)
    for column in ("", "function", ""):
        rows.add_column(column)
    states = [verdict.state for verdict in verdicts]
    for number, verdict in enumerate(verdicts, start=1):
        note = f"{verdict.tried} inputs" if verdict.state == "right" else ""
        first = verdict.state == "todo" and "todo" not in states[: number - 1]
        mark = "next" if first else MARKUP_BY_STATE[verdict.state]
        rows.add_row(f"{number}", verdict.task, f"{mark}  {note}")
    return rows


def verdict_lines(verdict, task) -> list[str]:
    """Return what a verdict says, line by line.

    Parameters
    ----------
    verdict : Verdict
    task : Task

    Returns
    -------
    list of str
    """
    if verdict.state == "right":
        return [f"{verdict.task} is right: it agreed on {verdict.tried} inputs."]
    if verdict.state == "todo":
        return [
            f"{verdict.task} is not written yet. Its lesson in the book: {task.lesson_address}"
        ]
    lines = [f"{verdict.task} is not right yet."]
    for slip in verdict.slips:
        number = f" (mistake {slip.mistake})" if slip.mistake else ""
        lines.append(f"You {slip.says}{number}. {slip.repair}".rstrip())
    if len(verdict.slips) > 1:
        lines.insert(1, "Two mistakes at once:")
    links = [LINKS_BY_MISTAKE[slip.mistake] for slip in verdict.slips if slip.mistake]
    if verdict.slips:
        lines.append(
            f"Read on in the book: {', '.join([*dict.fromkeys(links), task.lesson_address])}"
        )
    says = list(verdict.says)
    if not says and not verdict.slips and verdict.trial and verdict.trial.difference:
        says = [verdict.trial.difference.says]
    lines += [to_sentence(each) for each in says if each]
    if verdict.trial:
        lines += trial_lines(verdict.trial, task)
    return lines


def to_sentence(text: str) -> str:
    """Return words as a sentence, with a capital and a full stop."""
    return f"{text[0].upper()}{text[1:]}" + ("" if text[-1] in ".?" else ".")


def trial_lines(trial, task) -> list[str]:
    """Return the smallest input, what came out, what was expected, and where they differ first."""
    lines = ["", "With"]
    shown: dict[bytes, str] = {}  # arrays with two axes, by what is in them
    for name, value in iterate_named_values(task.parameter_names, trial.arguments):
        if value is None:
            continue
        text = (
            format_in_one_line(value)
            if '["' in name
            else format_value(value, len(name) + 5)
        )
        if isinstance(value, np.ndarray) and value.ndim > 1:
            inside = repr((value.shape, value.dtype)).encode() + value.tobytes()
            first = shown.setdefault(inside, name)
            text = first if first != name else text
        lines += [f"  {name} = {text}"]
    if trial.error or trial.difference is None:
        return lines
    part = trial.difference.part
    names = (
        ["result"]
        if len(trial.expected) == 1
        else [f"result[{i}]" for i in range(len(trial.expected))]
    )
    at = part or 0
    if at < len(trial.result):
        lines += ["your function returns", f"  {format_value(trial.result[at], 2)}"]
    lines += ["expected", f"  {format_value(trial.expected[at], 2)}"]
    if trial.difference.index is not None:
        index = trial.difference.index
        ours, theirs = trial.result[at][index], trial.expected[at][index]
        place = f"{names[at]}[{', '.join(map(str, index))}]" if index else names[at]
        lines.append(
            f"The first difference: {place} is {format_entry(ours)}; expected {format_entry(theirs)}."
        )
    elif len(trial.expected) > 1 and trial.difference.part is None:
        lines += [f"  {format_value(part, 2)}" for part in trial.expected[1:]]
    return lines


def iterate_named_values(
    names: Iterable[str], values: Iterable
) -> Iterator[tuple[str, object]]:
    """Yield arguments with their names; of a dict each entry by itself, as in W["norm"]["gamma"]."""
    for name, value in zip(names, values):
        if isinstance(value, dict):
            inner = [f'{name}["{key}"]' for key in value]
            yield from iterate_named_values(inner, value.values())
        else:
            yield name, value


def format_value(value, indent: int) -> str:
    """Return an argument or a result as text, later lines indented."""
    if not isinstance(value, np.ndarray):
        return repr(value)
    if value.size > MAX_PRINTED_NUMBERS:
        return f"an array of shape {value.shape}, of {value.dtype}"
    text = np.array2string(value, precision=3, suppress_small=True, separator=", ")
    return text.replace("\n", "\n" + " " * indent)


def format_in_one_line(value) -> str:
    """Return an array that is one of many as text, its rows one behind the other."""
    return re.sub(r"\n\s*", " ", format_value(value, 0))


def format_entry(value) -> str:
    """Return an entry of an array as text: a number with six digits."""
    return (
        f"{value:.6g}" if np.asarray(value).dtype.kind in "iuf" else repr(value.item())
    )


def print_lines(lines: list[str], console: Console | None = None) -> None:
    """Print lines without markup of their own."""
    console = console or Console()
    for line in lines:
        console.print(line, markup=False, highlight=False)
