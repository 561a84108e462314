"""The workshop's command line: ``python -m transformer_workshop --help``."""

import argparse
import inspect
import itertools
import sys

from rich.console import Console

from transformer_book.data import DataError
from transformer_book.storage import StorageError

from . import grading, machine, training
from .checking import find_task, judge_file
from .errors import describe_error
from .isolation import run_isolated
from .reader_file import (
    DEFAULT_FILE_NAME,
    ReaderError,
    find_reader_file,
    write_reader_file,
)
from .report import print_lines, verdict_lines, verdict_table
from .tasks import tasks_by_name

HINT_COUNT = 3
MAX_TRANSLATION_SECONDS = 120  # loops take their time


def argument_parser() -> argparse.ArgumentParser:
    """Return the parser of the command line."""
    parser = argparse.ArgumentParser(
        prog="python -m transformer_workshop",
        description="Write your own Transformer, function by function, and have it checked.",
    )
    commands = parser.add_subparsers(dest="command", required=True)
    begin = commands.add_parser(
        "start", help="write the file with every function's head"
    )
    check = commands.add_parser(
        "check", help="say of each function whether it is right"
    )
    grade = commands.add_parser(
        "grade", help="check every file of a folder, and write a CSV"
    )
    translate = commands.add_parser(
        "translate", help="translate with your functions and the book's weights"
    )
    translate.add_argument("sentence", nargs="?", default=machine.EXAMPLE_SENTENCE)
    translate.add_argument("--weights", help="the file; the book's, of make book")
    train = commands.add_parser(
        "train",
        help="train your functions with your loop, and count right translations",
    )
    train.add_argument("--seconds", type=int, default=120, help="to train; 120")
    train.add_argument("--seed", type=int, default=0, help="of weights and batches; 0")
    for command in (begin, check, translate, train):
        command.add_argument(
            "--file", default=DEFAULT_FILE_NAME, help=f"the file; {DEFAULT_FILE_NAME}"
        )
    check.add_argument("function", nargs="?", help="the one function to check")
    check.add_argument("--watch", action="store_true", help="check again at every save")
    check.add_argument(
        "--hint", nargs="+", metavar=("NAME", "STEP"), help="a hint, in steps 1 to 3"
    )
    check.add_argument("--solution", metavar="NAME", help="show a solution")
    grade.add_argument("folder", help="with a .py file for each submission")
    grade.add_argument("--tasks", nargs="+", metavar="NAME", help="the tasks; all")
    grade.add_argument(
        "--out", default="grades.csv", help="the file to write; grades.csv"
    )
    return parser


def main(argv: list[str] | None = None) -> int:
    """Start a file, check it, or grade a folder of files."""
    options = argument_parser().parse_args(argv)
    try:
        if options.command == "start":
            write_reader_file(options.file)
            print(f"{options.file} is written. Open it and write the first function.")
            return 0
        if options.command == "translate":
            return print_translation(options)
        if options.command == "train":
            return train_and_print_results(options.file, options.seconds, options.seed)
        if options.command == "grade":
            return grading.grade_folder(options.folder, options.tasks, options.out)
        if options.hint:
            return print_hint(*options.hint)
        if options.solution:
            print(inspect.getsource(find_task(options.solution).solution))
            return 0
        if options.watch:
            return check_at_every_save(options.file, options.function)
        return check_file(options.file, options.function)
    except ReaderError as error:
        print(error, file=sys.stderr)
        return 2


def print_translation(options: argparse.Namespace) -> int:
    """Print a sentence and what the functions of a file make of it."""
    weights = options.weights or machine.book_weights()
    outcome = run_isolated(
        translate_or_explain,
        *(options.file, options.sentence, weights),
        reader_path=options.file,
        max_processor_seconds=MAX_TRANSLATION_SECONDS,
    )
    if outcome.problem:
        raise ReaderError(f"{options.file}: {outcome.problem}")
    problem, translation = outcome.value
    if problem:
        raise ReaderError(problem)
    print(f"{options.sentence}\n{translation}")
    return 0


def train_and_print_results(path, seconds: int, seed: int) -> int:
    """Train the functions of a file, and print their share of right translations and the book's."""
    result = training.train_file(path, seconds, seed)
    losses, count = result.losses, result.sentences
    print(
        f"{result.steps:,} steps; the loss was {losses[0]:.2f} and is {losses[-1]:.2f}."
    )
    print(
        f"Your model translates {result.right / count:.0%} of {count} new sentences right."
    )
    try:
        right = training.count_right_of_book(machine.book_weights(), count)
        print(f"The book's translator: {right / count:.0%} of the same sentences.")
    except (ReaderError, StorageError) as error:
        print(f"The book's translator is not there to compare: {error}")
    out = training.weights_path_beside(path)
    print(f"Your weights: python -m transformer_workshop translate --weights {out}")
    return 0


def translate_or_explain(path, sentence: str, weights_path) -> tuple[str, str]:
    """Return why a sentence cannot be translated, or nothing, and its translation."""
    try:
        return "", machine.translate_with_file(path, sentence, weights_path)
    except Exception as error:
        known = isinstance(error, ReaderError | DataError | StorageError)
        return str(error) if known else describe_error(error), ""


def print_hint(task_name: str, step: str = "1", *extra_words: str) -> int:
    """Print a hint; each step says more than the one before."""
    if extra_words or step not in map(str, range(1, HINT_COUNT + 1)):
        raise ReaderError(f"--hint NAME STEP: the step is {step!r}; expected 1, 2 or 3")
    print(find_task(task_name).hints[int(step) - 1])
    return 0


def check_file(path, task_name: str | None = None) -> int:
    """Judge a file and print the table, and what is to be said of the first function that is wrong."""
    names = None if task_name is None else [find_task(task_name).name]
    verdicts = judge_file(path, names)
    console = Console()
    if task_name is None:
        console.print(verdict_table(verdicts))
    pending = [v for v in verdicts if v.state == "wrong"] or [
        v for v in verdicts if v.state == "todo"
    ]
    for verdict in verdicts if task_name else pending[:1]:
        print_lines(
            ["", *verdict_lines(verdict, tasks_by_name()[verdict.task])], console
        )
    return int(any(verdict.state == "wrong" for verdict in verdicts))


def check_at_every_save(path, task_name: str | None = None) -> int:
    """Check a file now and at every save, until the reader interrupts it."""
    from watchfiles import watch as changes

    path, checked_save = find_reader_file(path), None
    try:
        # The folder is watched, because many editors replace a file when they save it; and the time
        # of the last save is compared, because a save while a check runs is not reported.
        for _ in itertools.chain(
            [None], changes(path.parent, recursive=False, yield_on_timeout=True)
        ):
            last_save = save_time_ns(path)
            if last_save not in (None, checked_save):
                checked_save = last_save
                check_unfinished_file(path, task_name)
    except KeyboardInterrupt:
        pass
    return 0


def save_time_ns(path) -> int | None:
    """Return when a file was last saved, in nanoseconds; None while an editor replaces it."""
    try:
        return path.stat().st_mtime_ns
    except FileNotFoundError:
        return None


def check_unfinished_file(path, task_name: str | None) -> None:
    """Check a file that may be half written, and print why where it cannot be loaded."""
    try:
        check_file(path, task_name)
    except ReaderError as error:
        print(error)


if __name__ == "__main__":
    raise SystemExit(main())
