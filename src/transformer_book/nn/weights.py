"""Weights of a model in a file that every floor of this book can read."""

import json
import os

import torch
from jaxtyping import Float, Int8
from safetensors.torch import save
from torch import Tensor

from .. import storage
from .language_model import LanguageModel
from .transformer import Transformer


def save_weights(
    path: str | os.PathLike,
    model: Transformer | LanguageModel,
    dtype: torch.dtype | None = None,
) -> None:
    """Write the weights and the configuration of a model as one safetensors file, atomically.

    A matrix that stands in several places, such as a shared embedding, is written once, under the
    first of its names.

    Parameters
    ----------
    path : path-like
    model : Transformer or LanguageModel
    dtype : torch.dtype, optional
        What the numbers are rounded to in the file; without it they stay as they are. With
        ``torch.int8`` every matrix is written as :func:`quantised` gives it, with its scales
        under ``NAME.scale``, and what is no matrix stays as it is.

    Raises
    ------
    StorageError
        If the file cannot be written; what was there before stays.
    """
    metadata = {"config": json.dumps(model.config.as_dict())}
    parameters = {name: p.detach().cpu() for name, p in model.named_parameters()}
    if dtype == torch.int8:
        tensors = _eighth(parameters)
    else:
        tensors = {name: p.to(dtype).contiguous() for name, p in parameters.items()}
    storage.write(path, save(tensors, metadata))


def quantised(
    W: Float[Tensor, "rows columns"],
) -> tuple[Int8[Tensor, "rows columns"], Float[Tensor, "rows"]]:
    r"""Round each row of a matrix to whole numbers from -127 to 127, times a scale of its own.

    .. math:: s_i = \max_j |W_{ij}| / 127, \qquad
              \hat W_{ij} = s_i \cdot \mathrm{round}(W_{ij} / s_i)

    Parameters
    ----------
    W : float tensor, (rows, columns)

    Returns
    -------
    numbers : int8 tensor, (rows, columns)
    scale : float32 tensor, (rows,)
        1 for a row of zeros.
    """
    W = W.float()
    largest = W.abs().amax(-1)
    scale = torch.where(largest > 0, largest / 127, 1.0)
    return (W / scale[:, None]).round().to(torch.int8), scale


def _eighth(parameters):
    tensors = {}
    for name, p in parameters.items():
        if p.dim() == 2:
            tensors[name], tensors[name + storage.SCALE] = quantised(p)
        else:
            tensors[name] = p.float().contiguous()
    return tensors


def load_weights(path: str | os.PathLike) -> Transformer:
    """Return the Transformer that ``save_weights`` wrote, in evaluation mode.

    Raises
    ------
    StorageError
        If the file is missing, truncated, no safetensors file, or of another configuration than
        the one that it names.
    """
    return _loaded(path, Transformer)


def load_language_model(path: str | os.PathLike) -> LanguageModel:
    """Return the language model that ``save_weights`` wrote, in evaluation mode.

    Raises
    ------
    StorageError
        As :func:`load_weights`; also for a file of a Transformer.
    """
    return _loaded(path, LanguageModel)


def _loaded(path, kind):
    tensors, metadata = storage.read(path, "pt")
    model = kind(storage.config_of(path, metadata)).eval()
    set_weights(model, tensors, path)
    return model


def set_weights(
    model: Transformer | LanguageModel, tensors: dict, path="the given weights"
) -> None:
    """Copy tensors into the parameters of the same names, all of them or none.

    Raises
    ------
    StorageError
        If a name or a shape differs from the model's.
    """
    parameters = dict(model.named_parameters())
    storage.check_names(
        path,
        *({k: tuple(v.shape) for k, v in d.items()} for d in (tensors, parameters)),
    )
    some = next(iter(tensors.values()))
    model.to(some.dtype)
    with torch.no_grad():
        for name, parameter in model.named_parameters():
            parameter.copy_(tensors[name])
