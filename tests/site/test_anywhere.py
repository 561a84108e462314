"""A published notebook of each part runs in an environment that has only Jupyter and pip.

Beside them stands what the package declares that it needs, and no more: the files of the
environment that runs the tests, linked. Nothing is fetched.
"""

import os
import shutil
import subprocess
import sys
import tomllib
from importlib.metadata import distribution
from pathlib import Path

import nbformat
import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from tests.conftest import ROOT

pytestmark = pytest.mark.build
ONE_OF_EACH_PART = [
    "words/positions",
    "attention/eight_steps",
    "transformer/stacks",
    "reference/notation",
]
ALWAYS = ["pip", "nbclient", "ipykernel"]
NBCLIENT = "from nbclient.cli import main; main()"


def closure(requirements):
    """Return the installed distributions that meet these requirements, and those that they need."""
    found, waiting = {}, [(Requirement(text), "") for text in requirements]
    seen = set()
    while waiting:
        needed, of = waiting.pop()
        if needed.marker and not needed.marker.evaluate({"extra": of}):
            continue
        name = canonicalize_name(needed.name)
        found[name] = distribution(name)
        for extra in {"", *needed.extras}:
            if (name, extra) not in seen:
                seen.add((name, extra))
                more = found[name].requires or ()
                waiting += [(Requirement(text), extra) for text in more]
    return found.values()


def link(installed, place):
    """Put a distribution's files, but for its programs, into another environment."""
    for file in installed.files:
        if ".." not in file.parts and file.suffix != ".pyc":
            target = place / file
            target.parent.mkdir(parents=True, exist_ok=True)
            source = Path(installed.locate_file(file))
            try:
                os.link(source, target)
            except OSError:  # on another disk
                target.symlink_to(source)


def declared():
    """What a bare environment has: the package's own requirements, and what builds it."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    return [*project["project"]["dependencies"], *project["build-system"]["requires"]]


@pytest.fixture(scope="module")
def only_jupyter(tmp_path_factory):
    folder = tmp_path_factory.mktemp("only-jupyter")
    venv = folder / "venv"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", venv], check=True)
    (place,) = venv.glob("lib/python*/site-packages")
    for installed in closure([*declared(), *ALWAYS]):
        link(installed, place)
    package = folder / "checkout"  # a copy, because pip builds where the source is
    shutil.copytree(
        ROOT / "src", package / "src", ignore=shutil.ignore_patterns("*.egg-info")
    )
    for name in ("pyproject.toml", "LICENSE", "LICENSE-TEXT"):
        shutil.copy(ROOT / name, package)
    environment = os.environ | {
        "PIP_DISABLE_PIP_VERSION_CHECK": "1",
        "PIP_NO_BUILD_ISOLATION": "0",  # it has what builds the package; 0 means none
        "PIP_NO_COMPILE": "1",
        "PIP_NO_INDEX": "1",
        "TRANSFORMER_BOOK_PACKAGE": str(package),
        "OMP_NUM_THREADS": "1",
        "PYTHONHASHSEED": "0",
    }
    for name in ("PYTHONPATH", "PIP_FIND_LINKS"):
        environment.pop(name, None)
    return venv / "bin" / "python", environment


def run(python, environment, path):
    return subprocess.run(
        [python, "-c", NBCLIENT, "--inplace", "--timeout=900", path],
        env=environment,
        capture_output=True,
        text=True,
        encoding="utf-8",
    )


def test_it_has_what_is_declared_and_no_more():
    names = {installed.metadata["Name"].lower() for installed in closure(["pooch"])}
    assert {"pooch", "requests", "urllib3"} <= names and "torch" not in names
    bare = {installed.metadata["Name"].lower() for installed in closure(declared())}
    assert "torch" in bare and not bare & {"jupyter-book", "playwright", "transformers"}


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
        if before.cell_type != "code":
            continue
        if before.source.startswith("from transformer_workshop import check_answer"):
            # The reader's check: published before it has run, and nobody has answered.
            assert printed(after).startswith("Not answered yet."), before.source
        else:
            assert printed(after) == printed(before), before.source
    (last,) = ran.cells[-1].outputs
    assert "ran in" in last.data["text/markdown"]


def printed(cell):
    """The text of a cell's outputs; pictures and values kept for prose are left to other tests."""
    texts = []
    for output in cell.outputs:
        if output.output_type == "stream" and output.name == "stdout":
            texts.append(output.text)
        elif "text/plain" in output.get("data", {}):
            texts.append(output.data["text/plain"])
    return "".join(texts)
