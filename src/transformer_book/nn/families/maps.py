"""Our weights under the names of a family, in its shapes, and the way back."""

import re
from collections.abc import Iterator, Mapping
from fnmatch import fnmatchcase

import torch
from torch import Tensor

from ... import storage
from ...storage import StorageError
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
        For a weight that is missing, surplus, of another shape, or of whole numbers.
    """
    both = (tensors, as_theirs(model, family))
    shapes = ({k: tuple(v.shape) for k, v in d.items()} for d in both)
    storage.check_names(path, *shapes)
    for name, tensor in tensors.items():
        if not tensor.is_floating_point():
            raise StorageError(
                f"{path}: {name} holds {tensor.dtype}; expected floats. The weights are quantised; "
                "use the checkpoint that they were made of."
            )
    with torch.no_grad():
        for name, (k, count), place, short in _places(model, family):
            own = tensors[name].chunk(count)[k].reshape(place.shape)
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
    """
    short = {name.removeprefix(family.prefix): x for name, x in tensors.items()}
    for old, new in family.older.items():
        short = {re.sub(old, new, name): x for name, x in short.items()}
    return {
        name: x
        for name, x in short.items()
        if not any(fnmatchcase(name, pattern) for pattern in family.unused)
    }


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
    for ours, tensor in (tensors or dict(model.named_parameters())).items():
        pattern, number = _LAYER.sub("{i}", ours), _LAYER.search(ours)
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
