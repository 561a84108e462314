"""Outputs of the pages as the build has run them, for MyST-NB and for all that reads them.

Outputs are found by the page's code cells, because MyST-NB hands over no more than a page's text.
"""

import json
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import nbformat
from myst_nb.core.read import read_myst_markdown_notebook

from tools.cache.store import Store, hash_parts

from . import book_pages

STORE_FOLDER, STORE_KIND = "executed", "pages"


@dataclass(frozen=True)
class PageOutputs:
    """What the code cells of a page have printed and drawn.

    Parameters
    ----------
    text : str
        The outputs as JSON: a list for each code cell, of outputs as nbformat has them.
    key : str
        The hash of all that they depend on.
    seconds : float
        What the run took.
    """

    text: str
    key: str
    seconds: float

    @classmethod
    def from_notebook(cls, notebook, key: str, seconds: float):
        """Take the outputs of a notebook that has run."""
        cells = [cell.outputs for cell in code_cells(notebook)]
        text = json.dumps(cells, ensure_ascii=False, sort_keys=True)
        return cls(text, key, round(seconds, 1))

    @classmethod
    def from_files(cls, contents_by_name: dict[str, bytes]):
        about = json.loads(contents_by_name["about.json"])
        return cls(contents_by_name["outputs.json"].decode(), **about)

    def files(self) -> dict[str, bytes]:
        """Return them as files for a ``Store``."""
        about = json.dumps({"key": self.key, "seconds": self.seconds})
        return {"outputs.json": self.text.encode(), "about.json": about.encode()}

    @cached_property
    def cells(self):
        return json.loads(self.text)

    @property
    def digest(self) -> str:
        """A hash of the outputs themselves."""
        return hash_parts(self.text)


def code_cells(notebook: nbformat.NotebookNode) -> list:
    return [cell for cell in notebook.cells if cell.cell_type == "code"]


def hash_code_cells(notebook: nbformat.NotebookNode) -> str:
    """Return the key under which the outputs of a notebook lie in the build."""
    return hash_parts(*(cell.source for cell in code_cells(notebook)))


def load_outputs(cells_key: str, build_folder):
    """Return the ``Outputs`` that the build has for code cells with this key, or None."""
    files = Store(build_folder / STORE_FOLDER).load(STORE_KIND, cells_key)
    return None if files is None else PageOutputs.from_files(files)


def store_outputs(cells_key: str, outputs: PageOutputs, build_folder):
    """Keep the outputs of code cells with this key in the build.

    Raises
    ------
    OSError
        If they cannot be written, for example because the disk is full.
    """
    Store(build_folder / STORE_FOLDER).keep_or_raise(
        STORE_KIND, cells_key, outputs.files()
    )


def run_seconds_by_page(root, build_folder) -> dict[str, float]:
    """Return how long each page of the book took when it ran, by its name."""
    seconds_by_name = {}
    for path in filter(book_pages.is_notebook, book_pages.page_paths(root)):
        if outputs := load_outputs(
            hash_code_cells(book_pages.read_notebook(path)), build_folder
        ):
            seconds_by_name[book_pages.page_name(path, root)] = outputs.seconds
    return seconds_by_name


def output_digests_by_page(root, build_folder, cache_keys):
    """Return a hash of the outputs of each page of the book, by its name."""
    digests_by_name = {}
    for path in filter(book_pages.is_notebook, book_pages.page_paths(root)):
        outputs = load_outputs(cache_keys.page_keys(path)[0], build_folder)
        if outputs is not None:
            digests_by_name[book_pages.page_name(path, root)] = outputs.digest
    return digests_by_name


def add_outputs(notebook, build_folder):
    """Put the outputs of the build into a notebook, and return it.

    Raises
    ------
    RuntimeError
        If the build has none.
    """
    outputs = load_outputs(hash_code_cells(notebook), build_folder)
    if outputs is None:
        raise RuntimeError(
            f"{build_folder / STORE_FOLDER} has no outputs of these code cells. Build the book again."
        )
    for number, (cell, cell_outputs) in enumerate(
        zip(code_cells(notebook), outputs.cells, strict=True), 1
    ):
        cell.outputs = [nbformat.from_dict(output) for output in cell_outputs]
        cell.execution_count = number
    return notebook


def notebook_with_outputs(page_path: Path, build_folder):
    """Return a page of the book as a notebook with its outputs."""
    return add_outputs(book_pages.read_notebook(page_path), build_folder)


def read_with_outputs(text: str, build_folder):
    """Read a page's text for MyST-NB, which takes this function from its configuration."""
    notebook = read_myst_markdown_notebook(text, add_source_map=True)
    return add_outputs(notebook, Path(build_folder))
