"""The page of the package: every module is on it, and what it says of errors is so."""

import pkgutil
from pathlib import Path

import transformer_book
from transformer_book import config, data, shapes, storage

PAGE = Path(__file__).parents[2] / "book" / "reference" / "api.md"
INTERNAL = {"progress"}  # of use to the package only


def test_every_module_is_documented():
    text = PAGE.read_text("utf-8")
    modules = {
        module.name for module in pkgutil.iter_modules(transformer_book.__path__)
    }
    missing = [
        m
        for m in modules - INTERNAL
        if f".. automodule:: transformer_book.{m}" not in text
    ]
    assert modules and not missing


def test_errors_are_value_errors():
    for error in (
        shapes.ShapeError,
        data.DataError,
        config.ConfigError,
        storage.StorageError,
    ):
        assert issubclass(error, ValueError)
