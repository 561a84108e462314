"""Publish the executed pages as notebooks that run anywhere: Jupyter, Colab, Binder."""

import shutil
from functools import cache

import nbformat
import yaml

from tools.cache.store import Store, key_of

from . import book_pages, page_outputs
from .page_outputs import STORE_FOLDER
from .plain_markdown import MarkdownConverter, read_bibliography

INSTALLATION_CELL = """\
# Installs the book's package where it is missing, as in Colab. Elsewhere this does nothing.
import importlib.util
import os

if importlib.util.find_spec("transformer_book") is None:
    package = os.environ.get("TRANSFORMER_BOOK_PACKAGE", "{package}")
    %pip install --quiet "{{package}}"
"""
GLUE_MIME_PREFIX = "application/papermill.record/"


def publish_notebooks(root, build, keys):
    """Write every page's notebook to ``_build/notebooks`` and behind its download button."""
    config = yaml.safe_load((root / "_config.yml").read_text("utf-8"))
    package = f"git+{config['repository']['url']}"
    bibliography = root / "book" / config["bibtex_bibfiles"][0]
    macros = config["sphinx"]["config"]["mathjax3_config"]["tex"]["macros"]
    shared = key_of(keys.code_key, bibliography.read_bytes(), repr((package, macros)))
    entries = cache(lambda: read_bibliography(bibliography))  # most builds need none
    store, target = Store(build / STORE_FOLDER), build / "notebooks"
    shutil.rmtree(target, ignore_errors=True)
    for path in filter(book_pages.is_notebook, book_pages.page_paths(root)):
        name = f"{book_pages.page_name(path, root)}.ipynb"
        key = key_of(shared, path.read_text("utf-8"))
        files = store.load("notebooks", key)
        if files is None:
            files = {
                "notebook": _notebook_bytes(path, build, package, entries(), macros)
            }
            store.write("notebooks", key, files)
        for copy in (target / name, build / "html" / "_sources" / name):
            copy.parent.mkdir(parents=True, exist_ok=True)
            copy.write_bytes(files["notebook"])
    # Binder prepares its machine from this file.
    requirements = f"transformer-book @ {package}\n"
    (target / "requirements.txt").write_text(requirements, "utf-8")


def _notebook_bytes(path, build, package, entries, macros):
    """The notebook of a page as bytes of a file."""
    try:
        notebook = convert_notebook(
            page_outputs.page_with_outputs(path, build), package, entries, macros
        )
    except (ValueError, KeyError) as error:
        raise RuntimeError(f"{path.stem}: {error}") from error
    return nbformat.writes(notebook).encode()


def convert_notebook(page, package, bibliography, macros):
    """Return a notebook in plain Markdown, with pictures as PNG and solutions folded."""
    to_plain = MarkdownConverter(glued_values(page), bibliography, macros)
    install = nbformat.v4.new_code_cell(INSTALLATION_CELL.format(package=package))
    cells, in_solution = [install], False
    for cell in page.cells:
        if cell.cell_type == "markdown":
            # A directive's end decides: prose after the last solution is not folded.
            last = max(("{solution-start}", "{solution-end}"), key=cell.source.rfind)
            if last in cell.source:
                in_solution = last == "{solution-start}"
            if plain := to_plain(cell.source):
                cells.append(nbformat.v4.new_markdown_cell(plain))
        elif cell.cell_type == "code":
            cells.append(copy_code_cell(cell, folded=in_solution))
    for number, cell in enumerate(cells):
        cell["id"] = f"cell-{number}"
    kernel = {"name": "python3", "display_name": "Python 3", "language": "python"}
    notebook = nbformat.v4.new_notebook(cells=cells, metadata={"kernelspec": kernel})
    nbformat.validate(notebook)
    return notebook


def copy_code_cell(cell, folded):
    """Copy a code cell; hide the input of plumbing and solutions as Jupyter and Colab each do."""
    tags = cell.metadata.get("tags", [])
    new = nbformat.v4.new_code_cell(cell.source, execution_count=cell.execution_count)
    if folded or {"hide-input", "remove-input", "remove-cell"} & set(tags):
        new.metadata = nbformat.from_dict(
            {"jupyter": {"source_hidden": True}, "cellView": "form"}
        )
    if tags:
        new.metadata["tags"] = tags
    new.outputs = [o for o in map(portable_output, cell.outputs) if o is not None]
    return new


def portable_output(output):
    """Drop what only the site can use: values for its prose, and SVG that follows its theme."""
    data = output.get("data")
    if data is None:
        return output
    if any(kind.startswith(GLUE_MIME_PREFIX) for kind in data):
        return None
    output = nbformat.from_dict(output)
    if "image/png" in data:
        output.data.pop("text/html", None)
    return output


def glued_values(notebook):
    """Collect the values that the page's cells glued, by name."""
    return {
        output.metadata["scrapbook"]["name"]: output.data[
            f"{GLUE_MIME_PREFIX}text/plain"
        ]
        for cell in notebook.cells
        for output in cell.get("outputs", [])
        if "scrapbook" in output.get("metadata", {})
    }
