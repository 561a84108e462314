"""Check that pages which quote recorded times can still measure them: ``python -m tools.remeasure``.

A page is run as a reader's notebook is, and must measure numbers of its records' form. One that has
done so is not run again before its key, or a record's form, is another. The quickest begin, as far as
the time allows.
"""

import argparse
import json
import sys
import time
from pathlib import Path

from transformer_press import times

from . import ROOT, measure
from .cache.store import Store, hash_parts
from .pages.cache_keys import CacheKeys
from .pages.run_pages import PageError, set_kernel_environment
from .repeat import load_outputs_by_path

STORE_KIND = "measured"


def replace_numbers_by_types(recorded_numbers):
    """Return what is left of numbers without their values."""
    if isinstance(recorded_numbers, dict):
        return {
            key: replace_numbers_by_types(value)
            for key, value in recorded_numbers.items()
        }
    if isinstance(recorded_numbers, list):
        return [replace_numbers_by_types(value) for value in recorded_numbers]
    return type(recorded_numbers).__name__


def types_by_record_name() -> dict:
    return {
        name: replace_numbers_by_types(times.load(name)["numbers"])
        for name in times.names()
    }


def find_measuring_fault(path: Path, types_by_record):
    """Run a page, measuring; return what is wrong, or None.

    Parameters
    ----------
    path : Path
        Of the page.
    types_by_record : dict of str to form
        Of all records, by name.
    """
    try:
        results = measure.measure_page(path)
    except PageError as error:
        return str(error)
    measured = {
        file.removesuffix(".json"): replace_numbers_by_types(result["numbers"])
        for file, result in results.items()
    }
    wrong = [name for name in measured if measured[name] != types_by_record.get(name)]
    if wrong or not measured:
        return (
            f"{path.stem}: what it measures is not what its records hold: {wrong or 'nothing'}. "
            f"Run: python -m tools.measure {path.parent.name}/{path.stem}"
        )
    return None


def remeasure_pages(seconds_by_path, cache_keys, store, max_seconds) -> tuple:
    """Run pages, the quickest first; return how many have not been run, and all faults.

    Parameters
    ----------
    seconds_by_path : dict of Path to float
        What each page takes with its times recorded.
    cache_keys : Keys
    store : Store
    max_seconds : float or None
        Seconds after which no other page begins.
    """
    ends = time.monotonic() + (max_seconds or float("inf"))
    record_types, postponed, faults = types_by_record_name(), 0, []
    for path in sorted(seconds_by_path, key=seconds_by_path.get):
        key = hash_parts(cache_keys.page_keys(path)[1], json.dumps(record_types))
        if store.load(STORE_KIND, key) is not None:
            continue
        if time.monotonic() + seconds_by_path[path] > ends:
            postponed += 1
        elif page_fault := find_measuring_fault(path, record_types):
            faults.append(page_fault)
        else:
            store.keep(STORE_KIND, key, {"page": path.stem.encode()})
    return postponed, faults


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--minutes", type=float, default=2.0, help="for all of them")
    parser.add_argument("--all", action="store_true", help="without limit")
    options = parser.parse_args()
    build, store = ROOT / "_build", Store.of_this_machine()
    set_kernel_environment(build)
    outputs = load_outputs_by_path(
        ROOT, build, measure.measuring_page_paths_by_name(ROOT)
    )
    postponed, faults = remeasure_pages(
        {path: page.seconds for path, page in outputs.items()},
        CacheKeys(ROOT, build),
        store,
        None if options.all else 60 * options.minutes,
    )
    print(
        f"Pages that measure: {len(outputs)}, of which {postponed} wait for the night."
    )
    sys.exit("\n".join(faults) if faults else 0)


if __name__ == "__main__":
    main()
