"""Whether the last build is still right: of the present sources, and undamaged."""

import functools
import hashlib
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

from tools.machine import processor_description
from transformer_book.storage import replace_file

from .store import key_of

SOURCE_PATHS = (
    *("book", "src", "tools", "_config.yml", "_toc.yml", "requirements.txt"),
    "package-lock.json",
)
OUTPUT_FOLDERS = ("html", "notebooks", "model", "numbers", "executed")
RECORD_FILE = "complete.json"
IGNORED_PATH_PARTS = ("__pycache__", ".ipynb_checkpoints", ".egg-info")  # in a path


def iterate_files(folder):
    """Yield the files in a folder, or the file itself, in a fixed order."""
    if folder.is_file():
        yield folder
    for parent, folders, names in os.walk(folder):
        folders.sort()
        for name in sorted(names):
            yield folder.__class__(parent, name)


def build_key(root):
    """Hash all that a build depends on."""
    return key_of(environment_key(root), sources_key(root, *SOURCE_PATHS))


@functools.cache
def corpus_fingerprint():
    """Ask the package, in a new process, which corpus the pages would get now."""
    code = "from transformer_book import data; print(data.fingerprint())"
    return subprocess.run(
        [sys.executable, "-c", code],
        check=True,
        capture_output=True,
        text=True,
        encoding="utf-8",
    ).stdout


def environment_key(root):
    """Hash what all outputs depend on: Python, the pinned versions, the data, the processor."""
    pins = (Path(root) / "requirements.txt").read_bytes()
    return key_of(sys.version, pins, corpus_fingerprint(), processor_description())


def sources_key(root, *names):
    """Hash files, and folders with all that is in them."""
    digest = hashlib.sha256()
    for path in (path for name in names for path in iterate_files(root / name)):
        if not any(part in str(path) for part in IGNORED_PATH_PARTS):
            digest.update(path.relative_to(root).as_posix().encode())
            digest.update(path.read_bytes())
    return digest.hexdigest()


def is_current(build, key):
    """Whether a build of this key has ended, and all that it wrote is as it was then.

    Where files of the site are missing or others, the site is removed, because Sphinx would not
    write a page again that is there.
    """
    try:
        record = json.loads((build / RECORD_FILE).read_text("utf-8"))
        hashes = dict(record["files"])
    except (OSError, ValueError, KeyError, TypeError):
        return False
    current = output_hashes(build)
    if any(
        current.get(name) != hashes[name] for name in hashes if name.startswith("html/")
    ):
        shutil.rmtree(build / "html", ignore_errors=True)
    return record.get("key") == key and hashes == current


def output_hashes(build):
    """Return the hash of each file that a build has written."""
    paths = [path for name in OUTPUT_FOLDERS for path in iterate_files(build / name)]
    return {
        path.relative_to(build).as_posix(): key_of(path.read_bytes()) for path in paths
    }


def forget_build(build):
    """Forget the last build, before another begins to change it."""
    (build / RECORD_FILE).unlink(missing_ok=True)


def record_build(build, key):
    """Note that a build has ended."""
    record = json.dumps({"key": key, "files": output_hashes(build)})
    replace_file(build / RECORD_FILE, record.encode())
