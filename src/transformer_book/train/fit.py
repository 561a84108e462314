"""Training for the small tasks of the chapters: Adam, a fixed number of steps, the losses back."""

from collections.abc import Callable

import numpy as np
import torch

from .. import progress
from ..expect import expect_integer
from ..options import ConfigError


def fit(
    parameters, loss: Callable[..., torch.Tensor], steps: int, lr: float = 1e-3
) -> np.ndarray:
    """Take ``steps`` steps of Adam down the loss.

    Parameters
    ----------
    parameters : iterable of tensors
        What is learned, for example ``model.parameters()``.
    loss : callable
        ``loss(step)`` draws or looks up a batch and returns its loss, a tensor with one number.
    steps : int
        How many batches to learn from.
    lr : float
        Adam's step size; the rest is torch's default.

    Returns
    -------
    array, (steps,)
        The loss of every batch, before the step that learned from it.

    Raises
    ------
    ConfigError
        If ``steps`` is not a positive whole number.
    FloatingPointError
        If a loss is not finite: nothing can be learned from it.
    """
    what, remedy = "a number of steps", "Give the number of batches to learn from."
    expect_integer(ConfigError, "fit", "steps", steps, what, remedy=remedy)
    adam = torch.optim.Adam(parameters, lr=lr)
    losses = np.empty(steps)
    with progress.make_progress_bar(steps, "step", "training") as bar:
        for step in range(steps):
            value = loss(step)
            losses[step] = value.item()
            if not np.isfinite(losses[step]):
                raise FloatingPointError(
                    f"fit: the loss of step {step} is {losses[step]}; expected a finite number. "
                    f"Try a step size below {lr}, or look for a division by zero in the loss."
                )
            adam.zero_grad()
            value.backward()
            adam.step()
            bar.update()
    return losses
