"""Which pages the book has, and what is in them."""

from copy import deepcopy
from functools import lru_cache
from pathlib import Path

import yaml

TWO_THREADS_TAG = "two-threads"  # the tag of a cell that keeps two cores busy
LESSON_FOLDER_NAMES = {
    "words",
    "attention",
    "transformer",
    "beyond",
}  # the folders of lessons
WORKSHOP_FOLDER_NAME = "workshop"  # of the pages where the reader writes each part
LABORATORY_SUFFIX = "_lab"  # how the name of a lesson's laboratory ends


def page_paths(root: Path) -> list[Path]:
    """Return the source of every page in the order of ``_toc.yml``, as paths."""
    toc = yaml.safe_load((root / "_toc.yml").read_text("utf-8"))
    names = [toc["root"]]
    for part in toc.get("parts", []):
        for page in part["chapters"]:
            nested = [section["file"] for section in page.get("sections", [])]
            names += [page["file"], *nested]
    return [root / "book" / f"{name}.md" for name in names]


def page_kind(page_name: str) -> str:
    """What a page is, by its name: tour, lesson, laboratory, workshop or reference."""
    folder, _, page = page_name.rpartition("/")
    if page.endswith(LABORATORY_SUFFIX):
        return "laboratory"
    if folder == WORKSHOP_FOLDER_NAME:
        return "workshop"
    return (
        "lesson"
        if folder in LESSON_FOLDER_NAMES
        else "tour"
        if page == "tour"
        else "reference"
    )


def laboratory_name(lesson_name: str) -> str:
    """The name of the laboratory nested under a lesson."""
    return lesson_name + LABORATORY_SUFFIX


def lesson_name(laboratory_name: str) -> str:
    """The name of the lesson that a laboratory belongs to."""
    return laboratory_name.removesuffix(LABORATORY_SUFFIX)


def is_notebook(path: Path) -> bool:
    """Whether a page has code to run: MyST notebooks name their kernel in the front matter."""
    head = path.read_text(encoding="utf-8").split("\n---", 1)[0]
    return "kernelspec:" in head


def read_notebook(path):
    """Read a MyST Markdown notebook, without outputs."""
    return deepcopy(_read_notebook(str(path), Path(path).stat().st_mtime_ns))


@lru_cache(maxsize=256)
def _read_notebook(path, modified_ns):
    # It takes a second, and who looks at sources alone does without.
    from myst_nb.core.read import myst_nb_reader_plugin

    return myst_nb_reader_plugin(path)  # a third of a second, and asked for often


def code_cell_sources(path: Path) -> list[str]:
    """The sources of a page's code cells."""
    return [
        cell.source for cell in read_notebook(path).cells if cell.cell_type == "code"
    ]


def has_tagged_cell(path: Path, tag: str) -> bool:
    """Whether a page has a cell with this tag."""
    return any(
        tag in cell.metadata.get("tags", []) for cell in read_notebook(path).cells
    )


def page_name(path: Path, root: Path) -> str:
    """The page's name: its path in the book, without the ending."""
    return Path(path).relative_to(root / "book").with_suffix("").as_posix()
