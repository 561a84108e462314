"""The built book, made once for all tests that look at it."""

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent


@pytest.fixture(scope="session")
def site():
    """The folder of the built site; builds what is not up to date."""
    result = subprocess.run(
        [sys.executable, "-m", "tools.book"], cwd=ROOT, capture_output=True, text=True
    )
    assert result.returncode == 0, result.stdout + result.stderr
    return ROOT / "_build" / "html"
