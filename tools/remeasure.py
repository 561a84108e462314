"""Check that pages which quote recorded times can still measure them: ``python -m tools.remeasure``.

A page is run as a reader's notebook is, and must measure numbers of its records' form. One that has
done so is not run again before its key, or a record's form, is another. The quickest begin, as far as
the time allows.
"""

import argparse
import json
import sys
import time

from transformer_press import times

from . import ROOT, measure
from .cache.store import Store, key_of
from .pages.cache_keys import Keys
from .pages.run_pages import ChapterError, set_environment
from .repeat import outputs_of_pages

KIND = "measured"


def form(numbers):
    """Return what is left of numbers without their values."""
    if isinstance(numbers, dict):
        return {key: form(value) for key, value in numbers.items()}
    if isinstance(numbers, list):
        return [form(value) for value in numbers]
    return type(numbers).__name__


def forms_of_records():
    return {name: form(times.load(name)["numbers"]) for name in times.names()}


def fault(path, forms):
    """Run a page, measuring; return what is wrong, or None.

    Parameters
    ----------
    path : Path
        Of the page.
    forms : dict of str to form
        Of all records, by name.
    """
    try:
        results = measure.measurements(path)
    except ChapterError as error:
        return str(error)
    measured = {
        file.removesuffix(".json"): form(result["numbers"])
        for file, result in results.items()
    }
    wrong = [name for name in measured if measured[name] != forms.get(name)]
    if wrong or not measured:
        return (
            f"{path.stem}: what it measures is not what its records hold: {wrong or 'nothing'}. "
            f"Run: python -m tools.measure {path.parent.name}/{path.stem}"
        )
    return None


def remeasure(seconds, keys, store, limit):
    """Run pages, the quickest first; return how many have not been run, and all faults.

    Parameters
    ----------
    seconds : dict of Path to float
        What each page takes with its times recorded.
    keys : Keys
    store : Store
    limit : float or None
        Seconds after which no other page begins.
    """
    ends = time.monotonic() + (limit or float("inf"))
    forms, postponed, faults = forms_of_records(), 0, []
    for path in sorted(seconds, key=seconds.get):
        key = key_of(keys.page(path)[1], json.dumps(forms))
        if store.load(KIND, key) is not None:
            continue
        if time.monotonic() + seconds[path] > ends:
            postponed += 1
        elif page_fault := fault(path, forms):
            faults.append(page_fault)
        else:
            store.keep(KIND, key, {"page": path.stem.encode()})
    return postponed, faults


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--minutes", type=float, default=2.0, help="for all of them")
    parser.add_argument("--all", action="store_true", help="without limit")
    options = parser.parse_args()
    build, store = ROOT / "_build", Store.of_this_machine()
    set_environment(build)
    outputs = outputs_of_pages(ROOT, build, measure.pages(ROOT))
    postponed, faults = remeasure(
        {path: page.seconds for path, page in outputs.items()},
        Keys(ROOT, build),
        store,
        None if options.all else 60 * options.minutes,
    )
    print(
        f"Pages that measure: {len(outputs)}, of which {postponed} wait for the night."
    )
    sys.exit("\n".join(faults) if faults else 0)


if __name__ == "__main__":
    main()
