"""Shapes stand in signatures; this checks that the arguments really have them."""

import functools
import inspect
import sys
import typing

import numpy as np

from .expect import refusal
from .nesting import InsideCallFlag


class ShapeError(ValueError):
    """An argument's shape or kind is not the one its signature declares."""


checked_call_nesting = InsideCallFlag()


def checked(function):
    """Check each array argument against its jaxtyping annotation at every call.

    A name such as ``d_k`` has one size throughout a call. ``*batch`` stands for any number of leading
    axes, which broadcast as in NumPy. An axis marked ``#`` may also have length 1; an array that has
    one, such as a mask, adds nothing to the leading axes of those before it. All arrays must be
    on one device, and all arrays of floats of one dtype. For a method the arrays that its class, or one
    above it, annotates, such as weights, are looked at first, and the arguments must fit them. While
    torch compiles or exports a model nothing is looked at, as a size may not be a number then.

    Only the first of nested calls is checked: what a checked function passes on follows from its arguments.

    Raises
    ------
    ShapeError
        Naming the argument, the shape expected and the shape given.
    """
    parameters = inspect.signature(function).parameters
    names = list(parameters)
    declared = _array_annotations(
        {name: parameter.annotation for name, parameter in parameters.items()}
    )
    places = [(names.index(name), name) for name in declared]
    is_method = names[:1] == ["self"]
    compiling = _compiling_predicate()

    # A check looks at no value, so arguments of the same shapes and kinds need no second one.
    @functools.lru_cache(maxsize=4096)
    def check_traits(owner, *traits_of_arrays):
        call_sizes = _CallSizesDeviceDtype()
        annotations = {**_weight_annotations(owner), **declared}
        for (name, annotation), traits in zip(
            annotations.items(), traits_of_arrays, strict=True
        ):
            if traits is not None:
                title = (
                    owner.__name__ if _weight_annotations(owner) else function.__name__
                )
                call_sizes.check_argument(
                    title, name, _TypeShapeDtypeDevice(*traits), annotation
                )

    @functools.wraps(function)
    def call_checked(*args, **kwargs):
        if compiling() or checked_call_nesting.inside:
            return function(*args, **kwargs)
        arrays = [args[i] if i < len(args) else kwargs.get(name) for i, name in places]
        owner = args[0].__class__ if is_method else None
        if owner is not None and (weights := _weight_annotations(owner)):
            arrays = [*(_unadapted_weight(args[0], name) for name in weights), *arrays]
        check_traits(owner, *map(_type_shape_dtype_device, arrays))
        checked_call_nesting.inside = True
        try:
            return function(*args, **kwargs)
        finally:
            checked_call_nesting.inside = False

    # torch compiles a piece of code eight times at most, so each function gets another.
    call_checked.__code__ = call_checked.__code__.replace(co_name=function.__name__)  # type: ignore[attr-defined]
    return call_checked


def check_axis(function_name: str, axis: int, shape: tuple[int, ...]) -> None:
    """Raise ShapeError unless an array of this shape has the axis."""
    if not -len(shape) <= axis < len(shape):
        actual = f"axis is {axis} and x has shape {tuple(shape)}"
        expected = f"an axis of x, from {-len(shape)} to {len(shape) - 1}"
        remedy = "Choose one of these, or give x more axes."
        raise refusal(ShapeError, function_name, actual, expected, remedy)


def check_same_shape(
    function_name: str, name: str, array, other_name: str, other_array
) -> None:
    """Raise ShapeError unless two arrays have one shape, so that no sum broadcasts."""
    if array.shape != other_array.shape:
        actual = f"{name} has shape {tuple(array.shape)}"
        expected = f"{tuple(other_array.shape)}, the shape of {other_name}"
        remedy = "Give arrays of one shape."
        raise refusal(ShapeError, function_name, actual, expected, remedy)


def _compiling_predicate() -> "typing.Callable[[], bool]":
    """Return a function: is torch compiling? Where it is not imported, as in by_hand, it never is."""
    torch = sys.modules.get("torch")
    return (lambda: False) if torch is None else torch.compiler.is_compiling


@functools.cache
def _weight_annotations(owner: type | None) -> dict[str, typing.Any]:
    annotations = {}
    for base in reversed(getattr(owner, "__mro__", ())):  # a class may say it otherwise
        annotations |= inspect.get_annotations(base)
    return _array_annotations(annotations)


def _unadapted_weight(module, name: str):
    """Return a weight. Of one that LoRA adapts, its plain matrix has the shape, and costs no sum."""
    adapted = getattr(module, "_modules", {}).get("parametrizations", {})
    if name in adapted and adapted[name].is_tensor:
        return adapted[name].original
    return getattr(module, name, None)


def _array_annotations(annotations: dict) -> dict[str, typing.Any]:
    return {
        name: annotation
        for name, declared in annotations.items()
        # "array | None" is a union: its parts are looked at one by one
        for annotation in (declared, *typing.get_args(declared))
        if hasattr(annotation, "dim_str")
    }


class _TypeShapeDtypeDevice(typing.NamedTuple):
    """All of an argument that its check depends on."""

    type: type
    shape: tuple[int, ...] | None = None
    dtype: object = None
    device: object = None


def _type_shape_dtype_device(value) -> tuple | None:
    # A plain tuple: a decoder's step asks for hundreds, and a named one takes twice as long.
    if value is None:
        return None
    try:
        return type(value), value.shape, value.dtype, getattr(value, "device", None)
    except AttributeError:  # no array
        return (type(value),)


class _CallSizesDeviceDtype:
    """Sizes, device and dtype of floats of a call: each set by the first argument that has it."""

    def __init__(self):
        self.sizes = {}
        self.device: tuple[str, object] | None = None
        self.float_dtype: tuple[str, object] | None = None

    def check_argument(
        self,
        function_name: str,
        argument_name: str,
        traits: _TypeShapeDtypeDevice,
        annotation,
    ) -> None:
        _check_type_and_dtype(function_name, argument_name, traits, annotation)
        self.device = self.device or (argument_name, traits.device)
        device = str(traits.device)
        _check_same_device_or_dtype(
            function_name,
            argument_name,
            "is on",
            traits,
            device,
            *self.device,
            "device",
        )
        if "float32" in annotation.dtypes:
            dtype = _dtype_name(traits)
            self.float_dtype = self.float_dtype or (argument_name, dtype)
            _check_same_device_or_dtype(
                function_name,
                argument_name,
                "holds",
                traits,
                dtype,
                *self.float_dtype,
                "dtype",
            )
        _check_shape_and_record_sizes(
            function_name, argument_name, traits.shape, annotation, self.sizes
        )


def _check_type_and_dtype(
    function_name: str, argument_name: str, traits: _TypeShapeDtypeDevice, annotation
) -> None:
    dims = _format_shape(annotation.dim_str.split())
    if not issubclass(traits.type, annotation.array_type):
        an_array = "an array" if annotation.array_type is np.ndarray else "a tensor"
        make = "np.array" if annotation.array_type is np.ndarray else "torch.tensor"
        raise ShapeError(
            f"{function_name}: {argument_name} is a {traits.type.__name__}; expected {an_array} of shape "
            f"{dims}. Convert it first, for example with {make}({argument_name}, dtype=...)."
        )
    if _dtype_name(traits) not in annotation.dtypes:
        kind = annotation.dtypes[-1].rstrip("0123456789_")
        meaning = " (True = may attend)" if kind == "bool" else ""
        raise ShapeError(
            f"{function_name}: {argument_name} holds {_dtype_name(traits)}; "
            f"expected {kind}{meaning}, in shape {dims}. "
            f"Convert it first: {_conversion_advice(argument_name, traits, kind)}."
        )


def _check_same_device_or_dtype(
    function_name: str,
    argument_name: str,
    verb: str,
    traits: _TypeShapeDtypeDevice,
    actual: str,
    reference_name: str,
    expected: object,
    attribute: str,
) -> None:
    if actual != str(expected):
        raise ShapeError(
            f"{function_name}: {argument_name} {verb} {actual}; expected {expected}, like {reference_name}. "
            f"Convert it first: {_conversion_advice(argument_name, traits, f'{reference_name}.{attribute}')}."
        )


def _dtype_name(traits: _TypeShapeDtypeDevice) -> str:
    return str(traits.dtype).rsplit(".", 1)[-1]


def _conversion_advice(
    argument_name: str, traits: _TypeShapeDtypeDevice, target: str
) -> str:
    if target == "bool" and "float" in _dtype_name(
        traits
    ):  # of -inf, bool would make True
        return f"{argument_name} == 0 if it holds 0 and -inf, {argument_name} == 1 if it holds 1 and 0"
    if issubclass(traits.type, np.ndarray):
        return f"{argument_name}.astype({target})"
    return f"{argument_name}.to({target if '.' in target else 'torch.' + target})"


def _check_shape_and_record_sizes(
    function_name: str, argument_name: str, shape, annotation, sizes: dict
) -> None:
    dims = annotation.dim_str.split()
    matched = _match_sizes(shape, dims, sizes)
    if matched is None:
        advice = ", as the arguments before it have set." if sizes else "."
        headless = (*shape[:-3], *shape[-2:])  # without an axis for the heads
        if (
            _may_broadcast(dims)
            and shape[-3:-2] == (1,)
            and _match_sizes(headless, dims, sizes)
        ):
            advice += f" Leave out its axis of length 1: {argument_name}.squeeze(-3)."
        raise ShapeError(
            f"{function_name}: {argument_name} has shape {tuple(shape)}; expected "
            f"{_format_shape(dims, sizes)}{advice}"
        )
    sizes.update(matched)


def _match_sizes(shape, dims: list[str], sizes: dict) -> dict | None:
    """Return the sizes together with those of this shape, or None if it does not fit them."""
    batch_name = dims[0].strip("*#") if dims and dims[0].startswith("*") else None
    last_dims = dims if batch_name is None else dims[1:]
    cut = len(shape) - len(last_dims)
    if cut < 0 or (cut and batch_name is None):
        return None
    matched = dict(sizes)
    for dim, size in zip(last_dims, shape[cut:]):
        broadcasts = dim.startswith("#") and size == 1
        if not broadcasts and matched.setdefault(dim.lstrip("#"), size) != size:
            return None
    if batch_name is not None:
        before = sizes.get(batch_name, ())
        try:
            batch = np.broadcast_shapes(before, tuple(shape[:cut]))
        except ValueError:
            return None
        if _may_broadcast(last_dims) and batch_name in sizes and batch != before:
            return None
        matched[batch_name] = batch
    return matched


def _may_broadcast(dims: list[str]) -> bool:
    """Whether some of an array's axes may have length 1, as a mask's: it adds no leading axes."""
    return any(dim.startswith("#") for dim in dims)


def _format_shape(dims: list[str], sizes: dict | None = None) -> str:
    sizes, words = sizes or {}, []
    for dim in dims:
        name = dim.strip("*#")
        if dim.startswith("*") and not sizes.get(name):
            words += [] if _may_broadcast(dims) and name in sizes else ["..."]
        else:
            words.append(f"{name}={sizes[name]}" if name in sizes else name)
        if dim.startswith("#"):
            words[-1] += " or 1"
    return "(" + ", ".join(words) + ("," if len(dims) == 1 else "") + ")"
