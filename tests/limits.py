"""A test that would never end is ended by pytest-timeout, and the others go on.

How long most may take stands in ``pyproject.toml``.
"""

import signal

import pytest
from _pytest._code.code import TracebackEntry

# A test with one of these marks may build the book before it begins, or wait until another worker has.
BUILDING = ("build", "book", "browser")
LONG = 3600  # seconds


class TooLong(BaseException):
    """What ends a test.

    pytest's own failure hypothesis would take for a counterexample, and look for a smaller one that never
    ends either.
    """


def lineno(entry):
    """As pytest has it, but for an alarm between two lines: Python then knows none, and pytest would end."""
    return (entry._rawentry.tb_lineno or entry.frame.code.raw.co_firstlineno) - 1


TracebackEntry.lineno = property(lineno)


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items):
    for item in items:
        if any(map(item.get_closest_marker, BUILDING)):
            item.add_marker(pytest.mark.timeout(LONG))


@pytest.hookimpl(wrapper=True)
def pytest_timeout_set_timer(item, settings):
    answer = yield
    # Where there are no signals, or not in this thread, it ends the process.
    if settings.method == "signal" and callable(
        fail := signal.getsignal(signal.SIGALRM)
    ):

        def end(*alarm):
            try:
                fail(*alarm)
            except pytest.fail.Exception as failure:
                raise TooLong(failure.msg) from None

        signal.signal(signal.SIGALRM, end)
    return answer
