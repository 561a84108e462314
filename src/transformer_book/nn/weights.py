"""Weights of a model in a file that every floor of this book can read."""

import json
import os

import torch
from safetensors.torch import save

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
        What the numbers are rounded to in the file; without it they stay as they are.

    Raises
    ------
    StorageError
        If the file cannot be written; what was there before stays.
    """
    tensors = {
        name: p.detach().to("cpu", dtype).contiguous()
        for name, p in model.named_parameters()
    }
    metadata = {"config": json.dumps(model.config.as_dict())}
    storage.write(path, save(tensors, metadata))


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
