"""The JavaScript modules, under Node's own test runner, against numbers that Python writes."""

import os
import subprocess
from pathlib import Path

import pytest

from tests.js import fixtures
from tools.programs import NODE_PROGRAM

HERE = Path(__file__).parent
FILES = sorted(HERE.rglob("*.test.*js"))


@pytest.fixture(scope="session")
def numbers(tmp_path_factory):
    folder = tmp_path_factory.mktemp("numbers")
    fixtures.write(folder)
    return folder


@pytest.mark.parametrize(
    "path", FILES, ids=lambda path: path.relative_to(HERE).as_posix()
)
def test_modules(path, numbers):
    result = subprocess.run(
        [NODE_PROGRAM, "--test", str(path)],
        env=os.environ | {"TRANSFORMER_BOOK_NUMBERS": str(numbers)},
        capture_output=True,
        text=True,
        encoding="utf-8",
    )
    assert result.returncode == 0, result.stdout + result.stderr


def test_there_are_some():
    assert {"by_hand.test.mjs", "decode.test.mjs", "files.test.mjs"} <= {
        p.name for p in FILES
    }
