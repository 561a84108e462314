"""Measure the times that pages quote: ``python -m tools.measure attention/heads_lab``.

Each page is run by itself, from its first cell to its last, and its measurements are recorded. Without
a name all pages that measure are run. Nothing else should run on the machine meanwhile.
"""

import argparse
import json
import os
import sys
import tempfile
from datetime import date
from pathlib import Path

from transformer_lab import records
from transformer_press import times

from . import ROOT
from .pages import book_pages
from .pages.run_pages import PageError, run_page, set_kernel_environment

RECORD_FOLDER = Path(times.__file__).parent
LOAD_AVERAGE_TO_WARN_AT = (
    1.5  # processes that wait for a core, beside the one that measures
)


def measuring_page_paths_by_name(root: Path) -> dict[str, Path]:
    """Return the pages that measure, as paths by their names."""
    return {
        book_pages.page_name(path, root): path
        for path in book_pages.page_paths(root)
        if any(
            "page.measured(" in source for source in book_pages.code_cell_sources(path)
        )
    }


def record_measurements(page_name: str, page_path, record_folder=RECORD_FOLDER) -> list:
    """Run a page, and write a record of each of its measurements; return their names.

    Parameters
    ----------
    page_name : str
        Of the page.
    page_path : path
    record_folder : path
        Of the records. Those of this page that it does not measure any more are removed.

    Raises
    ------
    PageError
        If a cell raises. The records stay as they were.
    """
    command = f"python -m tools.measure {page_name}"
    results = measure_page(page_path)
    origin = {
        "command": command,
        "date": date.today().isoformat(),
        **records.environment("torch", "numpy"),
    }
    for file, result in results.items():
        records.write(record_folder / file, origin | result)
    for old in _json_files(record_folder):
        if (
            old.name not in results
            and json.loads(old.read_text("utf-8"))["command"] == command
        ):
            old.unlink()
    return [file.removesuffix(".json") for file in results]


def measure_page(page_path: Path) -> dict:
    """Run a page, and return its measurements by the names of their files.

    Raises
    ------
    PageError
        If a cell raises.
    """
    with tempfile.TemporaryDirectory() as folder:
        os.environ[times.TIMES_SETTING] = folder
        _, _, failure = run_page(page_path)
        if failure:
            raise PageError(failure)
        return {
            file.name: json.loads(file.read_text("utf-8"))
            for file in _json_files(folder)
        }


def _json_files(folder) -> list:
    return sorted(Path(folder).glob("*.json"))


def main(argv=None):
    parser = argparse.ArgumentParser(
        prog="python -m tools.measure", description=__doc__.splitlines()[0]
    )
    parser.add_argument("pages", nargs="*", help="names, as in attention/heads_lab")
    measuring, names = measuring_page_paths_by_name(ROOT), parser.parse_args(argv).pages
    if unknown := [name for name in names if name not in measuring]:
        parser.error(
            f"{unknown[0]} measures nothing; expected some of {', '.join(measuring)}"
        )
    set_kernel_environment(ROOT / "_build")
    for name in names or measuring:
        load = os.getloadavg()[0] if hasattr(os, "getloadavg") else 0.0
        if load > LOAD_AVERAGE_TO_WARN_AT:
            print(
                f"The machine is busy (load {load:.1f}), so times may come out too long. "
                "Stop what runs, and measure again.",
                file=sys.stderr,
            )
        try:
            print(
                f"{name}: {', '.join(record_measurements(name, measuring[name]))}",
                flush=True,
            )
        except PageError as error:
            sys.exit(str(error))


if __name__ == "__main__":
    main()
