"""Runs too heavy for a page: recorded once, as JSON, with the command that repeats them."""

import json
import os
import platform
import sys
from importlib import resources
from importlib.metadata import version

from transformer_book import storage

# Options that name a place on the machine of whoever ran the command, and what stands for it.
PLACEHOLDER_BY_PATH_OPTION = {
    "out": "FILE",
    "run": "FOLDER",
    "folder": "FOLDER",
    "dictionary": "FILE",
}


def names() -> list[str]:
    """Return the names of all recorded runs, sorted."""
    files = resources.files(__name__).iterdir()
    return sorted(
        file.name.removesuffix(".json") for file in files if file.name.endswith(".json")
    )


def load(name: str) -> dict:
    """Return a recorded run: command, versions, seed, hardware, parameters and results.

    Parameters
    ----------
    name : str
        One of ``names()``.

    Returns
    -------
    dict

    Raises
    ------
    ValueError
        If there is no such record; the message lists those that exist.
    """
    if name not in names():
        raise ValueError(
            f"There is no record named {name!r}. Known: {', '.join(names()) or 'none'}. "
            "Pass one of these, or run the command that makes it."
        )
    return json.loads(
        resources.files(__name__).joinpath(f"{name}.json").read_text("utf-8")
    )


def hypotheses(name: str) -> list[list[str]]:
    """Return all translations that a recorded run wrote for its test sentences.

    Parameters
    ----------
    name : str
        Of a record of ``python -m transformer_lab evaluate``.

    Returns
    -------
    list of list of str
        The words of each, in the order of the test.

    Raises
    ------
    ValueError
        If there is no such record, or none of its translations.
    """
    file = resources.files(__name__).joinpath(f"{name}.hypotheses.txt")
    if name not in names() or not file.is_file():
        raise ValueError(
            f"There are no recorded translations named {name!r}. Pass the name of a record of "
            "python -m transformer_lab evaluate, or run the command that makes it."
        )
    lines = file.read_bytes().decode().removesuffix("\n").split("\n")
    return [line.split(" ") if line else [] for line in lines]


def write(path, record: dict) -> None:
    """Write a record as JSON; the file appears complete or not at all.

    Parameters
    ----------
    path : path
    record : dict
    """
    text = json.dumps(record, indent=1, ensure_ascii=False, allow_nan=False) + "\n"
    storage.replace_file(path, text.encode())


def environment(*packages) -> dict[str, dict]:
    """Return what a timing depends on: versions and hardware, without the machine's name.

    Parameters
    ----------
    *packages : str
        The distributions that did the work.

    Returns
    -------
    dict
        ``versions`` and ``hardware``.
    """
    return {
        "versions": {
            "python": platform.python_version(),
            **{package: version(package) for package in packages},
        },
        "hardware": {
            "cpu": _cpu_name(),
            "cores": os.cpu_count(),
            "system": sys.platform,
        },
    }


def command(parser, args) -> str:
    """Write out the command line that repeats a run, with every value but the paths.

    Parameters
    ----------
    parser : argparse.ArgumentParser
        Whose ``prog`` is the command, and whose options all begin with two dashes.
    args : argparse.Namespace
        What it parsed.

    Returns
    -------
    str
    """
    words = [parser.prog]
    for name, value in vars(args).items():
        values = (
            value
            if isinstance(value, list)
            else [PLACEHOLDER_BY_PATH_OPTION.get(name, value)]
        )
        words += ["--" + name.replace("_", "-"), *map(str, values)]
    return " ".join(words)


def _cpu_name() -> str:
    try:
        with open("/proc/cpuinfo", encoding="utf-8") as file:
            lines = [
                line.partition(":")[2].strip() for line in file if "model name" in line
            ]
    except OSError:
        lines = []
    return lines[0] if lines else platform.processor() or platform.machine()
