"""The check in a notebook: ``workshop.check(my_softmax)``."""

from .judge import Verdict, judge
from .reader_file import is_stub
from .report import sentences
from .tasks import tasks


def check(function, task=None):
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
    known = tasks()
    name = task or getattr(function, "__name__", "").removeprefix("my_")
    if name not in known:
        raise ValueError(
            f"check: there is no task {name!r}; expected one of {', '.join(known)}. Name the function "
            "so, or say check(function, task=...)."
        )
    verdict = (
        Verdict(name, "todo") if is_stub(function) else judge(known[name], function)
    )
    print("\n".join(sentences(verdict, known[name])))
