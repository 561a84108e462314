"""The built book, made once for all tests that look at it."""

import os
import subprocess
import sys

import pytest
import torch
from filelock import FileLock
from hypothesis import settings

# This ends the run at once where Python would import another checkout's package.
from tools import ROOT

# Triton reads it when it is loaded, and transformers loads Triton.
if not torch.cuda.is_available():
    os.environ["TRITON_INTERPRET"] = "1"

# A slow machine is no bug, so no example has a deadline; the same examples are drawn every time.
settings.register_profile("book", deadline=None, derandomize=True)
settings.load_profile("book")


def pytest_collection_modifyitems(items):
    """Mark what looks at the real book."""
    for item in items:
        if "site" in getattr(item, "fixturenames", ()):
            item.add_marker("book")


@pytest.fixture(scope="session")
def site(tmp_path_factory, testrun_uid):
    """The folder of the built site; one of the workers builds what is not up to date.

    ``tools.gate`` says so where its stage before this one has built it.
    """
    if os.environ.get("TRANSFORMER_BOOK_SITE") == "built":
        return ROOT / "_build" / "html"
    built = tmp_path_factory.getbasetemp().parent / f"built-{testrun_uid}"
    with FileLock(f"{built}.lock"):
        if not built.exists():
            command = [sys.executable, "-m", "tools.book"]
            result = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
            assert result.returncode == 0, result.stdout + result.stderr
            built.touch()
    return ROOT / "_build" / "html"


@pytest.fixture(scope="session")
def grammar_corpus():
    """The book's parallel corpus, which takes seconds to draw and cannot be changed."""
    from transformer_book.data import load_parallel

    return load_parallel("grammar")


@pytest.fixture(scope="session")
def small_book(tmp_path_factory, testrun_uid):
    """A small book of lessons and laboratories, built by one of the workers for all."""
    from tests.small_book import SmallBook

    folder = tmp_path_factory.getbasetemp().parent / f"small-{testrun_uid}"
    with FileLock(f"{folder}.lock"):
        book, built = SmallBook(folder), folder / "built"
        if not built.exists():
            book.built()
            built.touch()
    return book
