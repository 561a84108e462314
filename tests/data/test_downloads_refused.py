"""A download that fails, for whatever reason, is one clear error and leaves nothing."""

import errno
import os
import signal
import time

import pytest

from tests.data.test_downloads import fetch_elsewhere, files
from transformer_book.data import DataError, downloads


@pytest.mark.parametrize(
    "how, said",
    [
        ("truncated", "could not be downloaded"),
        ("missing", "404"),
        ("other", "sent something else"),
    ],
)
def test_a_bad_download_leaves_nothing(text8, cache, server, how, said):
    server.how = how
    with pytest.raises(DataError, match=said) as caught:
        downloads.fetch(text8)
    assert server.url in str(caught.value) and "run again" in str(caught.value).lower()
    if how == "other":
        assert text8.hash.removeprefix("md5:") in str(caught.value)
    assert files(cache) == []
    server.how = "whole"
    assert downloads.fetch(text8).is_file()


def test_no_network(text8, cache, server):
    server.close()
    with pytest.raises(DataError, match="could not be downloaded") as caught:
        downloads.fetch(text8)
    assert "Check the network" in str(caught.value)
    assert "TRANSFORMER_BOOK_DATA" in str(caught.value)
    assert files(cache) == []


def test_a_silent_server_is_given_up(text8, cache, server, monkeypatch):
    monkeypatch.setattr(downloads, "TIMEOUT_SECONDS", 0.3)
    server.how = "half"
    started = time.monotonic()
    with pytest.raises(DataError, match="could not be downloaded"):
        downloads.fetch(text8)
    assert time.monotonic() - started < 10
    assert files(cache) == []


def test_a_download_killed_half_way_never_counts(text8, cache, server, body):
    server.how = "half"
    process = fetch_elsewhere(cache, text8)
    assert server.half_sent.wait(60)
    # pooch reads 64 KB at a time, so the half may or may not have reached the disk.
    patience = time.monotonic() + 60
    while not files(cache) and time.monotonic() < patience:
        time.sleep(0.05)
    process.send_signal(signal.SIGKILL)
    process.communicate()
    assert process.returncode == -signal.SIGKILL
    (leftover,) = cache.rglob("tmp*")
    assert files(cache) == [leftover.name]

    server.how = "whole"
    path = downloads.fetch(text8)
    assert path.read_bytes() == body
    # A leftover this young could be another process at work.
    assert leftover.exists()

    path.unlink()
    long_ago = time.time() - downloads.ABANDONED_AFTER_SECONDS - 1
    os.utime(leftover, (long_ago, long_ago))
    downloads.fetch(text8)
    assert files(cache) == ["text8.gz"]


def test_a_full_disk(text8, cache, monkeypatch):
    class Full:
        def __init__(self, file):
            self.file = file

        def write(self, chunk):
            self.file.write(chunk[:100])
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

        def close(self):
            self.file.close()

    monkeypatch.setattr(
        "pooch.downloaders.open", lambda *a: Full(open(*a)), raising=False
    )
    with pytest.raises(DataError, match="the disk is full") as caught:
        downloads.fetch(text8)
    assert f"{text8.size:,} bytes" in str(caught.value)
    assert files(cache) == []


def test_a_system_that_refuses_to_write(text8, cache):
    process = fetch_elsewhere(cache, text8, limit=1_000)
    _, stderr = process.communicate(timeout=60)
    assert (
        "DataError" in stderr
        and "could not be saved" in stderr
        and f"{cache / text8.file}: File too large. It needs" in stderr
    )
    assert files(cache) == []


@pytest.mark.parametrize(
    "error, cause",
    [
        (OSError(errno.EDQUOT, "Disk quota exceeded"), "the disk is full"),
        (OSError(errno.EIO, "Input/output error"), "Input/output error"),
        (OSError("no reason but this"), "no reason but this"),
    ],
)
def test_what_the_system_said_is_the_cause(text8, cache, monkeypatch, error, cause):
    def fail(*_, **__):
        raise error

    monkeypatch.setattr(downloads.pooch, "retrieve", fail)
    target = cache / text8.file
    with pytest.raises(DataError, match="could not be saved") as caught:
        downloads.fetch(text8)
    assert f"saved to {target}: {cause}. It needs {text8.size:,} bytes" in str(
        caught.value
    )
    assert caught.value.reason == f"its download could not be saved: {cause}"


def test_a_cache_that_cannot_be_made(text8, cache):
    cache.write_text("a file where the folder should be", "utf-8")
    with pytest.raises(DataError, match="could not be saved"):
        downloads.fetch(text8)
    assert cache.read_text("utf-8") == "a file where the folder should be"
