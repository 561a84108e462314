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


def as_arrays(result, expected_count: int | None = None) -> tuple[np.ndarray, ...]:
    """Return what a function returned as a tuple of arrays: NumPy's, PyTorch's, lists or numbers.

    Parameters
    ----------
    result : object
    expected_count : int, optional
        How many values are expected. A list of so many is as good as a tuple, and a tuple of ids as a
        list of them.

    Raises
    ------
    TypeError
        If a part of it is no array.
    """
    several = isinstance(result, tuple)
    if expected_count == 1 and several and all(np.ndim(part) == 0 for part in result):
        result, several = list(result), False  # ids, or texts
    elif expected_count is not None and expected_count > 1 and isinstance(result, list):
        several = len(result) == expected_count
    return tuple(as_array(part) for part in (result if several else (result,)))


def as_array(value) -> np.ndarray:
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


def first_difference(
    result: tuple[np.ndarray, ...],
    expected: tuple[np.ndarray, ...],
    relative_tolerance: float,
) -> Difference | None:
    """Return the first difference between two tuples of arrays, or None.

    Parameters
    ----------
    result, expected : tuple of array
    relative_tolerance : float
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
        if describe_entry_kind(got) != describe_entry_kind(wanted):
            kinds = describe_entry_kind(got), describe_entry_kind(wanted)
            return Difference(f"the entries are {kinds[0]}; expected {kinds[1]}", at)
        wrong = ~where_close(got, wanted, relative_tolerance)
        if wrong.any():
            index = tuple(int(i) for i in np.argwhere(wrong)[0])
            return Difference("", at, index)
    return None


def describe_entry_kind(array: np.ndarray) -> str:
    """Return what an array holds, in words."""
    if array.dtype == bool:
        return "True and False"
    return "texts" if array.dtype.kind in "US" else "numbers"


def where_close(
    result: np.ndarray, expected: np.ndarray, relative_tolerance: float
) -> np.ndarray:
    """Return where two arrays of one shape agree."""
    if describe_entry_kind(expected) != "numbers":
        return result == expected
    result, expected = result.astype(float), expected.astype(float)
    finite = np.isfinite(expected)
    largest = np.abs(expected[finite]).max(initial=0.0)
    # Written without a difference of infinities, which is no number.
    same = (result == expected) | (np.isnan(result) & np.isnan(expected))
    near = np.abs(np.where(finite, result, 0) - np.where(finite, expected, 0)) <= (
        relative_tolerance * max(largest, 1e-3)
    )
    return same | (near & finite & np.isfinite(result))
