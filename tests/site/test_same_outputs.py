"""Every chapter, run once more, gives the outputs of the build, byte for byte.

A chapter that uses the trained model gets the build's: the chapter that trains it, run once more,
makes the same file.
"""

import pytest
from jupyter_cache import get_cache

from tests.conftest import ROOT
from tools import chapters
from tools.execute import KERNEL_ENVIRONMENT, run_one

pytestmark = pytest.mark.build
BUILD = ROOT / "_build"
# The chapters that train take longest, and so they begin. Their text is looked at, for to read every
# chapter as a notebook takes every worker seconds.
CHAPTERS = sorted(
    (path for path in chapters.pages(ROOT) if chapters.is_notebook(path)),
    key=lambda path: f":tags: [{chapters.FIRST}" not in path.read_text("utf-8"),
)
NAMES = [chapters.name(path, ROOT) for path in CHAPTERS]


def outputs(notebook):
    """Return the outputs of each code cell."""
    code = [cell for cell in notebook.cells if cell.cell_type == "code"]
    return {number: cell.outputs for number, cell in enumerate(code, 1)}


def files(folder):
    """Return the content of each file that a chapter made."""
    return {path.name: path.read_bytes() for path in folder.iterdir()}


@pytest.mark.parametrize("path", CHAPTERS, ids=NAMES)
def test_a_second_run_gives_the_same(path, site, tmp_path, monkeypatch):
    makes = chapters.models(path, chapters.FIRST)
    model = tmp_path if makes else BUILD / "model"
    environment = {**KERNEL_ENVIRONMENT, "TRANSFORMER_BOOK_MODEL": str(model)}
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    again, _, failure = run_one(path)
    assert failure is None, failure
    cache = get_cache(BUILD / ".jupyter_cache")
    _, built = cache.merge_match_into_notebook(chapters.read(path))
    first, second = outputs(built), outputs(again)
    assert first.keys() == second.keys() and first
    assert [number for number in first if first[number] != second[number]] == []
    assert not makes or files(model)
    assert files(model).items() <= files(BUILD / "model").items()
