"""Whether the last build is still right: made of these very sources, and undamaged."""

import hashlib
import json
import os
import shutil

from tools.machine import environment_key
from transformer_book.storage import put

from .store import key_of

SOURCES = ("book", "src", "tools", "_config.yml", "_toc.yml", "requirements.txt")
OUTPUTS = ("html", "notebooks", "model", "numbers", "executed")
RECORD = "complete.json"
IDLE = ("__pycache__", ".ipynb_checkpoints", ".egg-info")  # in a path: no source


def files(folder):
    """Yield the files in a folder, or the file itself, in a fixed order."""
    if folder.is_file():
        yield folder
    for place, folders, names in os.walk(folder):
        folders.sort()
        for name in sorted(names):
            yield folder.__class__(place, name)


def key(root):
    """Hash all that a build depends on."""
    return key_of(environment_key(root), sources_key(root, *SOURCES))


def sources_key(root, *names):
    """Hash files, and folders with all that is in them."""
    digest = hashlib.sha256()
    for path in (path for name in names for path in files(root / name)):
        if not any(part in str(path) for part in IDLE):
            digest.update(path.relative_to(root).as_posix().encode())
            digest.update(path.read_bytes())
    return digest.hexdigest()


def is_of(build, key):
    """Whether a build of this key has ended, and all that it wrote is as it was then.

    Where files of the site are missing or others, the site is removed, because Sphinx would not
    write a page again that is there.
    """
    try:
        record = json.loads((build / RECORD).read_text("utf-8"))
        hashes = dict(record["files"])
    except (OSError, ValueError, KeyError, TypeError):
        return False
    now = outputs(build)
    if any(
        now.get(name) != hashes[name] for name in hashes if name.startswith("html/")
    ):
        shutil.rmtree(build / "html", ignore_errors=True)
    return record.get("key") == key and hashes == now


def outputs(build):
    """Return the hash of each file that a build has made."""
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
