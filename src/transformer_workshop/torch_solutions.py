"""The workshop's solutions with PyTorch in the place of NumPy, so that gradients pass through them."""

import inspect
import re
from pathlib import Path

from .tasks import tasks_by_name

# The table of the page workshop/machine: what NumPy calls it, and what PyTorch does.
NUMPY_TO_TORCH_SUBSTITUTIONS = (
    (r"np\.(exp|log|sin|cos|arange)\(", r"torch.\1("),
    (r"np\.sqrt\((Q\.shape\[-1\])\)", r"\1**0.5"),
    (r"np\.sqrt\(", r"torch.sqrt("),
    (r"np\.empty\(\((.*?)\)\)", r"torch.empty(\1)"),
    (
        r"np\.tril\(np\.ones\((.*?), dtype=bool\)\)",
        r"torch.tril(torch.ones(\1, dtype=torch.bool))",
    ),
    (r"np\.maximum\(0, (.*?)\)$", r"torch.relu(\1)"),
    (r"np\.where\((.*), -np\.inf\)", r"torch.where(\1, -torch.inf)"),
    (r"(\w+)\.max\(axis=-1, keepdims=True\)", r"\1.amax(dim=-1, keepdim=True)"),
    (r"np\.swapaxes\((\w+), ", r"\1.swapaxes("),
    (r"np\.expand_dims\((\w+), -3\)", r"\1[..., None, :, :]"),
    (r"np\.take_along_axis\((.*?), (.*), axis=-1\)", r"torch.gather(\1, -1, \2)"),
)
# The others work with tensors as they are.
TASK_NAMES_TO_REWRITE = (
    *("softmax", "positional_encoding", "scaled_dot_product_attention", "causal_mask"),
    *("multi_head_attention", "layer_norm", "feed_forward", "smoothed_loss"),
)


def torch_solution_source(task_name: str) -> str:
    """Return the source text of a task's solution, with PyTorch where gradients have to pass.

    Parameters
    ----------
    task_name : str
        Of the task.

    Returns
    -------
    str
    """
    source = inspect.getsource(tasks_by_name()[task_name].solution)
    for pattern, replacement in (
        NUMPY_TO_TORCH_SUBSTITUTIONS if task_name in TASK_NAMES_TO_REWRITE else ()
    ):
        source = re.sub(pattern, replacement, source, flags=re.MULTILINE)
    return source


def write_torch_solutions(path) -> None:
    """Write a file with all solutions, as a reader's file has them.

    Parameters
    ----------
    path : path-like
    """
    sources = map(torch_solution_source, tasks_by_name())
    text = "\n\n".join(["import numpy as np\nimport torch\n", *sources])
    Path(path).write_text(text, "utf-8")
