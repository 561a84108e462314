"""A checkpoint that others wrote, read into this book's module."""

import json
import os
import re
from collections.abc import Mapping
from fnmatch import fnmatchcase
from pathlib import Path

import torch
from safetensors.torch import save as to_bytes
from torch import Tensor

from ... import storage
from ...options import ConfigError
from ...storage import StorageError
from .families import Family, architecture_of, family_of
from .model import Model

WHOLE, INDEX = "model.safetensors", "model.safetensors.index.json"
_LAYER = re.compile(r"(?<=layers\.)\d+")


def load(path: str | os.PathLike, dtype: torch.dtype = torch.float32) -> Model:
    """Return the model of a checkpoint of BERT, GPT-2, T5, Llama, Qwen3 or ViT, in evaluation mode.

    Parameters
    ----------
    path : path-like
        The folder with ``config.json`` and ``model.safetensors``, or with the parts that
        ``model.safetensors.index.json`` names; or one safetensors file beside its ``config.json``.
    dtype : torch.dtype
        What the weights are converted to.

    Returns
    -------
    Model

    Raises
    ------
    ConfigError
        If config.json names a family, asks for a choice, or has a field, that this book does not know.
    StorageError
        If the folder or a file is missing or no safetensors file, or a weight is missing, surplus or of
        another shape.
    """
    path = Path(path)
    if not path.exists():
        raise StorageError(
            f"There is no folder or file {path}; expected a folder with config.json and {WHOLE}, or "
            "one such file beside its config.json. Nothing is downloaded here: get the files first, "
            "and say where they are."
        )
    folder = path if path.is_dir() else path.parent
    config = _json(folder / "config.json")
    family, architecture = family_of(config), architecture_of(config)
    tensors = used(family, _tensors(path))
    output = family.names["output"]
    if architecture.output == "embedding" and output in tensors:
        table = tensors.get(family.names["embedding"])
        if table is not None and torch.equal(tensors[output], table):
            del tensors[output]  # the same matrix, written twice
        else:
            # As transformers does: two that differ are two, whatever config.json says.
            architecture = architecture.changed(output="own")
    if architecture.output == "own" and family.tied and output not in tensors:
        architecture = architecture.changed(output="embedding")
    model = Model(architecture).to(dtype).eval()
    set_weights(model, family, tensors, path)
    return model


def save(folder: str | os.PathLike, model: Model, config: Mapping) -> None:
    """Write a model as its family's own library would: ``config.json`` and ``model.safetensors``.

    Parameters
    ----------
    folder : path-like
        Is made if need be.
    model : Model
    config : mapping
        The fields of a config.json; ``architecture_of(config)`` is the model's architecture.

    Raises
    ------
    ConfigError
        If it is another one.
    StorageError
        If a file cannot be written.
    """
    folder, family = Path(folder), family_of(config)
    if differences := model.architecture.differences(architecture_of(config)):
        name, (given, expected) = next(iter(differences.items()))
        raise ConfigError(
            f"save: the model's {name} is {given!r}, and config says {expected!r}; expected the same. "
            "Make the model with architecture_of(config)."
        )
    tensors = {
        name: W.detach().cpu().contiguous()
        for name, W in as_theirs(model, family).items()
    }
    storage.write(folder / WHOLE, to_bytes(tensors, {"format": "pt"}))
    storage.write(folder / "config.json", json.dumps(dict(config)).encode())


def as_theirs(
    model: Model, family: Family, tensors: Mapping | None = None
) -> dict[str, Tensor]:
    """Return the weights under their family's names, in its shapes: views, so nothing is copied.

    Parameters
    ----------
    model : Model
    family : Family
    tensors : mapping of str to tensor, optional
        What to show instead of the weights, under our names, such as their gradients.

    Returns
    -------
    dict of str to tensor
        Whoever writes into one of them writes into the model.
    """
    tensors = dict(model.named_parameters()) if tensors is None else tensors
    a, views = model.architecture, {}
    for ours, tensor in tensors.items():
        pattern, number = _LAYER.sub("{i}", ours), _LAYER.search(ours)
        theirs = family.names[pattern].format(i=number and number[0]).split()
        widths = [a.h * a.d_k, a.g * a.d_k, a.g * a.d_k]
        parts = tensor.split(widths, dim=-1) if len(theirs) == 3 else [tensor]
        for name, part in zip(theirs, parts, strict=True):
            views[name] = _seen_as_theirs(family, ours.rpartition(".")[-1], part, a)
    return views


def _seen_as_theirs(family, name, tensor, architecture):
    if name == "W_patch":  # of a convolution: (d_model, channels, patch, patch)
        a = architecture
        return tensor.T.unflatten(1, (a.channels, a.patch, a.patch))
    if name.startswith("W_"):  # torch.nn.Linear keeps (out, in)
        return tensor.T if family.transposed else tensor
    if name in family.ones:
        return tensor[(None,) * family.ones[name]]
    return tensor


def set_weights(
    model: Model, family: Family, tensors: Mapping, path="the given weights"
):
    """Copy weights under their family's names into a model, all of them or none.

    Parameters
    ----------
    model : Model
    family : Family
    tensors : mapping of str to tensor
        Under the names of the family, without its prefix.
    path : path-like
        For errors.

    Raises
    ------
    StorageError
        For a weight that is missing, surplus, of another shape, or of whole numbers.
    """
    places = as_theirs(model, family)
    shapes = ({k: tuple(v.shape) for k, v in d.items()} for d in (tensors, places))
    storage.check_names(path, *shapes)
    for name, tensor in tensors.items():
        if not tensor.is_floating_point():
            raise StorageError(
                f"{path}: {name} holds {tensor.dtype}; expected floats. The weights are quantised; "
                "use the checkpoint that they were made of."
            )
    with torch.no_grad():
        for name, place in places.items():
            place.copy_(tensors[name])


def used(family: Family, tensors: Mapping) -> dict[str, Tensor]:
    """Return the weights of a checkpoint without the family's prefix, and without what no logit needs.

    Parameters
    ----------
    family : Family
    tensors : mapping of str to tensor

    Returns
    -------
    dict of str to tensor
    """
    short = {name.removeprefix(family.prefix): x for name, x in tensors.items()}
    for old, new in family.older.items():
        short = {re.sub(old, new, name): x for name, x in short.items()}
    return {
        name: x
        for name, x in short.items()
        if not any(fnmatchcase(name, pattern) for pattern in family.unused)
    }


def _tensors(path):
    """Return all tensors of a checkpoint: of a file, or of the folder's only one, or of its parts."""
    if not path.is_dir():
        return storage.read(path, "pt")[0]
    if not (path / INDEX).is_file():
        pickled = sorted(path.glob("*.bin")) + sorted(path.glob("*.pt*"))
        if pickled and not (path / WHOLE).is_file():
            raise StorageError(
                f"{path} has {pickled[0].name}; expected {WHOLE} or {INDEX}. A pickle runs whatever "
                "code it holds, so it is not read. Get the safetensors file of this model."
            )
        return storage.read(path / WHOLE, "pt")[0]
    tensors, index = {}, _json(path / INDEX).get("weight_map", {})
    for part in sorted(set(index.values())):
        tensors |= storage.read(path / part, "pt")[0]
    if index.keys() != tensors.keys():
        name = min(index.keys() ^ tensors.keys())
        where = index.get(name, "none of its files")
        raise StorageError(
            f"{path}: {name} stands in only one of {INDEX} and the files that it names; expected it "
            f"in both. The index says it is in {where}. Get the parts of one checkpoint."
        )
    return tensors


def _json(path):
    try:
        read = json.loads(path.read_text("utf-8"))
    except OSError:
        raise StorageError(
            f"There is no file {path}; expected it beside the weights: it says of which model they "
            "are. Get it from where the weights are from."
        ) from None
    except ValueError as error:
        raise ConfigError(f"{path} is not JSON: {error}. Get it again.") from error
    if not isinstance(read, dict):
        raise ConfigError(f"{path} holds {type(read).__name__}; expected named fields.")
    return read
