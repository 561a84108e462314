"""Whether the functions of a file can be trained: all are there, and gradients come through them."""

from collections.abc import Callable, Iterable

import numpy as np

from .judge import find_gradient_fault
from .machine import TRANSLATION_FUNCTION_NAMES
from .reader_file import ReaderError, is_stub
from .tasks import tasks_by_name
from .trial import (
    Trial,
    global_names_used,
    join_names,
    libraries_of_names,
    needed_library,
)

TRAINING_FUNCTION_NAMES = (
    *TRANSLATION_FUNCTION_NAMES,
    "shifted_batch",
    "smoothed_loss",
    "training_loop",
)
# What these call, if the file has it under the name of the workshop.
CALLED_FUNCTION_NAMES = (
    "softmax",
    "scaled_dot_product_attention",
    "multi_head_attention",
    "layer_norm",
    "feed_forward",
)
ARRAY_MAKER_NAMES = ("causal_mask", "positional_encoding")  # of arrays, out of numbers
GRADIENT_TRIAL_COUNT = 3  # on which a gradient is asked of a function


def check_trainable(module) -> None:
    """Raise ReaderError if a function is missing, or no gradient comes through one."""
    import torch

    def is_written(function_name: str) -> bool:
        return hasattr(module, function_name) and not is_stub(
            getattr(module, function_name)
        )

    missing = [name for name in TRAINING_FUNCTION_NAMES if not is_written(name)]
    if missing:
        raise ReaderError(
            f"training needs {', '.join(missing)}, which the file does not have yet. Write them first."
        )
    names = [
        name
        for name in tasks_by_name()
        if name in (*TRAINING_FUNCTION_NAMES, *CALLED_FUNCTION_NAMES)
        and is_written(name)
    ]
    faults = gradient_faults_by_function(module, names, torch)
    if faults:
        raise ReaderError(describe_functions_to_rewrite(module, faults, torch))


def gradient_faults_by_function(
    module, function_names: Iterable[str], torch
) -> dict[str, str]:
    """Return why no gradient comes through some functions, of those through which none comes."""
    found = {
        name: describe_missing_gradient(
            tasks_by_name()[name], getattr(module, name), torch
        )
        for name in function_names
    }
    return {name: why for name, why in found.items() if why}


def describe_functions_to_rewrite(
    module, faults_by_function: dict[str, str], torch
) -> str:
    """Say which functions are to be rewritten; of those that call each other, the one at fault."""
    space = vars(module)

    def global_names_used_by(name: str, follow_calls: bool = True) -> set[str]:
        return global_names_used(
            [getattr(space[name], "__code__", None)], space, follow_calls
        )

    called = set().union(*map(global_names_used_by, faults_by_function))
    arrays = [
        n
        for n in ARRAY_MAKER_NAMES
        if n in called and needed_library(tasks_by_name()[n], space[n]) == "numpy"
    ]
    for name in arrays:  # what is wrong without them?
        setattr(module, name, return_tensors_from(space[name], torch))
    faults_by_function = gradient_faults_by_function(module, faults_by_function, torch)
    lost = [
        name
        for name in faults_by_function
        if not global_names_used_by(name) & faults_by_function.keys() - {name}
        or "numpy"
        in libraries_of_names(global_names_used_by(name, follow_calls=False), space)
    ]
    lost = lost if lost or arrays else list(faults_by_function)
    says = []
    if lost:
        let = "let" if len(lost) > 1 else "lets"
        says.append(
            f"{join_names(lost)} {let} no gradient of PyTorch through ({faults_by_function[lost[0]]})"
        )
    if arrays:
        give = "return arrays" if len(arrays) > 1 else "returns an array"
        says.append(
            f"{join_names(arrays)} {give} of NumPy, where training needs a tensor"
        )
    them = "it" if len(lost + arrays) == 1 else "them"
    return f"{'. Also, '.join(says)}. Rewrite {them} with torch."


def return_tensors_from(function: Callable, torch) -> Callable:
    """Return a function that gives a tensor where this one gives an array."""
    return lambda *arguments: torch.as_tensor(function(*arguments))


def describe_missing_gradient(task, function, torch) -> str:
    """Return why no gradient comes through a function, or nothing."""
    inputs = (
        task.trial_arguments(np.random.default_rng(0)) if task.differentiable else ()
    )
    trials = [
        Trial(arguments, ())
        for arguments, _ in zip(inputs, range(GRADIENT_TRIAL_COUNT))
    ]
    found = find_gradient_fault(task, function, trials, torch)
    return found[0] if found else ""
