"""Run pages a second time and compare their outputs, byte for byte: ``python -m tools.repeat``.

Named pages are run in any case. Without names, those whose outputs come from only one run on this
machine, the quickest first, as far as the time allows.
"""

import argparse
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from itertools import zip_longest
from pathlib import Path

from jupyter_client.manager import AsyncKernelManager

from . import ROOT
from .cache.store import Store
from .machine import core_count
from .models import training
from .pages import book_pages, page_outputs
from .pages.cache_keys import CacheKeys
from .pages.kernels import WarmKernelManager
from .pages.output_ledger import OutputLedger
from .pages.page_outputs import PageOutputs
from .pages.run_pages import run_page, set_kernel_environment


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("pages", nargs="*", help="names, as in words/positions")
    parser.add_argument("--minutes", type=float, default=2.0, help="for all of them")
    parser.add_argument(
        "--all", action="store_true", help="every page and model, without limit"
    )
    options = parser.parse_args()
    build = ROOT / "_build"
    ledger = OutputLedger(Store.of_this_machine())
    first_outputs = load_outputs_by_path(ROOT, build, options.pages)
    if not options.pages and not options.all:
        first_outputs = {
            path: outputs
            for path, outputs in first_outputs.items()
            if ledger.run_count(book_pages.page_name(path, ROOT), outputs) < 2
        }
    limit = None if options.pages or options.all else 60 * options.minutes
    set_kernel_environment(build)
    # A reader's kernel starts from nothing, and has to give what a forked one gave.
    kernels = AsyncKernelManager if options.all else WarmKernelManager
    runs, faults = repeat_pages(ROOT, first_outputs, limit, ledger, kernels)
    print(f"Run twice: {runs} of {len(first_outputs)} pages that had run once.")
    if options.all:
        faults += [
            f"{model.name}: trained again, it has other bytes in {name}."
            for model in training.TRAINED_MODELS
            for name in model.files_changed_by_retraining(build)
        ]
    sys.exit("\n".join(faults) if faults else 0)


def load_outputs_by_path(root, build_folder, page_names=()) -> dict:
    """Return the outputs of pages, the quickest first."""
    keys, outputs_by_path = CacheKeys(root, build_folder), {}
    for path in filter(book_pages.is_notebook, book_pages.page_paths(root)):
        if not page_names or book_pages.page_name(path, root) in page_names:
            outputs = page_outputs.load_outputs(keys.page_keys(path)[0], build_folder)
            if outputs is None or outputs.key != keys.page_keys(path)[1]:
                sys.exit(f"{path.stem} is not built as it is now. Run: make book")
            outputs_by_path[path] = outputs
    if unknown := set(page_names) - {
        book_pages.page_name(path, root) for path in outputs_by_path
    }:
        sys.exit(f"The book has no page {', '.join(sorted(unknown))}.")
    return dict(sorted(outputs_by_path.items(), key=lambda item: item[1].seconds))


def repeat_pages(
    root,
    first_outputs_by_path: dict[Path, PageOutputs],
    max_seconds,
    ledger,
    kernel_manager_class,
) -> tuple:
    """Run pages again; return how many were run, and a line for each whose outputs differ.

    Parameters
    ----------
    root : pathlib.Path
        The project.
    first_outputs_by_path : dict of pathlib.Path to Outputs
        In the order in which they are run.
    max_seconds : float or None
        Seconds after which no other page begins.
    ledger : Ledger
    kernel_manager_class : type
        The manager that starts the kernels.
    """
    ends, runs, faults = time.monotonic() + (max_seconds or float("inf")), 0, []

    def run_again(path: Path):
        # A page that would not end in time does not begin.
        if time.monotonic() + first_outputs_by_path[path].seconds > ends:
            return None
        return run_page(path, kernel_manager_class)

    with ThreadPoolExecutor(core_count()) as pool:
        for path, result in zip(
            first_outputs_by_path, pool.map(run_again, first_outputs_by_path)
        ):
            if result is None:
                continue
            notebook, seconds, failure = result
            second = PageOutputs.from_notebook(
                notebook, first_outputs_by_path[path].key, seconds
            )
            runs += 1
            if failure or second.digest != first_outputs_by_path[path].digest:
                faults.append(
                    failure
                    or describe_differing_cells(
                        path, first_outputs_by_path[path], second
                    )
                )
            else:
                ledger.compare_run(book_pages.page_name(path, root), second)
    return runs, faults


def describe_differing_cells(
    page_path, first_outputs: PageOutputs, second_outputs: PageOutputs
) -> str:
    """Say where the outputs of two runs of a page differ."""
    pairs = zip_longest(first_outputs.cells, second_outputs.cells)
    numbers = [number for number, (a, b) in enumerate(pairs, 1) if a != b]
    cells = ", ".join(map(str, numbers))
    return (
        f"{page_path.parent.name}/{page_path.name}: a second run gives other outputs in code cell {cells}. "
        "Look there for a time, for chance without a seed, or for an order that is not fixed."
    )


if __name__ == "__main__":
    main()
