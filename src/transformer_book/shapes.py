"""Shapes stand in signatures; this checks that the arrays given really have them."""

import functools
import inspect
import typing

import numpy as np


class ShapeError(ValueError):
    """An argument's shape or kind is not the one its signature declares."""


def checked(function):
    """Check each array argument against its jaxtyping annotation at every call.

    A name such as ``d_k`` has one size throughout a call. ``*batch`` stands for any number of leading
    axes, which broadcast as in NumPy. An axis marked ``#`` may also have length 1.

    Raises
    ------
    ShapeError
        Naming the argument, the shape expected and the shape given.
    """
    signature = inspect.signature(function)
    declared = {
        name: annotation
        for name, parameter in signature.parameters.items()
        # "array | None" is a union: its parts are looked at one by one
        for annotation in (parameter.annotation, *typing.get_args(parameter.annotation))
        if hasattr(annotation, "dim_str")
    }

    @functools.wraps(function)
    def call(*args, **kwargs):
        arguments = signature.bind(*args, **kwargs).arguments
        sizes = {}
        for name, annotation in declared.items():
            if arguments.get(name) is not None:
                _check_kind(function, name, arguments[name], annotation)
                _check_shape(function, name, arguments[name].shape, annotation, sizes)
        return function(*args, **kwargs)

    return call


def _check_kind(function, name, value, annotation):
    dims = _written(annotation.dim_str.split())
    if not isinstance(value, annotation.array_type):
        raise ShapeError(
            f"{function.__name__}: {name} is a {type(value).__name__}; expected an array of shape "
            f"{dims}. Convert it first, for example with np.array({name}, dtype=...)."
        )
    dtype = str(value.dtype).rsplit(".", 1)[-1]
    if dtype not in annotation.dtypes:
        kind = annotation.dtypes[-1].rstrip("0123456789_")
        raise ShapeError(
            f"{function.__name__}: {name} holds {dtype}; expected {kind}, in shape {dims}. "
            f"Convert it first: {name}.astype({kind})."
        )


def _check_shape(function, name, shape, annotation, sizes):
    dims = annotation.dim_str.split()
    batch_name = dims[0] if dims[:1] and dims[0].startswith("*") else None
    own = dims[1:] if batch_name else dims
    cut = len(shape) - len(own)
    fits = cut == 0 or (cut > 0 and batch_name)
    given = dict(sizes)
    for dim, size in zip(own, shape[max(cut, 0) :]):
        free = dim.startswith("#") and size == 1
        fits = fits and (free or given.setdefault(dim.lstrip("#"), size) == size)
    if fits and batch_name:
        key = batch_name.strip("*#")
        try:
            given[key] = np.broadcast_shapes(given.get(key, ()), tuple(shape[:cut]))
        except ValueError:
            fits = False
    if not fits:
        expected = _written(dims, sizes)
        raise ShapeError(
            f"{function.__name__}: {name} has shape {tuple(shape)}; expected {expected}"
            + (", as the arguments before it have set." if sizes else ".")
        )
    sizes.update(given)


def _written(dims, sizes=()):
    words = []
    for dim in dims:
        name = dim.strip("*#")
        if dim.startswith("*") and not (name in sizes and sizes[name]):
            words.append("...")
        else:
            words.append(f"{name}={sizes[name]}" if name in sizes else name)
        if dim.startswith("#"):
            words[-1] += " or 1"
    return "(" + ", ".join(words) + ("," if len(dims) == 1 else "") + ")"
