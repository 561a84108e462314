"""Our weights under the names of a family, in its shapes, and the way back."""

import re
from collections.abc import Iterator, Mapping
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING

import torch
from torch import Tensor

from ... import storage
from ...storage import StorageError
from .. import weights
from ..models import Model
from .families import Family

if TYPE_CHECKING:
    import os

    from ...config import TransformerConfig

_LAYER_NUMBER_PATTERN = re.compile(r"(?<=layers\.)\d+|(?<=coder\.)\d+")
_PART_PATTERN = re.compile(r"\[(\d)/(\d)\]$")


def family_weights(
    model: Model, family: Family, substitutes: Mapping[str, Tensor] | None = None
) -> dict[str, Tensor]:
    """Return the weights under their family's names, in its shapes: views wherever that can be.

    Parameters
    ----------
    model : LanguageModel, Transformer or Encoder
    family : Family
    substitutes : mapping of str to tensor, optional
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
    for name, _, piece, shift in _weight_pieces(model, family, substitutes):
        if piece.ndim > 2 and family.interleaved:
            piece = piece.flatten(0, 2)
        parts.setdefault(name, []).append(piece - shift if shift else piece)
    return {k: torch.cat(v) if len(v) > 1 else v[0] for k, v in parts.items()}


def set_weights(
    model: Model,
    family: Family,
    tensors: Mapping[str, Tensor],
    origin: "str | os.PathLike" = "the given weights",
) -> None:
    """Copy weights under their family's names into a model, all of them or none.

    Parameters
    ----------
    model : LanguageModel, Transformer or Encoder
    family : Family
    tensors : mapping of str to tensor
        Under the names of the family, without its prefix.
    origin : path-like
        For errors.

    Raises
    ------
    StorageError
        For a weight that is missing, surplus, of another shape, quantised, or too large for the model's
        precision.
    """
    old = family_weights(model, family)
    storage.check_floats(origin, tensors)
    storage.check_names_and_shapes(origin, *map(weights.shapes_by_name, (tensors, old)))
    for name, W in old.items():
        if tensors[name].dtype != W.dtype:
            weights.to_precision(origin, name, tensors[name], W.dtype)  # or an error
    with torch.no_grad():
        for name, (k, count), piece, shift in _weight_pieces(model, family):
            new = tensors[name].chunk(count)[k].reshape(piece.shape).to(piece.dtype)
            piece.copy_(new + shift if shift else new)


def used_weights_without_prefix(
    family: Family, tensors: Mapping[str, Tensor]
) -> dict[str, Tensor]:
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
    by_name = {name.removeprefix(family.prefix): x for name, x in tensors.items()}
    for old, new in family.older_names.items():
        by_name = {re.sub(old, new, name): x for name, x in by_name.items()}
    for copy, name in family.second_names.items():
        if copy in by_name and not equals_or_becomes_original(by_name, copy, name):
            raise StorageError(
                f"{copy} and {name} differ; expected one weight under both names, as this book's "
                "model has one. It cannot compute what this checkpoint does."
            )
    return {
        name: x
        for name, x in by_name.items()
        if not any(fnmatchcase(name, pattern) for pattern in family.unused_names)
    }


def equals_or_becomes_original(
    tensors: dict[str, Tensor], copy_name: str, original_name: str
) -> bool:
    """Say whether a copy equals the weight of a name, which it becomes where there is none."""
    a, b = tensors[copy_name], tensors.setdefault(original_name, tensors[copy_name])
    return a.dtype == b.dtype and torch.equal(a, b)


def _weight_pieces(
    model: Model, family: Family, substitutes: Mapping[str, Tensor] | None = None
) -> Iterator[tuple[str, tuple[int, int], Tensor, float]]:
    """Yield our weights in pieces, each a view in the family's shape.

    Yields
    ------
    name : str
        The family's.
    part : (int, int)
        Which of how many equal parts of the family's weight it is.
    piece : tensor
    shift : float
        What is subtracted from ours to get theirs.
    """
    c = model.config
    widths = [
        c.h * c.head_width,
        (c.g or c.h) * c.head_width,
        (c.g or c.h) * c.head_width,
    ]
    for ours, tensor in (substitutes or weights.weights_by_name(model)).items():
        pattern, number = (
            _LAYER_NUMBER_PATTERN.sub("{i}", ours),
            _LAYER_NUMBER_PATTERN.search(ours),
        )
        if pattern not in family.names:
            raise StorageError(
                f"family_weights: {ours} has no name in this family; expected the weights of a plain "
                "model. Merge an adapted one first."
            )
        theirs = family.names[pattern].format(i=number and number[0]).split()
        pieces = tensor.split(widths, dim=-1) if len(theirs) == 3 else [tensor]
        last = ours.rpartition(".")[-1]
        # Gradients are not shifted.
        shift = family.gamma_shift if last == "gamma" and substitutes is None else 0.0
        for name, piece in zip(theirs, pieces, strict=True):
            part = _PART_PATTERN.search(name)
            k, count = (int(part[1]), int(part[2])) if part else (0, 1)
            piece = _family_view(family, last, piece, c)
            yield _PART_PATTERN.sub("", name), (k, count), piece, shift


def _family_view(
    family: Family, weight_name: str, tensor: Tensor, config: "TransformerConfig"
) -> Tensor:
    """Return a view of one of our weights in the family's shape."""
    c = config
    if weight_name == "W_patch":  # of a convolution: (d_model, channels, patch, patch)
        return tensor.T.unflatten(1, (c.channels, c.patch, c.patch))
    if (
        weight_name.startswith("W_") and family.transposed
    ):  # torch.nn.Linear keeps (out, in)
        tensor = tensor.T
    if weight_name.endswith("_QKV") and family.interleaved:
        return tensor.unflatten(0, (3, c.h, c.head_width)).transpose(0, 1)
    if weight_name in family.unit_axes:
        return tensor[(None,) * family.unit_axes[weight_name]]
    return tensor
