"""The store gives back what was kept, or nothing."""

import errno
import os
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import pytest

from tools.cache import store
from tools.cache.store import Store, hash_parts

KEY = hash_parts("a page")
FILES = {"page.ipynb": b"{}" * 1000, "deep/model.bin": bytes(range(256)) * 40, "": b""}


@pytest.fixture
def kept(tmp_path):
    one = Store(tmp_path / "store")
    one.keep("pages", KEY, FILES)
    return one


def entry(one):
    (path,) = one.folder.glob("*/*.entry")
    return path


def test_files_come_back_as_they_were(kept):
    assert kept.load("pages", KEY) == FILES
    assert Store(kept.folder).load("pages", KEY) == FILES


def test_an_entry_without_files_is_there(kept):
    kept.keep("passed", KEY, {})
    assert kept.load("passed", KEY) == {}


def test_another_key_or_kind_finds_nothing(kept):
    assert kept.load("pages", hash_parts("another page")) is None
    assert kept.load("models", KEY) is None


def test_parts_of_a_key_are_kept_apart():
    keys = {
        hash_parts("ab", "c"),
        hash_parts("a", "bc"),
        hash_parts("abc"),
        hash_parts("ab", "c", ""),
    }
    assert len(keys) == 4
    assert hash_parts("ab") == hash_parts(b"ab")


def test_every_damage_is_noticed_and_the_entry_can_be_made_anew(kept):
    right = entry(kept).read_bytes()
    damages = [right[:cut] for cut in range(0, len(right), len(right) // 40)]
    for at in range(0, len(right), len(right) // 300):
        damages.append(right[:at] + bytes([right[at] ^ 0x10]) + right[at + 1 :])
    for damaged in damages:
        path = kept.folder / "pages" / f"{KEY}.entry"
        path.write_bytes(damaged)
        assert kept.load("pages", KEY) is None
        assert not path.exists()
    kept.keep("pages", KEY, FILES)
    assert kept.load("pages", KEY) == FILES


def test_an_entry_under_another_s_name_is_not_taken(kept):
    other = hash_parts("another page")
    os.rename(entry(kept), kept.folder / "pages" / f"{other}.entry")
    assert kept.load("pages", other) is None
    assert not list(kept.folder.glob("*/*.entry"))


def test_a_full_disk_costs_the_entry_and_one_line(kept, monkeypatch, capsys):
    def full(path, data):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(store, "replace_file", full)
    kept.keep("pages", hash_parts("new"), FILES)
    assert kept.load("pages", hash_parts("new")) is None
    assert kept.load("pages", KEY) == FILES
    said = capsys.readouterr().err
    assert "No space left" in said and "not kept" in said and said.count("\n") == 1


def test_off_keeps_and_takes_nothing(kept, monkeypatch):
    monkeypatch.setenv(store.STORE_VARIABLE, store.STORE_OFF)
    off = Store.of_this_machine()
    off.keep("pages", KEY, FILES)
    assert off.load("pages", KEY) is None
    monkeypatch.setenv(store.STORE_VARIABLE, str(kept.folder))
    assert Store.of_this_machine().load("pages", KEY) == FILES


def test_without_a_setting_all_clones_share_one_folder(monkeypatch, tmp_path):
    monkeypatch.delenv(store.STORE_VARIABLE, raising=False)
    monkeypatch.setattr(store, "cache_folder", lambda: tmp_path / "transformer-book")
    Store.of_this_machine().keep("pages", KEY, FILES)
    assert entry(Store(tmp_path / "transformer-book" / "store")).exists()


def test_beyond_its_size_what_nobody_took_goes_first(kept, monkeypatch):
    keys = [hash_parts(str(n)) for n in range(4)]
    for age, key in zip((4, 3, 2, 0), keys):
        kept.keep("pages", key, {"x": os.urandom(1000)})
        hours_ago = os.stat(entry_of(kept, key)).st_mtime - 7200 * age
        os.utime(entry_of(kept, key), (hours_ago, hours_ago))
    kept.load("pages", keys[0])  # the oldest is of use again
    os.utime(entry_of(kept, KEY), (0, 0))
    monkeypatch.setattr(store, "MAX_STORE_BYTES", 3 * 1200)
    kept.keep("pages", hash_parts("last"), {"x": os.urandom(1000)})
    left = [key for key in (KEY, *keys) if kept.load("pages", key) is not None]
    assert left == [keys[0], keys[3]]


def entry_of(one, key) -> Path:
    return one.folder / "pages" / f"{key}.entry"


def write_many(folder):
    """What one of several builds at once does: keep and take the same entries."""
    one, wrong = Store(folder), 0
    for n in range(60):
        key = hash_parts(str(n % 5))
        files = {"x": key.encode() * 2000}
        one.keep("pages", key, files)
        wrong += one.load("pages", key) not in (files, None)
    return wrong


def test_builds_at_once_do_not_harm_each_other(tmp_path):
    with ProcessPoolExecutor(4) as pool:
        assert list(pool.map(write_many, [tmp_path] * 4)) == [0, 0, 0, 0]
    one = Store(tmp_path)
    for n in range(5):
        assert one.load("pages", hash_parts(str(n))) == {
            "x": hash_parts(str(n)).encode() * 2000
        }
    assert not list(tmp_path.rglob("*.part"))
