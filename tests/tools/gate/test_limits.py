"""A test that never ends is ended, wherever it runs, and those that follow it run."""

import pytest

from tests import limits
from tests.processes import PATIENCE
from tools.gate import stages

TESTS = """
import time
import pytest
from hypothesis import given, strategies

def loop():
    while True:
        for number in range(1):
            if number:
                odd = True
        # Python 3.11 gives the jump back from here no line.

@pytest.fixture
def endless():
    loop()

def test_of_a_loop():
    loop()

@given(strategies.integers())
def test_of_examples(number):
    loop()

def test_of_a_fixture(endless):
    pass

def test_that_follows():
    pass

@pytest.mark.MARK
def test_that_may_build_the_book():
    time.sleep(2)
"""


@pytest.mark.parametrize(
    "path, mark, workers",
    [
        ("tools/test_book.py", "build", ()),
        ("site/test_pages.py", "book", ("-n", "2")),
        ("browser/test_pages.py", "browser", ("-n", "2")),
    ],
)
def test_what_loops_for_ever_fails_and_all_others_run(
    tmp_path, path, mark, workers, run_pytest
):
    file = tmp_path / "tests" / path
    file.parent.mkdir(parents=True)
    file.write_text(TESTS.replace("MARK", mark), "utf-8")
    words = *workers, "-p", "tests.limits", "--timeout=1"
    result = run_pytest(file, *words, COLUMNS="200")
    assert "2 failed, 2 passed" in result.stdout, result.stdout + result.stderr
    for name in ("a_loop", "examples", "a_fixture"):
        assert f"test_of_{name} - tests.limits.TooLong: Timeout" in result.stdout


def test_every_test_has_a_limit_beyond_that_of_the_processes_it_starts(request):
    assert PATIENCE < float(request.config.getini("timeout")) < limits.LONG
    assert {*limits.BUILDING} == {*stages.STAGE_MARKS}
    assert request.config.pluginmanager.has_plugin("limits")
