"""What stands on both floors is said once: a docstring of ``nn`` points to that of ``by_hand``."""

import inspect
import re

import pytest

from transformer_book import by_hand, nn

REFERENCE = re.compile(r"``by_hand\.(\w+)``")
ENTRY = re.compile(r"^(\w+(?:, \w+)*)(?: :.*)?$", re.MULTILINE)
HEADINGS = {"Parameters", "Returns", "Raises", "ShapeError", "StorageError"}


def documented(floor):
    """Yield the name and the object of every class, function and method of a floor."""
    for name in floor.__all__:
        item = getattr(floor, name)
        if not item.__module__.startswith(floor.__name__):
            continue
        yield name, item
        if inspect.isclass(item):
            for own, method in vars(item).items():
                if inspect.isfunction(method) and not own.startswith("_"):
                    yield f"{name}.{own}", method


def described(doc):
    """Return the names in the section of parameters of a docstring."""
    section = re.search(r"Parameters\n-+\n(.*?)(\n\n\w+\n---|\Z)", doc, re.DOTALL)
    names = ENTRY.findall(section[1]) if section else []
    return {name for group in names for name in group.split(", ")}


def said(doc):
    """Return the lines of a docstring that say something, in the words of both floors."""
    lines = {line.strip().replace("tensor", "array") for line in doc.splitlines()}
    return {line for line in lines - HEADINGS if line.strip("-")}


HAND = dict(documented(by_hand))
TORCH = dict(documented(nn))
REFERRING = [name for name, item in TORCH.items() if "``by_hand." in item.__doc__]


def referred(name):
    return HAND[REFERENCE.search(TORCH[name].__doc__)[1]]


@pytest.mark.parametrize("name", [*HAND])
def test_by_hand_describes_every_parameter_or_is_one_line(name):
    doc = inspect.getdoc(HAND[name])
    if described(doc):
        assert described(doc) == {*inspect.signature(HAND[name]).parameters}


@pytest.mark.parametrize("name", sorted({*HAND} & {*TORCH} - {"load_weights"}))
def test_a_function_of_both_floors_is_described_by_hand(name):
    assert REFERENCE.findall(TORCH[name].__doc__) == [name]


@pytest.mark.parametrize("name", REFERRING)
def test_a_reference_leads_somewhere_and_repeats_nothing(name):
    assert not said(inspect.getdoc(TORCH[name])) & said(inspect.getdoc(referred(name)))


@pytest.mark.parametrize("name", [*TORCH])
def test_a_parameter_of_nn_is_described_there_or_by_hand(name):
    item = TORCH[name]
    doc, names = inspect.getdoc(item), {*inspect.signature(item).parameters} - {"self"}
    there = described(inspect.getdoc(referred(name))) if name in REFERRING else set()
    if described(doc) or name in REFERRING:
        assert described(doc) <= names
        assert names - described(doc) <= there
