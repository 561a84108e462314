"""Publish the executed pages as notebooks that run anywhere: Jupyter, Colab, Binder."""

import shutil
from dataclasses import dataclass
from functools import cache, partial

import nbformat
import yaml

from tools.cache.store import Store, hash_parts

from . import book_pages, page_outputs
from .exercises import ExerciseReader, notebook_cells_of_part
from .page_outputs import STORE_FOLDER
from .plain_markdown import MarkdownConverter, read_bibliography
from .published_models import MODEL_FOLDER_NAME, publish_models

INSTALLATION_CELL_TEMPLATE = """\
# Installs the book's package where it is missing, as in Colab. Elsewhere this does nothing.
import importlib.util
import os

if importlib.util.find_spec("transformer_book") is None:
    package = os.environ.get("TRANSFORMER_BOOK_PACKAGE", "{package}")
    %pip install --quiet "{{package}}"
"""
MODEL_IMPORT_TEXT = (
    "import book_models"  # in the cells of a page that uses a trained model
)
MODEL_CELL_TEMPLATE = """\
# Fetches the book's trained models where they are not beside the notebook, as in Colab.
# Without them, the page trains its own, in about two minutes.
from transformer_lab import book_models

book_models.fetch_models("{models}")
"""
# PyTorch's own index of CPU builds, which are gigabytes smaller.
CPU_INDEX_OPTION = "--extra-index-url https://download.pytorch.org/whl/cpu"
GLUE_MIME_PREFIX = "application/papermill.record/"


def publish_notebooks(root, build_folder, cache_keys):
    """Write every page's notebook to ``_build/notebooks`` and behind its download button."""
    config = yaml.safe_load((root / "_config.yml").read_text("utf-8"))
    bibliography = root / "book" / config["bibtex_bibfiles"][0]
    macros = config["sphinx"]["config"]["mathjax3_config"]["tex"]["macros"]
    addresses = Addresses.from_config(config)
    shared = hash_parts(
        cache_keys.code_key, bibliography.read_bytes(), repr((addresses, macros))
    )
    entries = cache(lambda: read_bibliography(bibliography))  # most builds need none
    store, target = Store(build_folder / STORE_FOLDER), build_folder / "notebooks"
    shutil.rmtree(target, ignore_errors=True)
    for path in filter(book_pages.is_notebook, book_pages.page_paths(root)):
        page_name = book_pages.page_name(path, root)
        key = hash_parts(shared, path.read_text("utf-8"))
        files = store.load("notebooks", key)
        if files is None:
            to_plain = partial(
                MarkdownConverter,
                works_by_key=entries(),
                macros=macros,
                site_page=f"{addresses.site}{page_name}.html",
            )
            files = {
                "notebook": _notebook_bytes(path, build_folder, addresses, to_plain)
            }
            store.keep_or_raise("notebooks", key, files)
        name = f"{page_name}.ipynb"
        for copy in (target / name, build_folder / "html" / "_sources" / name):
            copy.parent.mkdir(parents=True, exist_ok=True)
            copy.write_bytes(files["notebook"])
    publish_models(build_folder, target)
    # Binder prepares its machine from this file.
    requirements = f"{CPU_INDEX_OPTION}\ntransformer-book @ {addresses.package}\n"
    (target / "requirements.txt").write_text(requirements, "utf-8")


@dataclass(frozen=True)
class Addresses:
    """Where the book is published: its package for pip, its site, the models beside its notebooks."""

    package: str
    site: str
    models: str

    @classmethod
    def from_config(cls, config):
        """Derive all of them from the repository, which only ``_config.yml`` names."""
        repository = config["repository"]["url"].rstrip("/")
        owner, name = repository.split("/")[-2:]
        # Where GitHub serves the Pages and the files of a repository.
        site = (
            config.get("html", {}).get("baseurl") or f"https://{owner}.github.io/{name}"
        )
        branch = config["repository"]["branch"]
        files = f"https://raw.githubusercontent.com/{owner}/{name}/{branch}"
        return cls(
            f"git+{repository}", f"{site.rstrip('/')}/", f"{files}/{MODEL_FOLDER_NAME}/"
        )


def _notebook_bytes(page_path, build_folder, addresses, make_converter):
    """The notebook of a page as bytes of a file."""
    try:
        page = page_outputs.notebook_with_outputs(page_path, build_folder)
        notebook = make_plain_notebook(
            page, addresses, make_converter(glued_values_by_name(page))
        )
    except (ValueError, KeyError) as error:
        raise RuntimeError(f"{page_path.stem}: {error}") from error
    return nbformat.writes(notebook).encode()


def make_plain_notebook(notebook_with_outputs, addresses, to_plain_markdown):
    """Return a notebook in plain Markdown, with cells to answer in and solutions folded.

    Parameters
    ----------
    notebook_with_outputs : NotebookNode
        With its outputs.
    addresses : Addresses
    to_plain_markdown : MarkdownConverter
    """
    sources = [INSTALLATION_CELL_TEMPLATE.format(package=addresses.package)]
    if any(
        cell.cell_type == "code" and MODEL_IMPORT_TEXT in cell.source
        for cell in notebook_with_outputs.cells
    ):
        sources.append(MODEL_CELL_TEMPLATE.format(models=addresses.models))
    cells = [nbformat.v4.new_code_cell(source) for source in sources]
    reader = ExerciseReader()
    for cell in notebook_with_outputs.cells:
        if cell.cell_type == "markdown":
            for part in reader.split_into_parts(cell.source):
                cells += notebook_cells_of_part(part, to_plain_markdown)
        elif cell.cell_type == "code":
            in_solution = reader.open_solution is not None
            cells.append(copy_code_cell(cell, in_solution))
    for number, cell in enumerate(cells):
        cell["id"] = f"cell-{number}"
    kernel = {"name": "python3", "display_name": "Python 3", "language": "python"}
    notebook = nbformat.v4.new_notebook(cells=cells, metadata={"kernelspec": kernel})
    nbformat.validate(notebook)
    return notebook


def copy_code_cell(cell, in_solution: bool):
    """Copy a code cell; fold plumbing, and of a solution the outputs, too.

    Jupyter and Colab each have a key for the code. For outputs Jupyter has two that must agree;
    nobody here could see what Colab makes of them.
    """
    tags = cell.metadata.get("tags", [])
    new = nbformat.v4.new_code_cell(cell.source, execution_count=cell.execution_count)
    if in_solution or {"hide-input", "remove-input", "remove-cell"} & set(tags):
        new.metadata = nbformat.from_dict(
            {"jupyter": {"source_hidden": True}, "cellView": "form"}
        )
    if in_solution:
        new.metadata.jupyter["outputs_hidden"] = True
        new.metadata["collapsed"] = True
    if tags:
        new.metadata["tags"] = tags
    new.outputs = [o for o in map(portable_output, cell.outputs) if o is not None]
    return new


def portable_output(output: nbformat.NotebookNode):
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


def glued_values_by_name(notebook) -> dict[str, str]:
    """Collect the values that the page's cells glued, by name."""
    return {
        output.metadata["scrapbook"]["name"]: output.data[
            f"{GLUE_MIME_PREFIX}text/plain"
        ]
        for cell in notebook.cells
        for output in cell.get("outputs", [])
        if "scrapbook" in output.get("metadata", {})
    }
