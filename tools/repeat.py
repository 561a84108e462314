"""Run pages a second time and compare their outputs, byte for byte: ``python -m tools.repeat``.

Named pages are run in any case. Without names, those whose outputs only one run on this machine has
given, the quickest first, as far as the time allows.
"""

import argparse
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from itertools import zip_longest

from jupyter_client.manager import AsyncKernelManager

from . import ROOT
from .cache.store import Store
from .machine import cores
from .models import training
from .pages import chapters, page_outputs
from .pages.execute import run_one, set_environment
from .pages.kernels import WarmKernelManager
from .pages.keys import Keys
from .pages.ledger import Ledger
from .pages.page_outputs import Outputs


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("pages", nargs="*", help="names, as in words/positions")
    parser.add_argument("--minutes", type=float, default=2.0, help="for all of them")
    parser.add_argument(
        "--all", action="store_true", help="every page and model, without limit"
    )
    options = parser.parse_args()
    build = ROOT / "_build"
    ledger = Ledger(Store.of_this_machine())
    first = outputs_of_pages(ROOT, build, options.pages)
    if not options.pages and not options.all:
        first = {
            path: outputs
            for path, outputs in first.items()
            if ledger.runs(chapters.name(path, ROOT), outputs) < 2
        }
    limit = None if options.pages or options.all else 60 * options.minutes
    set_environment(build)
    # A reader's kernel starts from nothing, and has to give what a forked one gave.
    kernels = AsyncKernelManager if options.all else WarmKernelManager
    ran, faults = repeat(ROOT, first, limit, ledger, kernels)
    print(f"Run twice: {ran} of {len(first)} pages that had run once.")
    if options.all:
        faults += [
            f"{model.name}: trained again, it has other bytes in {name}."
            for model in training.MODELS
            for name in model.differences(build)
        ]
    sys.exit("\n".join(faults) if faults else 0)


def outputs_of_pages(root, build, names=()):
    """Return the outputs of pages, the quickest first."""
    keys, found = Keys(root, build), {}
    for path in filter(chapters.is_notebook, chapters.pages(root)):
        if not names or chapters.name(path, root) in names:
            outputs = page_outputs.load(keys.page(path)[0], build)
            if outputs is None or outputs.key != keys.page(path)[1]:
                sys.exit(f"{path.stem} is not built as it is now. Run: make book")
            found[path] = outputs
    if unknown := set(names) - {chapters.name(path, root) for path in found}:
        sys.exit(f"The book has no page {', '.join(sorted(unknown))}.")
    return dict(sorted(found.items(), key=lambda item: item[1].seconds))


def repeat(root, first, limit, ledger, kernels):
    """Run pages again; return how many were run, and a line for each whose outputs differ.

    Parameters
    ----------
    root : pathlib.Path
        The project.
    first : dict of pathlib.Path to Outputs
        In the order in which they are run.
    limit : float or None
        Seconds after which no other page begins.
    ledger : Ledger
    kernels : type
        The manager that starts the kernels.
    """
    ends, ran, faults = time.monotonic() + (limit or float("inf")), 0, []

    def again(path):
        # A page that would not end in time does not begin.
        if time.monotonic() + first[path].seconds > ends:
            return None
        return run_one(path, kernels)

    with ThreadPoolExecutor(cores()) as pool:
        for path, result in zip(first, pool.map(again, first)):
            if result is None:
                continue
            notebook, seconds, failure = result
            second = Outputs.of(notebook, first[path].key, seconds)
            ran += 1
            if failure or second.digest != first[path].digest:
                faults.append(failure or difference(path, first[path], second))
            else:
                ledger.compare(chapters.name(path, root), second)
    return ran, faults


def difference(path, first, second):
    """Say where the outputs of two runs of a page differ."""
    pairs = zip_longest(first.cells, second.cells)
    numbers = [number for number, (a, b) in enumerate(pairs, 1) if a != b]
    cells = ", ".join(map(str, numbers))
    return (
        f"{path.parent.name}/{path.name}: a second run gives other outputs in code cell {cells}. "
        "Look there for a time, for chance without a seed, or for an order that is not fixed."
    )


if __name__ == "__main__":
    main()
