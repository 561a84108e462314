"""Whether a function is right; otherwise the smallest input that shows it, and the mistake's name."""

import copy
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import combinations
from types import ModuleType

import numpy as np

from .compare import as_arrays, first_difference
from .errors import describe_error
from .task import Slip, Task
from .trial import (
    Trial,
    choose_library,
    join_names,
    to_tensors,
    try_once,
    uses_numpy_not_torch,
)

SEED = 20171206
MAX_SLIPS_AT_ONCE = 2  # that are told apart when they are made at once
LARGEST_EXPONENT = 700  # beyond which exp overflows
RANDOM_RESULT_MESSAGE = (
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


def judge(task: Task, function: Callable, needs_gradients: bool = True) -> Verdict:
    """Try a function on the inputs of its task, the smallest first.

    Parameters
    ----------
    task : Task
    function : callable
    needs_gradients : bool
        Whether gradients have to come through a function of tensors that is right otherwise.

    Returns
    -------
    Verdict
    """
    inputs = list(task.trial_arguments(np.random.default_rng(SEED)))
    library = choose_library(task, function, inputs[0])
    trials = try_all_inputs(task, function, inputs, library)
    torch = sys.modules.get("torch")
    if (
        library is np
        and torch
        and count_exceptions(trials)
        and not uses_numpy_not_torch(function)
    ):
        # What is meant for tensors may fail with arrays later than at once.
        others = try_all_inputs(task, function, inputs, torch)
        if count_exceptions(others) < count_exceptions(trials):
            trials, library = others, torch
    if trials[-1].error == "todo":
        return Verdict(task.name, "todo")
    if any(trial.has_failed for trial in trials):
        return verdict_on_failures(task, function, trials, library)
    broken = find_broken_property(task, function, trials, library)
    if not broken and needs_gradients:
        broken = find_gradient_fault(task, function, trials, library)
        broken = broken and (f"the numbers are right, but {broken[0]}", broken[1])
    if not broken:
        return Verdict(task.name, "right", len(trials))
    says, trial = broken
    return Verdict(task.name, "wrong", len(trials), [says], [], trial)


def verdict_on_failures(
    task, function, trials: list[Trial], library: ModuleType
) -> Verdict:
    """Return what is wrong, where a result is not the expected one."""
    failed = [trial for trial in trials if trial.has_failed]
    first = next((t for t in failed if t.error or t.difference), failed[0])
    verdict = Verdict(task.name, "wrong", len(trials))
    verdict.trial = first
    verdict.says += list(dict.fromkeys(t.changed for t in failed if t.changed))[:1]
    if not any(trial.error or trial.difference for trial in failed):
        return verdict
    verdict.slips = recognise_slips(task, trials)
    if verdict.slips:
        verdict.says += [first.error] if first.raised else []
        return verdict
    if any(is_result_random(task, function, trial, library) for trial in failed):
        verdict.says.append(RANDOM_RESULT_MESSAGE)
    elif first.error:
        verdict.says.append(first.error)
    elif first.difference and is_shape_difference(first):
        verdict.says += [
            describe_trial_difference(task, first),
            *describe_what_failing_inputs_share(trials),
        ]
    else:
        broken = find_broken_property(task, function, trials, library)
        if broken:
            verdict.says.append(broken[0])
            verdict.trial = broken[1]
        verdict.says += describe_what_failing_inputs_share(trials)
    return verdict


def try_all_inputs(
    task, function, argument_tuples: list[tuple], library: ModuleType
) -> list[Trial]:
    """Return the trials of all inputs, up to one that finds the function not written yet."""
    trials = []
    for arguments in argument_tuples:
        trials.append(try_once(task, function, arguments, library))
        if trials[-1].error == "todo":
            break
    return trials


def count_exceptions(trials: list[Trial]) -> int:
    """Return how many trials ended with an exception."""
    return sum(bool(trial.raised) for trial in trials)


def recognise_slips(task, trials: list[Trial]) -> list[Slip]:
    """Return the slips that explain every result, in as small a number as will do."""
    if any(trial.error and not trial.raised for trial in trials):
        return []
    for count in range(1, MAX_SLIPS_AT_ONCE + 1):
        for slips in combinations(task.slips, count):
            names = frozenset(slip.name for slip in slips)
            if all(do_slips_explain(task, names, trial) for trial in trials):
                return list(slips)
    return []


def do_slips_explain(task, slip_names: frozenset[str], trial) -> bool:
    """Whether the reference with these slips gives what the function gave, an exception too."""
    try:
        with np.errstate(all="ignore"):
            result = task.reference(*copy.deepcopy(trial.arguments), slips=slip_names)
        wrong = as_arrays(result, len(trial.expected))
    except (ValueError, IndexError, TypeError, ZeroDivisionError) as error:
        # PyTorch has RuntimeError for shapes, where NumPy has ValueError.
        raised = trial.raised.replace("RuntimeError", "ValueError")
        return raised in {kind.__name__ for kind in type(error).__mro__[:-3]}
    return (
        not trial.error
        and first_difference(trial.result, wrong, task.tolerance) is None
    )


def describe_trial_difference(task, trial) -> str:
    """Return what a difference says, with the names of the results where some are missing."""
    says = trial.difference.says
    missing = len(trial.result) != len(trial.expected) == len(task.results)
    return f"{says}: {join_names(task.results)}" if missing else says


def is_shape_difference(trial) -> bool:
    """Whether a result has another number of parts or axes, or is a table of another shape."""
    if len(trial.result) != len(trial.expected):
        return True
    part = trial.difference.part or 0
    lists = trial.expected[part].ndim == trial.result[part].ndim == 1  # of ids or texts
    return bool(trial.difference.says) and not lists


def is_result_random(task, function, trial, library: ModuleType) -> bool:
    """Whether a second call with the same arguments gives another result."""
    if trial.error:
        return False
    again = try_once(task, function, trial.arguments, library)
    return not again.error and bool(first_difference(again.result, trial.result, 1e-9))


def find_broken_property(
    task, function, trials: list[Trial], library: ModuleType
) -> tuple[str, Trial] | None:
    """Return what the first broken property says and where, or None."""

    def call_function(*arguments) -> tuple[np.ndarray, ...]:
        with np.errstate(all="ignore"):
            result = function(*to_tensors(copy.deepcopy(arguments), library))
        return as_arrays(result, count)

    count = len(trials[0].expected)
    for trial in trials:
        if any(has_nan(part) for part in trial.result) and not any(
            has_nan(part) for part in trial.expected
        ):
            return (
                f"the result has NaN, which is no number{suggest_nan_cause(trial)}",
                trial,
            )
    for each in task.properties:
        for trial in trials:
            if trial.error or len(trial.result) != count:
                continue
            try:
                holds = each.holds(call_function, trial.arguments, trial.result)
            except Exception:
                continue  # what cannot be asked of this result is not said of it
            if isinstance(holds, str):
                return holds, trial
            if not holds:
                return each.says, trial
    return None


def suggest_nan_cause(trial) -> str:
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


def has_nan(array: np.ndarray) -> bool:
    """Whether an array has an entry that is NaN."""
    return array.dtype.kind == "f" and bool(np.isnan(array).any())


def find_gradient_fault(
    task, function, trials: list[Trial], library: ModuleType
) -> tuple[str, Trial] | None:
    """Return what keeps a gradient from an argument and where, or None; asked of tensors alone."""
    if library is np:
        return None
    for trial in trials:
        arguments = to_tensors(copy.deepcopy(trial.arguments), library)
        leaves = {
            name: value.requires_grad_()
            for name, value in zip(task.parameter_names, arguments)
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
        if not does_backward_reach_all(leaves, first, library):
            missed = [name for name, leaf in leaves.items() if leaf.grad is None]
            return f"the gradient does not reach {missed[0]}", trial
    return None


def does_backward_reach_all(
    leaves_by_name: dict, result_tensor, library: ModuleType
) -> bool:
    """Take the gradient of a sum with unequal weights; whether every leaf has one then."""
    weights = library.arange(1.0, result_tensor.numel() + 1, dtype=result_tensor.dtype)
    (result_tensor.flatten() * weights).sum().backward()
    return all(leaf.grad is not None for leaf in leaves_by_name.values())


def describe_what_failing_inputs_share(trials: list[Trial]) -> list[str]:
    """Say what the inputs have in common on which the function fails, if it passes on others."""
    failed = [trial.has_failed for trial in trials]
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
