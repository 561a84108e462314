"""A forked kernel is as empty as one that starts from nothing, and ends as one does."""

import os
import subprocess
import sys
import time

import nbformat
import pytest
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError, DeadKernelError

from tests.conftest import ROOT
from tools.pages import kernels
from tools.pages.kernels import WarmKernelManager

pytestmark = pytest.mark.skipif(
    not kernels.CAN_FORK, reason="Windows cannot fork; kernels start from nothing there"
)


def run(*cells, folder=".", manager=WarmKernelManager):
    """Run cells; return what each printed."""
    notebook = nbformat.v4.new_notebook(
        cells=[nbformat.v4.new_code_cell(cell) for cell in cells]
    )
    NotebookClient(
        notebook,
        kernel_name="python3",
        kernel_manager_class=manager,
        extra_arguments=["--log-level=ERROR"],
        resources={"metadata": {"path": str(folder)}},
    ).execute()
    return ["".join(o.get("text", "") for o in cell.outputs) for cell in notebook.cells]


def test_it_has_imported_already_what_is_slow_to_import():
    (loaded,) = run(
        "import sys\nprint('torch' in sys.modules, 'tools.book' in sys.modules)"
    )
    assert loaded == "True False\n"


def test_what_it_has_imported_is_never_looked_through_for_garbage():
    (frozen,) = run("import gc\nprint(gc.get_freeze_count() > 100_000)")
    assert frozen == "True\n"


def test_it_has_no_names_but_those_of_any_kernel():
    look = "print(sorted(name for name in dir() if name[0] != '_'))"
    assert run(look) == run(look, manager=kernels.AsyncKernelManager)


def test_it_stands_in_its_folder_and_finds_what_any_kernel_finds(tmp_path):
    look = "import os, sys\nprint(os.getcwd(), [p for p in sys.path if 'zip' not in p])"
    assert run(look, folder=tmp_path) == run(
        look, folder=tmp_path, manager=kernels.AsyncKernelManager
    )


def test_it_has_the_environment_of_now(monkeypatch):
    monkeypatch.setenv("TRANSFORMER_BOOK_TEST", "one")
    ask = "import os\nprint(os.environ.get('TRANSFORMER_BOOK_TEST'))"
    assert run(ask) == ["one\n"]
    monkeypatch.delenv("TRANSFORMER_BOOK_TEST")
    assert run(ask) == ["None\n"]


def test_its_processes_start_as_those_of_any_kernel_do():
    look = (
        "import multiprocessing as m\nfrom multiprocessing.spawn import get_preparation_data\n"
        "print(m.get_start_method(), sorted(get_preparation_data('x')))"
    )
    assert run(look) == run(look, manager=kernels.AsyncKernelManager)


def test_what_one_does_another_does_not_see():
    run("import torch\ntorch.set_default_dtype(torch.float64)\ntorch.manual_seed(1)")
    (said,) = run("import torch\nprint(torch.get_default_dtype())")
    assert said == "torch.float32\n"


def test_a_cell_that_raises_and_a_kernel_that_dies_are_told():
    with pytest.raises(CellExecutionError, match="ZeroDivisionError"):
        run("1 / 0")
    with pytest.raises(DeadKernelError):
        run("import os\nos._exit(3)")


def test_it_may_start_processes_of_its_own():
    (said,) = run(
        "import multiprocessing as m\nimport operator\n"
        "with m.get_context('spawn').Pool(2) as pool:\n"
        "    print(pool.map(operator.neg, [1, 2]))"
    )
    assert said == "[-1, -2]\n"


BUILD = """
from tests.tools.pages.test_kernels import run
if __name__ == "__main__":
    run("import os, sys, time\\nopen({note!r}, 'w').write(str(os.getpid()))\\ntime.sleep(600)")
"""


def test_it_ends_with_the_process_that_started_it(tmp_path):
    note = tmp_path / "pid"
    build = subprocess.Popen(
        [sys.executable, "-c", BUILD.format(note=str(note))],
        cwd=ROOT,
        env=os.environ | {"PYTHONPATH": os.pathsep.join([str(ROOT), *sys.path])},
    )
    wait_until(lambda: note.exists() and note.read_text("utf-8"))
    kernel = int(note.read_text("utf-8"))
    assert alive(kernel)
    build.kill()
    build.wait()
    wait_until(lambda: not alive(kernel))


def wait_until(happened):
    until = time.monotonic() + 120
    while not happened():
        assert time.monotonic() < until
        time.sleep(0.1)


def alive(pid):
    try:
        with open(f"/proc/{pid}/stat", encoding="utf-8") as file:
            return file.read().rsplit(")")[1].split()[0] != "Z"
    except FileNotFoundError:
        return False


def test_where_there_is_no_fork_kernels_start_from_nothing(monkeypatch):
    monkeypatch.setattr(kernels, "CAN_FORK", False)
    (loaded,) = run("import sys\nprint('torch' in sys.modules)")
    assert loaded == "False\n"
