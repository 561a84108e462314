"""Our weights under the names of a family, in its shapes, and the way back."""

import re
from collections.abc import Iterator, Mapping
from fnmatch import fnmatchcase

import torch
from torch import Tensor

from ... import storage
from ...storage import StorageError
from .. import weights
from ..models import Model
from .families import Family

_LAYER = re.compile(r"(?<=layers\.)\d+|(?<=coder\.)\d+")
_PART = re.compile(r"\[(\d)/(\d)\]$")


def as_theirs(
    model: Model, family: Family, tensors: Mapping | None = None
) -> dict[str, Tensor]:
    """Return the weights under their family's names, in its shapes: views wherever that can be.

    Parameters
    ----------
    model : LanguageModel, Transformer or Encoder
    family : Family
    tensors : mapping of str to tensor, optional
        What to show instead of the weights, under our names, such as their gradients.

    Returns
    -------
    dict of str to tensor

    Raises
    ------
    StorageError
        If a weight has no name there, as those of an adapted model.
    """
    parts: dict[str, list[Tensor]] = {}
    for name, _, place, short in _places(model, family, tensors):
        if place.ndim > 2 and family.interleaved:
            place = place.flatten(0, 2)
        parts.setdefault(name, []).append(place - short if short else place)
    return {k: torch.cat(v) if len(v) > 1 else v[0] for k, v in parts.items()}


def set_weights(
    model: Model, family: Family, tensors: Mapping, path="the given weights"
):
    """Copy weights under their family's names into a model, all of them or none.

    Parameters
    ----------
    model : LanguageModel, Transformer or Encoder
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
        for name, (k, count), place, short in _places(model, family):
            own = tensors[name].chunk(count)[k].reshape(place.shape).to(place.dtype)
            place.copy_(own + short if short else own)


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
        if copy in short and not are_one(short, copy, name):
            raise StorageError(
                f"{copy} and {name} differ; expected one weight under both names, as this book's "
                "model has one. It cannot compute what this checkpoint does."
            )
    return {
        name: x
        for name, x in short.items()
        if not any(fnmatchcase(name, pattern) for pattern in family.unused)
    }


def are_one(tensors, copy, name):
    """Say whether a copy equals the weight of a name, which it becomes where there is none."""
    a, b = tensors[copy], tensors.setdefault(name, tensors[copy])
    return a.dtype == b.dtype and torch.equal(a, b)


def _places(
    model: Model, family: Family, tensors: Mapping | None = None
) -> Iterator[tuple[str, tuple[int, int], Tensor, float]]:
    """Give each piece of our weights, seen as theirs, a view.

    Yields
    ------
    name : str
        Of theirs.
    part : (int, int)
        Which of how many equal parts of theirs it is.
    piece : tensor
    short : float
        What theirs is short of ours.
    """
    c = model.config
    widths = [c.h * c.width, (c.g or c.h) * c.width, (c.g or c.h) * c.width]
    for ours, tensor in (tensors or weights.named(model)).items():
        pattern, number = _LAYER.sub("{i}", ours), _LAYER.search(ours)
        if pattern not in family.names:
            raise StorageError(
                f"as_theirs: {ours} has no name in this family; expected the weights of a plain "
                "model. Merge an adapted one first."
            )
        theirs = family.names[pattern].format(i=number and number[0]).split()
        pieces = tensor.split(widths, dim=-1) if len(theirs) == 3 else [tensor]
        last = ours.rpartition(".")[-1]
        # Gradients are not shifted.
        short = family.gamma if last == "gamma" and tensors is None else 0.0
        for name, piece in zip(theirs, pieces, strict=True):
            part = _PART.search(name)
            k, count = (int(part[1]), int(part[2])) if part else (0, 1)
            yield _PART.sub("", name), (k, count), _seen(family, last, piece, c), short


def _seen(family, name, tensor, config):
    """Return one of our weights in the shape of theirs."""
    c = config
    if name == "W_patch":  # of a convolution: (d_model, channels, patch, patch)
        return tensor.T.unflatten(1, (c.channels, c.patch, c.patch))
    if name.startswith("W_") and family.transposed:  # torch.nn.Linear keeps (out, in)
        tensor = tensor.T
    if name.endswith("_QKV") and family.interleaved:
        return tensor.unflatten(0, (3, c.h, c.width)).transpose(0, 1)
    if name in family.ones:
        return tensor[(None,) * family.ones[name]]
    return tensor
