"""What npm packages hold packed, unpacked once beside them and checked at each use."""

import hashlib
import json
import shutil
import tempfile
from pathlib import Path

from filelock import FileLock

from tools import ROOT
from tools.cache.store import hash_parts

NODE_MODULES_FOLDER = ROOT / "node_modules"
MANIFEST_FILE = "manifest.json"


def installed_package_version(package_name: str) -> str | None:
    """Return the version of an installed npm package, or None where it is not installed."""
    try:
        return json.loads(
            (NODE_MODULES_FOLDER / package_name / "package.json").read_text("utf-8")
        )["version"]
    except (FileNotFoundError, json.JSONDecodeError):
        return None


def unpack_once(folder_name, versions, fill_folder):
    """Return the folder that ``fill_folder`` has filled, for these versions, on this machine.

    It is filled once, in one step for all who ask at the same time. Another version, or a folder
    of which a byte has changed, is filled anew.

    Parameters
    ----------
    folder_name : str
        The folder's name, to which the key of the versions is added.
    versions : list of str
        Whatever ``fill_folder`` depends on.
    fill_folder : callable
        Writes files into the empty folder that it is called with.

    Returns
    -------
    pathlib.Path
    """
    cache = NODE_MODULES_FOLDER / ".cache"
    cache.mkdir(parents=True, exist_ok=True)
    folder = cache / f"{folder_name}-{hash_parts(*versions)[:16]}"
    with FileLock(cache / f"{folder_name}.lock"):
        if not is_intact(folder):
            for old in cache.glob(f"{folder_name}-*"):
                shutil.rmtree(old)
            part = Path(tempfile.mkdtemp(prefix=f".{folder_name}-", dir=cache))
            try:
                fill_folder(part)
                (part / MANIFEST_FILE).write_text(
                    json.dumps(file_hashes_by_name(part)), "utf-8"
                )
                part.rename(folder)
            finally:
                shutil.rmtree(part, ignore_errors=True)
    return folder


def file_hashes_by_name(folder: Path) -> dict[str, str]:
    """Return the hash of each file of a folder, by its name there."""
    hashes_by_name = {}
    for path in sorted(folder.rglob("*")):
        if path.is_file():
            with path.open("rb") as file:
                digest = hashlib.file_digest(file, "sha256").hexdigest()
            hashes_by_name[path.relative_to(folder).as_posix()] = digest
    return hashes_by_name


def is_intact(folder: Path) -> bool:
    """Whether each file that was unpacked is still there, byte for byte."""
    try:
        manifest = json.loads((folder / MANIFEST_FILE).read_text("utf-8"))
    except (OSError, json.JSONDecodeError):
        return False
    return manifest.items() <= file_hashes_by_name(folder).items()
