"""What the verdict of a stage depends on, hashed: its files, the machine, and what is installed."""

import functools
import hashlib
import os
import platform
import subprocess
import sys
import sysconfig
from pathlib import Path

from tools import ROOT
from tools.cache.store import hash_parts
from tools.machine import processor_description

BUILD_FOLDER_NAME = "_build"
# Settings of how a stage runs, not of what it runs.
IGNORED_ENVIRONMENT_VARIABLES = {
    "TRANSFORMER_BOOK_STORE",
    "TRANSFORMER_BOOK_REQUIRE",
    "TRANSFORMER_BOOK_LEFT_OUT",
}
ENVIRONMENT_VARIABLE_PREFIXES = (
    "TRANSFORMER_BOOK_",
    "PYTHON",
    "LC_",
    "LANG",
    "TZ",
    "CUDA_",
    "OMP_",
)


class FilesNotListed(Exception):
    """Git does not say which files there are."""


def list_declared_files(root: Path, declared_paths) -> list:
    """Return the files of declared paths: those that git knows, and new ones that it does not ignore.

    In ``_build`` these are all files, since git ignores them.
    """
    built = [name for name in declared_paths if name.startswith(BUILD_FOLDER_NAME)]
    written = [name for name in declared_paths if name not in built]
    paths = [
        str(path.relative_to(root))
        for name in built
        for path in sorted((root / name).rglob("*"))
        if path.is_file()
    ]
    if written:
        command = [
            "git",
            "ls-files",
            "-z",
            "--cached",
            "--others",
            "--exclude-standard",
        ]
        result = subprocess.run(
            [*command, "--", *written],
            cwd=root,
            capture_output=True,
            text=True,
            encoding="utf-8",
        )
        if result.returncode:
            raise FilesNotListed(result.stderr.strip())
        paths += filter(None, result.stdout.split("\0"))
    return sorted(set(paths))


def hash_declared_files(root, declared_paths):
    """Hash the names and contents of the files of declared paths."""
    parts = []
    for name in list_declared_files(root, declared_paths):
        path = root / name
        parts += [
            name,
            hashlib.sha256(path.read_bytes()).digest() if path.is_file() else "gone",
        ]
    return hash_parts(*parts)


@functools.cache
def hash_machine() -> str:
    """Return what this machine adds: Python, processor, installed packages, real text at hand."""
    packages = Path(sysconfig.get_path("purelib"))
    installed = sorted(path.name for path in packages.glob("*.dist-info"))
    facts = [
        sys.version,
        platform.platform(),
        processor_description(),
        *installed,
        *_describe_real_text_files(),
    ]
    return hash_parts(*facts, *map(str, sorted(Path("/dev").glob("nvidia*"))))


def _describe_real_text_files():
    """Yield the names and ages of the files of real text, which some tests read if they are there."""
    folder = Path(
        os.environ.get("TRANSFORMER_BOOK_DATA") or ROOT.parent / "shared" / "data"
    )
    for path in sorted(folder.rglob("*")):
        status = path.stat()
        yield f"{path} {status.st_size} {status.st_mtime_ns}"


def relevant_environment_variables() -> list[str]:
    """Return the settings that a program may ask for."""
    return [
        f"{name}={value}"
        for name, value in sorted(os.environ.items())
        if name.startswith(ENVIRONMENT_VARIABLE_PREFIXES)
        and name not in IGNORED_ENVIRONMENT_VARIABLES
    ]


def verdict_key(root, declared_paths, stage):
    """Return the key of a verdict, or None where git does not say what there is."""
    try:
        return hash_parts(
            hash_declared_files(root, declared_paths),
            hash_machine(),
            *relevant_environment_variables(),
            repr(stage),
        )
    except FilesNotListed:
        return None
