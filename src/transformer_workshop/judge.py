"""Whether a function is right; otherwise the smallest input that shows it, and the mistake's name."""

import copy
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import combinations

import numpy as np

from .compare import as_arrays, first_difference
from .errors import describe_error
from .task import Slip, Task
from .trial import Trial, array_kind, list_names, only_numpy, to_tensors, try_once

SEED = 20171206
MOST_SLIPS = 2  # that are told apart when they are made at once
LARGEST_EXPONENT = 700  # beyond which exp overflows
BY_CHANCE = (
    "two calls with the same arguments give different results: is there a dropout, or another random "
    "number?"
)


@dataclass
class Verdict:
    """What the check found."""

    task: str
    state: str  # "right", "wrong" or "todo"
    tried: int = 0
    says: list[str] = field(default_factory=list)
    slips: list[Slip] = field(default_factory=list)
    trial: Trial | None = None


def judge(task: Task, function: Callable, gradients: bool = True) -> Verdict:
    """Try a function on the inputs of its task, the smallest first.

    Parameters
    ----------
    task : Task
    function : callable
    gradients : bool
        Whether gradients have to come through a function of tensors that is right otherwise.

    Returns
    -------
    Verdict
    """
    inputs = list(task.trial_arguments(np.random.default_rng(SEED)))
    kind = array_kind(task, function, inputs[0])
    trials = try_all(task, function, inputs, kind)
    torch = sys.modules.get("torch")
    if kind is np and torch and with_exception(trials) and not only_numpy(function):
        # What is meant for tensors may fail with arrays later than at once.
        others = try_all(task, function, inputs, torch)
        if with_exception(others) < with_exception(trials):
            trials, kind = others, torch
    if trials[-1].error == "todo":
        return Verdict(task.name, "todo")
    if any(trial.failed for trial in trials):
        return verdict_of_failed(task, function, trials, kind)
    broken = broken_property(task, function, trials, kind)
    if not broken and gradients:
        broken = unreached_argument(task, function, trials, kind)
        broken = broken and (f"the numbers are right, but {broken[0]}", broken[1])
    if not broken:
        return Verdict(task.name, "right", len(trials))
    says, trial = broken
    return Verdict(task.name, "wrong", len(trials), [says], [], trial)


def verdict_of_failed(task, function, trials, kind):
    """Return what is wrong, where a result is not the expected one."""
    failed = [trial for trial in trials if trial.failed]
    first = next((t for t in failed if t.error or t.difference), failed[0])
    verdict = Verdict(task.name, "wrong", len(trials))
    verdict.trial = first
    verdict.says += list(dict.fromkeys(t.changed for t in failed if t.changed))[:1]
    if not any(trial.error or trial.difference for trial in failed):
        return verdict
    verdict.slips = recognise(task, trials)
    if verdict.slips:
        verdict.says += [first.error] if first.raised else []
        return verdict
    if any(differs_again(task, function, trial, kind) for trial in failed):
        verdict.says.append(BY_CHANCE)
    elif first.error:
        verdict.says.append(first.error)
    elif first.difference and says_more_than_properties(first):
        verdict.says += [difference_in_words(task, first), *where_it_fails(trials)]
    else:
        broken = broken_property(task, function, trials, kind)
        if broken:
            verdict.says.append(broken[0])
            verdict.trial = broken[1]
        verdict.says += where_it_fails(trials)
    return verdict


def try_all(task, function, inputs, kind):
    """Return the trials of all inputs, up to one that finds the function not written yet."""
    trials = []
    for arguments in inputs:
        trials.append(try_once(task, function, arguments, kind))
        if trials[-1].error == "todo":
            break
    return trials


def with_exception(trials):
    """Return how many trials ended with an exception."""
    return sum(bool(trial.raised) for trial in trials)


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
    except (ValueError, IndexError, TypeError, ZeroDivisionError) as error:
        # PyTorch has RuntimeError for shapes, where NumPy has ValueError.
        raised = trial.raised.replace("RuntimeError", "ValueError")
        return raised in {kind.__name__ for kind in type(error).__mro__[:-3]}
    return (
        not trial.error
        and first_difference(trial.result, wrong, task.tolerance) is None
    )


def difference_in_words(task, trial):
    """Return what a difference says, with the names of the results where some are missing."""
    says = trial.difference.says
    missing = len(trial.result) != len(trial.expected) == len(task.results)
    return f"{says}: {list_names(task.results)}" if missing else says


def says_more_than_properties(trial):
    """Whether a result has another number of parts or axes, or is a table of another shape."""
    if len(trial.result) != len(trial.expected):
        return True
    part = trial.difference.part or 0
    lists = trial.expected[part].ndim == trial.result[part].ndim == 1  # of ids or texts
    return bool(trial.difference.says) and not lists


def differs_again(task, function, trial, kind):
    """Whether a second call with the same arguments gives another result."""
    if trial.error:
        return False
    again = try_once(task, function, trial.arguments, kind)
    return not again.error and bool(first_difference(again.result, trial.result, 1e-9))


def broken_property(task, function, trials, kind):
    """Return what the first broken property says and where, or None."""

    def call(*arguments):
        with np.errstate(all="ignore"):
            result = function(*to_tensors(copy.deepcopy(arguments), kind))
        return as_arrays(result, count)

    count = len(trials[0].expected)
    for trial in trials:
        if any(is_not_a_number(part) for part in trial.result) and not any(
            is_not_a_number(part) for part in trial.expected
        ):
            return (
                f"the result has NaN, which is no number{suggest_cause(trial)}",
                trial,
            )
    for each in task.properties:
        for trial in trials:
            if trial.error or len(trial.result) != count:
                continue
            try:
                holds = each.holds(call, trial.arguments, trial.result)
            except Exception:
                continue  # what cannot be asked of this result is not said of it
            if isinstance(holds, str):
                return holds, trial
            if not holds:
                return each.says, trial
    return None


def suggest_cause(trial):
    """Return what is a usual cause of NaN with such arguments, as a question."""
    arrays = [a for a in trial.arguments if isinstance(a, np.ndarray)]
    numbers = [a[np.isfinite(a)] for a in arrays if a.dtype.kind == "f"]
    if any(np.abs(a).max(initial=0) > LARGEST_EXPONENT for a in numbers):
        return ": did exp overflow? Subtract the largest number first"
    if any(a.dtype == bool for a in arrays):
        return (
            ": does a row of your mask hide every key, because it hides what is True?"
        )
    return ""


def is_not_a_number(array):
    """Whether an array has an entry that is NaN."""
    return array.dtype.kind == "f" and bool(np.isnan(array).any())


def unreached_argument(task, function, trials, kind):
    """Return which argument no gradient reaches and where, or None; asked of tensors alone."""
    if kind is np:
        return None
    for trial in trials:
        arguments = to_tensors(copy.deepcopy(trial.arguments), kind)
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
                "no gradient reaches its arguments: is there a detach, an item, a no_grad, NumPy, or a "
                "frozen nn.Embedding?",
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
        if min(deep) == 1:
            return ["it is right for a single row, and wrong for several"]
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
