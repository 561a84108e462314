"""Files that one piece of code writes, stored in a folder of the build and in the store."""

import json
import tempfile
from dataclasses import dataclass
from pathlib import Path

from transformer_book.storage import replace_file

from .store import Store, hash_parts


@dataclass(frozen=True)
class FileSet:
    """A set of files that belong together.

    Parameters
    ----------
    folder : pathlib.Path
        Where the files are; it may hold others, too.
    name : str
        Of the record beside them, which holds their key and their hashes.
    """

    folder: Path
    name: str

    def file_names(self) -> list:
        """Return the names of the files in the record; none without a record."""
        return list(self._read_record()["files"])

    def is_current(self, key: str) -> bool:
        """Whether all files are there, undamaged and of this key."""
        record = self._read_record()
        try:
            hashes = {
                name: hash_parts((self.folder / name).read_bytes())
                for name in record["files"]
            }
        except OSError:
            return False
        return record["key"] == key and hashes == record["files"]

    def make(self, key: str, store: Store, write_files):
        """Put the files into the folder: from the store, or by writing them.

        Parameters
        ----------
        key : str
            A hash of all that the files depend on.
        store : Store
        write_files : callable
            Called with an empty folder, into which it writes the files.
        """
        files = store.load(self.name, key)
        if files is None:
            with tempfile.TemporaryDirectory() as folder:
                write_files(Path(folder))
                files = {
                    path.name: path.read_bytes() for path in Path(folder).iterdir()
                }
            store.keep(self.name, key, files)
        self.folder.mkdir(parents=True, exist_ok=True)
        self.remove()
        for name, content in files.items():
            replace_file(self.folder / name, content)
        hashes = {name: hash_parts(content) for name, content in files.items()}
        record = json.dumps({"key": key, "files": hashes})
        replace_file(
            self._record_path, record.encode()
        )  # last: a half-written set is written again

    def remove(self):
        """Remove the files, the record first."""
        names = self.file_names()
        self._record_path.unlink(missing_ok=True)
        for name in names:
            (self.folder / name).unlink(missing_ok=True)

    @property
    def _record_path(self) -> Path:
        return self.folder / f"{self.name}.made.json"

    def _read_record(self) -> dict:
        try:
            record = json.loads(self._record_path.read_text("utf-8"))
            return {"key": str(record["key"]), "files": dict(record["files"])}
        except (OSError, ValueError, KeyError, TypeError):
            return {"key": "", "files": {}}
