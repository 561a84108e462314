"""How the book is built: executing chapters, making the site, publishing notebooks."""

import importlib.util
import sys
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


insist_on_this_checkout()
