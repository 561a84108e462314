"""python -m tools.measure: a page is run, and what it measures is recorded."""

import json
import os
import shutil
from datetime import date

import pytest
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError

from tests.conftest import ROOT
from tests.tools.conftest import FRONT
from tools import measure
from tools.pages import book_pages
from tools.pages.run_pages import KERNEL_ENVIRONMENT_VARIABLES, PageError
from transformer_press import times

PAGE = (
    FRONT
    + """\
# A page

```{code-cell} ipython3
from time import perf_counter
from transformer_press import page

def clock():
    return {"seconds": perf_counter()}

print(page.measured("clock", clock))
```

```{code-cell} ipython3
page.ran()
```
"""
)


@pytest.fixture(autouse=True)
def surroundings(monkeypatch):
    """What measuring sets stays in its test."""
    for name in (
        times.TIMES_SETTING,
        "TRANSFORMER_BOOK_MODEL",
        *KERNEL_ENVIRONMENT_VARIABLES,
    ):
        monkeypatch.setenv(name, os.environ.get(name, ""))


@pytest.fixture
def run(monkeypatch):
    """Stand in for the execution of a page: it measures these, or fails."""

    def set_up(failure=None, **results):
        def run_page(path):
            folder = os.environ[times.TIMES_SETTING]
            for name, numbers in results.items():
                with open(f"{folder}/{name}.json", "w", encoding="utf-8") as file:
                    json.dump({"code": "0", "numbers": numbers}, file)
            return None, 1.0, failure

        monkeypatch.setattr(measure, "run_page", run_page)

    return set_up


def records(folder):
    return {p.stem: json.loads(p.read_text("utf-8")) for p in folder.glob("*.json")}


def test_a_record_says_how_it_was_made(run, tmp_path):
    run(heads=[1.0, 2.0])
    assert measure.record_measurements("part/page", tmp_path / "page.md", tmp_path) == [
        "heads"
    ]
    record = records(tmp_path)["heads"]
    assert record["command"] == "python -m tools.measure part/page"
    assert record["code"] == "0" and record["numbers"] == [1.0, 2.0]
    assert {"python", "torch", "numpy"} == record["versions"].keys()
    assert record["hardware"]["cpu"] and record["hardware"]["cores"] >= 1
    assert date.fromisoformat(record["date"])


def test_what_a_page_measures_no_more_is_removed_and_that_of_others_stays(
    run, tmp_path
):
    run(old=1.0, kept=1.0)
    measure.record_measurements("part/page", tmp_path / "page.md", tmp_path)
    run(other=1.0)
    measure.record_measurements("part/another", tmp_path / "another.md", tmp_path)
    run(kept=2.0)
    measure.record_measurements("part/page", tmp_path / "page.md", tmp_path)
    found = {name: record["numbers"] for name, record in records(tmp_path).items()}
    assert found == {"kept": 2.0, "other": 1.0}


def test_a_page_that_fails_changes_no_record(run, tmp_path):
    run(heads=1.0)
    measure.record_measurements("part/page", tmp_path / "page.md", tmp_path)
    run("part/page.md: code cell 1 raised.", heads=2.0, more=3.0)
    with pytest.raises(PageError, match="code cell 1 raised"):
        measure.record_measurements("part/page", tmp_path / "page.md", tmp_path)
    assert records(tmp_path).keys() == {"heads"}
    assert records(tmp_path)["heads"]["numbers"] == 1.0


def test_the_command_measures_the_named_pages_or_all(monkeypatch, capsys):
    asked = []
    monkeypatch.setattr(
        measure, "record_measurements", lambda *given: asked.append(given) or ["x"]
    )
    known = measure.measuring_page_paths_by_name(ROOT)
    assert "attention/heads_lab" in known and "attention/heads" not in known
    measure.main(["attention/heads_lab"])
    assert asked == [("attention/heads_lab", known["attention/heads_lab"])]
    assert capsys.readouterr().out == "attention/heads_lab: x\n"
    asked.clear()
    measure.main([])
    assert asked == list(known.items())


def test_a_page_without_measurements_is_refused(capsys):
    with pytest.raises(SystemExit):
        measure.main(["attention/heads"])
    said = capsys.readouterr().err
    assert "attention/heads measures nothing; expected some of" in said
    assert "attention/heads_lab" in said


def test_a_busy_machine_is_named(monkeypatch, capsys):
    monkeypatch.setattr(measure, "record_measurements", lambda *given: ["x"])
    for load, said in ((0.2, ""), (3.4, "busy (load 3.4)")):
        monkeypatch.setattr(os, "getloadavg", lambda load=load: (load, load, load))
        measure.main(["attention/heads_lab"])
        err = capsys.readouterr().err
        assert said in err and bool(err) == bool(said)


def executed(path):
    """Run a page in a kernel of its own, which finds packages where PYTHONPATH says."""
    notebook = book_pages.read_notebook(path)
    NotebookClient(notebook).execute()
    return notebook, 1.0, None


@pytest.mark.build
def test_a_page_measures_once_and_then_builds_alike(tmp_path, monkeypatch):
    path = tmp_path / "page.md"
    path.write_text(PAGE, "utf-8")
    package = tmp_path / "src" / "transformer_press"
    shutil.copytree(ROOT / "src" / "transformer_press", package)
    known = [str(tmp_path / "src"), str(ROOT / "src")]
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(known))
    monkeypatch.setattr(measure, "run_page", executed)
    monkeypatch.setenv(times.TIMES_SETTING, times.RECORDED_VALUE)
    with pytest.raises(CellExecutionError, match="no record of the measurement"):
        executed(path)
    assert measure.record_measurements("part/page", path, package / "times") == [
        "clock"
    ]
    monkeypatch.setenv(times.TIMES_SETTING, times.RECORDED_VALUE)
    first, second = (executed(path)[0] for _ in range(2))
    assert [c.get("outputs") for c in first.cells] == [
        c.get("outputs") for c in second.cells
    ]
    number = records(package / "times")["clock"]["numbers"]["seconds"]
    assert str(number) in str(first.cells[1].outputs)
    assert "The times on this page were measured on" in str(first.cells[2].outputs)
