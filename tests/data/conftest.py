"""A registry entry with a small file, a local server that misbehaves on request, a fresh cache."""

import dataclasses
import gzip
import hashlib
import json
import os
import subprocess
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from transformer_book.data import corpus_loading, corpus_registry, downloads

WORDS = [f"word{i}" for i in range(2_500)]
# Stored, not compressed, so that the file is long enough to be cut half-way.
BODY = gzip.compress(" ".join(WORDS).encode(), compresslevel=0, mtime=0)


class Server:
    """Serves files as ``how`` says: whole, truncated, other, missing or half (and then waits).

    A path that is not in ``bodies`` gets BODY.
    """

    def __init__(self):
        self.how = "whole"
        self.bodies = {}
        self.requests = 0
        self.half_sent = threading.Event()
        self.stop = threading.Event()
        outer = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self):
                outer.requests += 1
                outer.answer(self)

            def log_message(self, *args):
                pass

        self.http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.http.daemon_threads = True
        self.url = f"http://127.0.0.1:{self.http.server_port}/text8.gz"
        often = {"poll_interval": 0.01}  # else each end waits half a second
        serve = self.http.serve_forever
        threading.Thread(target=serve, kwargs=often, daemon=True).start()

    def answer(self, handler):
        if self.how == "missing":
            return handler.send_error(404)
        body = self.bodies.get(handler.path, BODY)
        if self.how == "other":
            body = bytes(len(body))
        handler.send_response(200)
        handler.send_header("Content-Length", str(len(body)))
        handler.end_headers()
        if self.how in ("half", "truncated"):
            handler.wfile.write(body[: len(body) // 2])
            handler.wfile.flush()
            self.half_sent.set()
            if self.how == "half":
                self.stop.wait(60)
        else:
            handler.wfile.write(body)

    def close(self):
        self.stop.set()
        self.http.shutdown()
        self.http.server_close()


ELSEWHERE = """
import hashlib, json, sys
from transformer_book import data
loaded, corpus = [], data.load_parallel()
parts = repr((corpus.train, corpus.validation, corpus.test)).encode()
loaded.append("torch" in sys.modules)
data.Batch
loaded.append("torch" in sys.modules)
print(json.dumps({"torch loaded": loaded, "parts": hashlib.sha256(parts).hexdigest()}))
"""


@pytest.fixture(scope="session")
def elsewhere():
    """What the data package loads and draws in a process of its own, with other hashes of strings."""
    other = "2" if os.environ.get("PYTHONHASHSEED") == "1" else "1"
    done = subprocess.run(
        [sys.executable, "-c", ELSEWHERE],
        check=True,
        capture_output=True,
        text=True,
        env=os.environ | {"PYTHONHASHSEED": other},
        encoding="utf-8",
    )
    return json.loads(done.stdout)


@pytest.fixture
def server():
    running = Server()
    yield running
    running.close()


@pytest.fixture
def cache(tmp_path, monkeypatch):
    """An empty cache folder, and none of the reader's own settings."""
    folder = tmp_path / "cache"
    monkeypatch.setattr(downloads, "cache_folder", lambda: folder)
    monkeypatch.setattr(corpus_loading, "_load_facts_by_setting", {})
    for setting in ("TRANSFORMER_BOOK_DATA", "TRANSFORMER_BOOK_CORPUS"):
        monkeypatch.delenv(setting, raising=False)
    return folder


@pytest.fixture
def text8(cache, server, monkeypatch):
    """Text8 with the small file in place of the 33 MB, from the local server."""
    corpus = dataclasses.replace(
        corpus_registry.CORPORA["text8"],
        origin=server.url,
        size=len(BODY),
        hash="md5:" + hashlib.md5(BODY).hexdigest(),
    )
    monkeypatch.setitem(corpus_registry.CORPORA, "text8", corpus)
    return corpus


@pytest.fixture
def body():
    return BODY


@pytest.fixture
def words():
    return WORDS
