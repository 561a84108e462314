"""The checks in a notebook: ``check(my_softmax)`` and ``check_answer("ex-masks-count", answer)``."""

import textwrap
from difflib import get_close_matches

from .answering import NotAnsweredError, describe_fault
from .answers import answers_by_label
from .judge import Verdict, judge
from .reader_file import is_stub
from .report import verdict_lines
from .tasks import tasks_by_name

LINE_WIDTH = 88  # that a page shows without scrolling


def check(function, task: str | None = None) -> None:
    """Check a function that was written in a notebook, and print what was found.

    It runs in the notebook's own process; the notebook's stop button ends an endless loop.

    Parameters
    ----------
    function : callable
    task : str, optional
        The name of the task; without it the function's own name, also behind ``my_``.

    Raises
    ------
    ValueError
        If there is no such task.
    """
    known = tasks_by_name()
    name = task or getattr(function, "__name__", "").removeprefix("my_")
    if name not in known:
        raise ValueError(
            f"check: there is no task {name!r}; expected one of {', '.join(known)}. Name the function "
            "so, or say check(function, task=...)."
        )
    verdict = (
        Verdict(name, "todo") if is_stub(function) else judge(known[name], function)
    )
    print("\n".join(map(wrap_unless_indented, verdict_lines(verdict, known[name]))))


def wrap_unless_indented(line: str) -> str:
    """Break a sentence where a page ends; a line of an array begins with a space and stays."""
    if line.startswith(" "):
        return line
    return textwrap.fill(
        line, LINE_WIDTH, break_long_words=False, break_on_hyphens=False
    )


def check_answer(label: str, answer=None) -> None:
    """Check the answer to an exercise of the book, and print whether it is right.

    Parameters
    ----------
    label : str
        Of the exercise, as in "ex-masks-count".
    answer : object, optional
        Without it, what to store is printed.

    Raises
    ------
    ValueError
        If no exercise with this label has a check.
    """
    known = answers_by_label()
    if label not in known:
        near = get_close_matches(label, known, n=1)
        hint = f" Did you mean {near[0]!r}?" if near else ""
        raise ValueError(
            f"check_answer: there is no check for {label!r}; expected the label of an exercise.{hint}"
        )
    wanted = known[label]
    todo = f"Not answered yet. Store in `answer` {wanted.asks}."
    if answer is None or answer is Ellipsis or answer is NotImplemented:
        print(todo)
        return
    try:
        wrong = describe_fault(answer, wanted)
    except NotAnsweredError:
        print(todo)
        return
    if wrong:
        ending = "" if wrong[-1] in ".?" else "."
        print(
            f"That is not right: {wrong}{ending}\nThe answer should be {wanted.asks}."
        )
    else:
        print("That is right.")
