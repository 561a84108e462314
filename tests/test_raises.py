"""What a docstring lists under Raises is an exception: of its package, of what is taught, of Python."""

import ast
import pydoc
import re
from functools import cache

import pytest

from tests.conftest import ROOT

SECTION = re.compile(
    r"^Raises\n-+\n(.*?)(?=^\w[\w ]*\n-+\n|\Z)", re.DOTALL | re.MULTILINE
)
ENTRY = re.compile(r"^\S.*", re.MULTILINE)  # what explains it is indented
DOCUMENTED = ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef
PACKAGES = {path.name: path for path in (ROOT / "src").glob("transformer_*")}
PACKAGES |= {"tools": ROOT / "tools"}
PATHS = {
    path: name
    for name, folder in PACKAGES.items()
    for path in sorted(folder.rglob("*.py"))
}
TAUGHT = "transformer_book"  # the others pass its errors on


@cache
def parsed(path):
    return ast.parse(path.read_text("utf-8"))


def listed_names(tree):
    """Return the names that the docstrings of a module list under Raises."""
    docs = [ast.get_docstring(n) for n in ast.walk(tree) if isinstance(n, DOCUMENTED)]
    sections = [section for doc in docs if doc for section in SECTION.findall(doc)]
    entries = [entry for section in sections for entry in ENTRY.findall(section)]
    return {name for entry in entries for name in entry.split(", ")}


@cache
def bases_of_classes(package):
    """Return the names of the bases of each class of a package, by its name."""
    return {
        node.name: [ast.unparse(base) for base in node.bases]
        for path, name in PATHS.items()
        if name == package
        for node in ast.walk(parsed(path))
        if isinstance(node, ast.ClassDef)
    }


def is_exception(name, *packages):
    """Whether a name is that of an exception: of these packages, of Python, or of a library."""
    for package in packages:
        if name in (classes := bases_of_classes(package)):
            return any(is_exception(base, *packages) for base in classes[name])
    found = pydoc.locate(name)
    return isinstance(found, type) and issubclass(found, BaseException)


LISTING = {path: names for path in PATHS if (names := listed_names(parsed(path)))}


@pytest.mark.parametrize(
    "path", LISTING, ids=lambda path: path.relative_to(ROOT).as_posix()
)
def test_what_is_listed_under_raises_is_an_exception(path):
    names = LISTING[path]
    assert not {n for n in names if not is_exception(n, PATHS[path], TAUGHT)}


def test_names_are_found_in_every_package():
    found = {PATHS[path] for path in LISTING}
    assert found >= {TAUGHT, "transformer_lab", "transformer_press", "tools"}
    assert "ShapeError" in LISTING[PACKAGES[TAUGHT] / "by_hand" / "attention.py"]
    assert is_exception("OSError", "tools") and not is_exception("Path", "tools")
