"""Who runs beside whom."""

import time

import pytest

from tests.build.conftest import FRONT
from tools import execute

PLAIN = FRONT + "# Plain\n\n```{code-cell} ipython3\n1\n```\n"
BUSY = PLAIN.replace("ipython3\n", "ipython3\n:tags: [two-threads]\n")


@pytest.mark.parametrize("cores, expected", [(2, "busy"), (4, "a")])
def test_a_chapter_of_two_threads_has_two_cores_to_itself(cores, expected, tmp_path, monkeypatch):
    events = []

    def run_one(path):
        events.append(("begins", path.stem))
        time.sleep(0.05)
        events.append(("ends", path.stem))

    paths = [tmp_path / f"{name}.md" for name in ("a", "busy", "b")]
    for path in paths:
        path.write_text(BUSY if path.stem == "busy" else PLAIN)
    monkeypatch.setattr(execute.os, "cpu_count", lambda: cores)
    monkeypatch.setattr(execute, "run_one", run_one)
    assert {path for path, _ in execute._results(paths)} == set(paths)
    alone = events[:2] == [("begins", "busy"), ("ends", "busy")]
    assert events[0] == ("begins", expected) and alone == (cores == 2)
