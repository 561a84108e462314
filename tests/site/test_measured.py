"""Pages that quote recorded times can still measure them: each is run as a reader's notebook is.

A page that has passed is not run again before its key, or the form of its record, is another one.
"""

import json
from pathlib import Path

import pytest

from tests.conftest import ROOT
from tools import measure
from tools.execute import KERNEL_ENVIRONMENT, run_one
from tools.keys import Keys
from tools.store import Store, key_of
from transformer_press import times

pytestmark = pytest.mark.build
PAGES = measure.pages(ROOT)


def shape(numbers):
    """What is left of numbers without their values."""
    if isinstance(numbers, dict):
        return {key: shape(value) for key, value in numbers.items()}
    if isinstance(numbers, list):
        return [shape(value) for value in numbers]
    return type(numbers)


@pytest.fixture(scope="session")
def key(site):
    """Return the key of what a page measures: its own, and all records' forms."""
    keys, folder = Keys(ROOT, ROOT / "_build"), Path(times.__file__).parent
    forms = [
        f"{path.stem} {shape(times.load(path.stem)['numbers'])}"
        for path in sorted(folder.glob("*.json"))
    ]
    source = Path(__file__).read_text("utf-8")
    return lambda path: key_of(source, keys.page(path)[1], *forms)


@pytest.mark.parametrize("name", PAGES)
def test_it_measures_what_its_record_holds(name, site, key, tmp_path, monkeypatch):
    store = Store.of_this_machine()
    if store.load("measured", key(PAGES[name])):
        return
    environment = KERNEL_ENVIRONMENT | {
        times.SETTING: str(tmp_path),
        "TRANSFORMER_BOOK_MODEL": str(ROOT / "_build" / "model"),
    }
    for variable, value in environment.items():
        monkeypatch.setenv(variable, value)
    _, _, failure = run_one(PAGES[name])
    assert failure is None, failure
    results = sorted(tmp_path.glob("*.json"))
    assert results
    for file in results:
        found, record = json.loads(file.read_text("utf-8")), times.load(file.stem)
        assert shape(found["numbers"]) == shape(record["numbers"])
    store.keep("measured", key(PAGES[name]), {"page": name.encode()})
