"""Files that code makes are there, undamaged and of their key, or they are made anew."""

import pytest

from tools.cache.file_set import FileSet
from tools.cache.store import Store

KEY, OTHER = "key", "other key"


@pytest.fixture
def made(tmp_path):
    return FileSet(tmp_path / "build", "numbers")


@pytest.fixture
def store(tmp_path):
    return Store(tmp_path / "store")


class Writer:
    """Writes two files, and counts how often."""

    def __init__(self):
        self.times = 0

    def __call__(self, folder):
        self.times += 1
        for name in ("one", "two"):
            (folder / name).write_text(f"{name} {self.times}", "utf-8")


def text(made):
    return {path.name: path.read_text("utf-8") for path in made.folder.glob("[!n]*")}


def test_what_is_there_under_its_key_is_known(made, store):
    assert not made.is_current(KEY)
    made.make(KEY, store, Writer())
    assert made.is_current(KEY) and not made.is_current(OTHER)
    assert text(made) == {"one": "one 1", "two": "two 1"}


DAMAGES = {
    "missing": lambda file, record: file.unlink(),
    "truncated": lambda file, record: file.write_text("", "utf-8"),
    "changed": lambda file, record: file.write_text("one 2", "utf-8"),
    "without a record": lambda file, record: record.unlink(),
    "with half a record": lambda file, record: record.write_text('{"key": "k', "utf-8"),
    "with another's record": lambda file, record: record.write_text("[1]", "utf-8"),
}


@pytest.mark.parametrize("damage", DAMAGES)
def test_every_damage_is_noticed_and_the_store_makes_it_good(made, store, damage):
    writer = Writer()
    made.make(KEY, store, writer)
    DAMAGES[damage](made.folder / "one", made.folder / "numbers.made.json")
    assert not made.is_current(KEY)
    made.make(KEY, store, writer)
    assert writer.times == 1 and made.is_current(KEY)
    assert text(made) == {"one": "one 1", "two": "two 1"}


def test_without_a_store_they_are_written_again(made):
    writer = Writer()
    made.make(KEY, Store(None), writer)
    (made.folder / "one").unlink()
    made.make(KEY, Store(None), writer)
    assert writer.times == 2 and made.is_current(KEY)


def test_another_key_writes_again_and_removes_what_only_the_old_one_had(made, store):
    made.make(KEY, store, Writer())
    (made.folder / "theirs").write_text("of another", "utf-8")
    made.make(OTHER, store, lambda folder: (folder / "two").write_text("2", "utf-8"))
    assert made.is_current(OTHER)
    assert text(made) == {"two": "2", "theirs": "of another"}


def test_what_fails_half_way_leaves_nothing_that_counts(made, store):
    def fails(folder):
        (folder / "one").write_text("half", "utf-8")
        raise RuntimeError("no more")

    with pytest.raises(RuntimeError, match="no more"):
        made.make(KEY, store, fails)
    assert not made.is_current(KEY) and store.load("numbers", KEY) is None
