"""How the book is built. The commands stand here, and packages hold their parts:

``pages`` runs the pages, and ``dependencies`` knows what these rest on; ``models`` trains and ships
the models; ``site`` and ``paper`` are what is read; ``rules`` are the house's, and ``gate`` decides
whether a change lands. ``cache`` stores earlier results, ``programs`` has what is not Python's.
"""

import atexit
import importlib.util
import os
import shutil
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def refuse_other_checkout(root=ROOT):
    """End with one sentence if the package that Python imports is another checkout's.

    An environment knows its package by the path of the checkout that it was created in. A copied or
    renamed folder would run, and test, the code of the old one.
    """
    source = root / "src" / "transformer_book"
    if not source.exists():
        return  # a small book of the tests has no package
    spec = importlib.util.find_spec("transformer_book")
    imported = Path(spec.origin).resolve().parent if spec and spec.origin else None
    if imported != source:
        sys.exit(
            f"Python imports transformer_book from {imported or 'nowhere'}; expected {source}. If this "
            f"folder was copied or renamed, remove its environment: rm -r {root / '.venv'}, then run make."
        )


def ensure_home_folder():
    """Give a user without a home, such as one of a container, a folder for as long as this runs.

    Jupyter, npm and others write there, and each would fail with another message.
    """
    home = os.path.expanduser("~")
    if os.path.isabs(home) and os.access(home, os.W_OK):
        return
    os.environ["HOME"] = tempfile.mkdtemp(prefix="transformer-book-")
    atexit.register(shutil.rmtree, os.environ["HOME"], ignore_errors=True)
    print(
        f"{home} is no home folder that can be written; {os.environ['HOME']} is used until the end. "
        "Set HOME to a folder of yours to keep what is written there.",
        file=sys.stderr,
    )


refuse_other_checkout()
ensure_home_folder()
