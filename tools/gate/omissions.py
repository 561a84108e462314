"""What cannot be checked on this machine is named in the last lines of a run, never silently skipped."""

import os
from pathlib import Path

NOTES_FILE_VARIABLE = (
    "TRANSFORMER_BOOK_LEFT_OUT"  # the file that the processes of a stage write to
)
REQUIRE_VARIABLE = "TRANSFORMER_BOOK_REQUIRE"
REAL_TEXT_PREFIX = "real text: "  # others' data, which no machine need have


def note_omission(sentence: str):
    """Name what was left out, why, and what to do about it."""
    if path := os.environ.get(NOTES_FILE_VARIABLE):
        with Path(path).open("a", encoding="utf-8") as notes:
            notes.write(" ".join(sentence.split()) + "\n")
    else:
        print(sentence, flush=True)


def read_omission_notes(notes_path) -> list:
    """Return what the processes of a stage have named, once each."""
    text = notes_path.read_text("utf-8") if notes_path.exists() else ""
    return sorted(set(text.splitlines()))


def notes_except_real_text(notes) -> list:
    """Return those of the notes that another machine would not have."""
    return [sentence for sentence in notes if not sentence.startswith(REAL_TEXT_PREFIX)]


def is_everything_required() -> bool:
    """Return whether what is left out counts as failed: ``TRANSFORMER_BOOK_REQUIRE=all``."""
    return os.environ.get(REQUIRE_VARIABLE) == "all"
