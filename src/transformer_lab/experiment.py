"""The command line of an experiment, which trains models and records them: options, run, record."""

import argparse
import time
from pathlib import Path

import torch

from . import records


def parser_of(name, does, **own):
    """Return the parser of such a command.

    Parameters
    ----------
    name : str
        Behind ``python -m transformer_lab``.
    does : str
        For its help.
    **own : pair of default and str
        Its own options, each with what its help says; a list as the default takes several values.

    Returns
    -------
    argparse.ArgumentParser
        Also with ``--out``, ``--seed``, ``--seeds`` and ``--threads``.
    """
    parser = argparse.ArgumentParser(
        prog=f"python -m transformer_lab {name}", description=does
    )
    add = parser.add_argument
    add("--out", required=True, type=Path, help="the JSON file to write")
    for option, (default, help) in own.items():
        several = isinstance(default, list)
        kind, many = type(default[0] if several else default), "+" if several else None
        add(f"--{option}", type=kind, default=default, help=help, nargs=many)
    add("--seed", type=int, default=0, help="the first of the seeds")
    add("--seeds", type=int, default=3, help="how many, one after the other")
    add("--threads", type=int, default=1)
    return parser


def seeds(given):
    """Return the seeds that a command line asks for."""
    return range(given.seed, given.seed + given.seeds)


def run(parser, argv, make, clock=time.perf_counter, packages=("torch", "numpy")):
    """Parse a command line, train, and write the record; a bad value is one line on stderr.

    Parameters
    ----------
    parser : argparse.ArgumentParser
        Of :func:`parser_of`, or another with ``--out``.
    argv : list of str or None
    make : callable
        Takes what was parsed and returns the record's own part, a dict. Where it has ``parameters``
        or ``seconds``, the record has these.
    clock : callable
        Of the record's ``seconds``.
    packages : iterable of str
        Whose versions the record has.
    """
    given = parser.parse_args(argv)
    # Found out now, not after the minutes of training.
    if not given.out.parent.is_dir():
        parser.error(f"{given.out.parent} is not a folder; --out needs one that exists")
    if "threads" in given:
        torch.set_num_threads(given.threads)
    began = clock()
    try:
        results = make(given)
    except ValueError as error:
        parser.error(str(error))
    parameters = {name: value for name, value in vars(given).items() if name != "out"}
    records.write(
        given.out,
        {
            "command": records.command(parser, given),
            **records.environment(*packages),
            "parameters": parameters,
            "seconds": round(clock() - began, 1),
            **results,
        },
    )
