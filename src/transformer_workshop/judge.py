"""Whether a function is right; otherwise the smallest input that shows it, and the mistake's name."""

import copy
import sys
import traceback
from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import combinations
from types import ModuleType
from typing import Any

import numpy as np

from .compare import Difference, as_arrays, difference
from .task import Slip, Task

SEED = 20171206
MOST_SLIPS = 2  # that are told apart when they are made at once


@dataclass
class Trial:
    """One input: what was expected, what came, and where they differ."""

    arguments: tuple
    expected: tuple
    result: tuple = ()
    difference: Difference | None = None
    error: str = ""
    raised: str = ""  # the exception's type

    @property
    def failed(self):
        """Whether it shows that the function is not right."""
        return bool(self.error or self.difference)


@dataclass
class Verdict:
    """What the check found."""

    task: str
    state: str  # "right", "wrong" or "todo"
    tried: int = 0
    says: list[str] = field(default_factory=list)
    slips: list[Slip] = field(default_factory=list)
    trial: Trial | None = None


def judge(task: Task, function: Callable) -> Verdict:
    """Try a function on the inputs of its task, the smallest first.

    Parameters
    ----------
    task : Task
    function : callable

    Returns
    -------
    Verdict
    """
    inputs = list(task.trials(np.random.default_rng(SEED)))
    kind = array_kind(task, function, inputs[0])
    trials = []
    for arguments in inputs:
        trial = try_once(task, function, arguments, kind)
        if trial.error == "todo":
            return Verdict(task.name, "todo")
        trials.append(trial)
    failed = [trial for trial in trials if trial.failed]
    if not failed:
        broken = broken_property(task, function, trials, kind) or unreached_argument(
            task, function, trials, kind
        )
        if not broken:
            return Verdict(task.name, "right", len(trials))
        says, trial = broken
        return Verdict(task.name, "wrong", len(trials), [says], [], trial)
    slips = recognise(task, trials)
    verdict = Verdict(task.name, "wrong", len(trials), [], slips, failed[0])
    if slips:
        verdict.says += [failed[0].error] if failed[0].raised else []
        return verdict
    if failed[0].error:
        verdict.says.append(failed[0].error)
        return verdict
    broken = broken_property(task, function, trials, kind)
    if broken:
        verdict.says.append(broken[0])
        verdict.trial = broken[1]
    verdict.says += where_it_fails(trials)
    return verdict


def try_once(task, function, arguments, kind):
    """Call the function with copies of the arguments and compare."""
    expected = as_arrays(task.reference(*copy.deepcopy(arguments)))
    trial = Trial(arguments, expected)
    handed = converted(copy.deepcopy(arguments), kind)
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
    trial.difference = difference(trial.result, expected, task.tolerance)
    changed = changed_argument(before, handed, task.parameters)
    if trial.difference is None and changed:
        trial.error = f"it changes its argument {changed} in place; work on a copy"
    return trial


def array_kind(task, function, arguments):
    """Return NumPy, or PyTorch where the function takes only tensors."""
    torch = sys.modules.get("torch")
    raised = try_once(task, function, arguments, np).raised
    if torch is None or not raised:
        return np
    if not try_once(task, function, arguments, torch).raised:
        return torch
    # Where both fail, tensors are meant if arrays lack what the function asks of them.
    modules = getattr(function, "__globals__", {}).values()
    has_numpy = any(module is np for module in modules)
    return np if has_numpy and raised not in ("TypeError", "AttributeError") else torch


def converted(value: Any, kind: ModuleType):
    """Turn the arrays in some arguments into tensors, if that is what the function takes."""
    if isinstance(value, tuple | list):
        return type(value)(converted(each, kind) for each in value)
    if isinstance(value, dict):
        return {key: converted(each, kind) for key, each in value.items()}
    if kind is np:
        return value
    if isinstance(value, np.ndarray):
        return kind.from_numpy(value.copy())
    if callable(value):  # such as a model that a decoder asks
        return lambda *arguments: converted(value(*plain(arguments)), kind)
    return value


def plain(value):
    """Turn tensors in some arguments back into arrays, for a function of the task."""
    if isinstance(value, tuple | list):
        return type(value)(plain(each) for each in value)
    if isinstance(value, dict):
        return {key: plain(each) for key, each in value.items()}
    return value.detach().numpy() if hasattr(value, "detach") else value


def changed_argument(before, after, names):
    """Return the name of the first argument that is not what it was, or None."""
    for name, old, new in zip(names, before, after):
        if isinstance(old, dict):
            inner = changed_argument(old.values(), new.values(), old)
            if inner:
                return f"{name}[{inner!r}]"
            continue
        if old is None or isinstance(old, str) or callable(old):
            continue
        if difference(as_arrays(new), as_arrays(old), 0.0):
            return name
    return None


def recognise(task, trials):
    """Return the slips that explain every result, in as small a number as will do."""
    if any(trial.error and not trial.raised for trial in trials):
        return []
    for count in range(1, MOST_SLIPS + 1):
        for slips in combinations(task.slips, count):
            names = frozenset(slip.name for slip in slips)
            if all(explains(task, names, trial) for trial in trials):
                return list(slips)
    return []


def explains(task, names, trial):
    """Whether the reference with these slips gives what the function gave, an exception too."""
    try:
        with np.errstate(all="ignore"):
            result = task.reference(*copy.deepcopy(trial.arguments), slips=names)
        wrong = as_arrays(result, len(trial.expected))
    except (ValueError, IndexError, TypeError) as error:
        # PyTorch has RuntimeError for shapes, where NumPy has ValueError.
        raised = trial.raised.replace("RuntimeError", "ValueError")
        return raised in {kind.__name__ for kind in type(error).__mro__[:-3]}
    return not trial.error and difference(trial.result, wrong, task.tolerance) is None


def broken_property(task, function, trials, kind):
    """Return what the first broken property says and where, or None."""

    def call(*arguments):
        with np.errstate(all="ignore"):
            result = function(*converted(copy.deepcopy(arguments), kind))
        return as_arrays(result, count)

    count = len(trials[0].expected)
    for trial in trials:
        if any(is_not_a_number(part) for part in trial.result) and not any(
            is_not_a_number(part) for part in trial.expected
        ):
            return "the result has NaN, which is no number", trial
    for each in task.properties:
        for trial in trials:
            if trial.error or len(trial.result) != count:
                continue
            try:
                holds = each.holds(call, trial.arguments, trial.result)
            except Exception:
                continue  # what cannot be asked of this result is not said of it
            if not holds:
                return each.says, trial
    return None


def is_not_a_number(array):
    """Whether an array has an entry that is NaN."""
    return array.dtype.kind == "f" and bool(np.isnan(array).any())


def unreached_argument(task, function, trials, kind):
    """Return which argument no gradient reaches and where, or None; asked of tensors alone."""
    if kind is np:
        return None
    for trial in trials:
        arguments = converted(copy.deepcopy(trial.arguments), kind)
        leaves = {
            name: value.requires_grad_()
            for name, value in zip(task.parameters, arguments)
            if name in task.differentiable and value is not None
        }
        if not leaves:
            continue
        try:
            result = function(*arguments)
        except Exception as error:
            says = "it fails where a gradient is to be taken"
            return f"{says}: {describe_error(error, function)}", trial
        first = result[0] if isinstance(result, tuple | list) else result
        if not getattr(first, "requires_grad", False):
            return (
                "no gradient reaches its arguments: is there a detach, an item, or NumPy",
                trial,
            )
        if not gradients_reach(leaves, first, kind):
            missed = [name for name, leaf in leaves.items() if leaf.grad is None]
            return f"the gradient does not reach {missed[0]}", trial
    return None


def gradients_reach(leaves, result, kind):
    """Take the gradient of a sum with unequal weights; whether every leaf has one then."""
    weights = kind.arange(1.0, result.numel() + 1, dtype=result.dtype)
    (result.flatten() * weights).sum().backward()
    return all(leaf.grad is not None for leaf in leaves.values())


def where_it_fails(trials):
    """Say what the inputs have in common on which the function fails, if it passes on others."""
    failed = [trial.failed for trial in trials]
    if all(failed):
        return []
    deep = [
        max((np.ndim(a) for a in t.arguments if isinstance(a, np.ndarray)), default=0)
        for t in trials
    ]
    if min(deep) < max(deep) and all(
        (d > min(deep)) == f for d, f in zip(deep, failed)
    ):
        return ["it is right without a batch, and wrong with one"]
    square = [
        all(
            len(set(a.shape[-2:])) == 1
            for a in t.arguments
            if isinstance(a, np.ndarray) and a.ndim > 1
        )
        for t in trials
    ]
    if any(square) and all(s != f for s, f in zip(square, failed)):
        return ["it is right only where the input is square"]
    return [f"it is right on {failed.count(False)} of {len(failed)} inputs"]


def describe_error(error, function=None):
    """Return an exception in one line, with the reader's own line where there is one.

    Parameters
    ----------
    error : Exception
    function : callable, optional
        The reader's, whose file the line is to be in.
    """
    frames = traceback.extract_tb(error.__traceback__)
    file = getattr(getattr(function, "__code__", None), "co_filename", None)
    theirs = [f for f in frames if f.filename == file] or [
        f
        for f in frames
        if "transformer_workshop" not in f.filename
        and "site-packages" not in f.filename
        and f"{sys.prefix}" not in f.filename
        and not f.filename.startswith("<frozen")
    ]
    where = f"line {theirs[-1].lineno}" if theirs else ""
    if theirs and theirs[-1].line:
        where += f", `{theirs[-1].line}`"
    text = " ".join(str(error).split())
    name = f"{where}: {type(error).__name__}" if where else type(error).__name__
    return f"{name}: {text}" if text else name
