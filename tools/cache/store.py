"""Earlier results of this machine, each stored under a hash of its inputs.

Executed pages, trained models and passed checks lie in one folder of the user's caches, which all
clones and worktrees share. An entry's key is the hash of everything that it depends on,
so an entry is never out of date: another input is another key. ``TRANSFORMER_BOOK_STORE`` names
another folder, or is ``off``: then nothing is stored and nothing is loaded.
"""

import contextlib
import hashlib
import io
import os
import sys
import time
import zipfile
from pathlib import Path

from transformer_book.data.downloads import cache_folder
from transformer_book.storage import replace_file

STORE_VARIABLE = "TRANSFORMER_BOOK_STORE"
STORE_OFF = "off"
MAX_STORE_BYTES = (
    2_000_000_000  # beyond it the entries that nobody loaded for longest go
)
ZIP_DATE = (1980, 1, 1, 0, 0, 0)  # the same files make the same entry


def hash_parts(*parts) -> str:
    """Hash strings and bytes, each apart from its neighbours, to a key.

    Parameters
    ----------
    *parts : str or bytes

    Returns
    -------
    str
        64 hexadecimal digits.
    """
    digest = hashlib.sha256()
    for part in parts:
        encoded = part.encode() if isinstance(part, str) else part
        digest.update(f"{len(encoded)}:".encode())
        digest.update(encoded)
    return digest.hexdigest()


class DamagedEntry(Exception):
    """An entry is not what was stored under its name."""


class Store:
    """Entries by kind and key, each a set of named files.

    Parameters
    ----------
    folder : path-like or None
        Where they lie. None stores nothing.
    """

    def __init__(self, folder):
        self.folder = None if folder is None else Path(folder)

    @classmethod
    def of_this_machine(cls):
        """Return the store that ``TRANSFORMER_BOOK_STORE`` names, or the one of the user's caches."""
        setting = os.environ.get(STORE_VARIABLE)
        if setting == STORE_OFF:
            return cls(None)
        return cls(Path(setting) if setting else cache_folder() / "store")

    def load(self, entry_kind: str, key: str) -> dict[str, bytes] | None:
        """Return the files of an entry.

        Parameters
        ----------
        entry_kind, key : str

        Returns
        -------
        dict of str to bytes, or None
            None where there is no entry. A damaged one is removed and counts as none.
        """
        if self.folder is None:
            return None
        path = self._entry_path(entry_kind, key)
        try:
            files = _unpack_files(path.read_bytes(), f"{entry_kind} {key}")
            os.utime(path)  # it was of use now
            return files
        except FileNotFoundError:
            return None
        except (OSError, DamagedEntry):
            _remove_entry(path)
            return None

    def keep(self, entry_kind: str, key: str, contents_by_name):
        """Keep files under a key, in one step: a crash leaves the complete entry or none.

        A disk that is full costs the entry and one line, never the build.

        Parameters
        ----------
        entry_kind, key : str
        contents_by_name : dict of str to bytes
            Their names and contents. An entry without files says only that it is there.
        """
        if self.folder is None:
            return
        try:
            self.keep_or_raise(entry_kind, key, contents_by_name)
            self._remove_oldest_entries()
        except OSError as error:
            print(
                f"{self.folder}: {error.strerror or error}. The build goes on, but its results "
                "are not kept for the next one. Make room there, or set "
                f"{STORE_VARIABLE} to another folder or to {STORE_OFF!r}.",
                file=sys.stderr,
            )

    def keep_or_raise(self, entry_kind: str, key: str, contents_by_name):
        """Keep files as ``keep`` does, where the build cannot go on without them.

        Raises
        ------
        OSError
            If they cannot be written, for example because the disk is full.
        """
        path = self._entry_path(entry_kind, key)
        path.parent.mkdir(parents=True, exist_ok=True)
        replace_file(path, _pack_files(contents_by_name, f"{entry_kind} {key}"))

    def remove(self, entry_kind: str, key: str):
        """Remove an entry, if there is one."""
        if self.folder is not None:
            _remove_entry(self._entry_path(entry_kind, key))

    def _entry_path(self, entry_kind: str, key: str) -> Path:
        assert self.folder is not None
        return self.folder / entry_kind / f"{key}.entry"

    def _remove_oldest_entries(self):
        """Remove what was loaded least recently, down to three quarters of the limit."""
        assert self.folder is not None
        sizes = {}
        for path in self.folder.glob("*/*.entry"):
            try:
                status = path.stat()
            except FileNotFoundError:
                continue  # another build was faster
            sizes[path] = (status.st_mtime, status.st_size)
        total = sum(size for _, size in sizes.values())
        if total <= MAX_STORE_BYTES:
            return
        for path in sorted(sizes, key=lambda path: sizes[path]):
            if total <= 0.75 * MAX_STORE_BYTES or time.time() - sizes[path][0] < 3600:
                return
            _remove_entry(path)
            total -= sizes[path][1]


def _remove_entry(path: Path):
    with contextlib.suppress(OSError):  # a folder that cannot be written
        path.unlink(missing_ok=True)


def _pack_files(contents_by_name: dict[str, bytes], entry_name) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
        for name, content in contents_by_name.items():
            info = zipfile.ZipInfo(name, ZIP_DATE)
            info.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(info, content)
    return _entry_digest(entry_name, buffer.getvalue()) + buffer.getvalue()


def _unpack_files(entry_bytes: bytes, entry_name) -> dict[str, bytes]:
    digest, packed = entry_bytes[:32], entry_bytes[32:]
    if digest != _entry_digest(entry_name, packed):
        raise DamagedEntry(entry_name)
    with zipfile.ZipFile(io.BytesIO(packed)) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def _entry_digest(entry_name: str, zip_bytes: bytes):
    return hashlib.sha256(entry_name.encode() + zip_bytes).digest()
