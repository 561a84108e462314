"""Three packages, and which may import which: what is taught knows nothing of the others."""

import ast

import pytest

from tests.conftest import ROOT

SOURCE = ROOT / "src"
MAY_IMPORT = {
    "transformer_book": set(),
    "transformer_lab": {"transformer_book"},
    "transformer_press": {"transformer_book"},
}


def imported(path):
    """Return the names of all modules that a file imports, wherever it does."""
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and not node.level:
            yield node.module


def modules(package):
    paths = [*(SOURCE / package).rglob("*.py")]
    assert paths, package
    return [(path, {name.split(".")[0] for name in imported(path)}) for path in paths]


def test_these_are_all_packages():
    assert {path.name for path in SOURCE.iterdir() if path.glob("*.py")} - {
        path.name for path in SOURCE.glob("*.egg-info")
    } == set(MAY_IMPORT)


@pytest.mark.parametrize("package", MAY_IMPORT)
def test_it_imports_none_but_those_it_may(package):
    others = set(MAY_IMPORT) - MAY_IMPORT[package] - {package}
    for path, names in modules(package):
        assert not names & others, path


def test_by_hand_needs_no_torch():
    for path, names in modules("transformer_book"):
        if path.parent.name == "by_hand":
            assert "torch" not in names, path
