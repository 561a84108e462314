"""Whether the functions of a file can be trained: all are there, and gradients come through them."""

import numpy as np

from .judge import unreached_argument
from .machine import NEEDED
from .reader_file import ReaderError, is_stub
from .tasks import tasks_by_name
from .trial import Trial, libraries_of, library_needed, list_names, names_used

TRAINED = (*NEEDED, "shifted_batch", "smoothed_loss", "training_loop")
# What these call, if the file has it under the name of the workshop.
CALLED = (
    "softmax",
    "scaled_dot_product_attention",
    "multi_head_attention",
    "layer_norm",
    "feed_forward",
)
MAKERS = ("causal_mask", "positional_encoding")  # of arrays, out of numbers
TRIALS = 3  # on which a gradient is asked of a function


def check_file(module):
    """Raise ReaderError if a function is missing, or no gradient comes through one."""
    import torch

    def written(name):
        return hasattr(module, name) and not is_stub(getattr(module, name))

    missing = [name for name in TRAINED if not written(name)]
    if missing:
        raise ReaderError(
            f"training needs {', '.join(missing)}, which the file does not have yet. Write them first."
        )
    names = [
        name
        for name in tasks_by_name()
        if name in (*TRAINED, *CALLED) and written(name)
    ]
    faults = faults_of(module, names, torch)
    if faults:
        raise ReaderError(describe_faults(module, faults, torch))


def faults_of(module, names, torch):
    """Return why no gradient comes through some functions, of those through which none comes."""
    found = {
        name: not_trainable(tasks_by_name()[name], getattr(module, name), torch)
        for name in names
    }
    return {name: why for name, why in found.items() if why}


def describe_faults(module, faults, torch):
    """Say which functions are to be rewritten; of those that call each other, the one at fault."""
    space = vars(module)

    def calls(name, deep=True):
        return names_used([getattr(space[name], "__code__", None)], space, deep)

    called = set().union(*map(calls, faults))
    arrays = [
        n
        for n in MAKERS
        if n in called and library_needed(tasks_by_name()[n], space[n]) == "numpy"
    ]
    for name in arrays:  # what is wrong without them?
        setattr(module, name, giving_tensors(space[name], torch))
    faults = faults_of(module, faults, torch)
    lost = [
        name
        for name in faults
        if not calls(name) & faults.keys() - {name}
        or "numpy" in libraries_of(calls(name, deep=False), space)
    ]
    lost = lost if lost or arrays else list(faults)
    says = []
    if lost:
        let = "let" if len(lost) > 1 else "lets"
        says.append(
            f"{list_names(lost)} {let} no gradient of PyTorch through ({faults[lost[0]]})"
        )
    if arrays:
        give = "return arrays" if len(arrays) > 1 else "returns an array"
        says.append(
            f"{list_names(arrays)} {give} of NumPy, where training needs a tensor"
        )
    them = "it" if len(lost + arrays) == 1 else "them"
    return f"{'. Also, '.join(says)}. Rewrite {them} with torch."


def giving_tensors(function, torch):
    """Return a function that gives a tensor where this one gives an array."""
    return lambda *arguments: torch.as_tensor(function(*arguments))


def not_trainable(task, function, torch):
    """Return why no gradient comes through a function, or nothing."""
    inputs = (
        task.trial_arguments(np.random.default_rng(0)) if task.differentiable else ()
    )
    trials = [Trial(arguments, ()) for arguments, _ in zip(inputs, range(TRIALS))]
    found = unreached_argument(task, function, trials, torch)
    return found[0] if found else ""
