"""Results that take long to compute, stored in the build beside a hash of what they depend on."""

import json

from transformer_book.storage import replace_file


class Memo:
    """A table of results by name. A result is computed again when its key is another.

    Parameters
    ----------
    path : pathlib.Path
        Where the table is. A missing or damaged file is an empty table.
    """

    def __init__(self, path):
        self.path, self.changed = path, False
        try:
            self.table = dict(json.loads(path.read_text("utf-8")))
        except (OSError, ValueError, TypeError):
            self.table = {}

    def __call__(self, name, key, compute):
        """Return the result for a name.

        Parameters
        ----------
        name : str
        key : str
            A hash of all that the result depends on.
        compute : callable
            Returns the result, which JSON can hold.
        """
        entry = self.table.get(name)
        if not isinstance(entry, list) or len(entry) != 2 or entry[0] != key:
            entry = self.table[name] = [key, compute()]
            self.changed = True
        return entry[1]

    def write(self):
        """Keep the results for the next build."""
        if self.changed:
            replace_file(self.path, json.dumps(self.table).encode())
            self.changed = False
