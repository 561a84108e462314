"""A page that gives other outputs when it runs again is found, and the limit of time is kept."""

import pytest
from jupyter_client.manager import AsyncKernelManager

from tests.tools.conftest import FRONT
from tools import repeat
from tools.cache.store import Store
from tools.pages.output_ledger import OutputLedger
from tools.pages.page_outputs import PageOutputs, code_cells
from tools.pages.run_pages import run_page

CELLS = '# Page\n\n```{code-cell} ipython3\nprint("one")\n```\n\n```{code-cell} ipython3\nCODE\n```\n'


@pytest.fixture
def ledger(tmp_path):
    return OutputLedger(Store(tmp_path / "store"))


def ran(folder, name, code, seconds=0.1):
    """A page of two cells, and the outputs of its first run."""
    path = folder / "book" / f"{name}.md"
    path.parent.mkdir(exist_ok=True)
    path.write_text(FRONT + CELLS.replace("CODE", code), "utf-8")
    notebook, _, failure = run_page(path)
    assert failure is None and len(code_cells(notebook)) == 2
    return path, PageOutputs.from_notebook(notebook, f"key of {name}", seconds)


def test_the_same_outputs_are_counted_as_a_second_run(tmp_path, ledger):
    first = dict([ran(tmp_path, "same", "print(2)")])
    (outputs,) = first.values()
    ledger.compare_run("same", outputs)
    assert repeat.repeat_pages(tmp_path, first, None, ledger, AsyncKernelManager) == (
        1,
        [],
    )
    assert ledger.run_count("same", outputs) == 2


@pytest.mark.parametrize(
    "code",
    ["import time\nprint(time.time())", "print(object())", "import os\nos.getpid()"],
)
def test_other_outputs_are_told_with_their_cell(tmp_path, ledger, code):
    first = dict([ran(tmp_path, "other", code)])
    times, (fault,) = repeat.repeat_pages(
        tmp_path, first, None, ledger, AsyncKernelManager
    )
    assert times == 1 and "other.md" in fault and "in code cell 2." in fault


def test_a_page_that_raises_the_second_time_is_told(tmp_path, ledger):
    note = tmp_path / "note"
    path, outputs = ran(tmp_path, "raises", f"open({str(note)!r}, 'x').close()")
    assert note.exists()
    _, (fault,) = repeat.repeat_pages(
        tmp_path, {path: outputs}, None, ledger, AsyncKernelManager
    )
    assert "FileExistsError" in fault


def test_a_page_that_would_not_end_in_time_does_not_begin(
    tmp_path, ledger, monkeypatch
):
    quick = ran(tmp_path, "quick", "print(2)")
    slow = ran(tmp_path, "slow", "print(2)", seconds=1000.0)
    times, faults = repeat.repeat_pages(
        tmp_path, dict([quick, slow]), 60, ledger, AsyncKernelManager
    )
    assert (times, faults) == (1, [])
