"""The pages of the packages: every module is on its page, and what it says of errors is so."""

import importlib
import inspect
import pkgutil
import re

import pytest
import yaml
from sphinx.ext.napoleon import Config, NumpyDocstring

import transformer_book
import transformer_lab
import transformer_press
from tools import ROOT
from transformer_book import config, data, shapes, storage

REFERENCE = ROOT / "book" / "reference"
PAGES = {
    transformer_book: REFERENCE / "api.md",
    transformer_lab: REFERENCE / "api_measured.md",
    transformer_press: REFERENCE / "api_printed.md",
}
# Of use to the packages only.
INTERNAL = {
    "config_rules",
    "expect",
    "ids",
    "model_folders",
    "nesting",
    "options",
    "progress",
}
INTERNAL |= {"__main__", "translator.curriculum", "translator.recutting"}
INTERNAL |= {"translator.finished_run", "translator.json_files"}
INTERNAL |= {"translations.translate_corpus", "translations.grammar_runs"}
INTERNAL |= {"translations.consistency"}
ROOMS = {"translator", "translations", "language", "costs", "words"}


def module_names(package):
    """Yield the names of a package's modules; of the laboratory also those in its rooms."""
    for module in pkgutil.iter_modules(package.__path__):
        yield module.name
        if package is transformer_lab and module.name in ROOMS:
            room = importlib.import_module(f"{package.__name__}.{module.name}")
            for one in pkgutil.iter_modules(room.__path__):
                yield f"{module.name}.{one.name}"


@pytest.mark.parametrize("package", PAGES)
def test_every_module_is_documented(package):
    text, name = PAGES[package].read_text("utf-8"), package.__name__
    modules = {*module_names(package)}
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


SETTINGS = yaml.safe_load((ROOT / "_config.yml").read_text("utf-8"))
NAPOLEON = Config(
    **{
        name: value
        for name, value in SETTINGS["sphinx"]["config"].items()
        if name.startswith("napoleon")
    }
)
GROUP = re.compile(r"^ *(\w+(?:, \w+)+) : [^\n]+\n +([^\n]+)", re.MULTILINE)


def documented():
    """Every class, function and property of the three packages, with what it is."""
    for package in PAGES:
        prefix = package.__name__ + "."
        for found in pkgutil.walk_packages(package.__path__, prefix):
            if found.name.endswith("__main__"):
                continue
            for thing in vars(importlib.import_module(found.name)).values():
                if not (getattr(thing, "__module__", None) or "").startswith(prefix):
                    continue
                if inspect.isclass(thing) or inspect.isfunction(thing):
                    yield "function", thing
                if inspect.isclass(thing):
                    for part in vars(thing).values():
                        if inspect.isdatadescriptor(part) or hasattr(part, "func"):
                            yield "property", part


def shown(what, thing):
    doc = inspect.getdoc(thing) or ""
    return str(NumpyDocstring(doc, NAPOLEON, what=what, name="name"))


def test_parameters_described_together_are_shown_together():
    groups = 0
    for what, thing in documented():
        doc = inspect.getdoc(thing) or ""
        for names, first in GROUP.findall(doc):
            groups += 1
            assert shown(what, thing).count(first) == doc.count(first), names
    assert groups > 20


def test_no_sentence_about_a_property_is_taken_for_its_type():
    wrong = {
        inspect.getdoc(thing)
        for what, thing in documented()
        if what == "property" and ":type:" in shown(what, thing)
    }
    assert not wrong
