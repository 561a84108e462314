"""The command line of an experiment, which trains models and records them: options, run, record."""

import argparse
import time
from collections.abc import Callable
from pathlib import Path

import torch

from . import records


def experiment_parser(
    command_name: str, description: str, **options
) -> argparse.ArgumentParser:
    """Return the parser of such a command.

    Parameters
    ----------
    command_name : str
        Behind ``python -m transformer_lab``.
    description : str
        For its help.
    **options : pair of default and str
        By option its default and its help; a list as the default takes several values.

    Returns
    -------
    argparse.ArgumentParser
        Also with ``--out``, ``--seed``, ``--seeds`` and ``--threads``.
    """
    parser = argparse.ArgumentParser(
        prog=f"python -m transformer_lab {command_name}", description=description
    )
    add = parser.add_argument
    add("--out", required=True, type=Path, help="the JSON file to write")
    for option, (default, help) in options.items():
        takes_list = isinstance(default, list)
        type_, nargs = (
            type(default[0] if takes_list else default),
            "+" if takes_list else None,
        )
        add(f"--{option}", type=type_, default=default, help=help, nargs=nargs)
    add("--seed", type=int, default=0, help="the first of the seeds")
    add("--seeds", type=int, default=3, help="how many, one after the other")
    add("--threads", type=int, default=1)
    return parser


def seeds_of(args: argparse.Namespace) -> range:
    """Return the seeds that a command line asks for."""
    return range(args.seed, args.seed + args.seeds)


def parse_args_with_out_file(
    parser: argparse.ArgumentParser, argv: list[str] | None
) -> argparse.Namespace:
    """Parse a command line with ``--out``, whose folder must exist before the minutes of work."""
    args = parser.parse_args(argv)
    if not args.out.parent.is_dir():
        parser.error(f"{args.out.parent} is not a folder; --out needs one that exists")
    return args


def run_experiment(
    parser: argparse.ArgumentParser,
    argv: list[str] | None,
    train: Callable[[argparse.Namespace], dict],
    clock: Callable[[], float] = time.perf_counter,
    packages: tuple[str, ...] = ("torch", "numpy"),
) -> None:
    """Parse a command line, train, and write the record; a bad value is one line on stderr.

    Parameters
    ----------
    parser : argparse.ArgumentParser
        Of :func:`experiment_parser`, or another with ``--out``.
    argv : list of str or None
    train : callable
        Takes the parsed options and returns the results, a dict that the record takes in. Its
        ``parameters`` and ``seconds``, if it has them, replace those of the command line and clock.
    clock : callable
        Of the record's ``seconds``.
    packages : iterable of str
        Whose versions the record has.
    """
    args = parse_args_with_out_file(parser, argv)
    if "threads" in args:
        torch.set_num_threads(args.threads)
    began = clock()
    try:
        results = train(args)
    except ValueError as error:
        parser.error(str(error))
    parameters = {name: value for name, value in vars(args).items() if name != "out"}
    records.write(
        args.out,
        {
            "command": records.command(parser, args),
            **records.environment(*packages),
            "parameters": parameters,
            "seconds": round(clock() - began, 1),
            **results,
        },
    )
