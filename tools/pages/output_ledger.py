"""The ledger: for each key that a page has run under, the hash of its outputs.

The same key must always give the same outputs. So whoever runs a page again, on another day and
perhaps in an empty build, compares.
"""

import json

from tools.cache.store import Store, hash_parts

from .page_outputs import PageOutputs

STORE_ENTRY_KIND = "ledger"


class OutputLedger:
    """The outputs of the pages that ran on this machine.

    Parameters
    ----------
    store : Store
    """

    def __init__(self, store: Store):
        self.store = store

    def compare_run(self, page_name: str, page_outputs: PageOutputs):
        """Enter a run of a page, and compare it with the one before.

        Parameters
        ----------
        page_name : str
            The page's name, for the message.
        page_outputs : Outputs

        Returns
        -------
        str or None
            What is wrong, if the outputs differ from those that the same key once gave.
        """
        entry = self._load_entry(page_outputs.key)
        if entry is not None and entry["digest"] != page_outputs.digest:
            # The next run is compared with none, and counts as the first.
            self.store.remove(STORE_ENTRY_KIND, page_outputs.key)
            for digest in (entry["digest"], page_outputs.digest):
                self.store.remove(STORE_ENTRY_KIND, hash_parts(page_name, digest))
            return (
                f"{page_name}: its outputs are not those that the same page, code, versions and data "
                "gave before on this machine. Something in it depends on time, on chance without "
                "a seed, or on an order that is not fixed. Run it twice and compare: "
                f"python -m tools.repeat {page_name}"
            )
        self._store_entry(page_outputs.key, digest=page_outputs.digest)
        self._store_entry(
            hash_parts(page_name, page_outputs.digest),
            runs=self.run_count(page_name, page_outputs) + 1,
        )
        return None

    def run_count(self, page_name: str, page_outputs: PageOutputs):
        """Return how often a run of a page had these outputs, also under other keys.

        Code that has changed and gives the same outputs has been compared by that.
        """
        entry = self._load_entry(hash_parts(page_name, page_outputs.digest))
        return 0 if entry is None else entry["runs"]

    def _load_entry(self, key: str):
        files = self.store.load(STORE_ENTRY_KIND, key)
        return None if files is None else json.loads(files["entry.json"])

    def _store_entry(self, key: str, **entry_fields):
        self.store.keep(
            STORE_ENTRY_KIND, key, {"entry.json": json.dumps(entry_fields).encode()}
        )
