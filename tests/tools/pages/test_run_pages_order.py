"""Who runs beside whom: models first, what needs them behind them, two threads alone."""

import time

import pytest

from tests.tools.conftest import FRONT
from tools.pages import run_pages

PLAIN = FRONT + "# Plain\n\n```{code-cell} ipython3\n1\n```\n"
TWO_THREADS = PLAIN.replace("ipython3\n", "ipython3\n:tags: [two-threads]\n")


def order(needs, models, cores, folder, monkeypatch, two_threads=""):
    """Run pages a, b, ... that need these models; return what began and ended, in order."""
    events, paths = [], {}

    def doing(name):
        def do(*_):
            events.append(("begins", name))
            time.sleep(0.2)  # a loaded machine needs as long to start a thread
            events.append(("ends", name))

        return do

    for name, models_of_page in zip("abcdef", needs):
        path = folder / f"{name}.md"
        path.write_text(TWO_THREADS if name in two_threads else PLAIN, "utf-8")
        paths[path] = list(models_of_page)
    monkeypatch.setattr(run_pages, "core_count", lambda: cores)
    monkeypatch.setattr(run_pages, "run_page", lambda path, kernels: doing(path.stem)())
    makers = {model: doing(model) for model in models}
    done = [task for task, _ in run_pages.model_and_page_results(paths, makers)]
    assert sorted(map(str, done)) == sorted(map(str, [*paths, *models]))
    return events


@pytest.mark.parametrize("cores", [2, 4])
def test_a_page_of_two_threads_has_two_cores_to_itself(cores, tmp_path, monkeypatch):
    events = order(["", "", ""], "", cores, tmp_path, monkeypatch, two_threads="b")
    at = events.index(("begins", "b"))
    alone = events[at + 1 : at + 2] == [("ends", "b")]
    running = {name for what, name in events[:at] if what == "begins"}
    running -= {name for what, name in events[:at] if what == "ends"}
    assert (alone and not running) or cores == 4


@pytest.mark.parametrize("cores", [1, 2, 4])
def test_what_needs_a_model_waits_for_it_and_nothing_else_does(
    cores, tmp_path, monkeypatch
):
    events = order(["M", "", "M"], "M", cores, tmp_path, monkeypatch)
    assert events[0] == ("begins", "M")
    for name in "ac":
        assert events.index(("ends", "M")) < events.index(("begins", name))
    assert cores == 1 or events.index(("begins", "b")) < events.index(("ends", "M"))


def test_with_cores_to_spare_nothing_waits_for_another_model(tmp_path, monkeypatch):
    events = order(["N"], "MN", 3, tmp_path, monkeypatch)
    assert {events[0], events[1]} == {("begins", "M"), ("begins", "N")}
    assert events.index(("ends", "N")) < events.index(("begins", "a"))


def test_a_model_that_cannot_be_trained_ends_the_build(tmp_path, monkeypatch):
    path = tmp_path / "a.md"
    path.write_text(PLAIN, "utf-8")
    monkeypatch.setattr(
        run_pages, "run_page", lambda path, kernels: pytest.fail("it ran")
    )

    def fails():
        raise RuntimeError("the translator was not trained")

    with pytest.raises(RuntimeError, match="was not trained"):
        list(run_pages.model_and_page_results({path: ["M"]}, {"M": fails}))
