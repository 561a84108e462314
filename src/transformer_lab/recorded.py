"""What the commands have in common that train models and record them: options, and the record."""

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


def run(parser, argv, make, clock=time.perf_counter):
    """Parse a command line, train, and write the record; a bad value is one line on stderr.

    Parameters
    ----------
    parser : argparse.ArgumentParser
        Of :func:`parser_of`.
    argv : list of str or None
    make : callable
        Takes what was parsed and returns the record's own part, a dict.
    clock : callable
        Of the record's ``seconds``.
    """
    given = parser.parse_args(argv)
    # Found out now, not after the minutes of training.
    if not given.out.parent.is_dir():
        parser.error(f"{given.out.parent} is not a folder; --out needs one that exists")
    torch.set_num_threads(given.threads)
    began = clock()
    try:
        made = make(given)
    except ValueError as error:
        parser.error(str(error))
    parameters = {name: value for name, value in vars(given).items() if name != "out"}
    records.write(
        given.out,
        {
            "command": records.command(parser, given),
            **records.environment("torch", "numpy"),
            "parameters": parameters,
            "seconds": round(clock() - began, 1),
            **made,
        },
    )
