"""A result is kept until it would be of something else."""

import pytest

from tools.cache.memo import Memo


@pytest.fixture
def path(tmp_path):
    return tmp_path / "memo.json"


def computed(path, name, of, result):
    """Ask for a result as a build does; say whether it was computed, and what it is."""
    memo, asked = Memo(path), []
    got = memo(name, of, lambda: asked.append(name) or result)
    memo.write()
    return bool(asked), got


def test_it_is_computed_once_and_again_when_it_is_of_something_else(path):
    assert computed(path, "a", "1", [7, "x"]) == (True, [7, "x"])
    assert computed(path, "a", "1", None) == (False, [7, "x"])
    assert computed(path, "b", "1", 0.5) == (True, 0.5)
    assert computed(path, "a", "1", None) == (False, [7, "x"])
    assert computed(path, "a", "2", 8) == (True, 8)


@pytest.mark.parametrize(
    "text", ["", '{"a": ["1"', "[1, 2]", '{"a": 3}', '{"a": [[1]]}']
)
def test_a_damaged_table_is_an_empty_one(path, text):
    path.write_text(text, "utf-8")
    assert computed(path, "a", "1", 7) == (True, 7)
    assert computed(path, "a", "1", 8) == (False, 7)
