"""The built book, made once for all tests that look at it."""

import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import settings

# A slow machine is no bug, so no example has a deadline; the same examples are drawn every time.
settings.register_profile("book", deadline=None, derandomize=True)
settings.load_profile("book")

ROOT = Path(__file__).resolve().parent.parent


@pytest.fixture(scope="session")
def site():
    """The folder of the built site; builds what is not up to date."""
    result = subprocess.run(
        [sys.executable, "-m", "tools.book"], cwd=ROOT, capture_output=True, text=True
    )
    assert result.returncode == 0, result.stdout + result.stderr
    return ROOT / "_build" / "html"
