"""Which pages the book has, and what is in them."""

from copy import deepcopy
from functools import lru_cache
from pathlib import Path

import yaml
from myst_nb.core.read import myst_nb_reader_plugin

TWO_THREADS = "two-threads"  # the tag of a cell that keeps two cores busy
# The tag of a cell that trains a model for other chapters: the translator.
FIRST = "first"
AFTER = "after-first"  # the tag of a cell that uses it
# Another model has its name behind both: first-language-model, after-first-language-model.
LESSONS = {"words", "attention", "transformer", "beyond"}  # the folders of lessons
LABORATORY = "_lab"  # how the name of a lesson's laboratory ends


def pages(root):
    """Return the source of every page in the order of ``_toc.yml``, as paths."""
    toc = yaml.safe_load((root / "_toc.yml").read_text())
    names = [toc["root"]]
    for part in toc.get("parts", []):
        for chapter in part["chapters"]:
            nested = [section["file"] for section in chapter.get("sections", [])]
            names += [chapter["file"], *nested]
    return [root / "book" / f"{name}.md" for name in names]


def kind(name):
    """What a page is, by its name: tour, lesson, laboratory or reference."""
    folder, _, page = name.rpartition("/")
    if page.endswith(LABORATORY):
        return "laboratory"
    return "lesson" if folder in LESSONS else "tour" if page == "tour" else "reference"


def laboratory(name):
    """The name of the laboratory nested under a lesson."""
    return name + LABORATORY


def lesson(name):
    """The name of the lesson that a laboratory belongs to."""
    return name.removesuffix(LABORATORY)


def is_notebook(path):
    """Whether a page has code to run: MyST notebooks name their kernel in the front matter."""
    head = path.read_text(encoding="utf-8").split("\n---", 1)[0]
    return "kernelspec:" in head


def read(path):
    """Read a MyST Markdown notebook, without outputs."""
    return deepcopy(_read(str(path), Path(path).stat().st_mtime_ns))


@lru_cache(maxsize=256)
def _read(path, changed):
    return myst_nb_reader_plugin(path)  # a third of a second, and asked for often


def code(path):
    """The sources of a chapter's code cells."""
    return [cell.source for cell in read(path).cells if cell.cell_type == "code"]


def has_tag(path, tag):
    """Whether a chapter has a cell with this tag."""
    return any(tag in cell.metadata.get("tags", []) for cell in read(path).cells)


def models(path, tag):
    """The names of the models that a chapter trains, or uses, by ``FIRST`` or ``AFTER``."""
    tags = {tag for cell in read(path).cells for tag in cell.metadata.get("tags", [])}
    return {one.removeprefix(tag) for one in tags if f"{one}-".startswith(f"{tag}-")}


def makers(paths):
    """Return for each of these chapters those among them that train the models it uses.

    Parameters
    ----------
    paths : list of pathlib.Path
        In the order of the book.

    Returns
    -------
    dict of pathlib.Path to list of pathlib.Path

    Raises
    ------
    ValueError
        If a chapter trains a model with the help of one that only a later chapter trains.
    """
    made = {path: models(path, FIRST) for path in paths}
    found = {
        path: [p for p in paths if p != path and made[p] & models(path, AFTER)]
        for path in paths
    }
    for i, path in enumerate(paths):
        late = [p.stem for p in found[path] if p in paths[i:]]
        if made[path] and late:
            raise ValueError(
                f"{path.stem} trains a model and uses one that {late[0]} trains; expected the "
                "one that is used first in the book. Change their order in _toc.yml."
            )
    return found


def name(path, root):
    """The chapter's name: its path in the book, without the ending."""
    return Path(path).relative_to(root / "book").with_suffix("").as_posix()
