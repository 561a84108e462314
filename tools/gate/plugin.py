"""A pytest plugin of the gate's stages: no test is skipped unnamed, and none is run by no stage."""

from collections import Counter

import pytest

from . import omissions, stages

test_counts_by_skip_reason = Counter()


def pytest_collection_modifyitems(items: list[pytest.Item]):
    """Refuse a test that is not run by exactly one stage. pytest leaves tests out after this."""
    for item in items:
        marks = {mark.name for mark in item.iter_markers()}
        running = stages.names_of_stages_running(item.nodeid.split("::")[0], marks)
        if len(running) != 1:
            raise pytest.UsageError(
                f"{item.nodeid} is run by {len(running)} stages {running}; expected one. "
                "tools/gate/stages.py says which run what."
            )


def pytest_runtest_logreport(report):
    if report.skipped and not hasattr(report, "wasxfail"):
        test_counts_by_skip_reason[skip_reason(report)] += 1


def pytest_collectreport(report):
    if report.skipped:
        omissions.note_omission(f"{skip_reason(report)} ({report.nodeid})")


def pytest_sessionfinish(session):
    if hasattr(session.config, "workerinput"):
        return  # the process that started this one hears of every test
    for each, count in test_counts_by_skip_reason.items():
        omissions.note_omission(f"{each} ({count} {'test' if count == 1 else 'tests'})")


def skip_reason(report):
    """Return why a test, or a file of tests, was skipped, as its author wrote it."""
    return report.longrepr[-1].removeprefix("Skipped: ")
