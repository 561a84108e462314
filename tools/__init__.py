"""How the book is built. What one runs stands here, what it is made of in rooms:

``pages`` runs the pages, and ``dependencies`` knows what these rest on; ``models`` trains and ships
the models; ``site`` and ``paper`` are what is read; ``rules`` are the house's, and ``gate`` decides
whether a change lands. ``cache`` has what was made before, ``programs`` what is not Python's.
"""

import atexit
import importlib.util
import os
import shutil
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def insist_on_this_checkout(root=ROOT):
    """End with one sentence if the package that Python imports is another checkout's.

    An environment knows its package by the path of the checkout that it was made in. A copied or
    renamed folder would run, and test, the code of the old one.
    """
    source = root / "src" / "transformer_book"
    if not source.exists():
        return  # a small book of the tests has no package of its own
    spec = importlib.util.find_spec("transformer_book")
    found = Path(spec.origin).resolve().parent if spec and spec.origin else None
    if found != source:
        sys.exit(
            f"Python imports transformer_book from {found or 'nowhere'}; expected {source}. If this "
            f"folder was copied or renamed, remove its environment: rm -r {root / '.venv'}, then run make."
        )


def have_a_home():
    """Give a user without a home, such as one of a container, a folder for as long as this runs.

    Jupyter, npm and others keep something there, and each would end with a sentence of its own.
    """
    home = os.path.expanduser("~")
    if os.path.isabs(home) and os.access(home, os.W_OK):
        return
    os.environ["HOME"] = tempfile.mkdtemp(prefix="transformer-book-")
    atexit.register(shutil.rmtree, os.environ["HOME"], ignore_errors=True)
    print(
        f"{home} is no home folder that can be written; {os.environ['HOME']} is used until the end. "
        "Set HOME to a folder of yours, and what is made once is kept.",
        file=sys.stderr,
    )


insist_on_this_checkout()
have_a_home()
