"""Files are found in order, downloaded whole or not at all, and never overwritten."""

import dataclasses
import errno
import os
import pwd
import subprocess
import sys

import pytest

from transformer_book import progress
from transformer_book.data import CORPORA, DataError, corpus_registry, downloads, load
from transformer_book.data.downloads import cache_folder

FETCH = """
import sys
from pathlib import Path
from transformer_book.data import downloads
from transformer_book.data.corpus_registry import Corpus
folder, origin, size, digest, limit = sys.argv[1:]
downloads.cache_folder = lambda: Path(folder)
if int(limit):
    import resource
    resource.setrlimit(resource.RLIMIT_FSIZE, (int(limit), int(limit)))
print(downloads.fetch(Corpus("text8", "text8", "text8/text8.gz", int(size), digest, "", "text8",
                         origin=origin)))
"""


def fetch_elsewhere(cache, corpus, limit=0):
    """Start the download in a process of its own, whose files may have ``limit`` bytes."""
    words = [str(cache), corpus.origin, str(corpus.size), corpus.hash, str(limit)]
    environment = {
        k: v for k, v in os.environ.items() if not k.startswith("TRANSFORMER_BOOK")
    }
    return subprocess.Popen(
        [sys.executable, "-c", FETCH, *words],
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        encoding="utf-8",
    )


def files(folder):
    return sorted(path.name for path in folder.rglob("*") if path.is_file())


def put(folder, content, name="text8/text8.gz"):
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)
    return path


def test_a_download_lands_in_the_cache_and_happens_once(text8, cache, server, body):
    first, second = downloads.fetch(text8), downloads.fetch(text8)
    assert first == second == cache / "text8" / "text8.gz"
    assert first.read_bytes() == body
    assert files(cache) == ["text8.gz"]
    assert server.requests == 1


def test_the_own_folder_comes_before_the_cache(
    text8, cache, server, body, tmp_path, monkeypatch
):
    own = put(tmp_path / "own", body)
    put(cache, body)
    monkeypatch.setenv("TRANSFORMER_BOOK_DATA", str(tmp_path / "own"))
    assert downloads.fetch(text8) == own
    own.unlink()
    assert downloads.fetch(text8) == cache / "text8" / "text8.gz"
    assert server.requests == 0


def test_an_own_folder_that_does_not_exist_is_named(
    text8, server, tmp_path, monkeypatch
):
    monkeypatch.setenv("TRANSFORMER_BOOK_DATA", str(tmp_path / "nowhere"))
    with pytest.raises(DataError, match="TRANSFORMER_BOOK_DATA.*nowhere.*not a folder"):
        downloads.fetch(text8)
    assert server.requests == 0


def test_a_user_without_a_home_has_no_cache(text8, body, tmp_path, monkeypatch):
    monkeypatch.setattr(downloads, "cache_folder", cache_folder)
    for name in ("HOME", "XDG_CACHE_HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(pwd, "getpwuid", lambda number: {}[number])
    with pytest.raises(DataError, match="no home folder; expected .* Set HOME"):
        downloads.fetch(text8)
    own = put(tmp_path, body)
    monkeypatch.setenv("TRANSFORMER_BOOK_DATA", str(tmp_path))
    assert downloads.fetch(text8) == own


@pytest.mark.parametrize("where", ["own", "cache"])
def test_a_damaged_file_is_named_and_kept(
    text8, cache, server, body, where, tmp_path, monkeypatch
):
    if where == "own":
        monkeypatch.setenv("TRANSFORMER_BOOK_DATA", str(tmp_path / "own"))
    damaged = put(tmp_path / where, body[:-1] + b"?")
    with pytest.raises(DataError) as caught:
        downloads.fetch(text8)
    said = str(caught.value)
    given, expected = (
        downloads.file_digest(damaged, "md5"),
        text8.hash.removeprefix("md5:"),
    )
    assert str(damaged) in said and given in said and expected in said
    assert "Move or delete it and run again" in said
    assert damaged.read_bytes() == body[:-1] + b"?"
    assert server.requests == 0


def test_a_file_that_cannot_be_read_is_named(text8, cache, body, monkeypatch):
    path = put(cache, body)

    def refuse(*args, **kwargs):
        raise PermissionError(errno.EACCES, "Permission denied")

    monkeypatch.setattr(downloads, "open", refuse, raising=False)
    with pytest.raises(
        DataError, match=f"{path.name} cannot be read: Permission denied"
    ):
        downloads.fetch(text8)


def test_a_missing_file_without_an_origin_names_the_places(cache):
    with pytest.raises(DataError) as caught:
        downloads.fetch(CORPORA["text8-prefix"])
    said = str(caught.value)
    assert str(cache) in said and "text8/text8-prefix.gz" in said
    assert "TRANSFORMER_BOOK_DATA" in said


def test_a_download_by_a_program_writes_nothing_on_the_page(text8, cache):
    out, err = fetch_elsewhere(cache, text8).communicate(timeout=60)
    assert out.strip() == str(cache / "text8" / "text8.gz")
    assert err == ""


@pytest.mark.parametrize("watched", [True, False])
def test_progress_is_shown_to_a_person_alone(text8, cache, watched, monkeypatch, capfd):
    monkeypatch.setattr(progress, "is_watched", lambda: watched)
    downloads.fetch(text8)
    out, err = capfd.readouterr()
    assert out == ""
    assert ("text8/text8.gz: 100%" in err) if watched else (err == "")


def test_the_packages_own_file_needs_nobody(cache, tmp_path, monkeypatch):
    monkeypatch.setenv("TRANSFORMER_BOOK_DATA", str(tmp_path / "nowhere"))
    corpus = CORPORA["wikipedia-sample"]
    path = downloads.fetch(corpus)
    assert path.stat().st_size == corpus.size
    assert not cache.exists()


def test_a_package_that_is_not_installed(cache):
    corpus = dataclasses.replace(CORPORA["wikipedia-sample"], package="no_such_package")
    with pytest.raises(DataError, match="Install no_such_package"):
        downloads.fetch(corpus)


def test_an_unknown_name_lists_the_known_ones(cache):
    with pytest.raises(
        DataError, match="'text9'.*wikipedia-sample, text8, text8-prefix"
    ):
        load("text9")


def test_the_registry_is_consistent():
    for name, corpus in corpus_registry.CORPORA.items():
        assert corpus.name == name
        algorithm, digest = corpus.hash.split(":")
        assert len(digest) == {"md5": 32, "sha256": 64}[algorithm]
        assert corpus.origin is None or corpus.origin.startswith("https://")
        assert corpus.cut_from is None or (
            corpus.cut_from in corpus_registry.CORPORA and corpus.words
        )
        assert corpus.terms and corpus.title and corpus.size > 0


def test_text8_comes_from_where_gensim_gets_it():
    from gensim import downloader

    # gensim still has the project's former owner in its address; the host forwards it.
    theirs = f"{downloader.DOWNLOAD_BASE_URL}/text8/text8.gz".split("/")
    ours = CORPORA["text8"].origin.split("/")
    assert ours[2] == theirs[2] and ours[4:] == theirs[4:]
