"""The mean of a run's last weights, which translates better than the last of them alone."""

from pathlib import Path

import torch

from ..nn import Transformer, load_weights
from ..storage import StorageError

SNAPSHOT_NAME = "snapshot-{}.safetensors"


def average_weights(paths) -> Transformer:
    r"""Return the model whose every weight is the mean over files of weights.

    .. math:: \bar\theta = \frac1K \sum_{k=1}^K \theta_k

    Section 6.1 of Vaswani et al. (2017) averages the last 5 checkpoints, or 20.

    Parameters
    ----------
    paths : iterable of path-like
        Files that ``save_weights`` wrote, such as the snapshots of one run.

    Returns
    -------
    Transformer
        In evaluation mode.

    Raises
    ------
    StorageError
        If there is no path, a file cannot be read, or two have different configurations.
    """
    paths = list(paths)
    if not paths:
        raise StorageError(
            "average_weights was given no file; expected at least one of weights. "
            "A run keeps its last ones if its settings have snapshots."
        )
    model = load_weights(paths[0])
    with torch.no_grad():
        means = [p.double() / len(paths) for p in model.parameters()]
        for path in paths[1:]:
            other = load_weights(path)
            _check_same_config(
                paths[0], model.config.as_dict(), path, other.config.as_dict()
            )
            for mean, weight in zip(means, other.parameters(), strict=True):
                mean += weight.double() / len(paths)
        for weight, mean in zip(model.parameters(), means, strict=True):
            weight.copy_(mean)
    return model


def snapshot_paths(folder, history, count) -> dict[int, Path]:
    """Return the files with the weights after the last validations of a run, oldest first.

    Parameters
    ----------
    folder : path-like
    history : History
    count : int
        How many of them, at most.

    Returns
    -------
    dict of int to pathlib.Path
        By step. One whose file is gone is left out.
    """
    steps = [step for step, _ in history.validation[-count:]] if count else []
    paths = {step: Path(folder, SNAPSHOT_NAME.format(step)) for step in steps}
    return {step: path for step, path in paths.items() if path.exists()}


def _check_same_config(first_path, first_config, path, config):
    different = [
        f"{name} is {first_config[name]!r} in {Path(first_path).name} and {config[name]!r} in "
        f"{Path(path).name}"
        for name in first_config
        if first_config[name] != config[name]
    ]
    if different:
        raise StorageError(
            f"average_weights: the files are of different models: {'; '.join(different)}. "
            "Give files of one run."
        )
