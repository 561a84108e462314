"""What may import what: what is taught knows nothing of the other packages, and no tool itself."""

import ast
from graphlib import TopologicalSorter

import pytest

from tests.conftest import ROOT

SOURCE = ROOT / "src"
LABORATORY = {"back_beams", "back_translations"}
MAY_IMPORT = {
    "transformer_book": set(),
    "transformer_lab": {"transformer_book"},
    "transformer_press": {"transformer_book"},
    "transformer_workshop": {"transformer_book"},
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


def test_no_word_of_the_laboratory_stands_in_what_is_taught():
    for path in (SOURCE / "transformer_book").rglob("*.py"):
        nodes = [*ast.walk(ast.parse(path.read_text("utf-8")))]
        words = {node.id for node in nodes if isinstance(node, ast.Name)}
        words |= {node.attr for node in nodes if isinstance(node, ast.Attribute)}
        assert not words & LABORATORY, path


def test_by_hand_needs_no_torch():
    for path, names in modules("transformer_book"):
        if path.parent.name == "by_hand":
            assert "torch" not in names, path


def uses(paths):
    """Return for each module, by its dotted name, which others of these it imports."""
    names = {
        ".".join(path.with_suffix("").parts).removesuffix(".__init__"): path
        for path in paths
    }
    graph = {name: set() for name in names}
    for name, path in names.items():
        package = name.split(".") if path.stem == "__init__" else name.split(".")[:-1]
        for node in ast.walk(ast.parse((ROOT / path).read_text("utf-8"))):
            if isinstance(node, ast.ImportFrom):
                up = package[: len(package) - node.level + 1] if node.level else []
                module = ".".join([*up, *filter(None, [node.module])])
                inner = {f"{module}.{alias.name}" for alias in node.names}
                graph[name] |= {one if one in names else module for one in inner}
            elif isinstance(node, ast.Import):
                graph[name] |= {alias.name for alias in node.names}
    return {name: (used & set(names)) - {name} for name, used in graph.items()}


def test_no_tool_imports_itself_by_way_of_others():
    paths = [path.relative_to(ROOT) for path in (ROOT / "tools").rglob("*.py")]
    graph = uses(paths)
    assert graph["tools.book"] >= {"tools", "tools.minutes", "tools.pages.run_pages"}
    TopologicalSorter(graph).prepare()  # raises, and names a circle
