"""What npm packages hold packed, unpacked once beside them and checked at each use."""

import hashlib
import json
import shutil
import tempfile
from pathlib import Path

from filelock import FileLock

from tools import ROOT
from tools.cache.store import key_of

NODE_MODULES = ROOT / "node_modules"
MANIFEST_FILE = "manifest.json"


def package_version(package):
    """Return the version of an installed npm package, or None where it is not installed."""
    try:
        return json.loads((NODE_MODULES / package / "package.json").read_text("utf-8"))[
            "version"
        ]
    except (FileNotFoundError, json.JSONDecodeError):
        return None


def unpack(name, versions, fill_folder):
    """Return the folder that ``fill_folder`` has filled, for these versions, on this machine.

    It is filled once, in one step for all who ask at the same time. Another version, or a folder
    of which a byte has changed, is filled anew.

    Parameters
    ----------
    name : str
        The folder's name, to which the key of the versions is added.
    versions : list of str
        Whatever ``fill_folder`` depends on.
    fill_folder : callable
        Writes files into the empty folder that it is called with.

    Returns
    -------
    pathlib.Path
    """
    cache = NODE_MODULES / ".cache"
    cache.mkdir(parents=True, exist_ok=True)
    folder = cache / f"{name}-{key_of(*versions)[:16]}"
    with FileLock(cache / f"{name}.lock"):
        if not is_intact(folder):
            for old in cache.glob(f"{name}-*"):
                shutil.rmtree(old)
            part = Path(tempfile.mkdtemp(prefix=f".{name}-", dir=cache))
            try:
                fill_folder(part)
                (part / MANIFEST_FILE).write_text(
                    json.dumps(file_hashes(part)), "utf-8"
                )
                part.rename(folder)
            finally:
                shutil.rmtree(part, ignore_errors=True)
    return folder


def file_hashes(folder):
    """Return the hash of each file of a folder, by its name there."""
    hashes_by_name = {}
    for path in sorted(folder.rglob("*")):
        if path.is_file():
            with path.open("rb") as file:
                digest = hashlib.file_digest(file, "sha256").hexdigest()
            hashes_by_name[path.relative_to(folder).as_posix()] = digest
    return hashes_by_name


def is_intact(folder):
    """Whether each file that was unpacked is still there, byte for byte."""
    try:
        manifest = json.loads((folder / MANIFEST_FILE).read_text("utf-8"))
    except (OSError, json.JSONDecodeError):
        return False
    return manifest.items() <= file_hashes(folder).items()
