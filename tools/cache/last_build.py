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

from .store import hash_parts

SOURCE_PATHS = (
    *("book", "src", "tools", "_config.yml", "_toc.yml", "requirements.txt"),
    "package-lock.json",
)
OUTPUT_FOLDERS = ("html", "notebooks", "model", "numbers", "executed")
RECORD_FILE = "complete.json"
IGNORED_PATH_PARTS = ("__pycache__", ".ipynb_checkpoints", ".egg-info")  # in a path


def iterate_files(path):
    """Yield the files in a folder, or the file itself, in a fixed order."""
    if path.is_file():
        yield path
    for parent, folders, names in os.walk(path):
        folders.sort()
        for name in sorted(names):
            yield path.__class__(parent, name)


def hash_build_inputs(root: Path) -> str:
    """Hash all that a build depends on."""
    return hash_parts(hash_environment(root), hash_sources(root, *SOURCE_PATHS))


@functools.cache
def ask_corpus_fingerprint() -> str:
    """Ask the package, in a new process, which corpus the pages would get now."""
    code = "from transformer_book import data; print(data.data_fingerprint())"
    return subprocess.run(
        [sys.executable, "-c", code],
        check=True,
        capture_output=True,
        text=True,
        encoding="utf-8",
    ).stdout


def hash_environment(root: Path) -> str:
    """Hash what all outputs depend on: Python, the pinned versions, the data, the processor."""
    pins = (Path(root) / "requirements.txt").read_bytes()
    return hash_parts(
        sys.version, pins, ask_corpus_fingerprint(), processor_description()
    )


def hash_sources(root: Path, *paths) -> str:
    """Hash files, and folders with all that is in them."""
    digest = hashlib.sha256()
    for path in (path for name in paths for path in iterate_files(root / name)):
        if not any(part in str(path) for part in IGNORED_PATH_PARTS):
            digest.update(path.relative_to(root).as_posix().encode())
            digest.update(path.read_bytes())
    return digest.hexdigest()


def is_build_current(build_folder: Path, key: str) -> bool:
    """Whether a build of this key has ended, and all that it wrote is as it was then.

    Where files of the site are missing or others, the site is removed, because Sphinx would not
    write a page again that is there.
    """
    try:
        record = json.loads((build_folder / RECORD_FILE).read_text("utf-8"))
        hashes = dict(record["files"])
    except (OSError, ValueError, KeyError, TypeError):
        return False
    current = hash_outputs_by_path(build_folder)
    if any(
        current.get(name) != hashes[name] for name in hashes if name.startswith("html/")
    ):
        shutil.rmtree(build_folder / "html", ignore_errors=True)
    return record.get("key") == key and hashes == current


def hash_outputs_by_path(build_folder: Path) -> dict[str, str]:
    """Return the hash of each file that a build has written."""
    paths = [
        path for name in OUTPUT_FOLDERS for path in iterate_files(build_folder / name)
    ]
    return {
        path.relative_to(build_folder).as_posix(): hash_parts(path.read_bytes())
        for path in paths
    }


def remove_build_record(build_folder):
    """Forget the last build, before another begins to change it."""
    (build_folder / RECORD_FILE).unlink(missing_ok=True)


def write_build_record(build_folder: Path, key: str):
    """Note that a build has ended."""
    record = json.dumps({"key": key, "files": hash_outputs_by_path(build_folder)})
    replace_file(build_folder / RECORD_FILE, record.encode())
