"""python -m tools.remeasure: pages that quote recorded times can still measure them."""

import json
import os

import pytest

from tools import measure, remeasure
from tools.cache.store import Store
from transformer_press import times

NUMBERS = {"ours": [0.5, 1.5], "words": 16}


class Keys:
    """The key of a page is its text."""

    def page_keys(self, path):
        return "cells", path.read_text("utf-8")


@pytest.fixture(autouse=True)
def surroundings(monkeypatch):
    monkeypatch.setenv(times.TIMES_SETTING, os.environ.get(times.TIMES_SETTING, ""))
    monkeypatch.setattr(times, "names", lambda: ["heads"])
    monkeypatch.setattr(times, "load", lambda name: {"numbers": NUMBERS})


@pytest.fixture
def run(monkeypatch, tmp_path):
    """Remeasure three pages of 1, 2 and 30 s, each measuring these numbers, or failing."""
    store = Store(tmp_path / "store")
    seconds = {tmp_path / f"{name}.md": s for name, s in zip("abc", (2.0, 1.0, 30.0))}
    for path in seconds:
        path.write_text(path.stem, "utf-8")

    def call(numbers=NUMBERS, failure=None, limit=10.0, record="heads"):
        ran = []

        def run_page(path):
            ran.append(path.stem)
            if numbers is not None:
                with open(
                    f"{os.environ[times.TIMES_SETTING]}/{record}.json",
                    "w",
                    encoding="utf-8",
                ) as file:
                    json.dump({"numbers": numbers}, file)
            return None, 1.0, failure

        monkeypatch.setattr(measure, "run_page", run_page)
        left, faults = remeasure.remeasure_pages(seconds, Keys(), store, limit)
        return ran, left, faults

    call.folder = tmp_path
    return call


def test_the_quickest_are_run_and_one_that_would_not_end_in_time_waits(run):
    assert run() == (["b", "a"], 1, [])
    assert run(limit=None) == (["c"], 0, [])


def test_one_that_has_measured_is_run_again_as_soon_as_its_key_is_another(run):
    run(limit=None)
    assert run() == ([], 0, [])
    (run.folder / "a.md").write_text("changed", "utf-8")
    assert run() == (["a"], 0, [])


@pytest.mark.parametrize(
    "how",
    [
        {"numbers": {"ours": [0.5], "words": 16}},
        {"numbers": {"ours": [0.5, 1.5]}},
        {"numbers": [0.5, 1.5]},
        {"record": "unknown"},
        {"numbers": None},
        {"failure": "code cell 1 raised"},
    ],
)
def test_other_numbers_than_the_record_holds_are_a_fault_each_time(run, how):
    for _ in range(2):
        ran, _, faults = run(limit=None, **how)
        assert ran == ["b", "a", "c"] and len(faults) == 3
    assert ("raised" if "failure" in how else "python -m tools.measure") in faults[0]


def test_a_record_of_another_form_is_compared_anew(run, monkeypatch):
    run(limit=None)
    monkeypatch.setattr(times, "load", lambda name: {"numbers": [1.0]})
    ran, _, faults = run(limit=None)
    assert len(ran) == len(faults) == 3
