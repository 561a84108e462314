"""A reader can type a lesson along: its visible cells alone, in order, in an empty namespace, work."""

import matplotlib.pyplot as plt
import pytest
from IPython.display import display

from tests.conftest import ROOT
from tests.lessons import LESSONS
from tools.pages.run_pages import KERNEL_ENVIRONMENT_VARIABLES
from tools.rules.page import SourcePage
from transformer_lab.book_models import files

pytestmark = pytest.mark.book


def visible(name):
    """Return the visible cells of a page outside its solutions, each with its line."""
    page = SourcePage(name, (ROOT / "book" / f"{name}.md").read_text("utf-8"))
    return [
        (cell.line, cell.source)
        for cell in page.cells
        if cell.is_open and not cell.in_solution
    ]


@pytest.mark.parametrize("name", LESSONS)
def test_the_visible_cells_run_by_themselves(name, monkeypatch):
    models = {files.MODEL_FOLDER_VARIABLE: str(ROOT / "_build" / "model")}
    for setting, value in (KERNEL_ENVIRONMENT_VARIABLES | models).items():
        monkeypatch.setenv(setting, value)
    monkeypatch.chdir((ROOT / "book" / name).parent)
    namespace = {"__name__": "__main__", "display": display}  # as in a notebook
    for line, source in visible(name):
        exec(compile("\n" * (line - 1) + source, f"{name}.md", "exec"), namespace)
    plt.close("all")
