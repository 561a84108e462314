"""Whether the last build is still right: of the present sources, and undamaged."""

import functools
import hashlib
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

from tools.machine import processor
from transformer_book.storage import put

from .store import key_of

SOURCES = ("book", "src", "tools", "_config.yml", "_toc.yml", "requirements.txt")
OUTPUTS = ("html", "notebooks", "model", "numbers", "executed")
RECORD = "complete.json"
NOT_SOURCES = ("__pycache__", ".ipynb_checkpoints", ".egg-info")  # in a path


def files(folder):
    """Yield the files in a folder, or the file itself, in a fixed order."""
    if folder.is_file():
        yield folder
    for parent, folders, names in os.walk(folder):
        folders.sort()
        for name in sorted(names):
            yield folder.__class__(parent, name)


def key(root):
    """Hash all that a build depends on."""
    return key_of(environment_key(root), sources_key(root, *SOURCES))


@functools.cache
def data_in_use():
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
    return key_of(sys.version, pins, data_in_use(), processor())


def sources_key(root, *names):
    """Hash files, and folders with all that is in them."""
    digest = hashlib.sha256()
    for path in (path for name in names for path in files(root / name)):
        if not any(part in str(path) for part in NOT_SOURCES):
            digest.update(path.relative_to(root).as_posix().encode())
            digest.update(path.read_bytes())
    return digest.hexdigest()


def is_current(build, key):
    """Whether a build of this key has ended, and all that it wrote is as it was then.

    Where files of the site are missing or others, the site is removed, because Sphinx would not
    write a page again that is there.
    """
    try:
        record = json.loads((build / RECORD).read_text("utf-8"))
        hashes = dict(record["files"])
    except (OSError, ValueError, KeyError, TypeError):
        return False
    current = outputs(build)
    if any(
        current.get(name) != hashes[name] for name in hashes if name.startswith("html/")
    ):
        shutil.rmtree(build / "html", ignore_errors=True)
    return record.get("key") == key and hashes == current


def outputs(build):
    """Return the hash of each file that a build has written."""
    paths = [path for name in OUTPUTS for path in files(build / name)]
    return {
        path.relative_to(build).as_posix(): key_of(path.read_bytes()) for path in paths
    }


def forget(build):
    """Forget the last build, before another begins to change it."""
    (build / RECORD).unlink(missing_ok=True)


def remember(build, key):
    """Note that a build has ended."""
    record = json.dumps({"key": key, "files": outputs(build)})
    put(build / RECORD, record.encode())
