"""Who runs beside whom."""

import time

import pytest

from tests.tools.conftest import FRONT
from tools import execute

PLAIN = FRONT + "# Plain\n\n```{code-cell} ipython3\n1\n```\n"


def tagged(tag):
    return PLAIN.replace("ipython3\n", f"ipython3\n:tags: [{tag}]\n")


def order(tags, cores, folder, monkeypatch):
    """Run chapters a, b, ... with these tags; return what began and ended, in order."""
    events, paths = [], []

    def run_one(path):
        events.append(("begins", path.stem))
        time.sleep(0.2)  # a loaded machine needs as long to start a thread
        events.append(("ends", path.stem))

    for name, tag in zip("abcdef", tags):
        paths.append(folder / f"{name}.md")
        paths[-1].write_text(tagged(tag) if tag else PLAIN)
    monkeypatch.setattr(execute.os, "cpu_count", lambda: cores)
    monkeypatch.setattr(execute, "run_one", run_one)
    assert {path for path, _ in execute._results(paths)} == set(paths)
    return events


@pytest.mark.parametrize("cores", [2, 4])
def test_a_chapter_of_two_threads_has_two_cores_to_itself(cores, tmp_path, monkeypatch):
    events = order([None, "two-threads", None], cores, tmp_path, monkeypatch)
    alone = events[:2] == [("begins", "b"), ("ends", "b")]
    assert alone == (cores == 2)
    assert alone or events[0] == ("begins", "a")


@pytest.mark.parametrize("cores", [1, 2, 4])
def test_what_uses_the_model_waits_for_it_and_nothing_else_does(
    cores, tmp_path, monkeypatch
):
    tags = ["after-first", None, "first", None, "after-first"]
    events = order(tags, cores, tmp_path, monkeypatch)
    assert events[0] == ("begins", "c")
    for name in "ae":
        assert events.index(("ends", "c")) < events.index(("begins", name))
    assert cores == 1 or events.index(("begins", "b")) < events.index(("ends", "c"))


@pytest.mark.parametrize("cores", [1, 2, 4])
def test_each_waits_for_the_model_that_it_uses(cores, tmp_path, monkeypatch):
    tags = ["after-first-other", "first", "after-first", "first-other, after-first"]
    events = order(tags, cores, tmp_path, monkeypatch)
    assert events[0] == ("begins", "b")
    for maker, user in ("bc", "bd", "da"):
        assert events.index(("ends", maker)) < events.index(("begins", user))


def test_with_cores_to_spare_nothing_waits_for_another_model(tmp_path, monkeypatch):
    events = order(
        ["first", "first-other", "after-first-other"], 3, tmp_path, monkeypatch
    )
    assert {events[0], events[1]} == {("begins", "a"), ("begins", "b")}
    assert events.index(("ends", "b")) < events.index(("begins", "c"))


def test_a_model_made_from_a_later_one_is_one_clear_error(tmp_path, monkeypatch):
    tags = ["first-other, after-first", "first"]
    with pytest.raises(ValueError, match="a trains a model and uses one that b trains"):
        order(tags, 2, tmp_path, monkeypatch)
