"""Who is looking: progress bars are for a person at work, not for a page that is being built."""

import sys

# Not tqdm.auto: where ipywidgets is missing, that one warns about it on the page.
from tqdm import tqdm


def is_watched() -> bool:
    """Say whether somebody could be watching this process right now.

    A terminal counts, and so does a live notebook. A notebook that a program executes, such as a
    chapter in the book's build, does not: its kernel knows that nobody could answer a question.

    Returns
    -------
    bool
    """
    if "IPython" in sys.modules:
        from IPython import get_ipython

        kernel = getattr(get_ipython(), "kernel", None)
        if kernel is not None:
            request = kernel.get_parent() or {}
            return bool(request.get("content", {}).get("allow_stdin", False))
    return bool(sys.stderr is not None and sys.stderr.isatty())


def make_progress_bar(total: int | None, unit: str, label: str) -> tqdm:
    """Return a tqdm progress bar that shows itself only where somebody watches.

    Parameters
    ----------
    total : int
        How many units there are in all.
    unit : str
        What is counted, for example "B".
    label : str
        The label before the bar.

    Returns
    -------
    tqdm.tqdm
    """
    return tqdm(
        total=total, unit=unit, unit_scale=True, desc=label, disable=not is_watched()
    )
