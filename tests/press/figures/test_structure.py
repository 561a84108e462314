"""How the drawing code is laid out: one front door, one kit, one way to draw each thing."""

import ast
from pathlib import Path

import pytest

import transformer_press

ROOT = Path(transformer_press.__file__).parent
MODULES = sorted(ROOT.rglob("*.py"))


def tree(path):
    return ast.parse(path.read_text(encoding="utf-8"))


def imported(path):
    """Return (module in full, name) for each name that a module takes from another of ours."""
    package = path.relative_to(ROOT.parent).with_suffix("").parts[:-1]
    found = []
    for node in ast.walk(tree(path)):
        if isinstance(node, ast.ImportFrom):
            start = package[: len(package) + 1 - node.level] if node.level else ()
            module = ".".join([*start, *filter(None, [node.module])])
            found += [(module, alias.name) for alias in node.names]
        elif isinstance(node, ast.Import):
            found += [(alias.name, "") for alias in node.names]
    return [pair for pair in found if pair[0].startswith("transformer_press")]


def defined():
    return [
        node.name
        for path in MODULES
        for node in ast.walk(tree(path))
        if isinstance(node, ast.FunctionDef)
    ]


@pytest.mark.parametrize("path", MODULES, ids=lambda path: path.stem)
def test_no_module_uses_a_private_name_of_another(path):
    names = imported(path)
    assert not [name for _, name in names if name.startswith("_")]
    modules = {name for _, name in names}
    used = [
        f"{node.value.id}.{node.attr}"
        for node in ast.walk(tree(path))
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name)
        if node.value.id in modules and node.attr.startswith("_")
    ]
    assert not used


@pytest.mark.parametrize(
    ("folder", "strangers"),
    [
        ("kit", ("plots", "diagrams")),
        ("plots", ("diagrams",)),
        ("diagrams", ("plots",)),
    ],
)
def test_folders_meet_only_in_the_kit(folder, strangers):
    paths = [path for path in MODULES if path.parent.name == folder]
    assert len(paths) > 5
    for path in paths:
        for module, name in imported(path):
            parts = {*module.split("."), name}
            assert not parts & set(strangers), f"{path.name} imports {module} {name}"


@pytest.mark.parametrize(
    "what", ["arrow", "arrow_head", "box", "draw_brackets", "wrap"]
)
def test_what_is_drawn_in_many_figures_is_written_once(what):
    assert [name.strip("_") for name in defined()].count(what) == 1
