"""What this machine cannot check is named in the last lines of a run, and never silently skipped."""

import os
from pathlib import Path

NOTES = "TRANSFORMER_BOOK_LEFT_OUT"  # the file that the processes of a stage write to
REQUIRE = "TRANSFORMER_BOOK_REQUIRE"


def note(sentence):
    """Name what was left out, why, and what to do about it."""
    print(sentence, flush=True)
    if path := os.environ.get(NOTES):
        with Path(path).open("a", encoding="utf-8") as notes:
            notes.write(sentence.replace("\n", " ") + "\n")


def noted(path):
    """Return what the processes of a stage have named, once each."""
    text = path.read_text("utf-8") if path.exists() else ""
    return [*dict.fromkeys(text.splitlines())]


def all_required():
    """Say whether whatever is left out counts as a failure: ``TRANSFORMER_BOOK_REQUIRE=all``."""
    return os.environ.get(REQUIRE) == "all"
