"""The same key must give the same outputs."""

import json

import pytest

from tools.cache.store import Store
from tools.pages.output_ledger import OutputLedger
from tools.pages.page_outputs import PageOutputs


def outputs(text, key="key", seconds=1.0):
    cells = [[{"output_type": "stream", "name": "stdout", "text": text}]]
    return PageOutputs(json.dumps(cells), key, seconds)


@pytest.fixture
def ledger(tmp_path):
    return OutputLedger(Store(tmp_path))


def test_a_first_run_is_entered_and_the_same_again_is_counted(ledger):
    assert ledger.run_count("a", outputs("1")) == 0
    assert ledger.compare_run("a", outputs("1")) is None
    assert ledger.compare_run("a", outputs("1", seconds=2.0)) is None
    assert ledger.run_count("a", outputs("1")) == 2
    assert ledger.run_count("b", outputs("1")) == 0


def test_other_outputs_of_the_same_key_are_told_once_and_count_for_nothing(ledger):
    ledger.compare_run("a", outputs("1"))
    assert "tools.repeat a" in ledger.compare_run("a", outputs("2"))
    # Which of the two was right nobody knows, so it begins anew.
    assert ledger.compare_run("a", outputs("2")) is None
    assert ledger.run_count("a", outputs("1")) == 0
    assert ledger.run_count("a", outputs("2")) == 1


def test_another_key_may_give_other_outputs(ledger):
    ledger.compare_run("a", outputs("1"))
    assert ledger.compare_run("a", outputs("2", key="other")) is None
    assert ledger.run_count("a", outputs("2", key="other")) == 1


def test_another_key_that_gives_the_same_outputs_has_run_twice(ledger):
    ledger.compare_run("a", outputs("1"))
    assert ledger.compare_run("a", outputs("1", key="other")) is None
    assert ledger.run_count("a", outputs("1", key="other")) == 2


def test_without_a_store_nothing_is_compared():
    ledger = OutputLedger(Store(None))
    assert ledger.compare_run("a", outputs("1")) is None
    assert ledger.compare_run("a", outputs("2")) is None
    assert ledger.run_count("a", outputs("2")) == 0
