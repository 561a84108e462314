"""How long a page's code has run."""

import os
import platform
import time

from IPython.display import Markdown

_started = time.perf_counter()


def ran():
    """Say how long this page's code has run so far, and on what."""
    seconds = time.perf_counter() - _started
    return Markdown(
        f"*The code of this page ran in {seconds:.1f} s, on {os.cpu_count()} cores, "
        f"with Python {platform.python_version()}.*"
    )
