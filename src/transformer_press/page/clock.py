"""How long a page's code has run, and where its recorded times are from."""

import os
import platform
import time

from IPython.display import Markdown

from .. import times

_start_time = time.perf_counter()


def ran():
    """Say how long this page's code has run so far, and on what.

    While the book is built it says instead where the recorded times are from, or nothing.
    """
    if os.environ.get(times.TIMES_SETTING) == times.RECORDED_VALUE:
        note = times.measurement_note()
        return Markdown(f"*{note}*") if note else None
    seconds, cores = time.perf_counter() - _start_time, os.cpu_count()
    if hasattr(os, "sched_getaffinity"):  # those that it may use
        cores = len(os.sched_getaffinity(0))
    return Markdown(
        f"*The code of this page ran in {seconds:.1f} s, on {cores} cores, "
        f"with Python {platform.python_version()}.*"
    )
