"""The page of the package: every module is on it, and what it says of errors is so."""

import pkgutil
from pathlib import Path

import pytest

import transformer_book
import transformer_lab
import transformer_press
from transformer_book import config, data, shapes, storage

PAGE = Path(__file__).parents[2] / "book" / "reference" / "api.md"
# Of use to the packages only.
INTERNAL = {"progress", "run", "translate_corpus", "__main__"}


@pytest.mark.parametrize(
    "package", [transformer_book, transformer_lab, transformer_press]
)
def test_every_module_is_documented(package):
    text, name = PAGE.read_text("utf-8"), package.__name__
    modules = {module.name for module in pkgutil.iter_modules(package.__path__)}
    assert modules - INTERNAL
    for module in modules - INTERNAL:
        assert f".. automodule:: {name}.{module}\n" in text
        assert f"`{module}`" in text


def test_errors_are_value_errors():
    for error in (
        shapes.ShapeError,
        data.DataError,
        config.ConfigError,
        storage.StorageError,
    ):
        assert issubclass(error, ValueError)
