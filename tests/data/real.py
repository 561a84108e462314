"""The folder of real text, for tests that nothing smaller can stand in for."""

import functools
import html
import os
import re
from pathlib import Path

import pytest

FOLDER = Path(
    os.environ.get("TRANSFORMER_BOOK_DATA")
    or Path(__file__).parents[3] / "shared" / "data"
)


def needs(file):
    """Leave a test out where the folder has no such file."""
    return pytest.mark.skipif(
        not (FOLDER / file).is_file(),
        reason=f"no {file} in the folder of TRANSFORMER_BOOK_DATA, nor in ../shared/data",
    )


def typed(words):
    """Write words of Moses as a reader types them: signs as they are, "man's" in one."""
    return html.unescape(re.sub(" (?=&apos;[a-z])", "", " ".join(words)))


@functools.cache
def load(name):
    """Load a corpus of sentences in two languages from that folder."""
    from transformer_book.data import load_parallel

    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TRANSFORMER_BOOK_DATA", str(FOLDER))
        return load_parallel(name)
