"""A published notebook of each part runs in an environment that has only Jupyter."""

import os
import shutil
import subprocess
import sys

import nbformat
import pytest

from tests.conftest import ROOT

pytestmark = pytest.mark.build
ONE_OF_EACH_PART = [
    "words/positions",
    "attention/eight_steps",
    "transformer/stacks",
    "reference/notation",
]


@pytest.fixture(scope="module")
def only_jupyter(tmp_path_factory):
    folder = tmp_path_factory.mktemp("only-jupyter")
    subprocess.run([sys.executable, "-m", "venv", folder / "venv"], check=True)
    package = folder / "checkout"  # a copy, because pip builds where the source is
    shutil.copytree(
        ROOT / "src", package / "src", ignore=shutil.ignore_patterns("*.egg-info")
    )
    shutil.copy(ROOT / "pyproject.toml", package)
    environment = os.environ | {
        "PIP_CONSTRAINT": str(ROOT / "requirements.txt"),
        "PIP_DISABLE_PIP_VERSION_CHECK": "1",
        "PIP_NO_COMPILE": "1",  # only a few of torch's files are run
        "TRANSFORMER_BOOK_PACKAGE": str(package),
        "OMP_NUM_THREADS": "1",
        "PYTHONHASHSEED": "0",
    }
    environment.pop("PYTHONPATH", None)
    python = folder / "venv" / "bin" / "python"
    subprocess.run(
        [python, "-m", "pip", "install", "--quiet", "nbclient", "ipykernel"],
        check=True,
        env=environment,
    )
    return python, environment


def run(python, environment, path):
    return subprocess.run(
        [python, "-m", "jupyter", "execute", "--inplace", "--timeout=900", path],
        env=environment,
        capture_output=True,
        text=True,
    )


@pytest.mark.parametrize("name", ONE_OF_EACH_PART)
def test_it_runs_from_its_own_first_cell(name, site, only_jupyter, tmp_path):
    published = ROOT / "_build" / "notebooks" / f"{name}.ipynb"
    copy = tmp_path / "notebook.ipynb"
    shutil.copy(published, copy)
    result = run(*only_jupyter, copy)
    assert result.returncode == 0, result.stderr[-3000:]
    expected, ran = (nbformat.read(path, as_version=4) for path in (published, copy))
    # What pip says in the first cell is its own affair, and the last says how long the page ran.
    for before, after in zip(expected.cells[1:-1], ran.cells[1:-1], strict=True):
        if before.cell_type == "code":
            assert printed(after) == printed(before), before.source
    assert "ran in" in printed(ran.cells[-1])


def printed(cell):
    """The text of a cell's outputs; pictures and values kept for prose are left to other tests."""
    texts = []
    for output in cell.outputs:
        if output.output_type == "stream" and output.name == "stdout":
            texts.append(output.text)
        elif "text/plain" in output.get("data", {}):
            texts.append(output.data["text/plain"])
    return "".join(texts)
