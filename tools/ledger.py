"""The ledger: for each key that a page has run under, the hash of its outputs.

The same key must always give the same outputs. So whoever runs a page again, on another day and
perhaps with nothing else kept, compares.
"""

import json

from .store import Store

KIND = "ledger"


class Ledger:
    """What the pages that ran on this machine have given.

    Parameters
    ----------
    store : Store
    """

    def __init__(self, store: Store):
        self.store = store

    def compare(self, name, outputs):
        """Enter a run of a page, and compare it with the one before.

        Parameters
        ----------
        name : str
            The page's name, for the message.
        outputs : Outputs

        Returns
        -------
        str or None
            What is wrong, if the outputs differ from those that the same key once gave.
        """
        entry = self._entry(outputs.key)
        if entry is None:
            self._enter(outputs, runs=1)
        elif entry["digest"] == outputs.digest:
            self._enter(outputs, runs=entry["runs"] + 1)
        else:
            self.store.remove(KIND, outputs.key)  # the next run is compared with none
            return (
                f"{name}: its outputs are not those that the same page, code, versions and data "
                "gave before on this machine. Something in it depends on time, on chance without "
                "a seed, or on an order that is not fixed. Run it twice and compare: "
                f"python -m tools.repeat {name}"
            )
        return None

    def runs(self, outputs):
        """Return how often a page has given these outputs under their key."""
        entry = self._entry(outputs.key)
        same = entry is not None and entry["digest"] == outputs.digest
        return entry["runs"] if same else 0

    def _entry(self, key):
        files = self.store.load(KIND, key)
        return None if files is None else json.loads(files["entry.json"])

    def _enter(self, outputs, runs):
        entry = json.dumps({"digest": outputs.digest, "runs": runs})
        self.store.keep(KIND, outputs.key, {"entry.json": entry.encode()})
