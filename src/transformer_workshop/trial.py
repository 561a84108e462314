"""The reader's function called on one input: as arrays or tensors, and what comes of it."""

import copy
import dis
import sys
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from types import CodeType, ModuleType
from typing import Any

import numpy as np

from .compare import Difference, as_arrays, first_difference
from .errors import describe_error

LIBRARY_IN_USE: dict[str, ModuleType] = {"library": np}  # of the function that is tried


@dataclass
class Trial:
    """One input: what was expected, what came, and where they differ."""

    arguments: tuple
    expected: tuple
    result: tuple = ()
    difference: Difference | None = None
    error: str = ""
    raised: str = ""  # the exception's type
    changed: str = ""  # what it says of arguments that were changed in place

    @property
    def has_failed(self) -> bool:
        """Whether it shows that the function is not right."""
        return bool(self.error or self.difference or self.changed)


def try_once(task, function, arguments: tuple, library: ModuleType) -> Trial:
    """Call the function with copies of the arguments and compare."""
    expected = as_arrays(task.reference(*copy.deepcopy(arguments)))
    trial = Trial(arguments, expected)
    handed = to_tensors(copy.deepcopy(arguments), library)
    LIBRARY_IN_USE["library"] = library
    before = copy.deepcopy(handed)
    try:
        with np.errstate(all="ignore"):
            result = function(*handed)
        if result is NotImplemented or result is Ellipsis:
            raise NotImplementedError
        trial.result = as_arrays(result, len(expected))
    except NotImplementedError:  # not written yet
        trial.error = "todo"
        return trial
    except Exception as error:
        trial.error, trial.raised = (
            describe_error(error, function),
            type(error).__name__,
        )
        return trial
    trial.difference = first_difference(trial.result, expected, task.tolerance)
    changed = changed_argument_names(
        before, handed, task.parameter_names, task.may_change
    )
    if changed:
        word = "arguments" if len(changed) > 1 else "argument"
        trial.changed = (
            f"it changes its {word} {join_names(changed)} in place; work on a copy"
        )
    return trial


def choose_library(task, function, arguments: tuple) -> ModuleType:
    """Return NumPy, or PyTorch where the function takes only tensors."""
    torch = sys.modules.get("torch")
    raised = try_once(task, function, arguments, np).raised
    if torch is None or not raised:
        return np
    if not try_once(task, function, arguments, torch).raised:
        return torch
    # Where both fail, the error to show is that of the library which the function uses.
    space = getattr(function, "__globals__", {})
    code = getattr(function, "__code__", None)
    every = [getattr(each, "__code__", None) for each in space.values()]
    used = libraries_used([code], space) or libraries_used(every, space)
    if used:
        return torch if "torch" in used else np
    return torch if raised in ("TypeError", "AttributeError") else np


def uses_numpy_not_torch(function) -> bool:
    """Whether a function uses NumPy by name, and not PyTorch."""
    code = getattr(function, "__code__", None)
    return libraries_used([code], getattr(function, "__globals__", {})) == {"numpy"}


def needed_library(task, function) -> str:
    """Return whether a function takes only "numpy" or only "torch"; "" where it takes both, or neither."""
    import torch

    arguments = next(iter(task.trial_arguments(np.random.default_rng(0))))
    if not any(isinstance(each, np.ndarray) for each in arguments):
        try:
            result = function(*arguments)
        except Exception:
            return ""
        if isinstance(result, torch.Tensor):
            return "torch"
        return "numpy" if isinstance(result, np.ndarray) else ""
    fails = [try_once(task, function, arguments, kind).raised for kind in (np, torch)]
    if all(fails) or not any(fails):
        return ""
    return "torch" if fails[0] else "numpy"


def libraries_used(code_objects, namespace: dict) -> set[str]:
    """Return which of numpy and torch some code uses by a global name, as ``F`` in F.softmax."""
    return libraries_of_names(global_names_used(code_objects, namespace), namespace)


def libraries_of_names(names: set[str], namespace: dict) -> set[str]:
    """Return which of numpy and torch some global names are, or come from."""
    used = set()
    for name in names:
        module = namespace[name] if isinstance(namespace[name], ModuleType) else None
        home = module.__name__ if module else getattr(namespace[name], "__module__", "")
        used.add(str(home).partition(".")[0])
    return used & {"numpy", "torch"}


def global_names_used(
    code_objects, namespace: dict, follow_calls: bool = True
) -> set[str]:
    """Return the global names that some code uses and, with ``follow_calls``, the functions it calls."""
    code_objects, seen, names = list(code_objects), set(), set()
    while code_objects:
        code = code_objects.pop()
        if code is None or code in seen:
            continue
        seen.add(code)
        code_objects += [each for each in code.co_consts if isinstance(each, CodeType)]
        loaded = (i for i in dis.get_instructions(code) if i.opname == "LOAD_GLOBAL")
        found = {each.argval for each in loaded if each.argval in namespace}
        if follow_calls:
            code_objects += [
                getattr(namespace[name], "__code__", None) for name in found
            ]
        names |= found
    return names


def to_tensors(value: Any, library: ModuleType) -> Any:
    """Turn the arrays in some arguments into tensors, if that is what the function takes."""
    if isinstance(value, tuple | list):
        return type(value)(to_tensors(each, library) for each in value)
    if isinstance(value, dict):
        return {key: to_tensors(each, library) for key, each in value.items()}
    if library is np:
        return value
    if isinstance(value, np.ndarray):
        return library.from_numpy(value.copy())
    if callable(value):  # such as a model that a decoder asks
        return lambda *arguments: to_tensors(value(*to_arrays(arguments)), library)
    return value


def stand_in_for(solution: Callable) -> Callable:
    """Return a solution that gives tensors to a function that was handed tensors."""

    def call_solution(*arguments, **named):
        result = solution(*to_arrays(arguments), **to_arrays(named))
        return to_tensors(result, LIBRARY_IN_USE["library"])

    return call_solution


def to_arrays(value: Any) -> Any:
    """Turn tensors in some arguments back into arrays, for a function of the task."""
    if isinstance(value, tuple | list):
        return type(value)(to_arrays(each) for each in value)
    if isinstance(value, dict):
        return {key: to_arrays(each) for key, each in value.items()}
    return value.detach().numpy() if hasattr(value, "detach") else value


def changed_argument_names(before, after, names, may_change=()) -> list[str]:
    """Return the names of the arguments that are not what they were."""
    changed = []
    for name, old, new in zip(names, before, after):
        if isinstance(old, dict):
            inner = changed_argument_names(old.values(), new.values(), old)
            changed += [f'{name}["{each}"]' for each in inner]
            continue
        if name in may_change or old is None or isinstance(old, str) or callable(old):
            continue
        if first_difference(as_arrays(new), as_arrays(old), 0.0):
            changed.append(name)
    return changed


def join_names(names: Iterable[str]) -> str:
    """Return some names in words."""
    *others, last = names
    return f"{', '.join(others)} and {last}" if others else last
