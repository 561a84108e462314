"""A checkpoint that others wrote, read into this book's module."""

import json
import os
import re
from collections.abc import Mapping
from fnmatch import fnmatchcase
from pathlib import Path

import torch
from torch import Tensor

from ... import storage
from ...options import ConfigError, check_option
from ...storage import StorageError
from .. import weights
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
        What the weights are converted to: float64, float32, float16 or bfloat16.

    Returns
    -------
    Model

    Raises
    ------
    ConfigError
        If config.json names a family, asks for a choice, or has a field, that this book does not know,
        or dtype is none of those.
    StorageError
        If the folder or a file is missing or no safetensors file, or a weight is missing, surplus, of
        another shape, quantised, or too large for the dtype.
    """
    expected = " or ".join(map(str, weights.FLOATS))
    check_option(dtype in weights.FLOATS, "families.load", "dtype", dtype, expected)
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
        if _are_one(tensors, output, family.names["embedding"]):
            del tensors[output]
        else:
            # As transformers does: two that differ are two, whatever config.json says.
            architecture = architecture.changed(output="own")
    if architecture.output == "own" and family.tied and output not in tensors:
        architecture = architecture.changed(output="embedding")
    model = Model(architecture).to(dtype).eval()
    set_weights(model, family, tensors, path)
    return model


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

    Raises
    ------
    StorageError
        If a weight has no name there, as those of an adapted model.
    """
    tensors = weights.named(model) if tensors is None else tensors
    a, views = model.architecture, {}
    for ours, tensor in tensors.items():
        pattern, number = _LAYER.sub("{i}", ours), _LAYER.search(ours)
        if pattern not in family.names:
            raise StorageError(
                f"as_theirs: {ours} has no name in this family; expected the weights of a plain "
                "model. Merge an adapted one first."
            )
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
        For a weight that is missing, surplus, of another shape, quantised, or too large for the model's
        precision.
    """
    places = as_theirs(model, family)
    storage.check_floats(path, tensors)
    storage.check_names(path, *map(weights.shapes, (tensors, places)))
    for name, place in places.items():
        if tensors[name].dtype != place.dtype:
            weights.rounded(path, name, tensors[name], place.dtype)  # or an error
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

    Raises
    ------
    StorageError
        If the copies of one weight differ.
    """
    short = {name.removeprefix(family.prefix): x for name, x in tensors.items()}
    for old, new in family.older.items():
        short = {re.sub(old, new, name): x for name, x in short.items()}
    for copy, name in family.copies.items():
        if copy in short and not _are_one(short, copy, name):
            raise StorageError(
                f"{copy} and {name} differ; expected one weight under both names, as this book's "
                "module has one. It cannot compute what this checkpoint does."
            )
    return {
        name: x
        for name, x in short.items()
        if not any(fnmatchcase(name, pattern) for pattern in family.unused)
    }


def _are_one(tensors, copy, name):
    """Say whether a copy equals the weight of a name, which it becomes where there is none."""
    a, b = tensors[copy], tensors.setdefault(name, tensors[copy])
    return a.dtype == b.dtype and torch.equal(a, b)


def _tensors(path):
    """Return all tensors of a checkpoint: of a file, or of the folder's only one, or of its parts.

    Where a folder has both, the one file counts, as in transformers.
    """
    if not path.is_dir():
        return storage.contents(path, "pt")[0]
    if (path / WHOLE).is_file() or not (path / INDEX).is_file():
        pickled = sorted(path.glob("*.bin")) + sorted(path.glob("*.pt*"))
        if pickled and not (path / WHOLE).is_file():
            raise StorageError(
                f"{path} has {pickled[0].name}; expected {WHOLE} or {INDEX}. A pickle runs whatever "
                "code it holds, so it is not read. Get the safetensors file of this model."
            )
        return storage.contents(path / WHOLE, "pt")[0]
    tensors, index = {}, _json(path / INDEX).get("weight_map")
    if not isinstance(index, dict) or not all(
        isinstance(p, str) for p in index.values()
    ):
        raise StorageError(
            f"{path / INDEX} has no weight_map that names a file for each weight; expected one. "
            "Get the index of this checkpoint."
        )
    for part in sorted(set(index.values())):
        there = storage.contents(path / part, "pt")[0]
        told = {name for name, where in index.items() if where == part}
        if told != there.keys():
            name = min(told ^ there.keys())
            where = index.get(name, "none of its files")
            raise StorageError(
                f"{path}: {name} stands in only one of {INDEX} and the files that it names; expected "
                f"it in both. The index says it is in {where}. Get the parts of one checkpoint."
            )
        tensors |= there
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
