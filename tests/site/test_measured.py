"""Pages that quote recorded times can still measure them: each is run as a reader's notebook is."""

import json

import pytest

from tests.conftest import ROOT
from tools import measure
from tools.execute import KERNEL_ENVIRONMENT, run_one
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


@pytest.mark.parametrize("name", PAGES)
def test_it_measures_what_its_record_holds(name, site, tmp_path, monkeypatch):
    environment = KERNEL_ENVIRONMENT | {
        times.SETTING: str(tmp_path),
        "TRANSFORMER_BOOK_MODEL": str(ROOT / "_build" / "model"),
    }
    for key, value in environment.items():
        monkeypatch.setenv(key, value)
    _, _, failure = run_one(PAGES[name])
    assert failure is None, failure
    results = sorted(tmp_path.glob("*.json"))
    assert results
    for file in results:
        found, record = json.loads(file.read_text("utf-8")), times.load(file.stem)
        assert shape(found["numbers"]) == shape(record["numbers"])
