"""The reader's result beside the expected one: as arrays, and the first place where they differ."""

import sys
from dataclasses import dataclass

import numpy as np

from .errors import ResultError


@dataclass(frozen=True)
class Difference:
    """Where a result is not the expected one.

    Parameters
    ----------
    says : str
        "the shape is (2, 3); expected (3, 2)".
    part : int or None
        Which part of a tuple, counted from 0.
    index : tuple of int or None
        The first place where numbers differ.
    """

    says: str
    part: int | None = None
    index: tuple[int, ...] | None = None


def as_arrays(result, count=None):
    """Return what a function returned as a tuple of arrays: NumPy's, PyTorch's, lists or numbers.

    Parameters
    ----------
    result : object
    count : int, optional
        How many values are expected. A list of so many is as good as a tuple, and a tuple of ids as a
        list of them.

    Raises
    ------
    TypeError
        If a part of it is no array.
    """
    several = isinstance(result, tuple)
    if count == 1 and several and all(np.ndim(part) == 0 for part in result):
        result, several = list(result), False  # ids, or texts
    elif count is not None and count > 1 and isinstance(result, list):
        several = len(result) == count
    return tuple(as_array(part) for part in (result if several else (result,)))


def as_array(value):
    """Return a NumPy array of an array, a tensor, a list or a number."""
    torch = sys.modules.get("torch")
    if torch is not None and isinstance(value, torch.Tensor):
        value = value.detach().cpu()
        return (value.float() if value.dtype == torch.bfloat16 else value).numpy()
    if value is None:
        raise ResultError("it returned None; is the return missing?")
    if isinstance(value, list) and any(hasattr(each, "detach") for each in value):
        value = [as_array(each) for each in value]
    try:
        array = np.asarray(value)
    except ValueError:  # rows of unequal length
        array = np.empty((), dtype=object)
    if array.dtype == object:
        raise ResultError(f"it returned {type(value).__name__}; expected an array")
    return array


def first_difference(result, expected, tolerance):
    """Return the first difference between two tuples of arrays, or None.

    Parameters
    ----------
    result, expected : tuple of array
    tolerance : float
        Relative to the largest finite number expected.
    """
    if len(result) != len(expected):
        count = "one value" if len(result) == 1 else f"{len(result)} values"
        number = "one" if len(expected) == 1 else str(len(expected))
        return Difference(f"it returned {count}; expected {number}")
    for part, (got, wanted) in enumerate(zip(result, expected, strict=True)):
        at = part if len(expected) > 1 else None
        if got.shape != wanted.shape:
            return Difference(f"the shape is {got.shape}; expected {wanted.shape}", at)
        if kind_of(got) != kind_of(wanted):
            kinds = kind_of(got), kind_of(wanted)
            return Difference(f"the entries are {kinds[0]}; expected {kinds[1]}", at)
        wrong = ~close(got, wanted, tolerance)
        if wrong.any():
            index = tuple(int(i) for i in np.argwhere(wrong)[0])
            return Difference("", at, index)
    return None


def kind_of(array):
    """Return what an array holds, in words."""
    if array.dtype == bool:
        return "True and False"
    return "texts" if array.dtype.kind in "US" else "numbers"


def close(got, wanted, tolerance):
    """Return where two arrays of one shape agree."""
    if kind_of(wanted) != "numbers":
        return got == wanted
    got, wanted = got.astype(float), wanted.astype(float)
    finite = np.isfinite(wanted)
    largest = np.abs(wanted[finite]).max(initial=0.0)
    # Written without a difference of infinities, which is no number.
    same = (got == wanted) | (np.isnan(got) & np.isnan(wanted))
    near = np.abs(np.where(finite, got, 0) - np.where(finite, wanted, 0)) <= (
        tolerance * max(largest, 1e-3)
    )
    return same | (near & finite & np.isfinite(got))
