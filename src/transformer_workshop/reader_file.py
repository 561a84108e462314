"""The reader's file: written once and never again, read as it is, one function after the other."""

import dis
import importlib.util
import sys
from collections.abc import Iterable
from pathlib import Path
from types import ModuleType

from .errors import describe_error
from .judge import Verdict, judge
from .tasks import tasks_by_name
from .trial import global_names_used, stand_in_for

DEFAULT_FILE_NAME = "my_transformer.py"
FILE_HEAD = '''"""My Transformer, written function by function.

Write a function, save, and run:  python -m transformer_workshop check
Stuck?  python -m transformer_workshop check --hint NAME

A function returns something new, and never changes its arguments. Write with NumPy or with PyTorch.
In PyTorch, results must carry gradients: no item(), detach(), no_grad or NumPy on the way to them.
A NumPy function and a PyTorch function that call each other do not mix.
"""

import numpy as np
'''
STUB_OPCODES = {"RESUME", "LOAD_CONST", "RETURN_VALUE", "RETURN_CONST", "NOP"}


class ReaderError(ValueError):
    """The reader's file cannot be used; the message says what to do."""


def write_reader_file(path) -> None:
    """Write the file with the head of every function, unless there is a file already.

    Parameters
    ----------
    path : path-like

    Raises
    ------
    ReaderError
        If there is a file: nothing that a reader wrote is ever overwritten.
    """
    path = Path(path)
    stubs = [task.stub.strip("\n") for task in tasks_by_name().values()]
    try:
        with path.open("x", encoding="utf-8") as file:
            file.write("\n\n\n".join([FILE_HEAD.strip("\n"), *stubs]) + "\n")
    except FileExistsError:
        raise ReaderError(
            f"{path} is there already and stays as it is. Check it, or start another with --file."
        ) from None


def find_reader_file(path) -> Path:
    """Return where the reader's file is; raise ReaderError if there is none."""
    path = Path(path).resolve()
    if not path.is_file():
        raise ReaderError(
            f"there is no file {path}. Begin with: python -m transformer_workshop start"
        )
    return path


def load_reader_file(path) -> ModuleType:
    """Run the file and return its module.

    Raises
    ------
    ReaderError
        If there is no file, or it does not run, with the line.
    """
    path = find_reader_file(path)
    spec = importlib.util.spec_from_file_location("my_transformer", path)
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # where dataclasses look for it
    sys.path.insert(0, str(path.parent))
    try:
        spec.loader.exec_module(module)
    except SyntaxError as error:
        text = (error.text or "").strip()
        raise ReaderError(
            f"line {error.lineno}, `{text}`: Python does not understand this line ({error.msg})"
        ) from None
    except Exception as error:
        raise ReaderError(describe_error(error)) from None
    finally:
        sys.path.remove(str(path.parent))
    return module


def judge_function_in_file(
    path, task_name: str, wrong_function_names: Iterable[str] = ()
) -> Verdict:
    """Load the file and judge one of its functions.

    Parameters
    ----------
    path : path-like
    task_name : str
        Of the function.
    wrong_function_names : iterable of str
        Functions of the file that are wrong: the workshop's stand in for them, so that a mistake
        is told once, where it is made.

    Returns
    -------
    Verdict
    """
    module, known = load_reader_file(path), tasks_by_name()
    function = getattr(module, task_name, None)
    if function is None or is_stub(function):
        return Verdict(task_name, "todo")
    for other in wrong_function_names:
        setattr(module, other, stand_in_for(known[other].solution))
    # No gradient comes through what stands in, so none is asked for.
    used = global_names_used([getattr(function, "__code__", None)], vars(module))
    return judge(
        known[task_name], function, needs_gradients=not used & set(wrong_function_names)
    )


def is_stub(function) -> bool:
    """Whether a function does nothing yet."""
    code = getattr(function, "__code__", None)
    return code is not None and all(
        i.opname in STUB_OPCODES for i in dis.get_instructions(code)
    )
