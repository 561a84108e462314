"""No arrow goes from what is taught to what is measured or printed."""

import ast
from pathlib import Path

import pytest

import transformer_book

TAUGHT = Path(transformer_book.__file__).parent
LABORATORY = {"bidirectional", "back_beams", "back_translations"}


@pytest.mark.parametrize(
    "path", sorted(TAUGHT.rglob("*.py")), ids=lambda p: str(p.relative_to(TAUGHT))
)
def test_the_taught_package_knows_nothing_of_the_others(path):
    tree = ast.parse(path.read_text("utf-8"))
    imported = {
        alias.name
        for node in ast.walk(tree)
        if isinstance(node, ast.Import)
        for alias in node.names
    } | {
        node.module or "" for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)
    }
    other = ("transformer_lab", "transformer_press")
    assert not [name for name in imported if name.startswith(other)]
    words = {
        node.id if isinstance(node, ast.Name) else node.attr
        for node in ast.walk(tree)
        if isinstance(node, ast.Name | ast.Attribute)
    }
    assert not words & LABORATORY
