"""Whether an answer to an exercise is right; otherwise what is wrong with it, in a sentence."""

import copy
import math
import sys
from collections.abc import Callable
from typing import Any

import numpy as np

from .answers import Answer
from .errors import describe_error

EXACT_TOLERANCE = 1e-6  # float32 has about seven digits


class NotAnsweredError(Exception):
    """The answer is a function that is not written yet."""


def describe_fault(answer: Any, right_answer: Answer) -> str:
    """Return what is wrong with an answer as a clause, or nothing if it is right.

    Parameters
    ----------
    answer : object
    right_answer : Answer

    Returns
    -------
    str

    Raises
    ------
    NotAnsweredError
    """
    if right_answer.inputs is not None:
        return describe_function_fault(answer, right_answer)
    if callable(answer) and not hasattr(answer, "tolist"):
        return "the answer is a function; store what it returns"
    given, right = to_plain_python(answer), to_plain_python(right_answer.right())
    if are_same(given, right, right_answer.tolerance):
        return ""
    for value, says in right_answer.wrong:
        slip = to_plain_python(value() if callable(value) else value)
        if are_same(given, slip, right_answer.tolerance):
            return says
    return describe_difference(given, right, right_answer.tolerance)


def describe_function_fault(function: Any, right_answer: Answer) -> str:
    """Call the reader's function on several inputs and compare it with the right one."""
    if not callable(function):
        kind = describe_kind(to_plain_python(function))
        return f"the answer is {kind}; store the function itself, without calling it"
    assert right_answer.inputs is not None
    calls = list(right_answer.inputs())
    given = []
    for arguments in calls:
        try:
            result = function(*copy.deepcopy(arguments))
        except NotImplementedError:
            raise NotAnsweredError from None
        except Exception as error:
            return f"with {format_arguments(arguments)}, it fails: {describe_error(error, function)}"
        if result is None or result is Ellipsis or result is NotImplemented:
            raise NotAnsweredError
        given.append(to_plain_python(result))
    right = results_or_exception_names(right_answer.right, calls)
    agrees = [
        are_same(a, b, right_answer.tolerance)
        for a, b in zip(given, right, strict=True)
    ]
    if all(agrees):
        return ""
    for slip, says in right_answer.wrong:
        if are_same(
            given, results_or_exception_names(slip, calls), right_answer.tolerance
        ):
            return says
    first = agrees.index(False)
    why = describe_difference(given[first], right[first], right_answer.tolerance)
    others = agrees.count(True)
    but = f" (it is right on {others} of {len(calls)} inputs)" if others else ""
    return f"with {format_arguments(calls[first])}, {why}{but}"


def results_or_exception_names(
    function: Callable, argument_tuples: list[tuple]
) -> list:
    """Return what a function of the book returns for each call, or the name of its exception."""
    found = []
    for arguments in argument_tuples:
        try:
            found.append(to_plain_python(function(*copy.deepcopy(arguments))))
        except (ValueError, IndexError, TypeError) as error:
            found.append(type(error).__name__)
    return found


def to_plain_python(value: Any) -> Any:
    """Turn arrays, tensors and sequences into lists of Python's own numbers, texts, True and False."""
    if isinstance(value, set | frozenset):
        return frozenset(to_nested_tuples(to_plain_python(each)) for each in value)
    if hasattr(value, "detach"):
        value = value.detach().cpu()
    if hasattr(value, "tolist"):  # NumPy's arrays and scalars, PyTorch's tensors
        return value.tolist()
    if isinstance(value, dict):
        return [to_plain_python(each) for each in value.items()]
    if isinstance(value, list | tuple | range):
        return [to_plain_python(each) for each in value]
    if isinstance(value, str):
        return value.strip()
    return value


def to_nested_tuples(value: Any) -> Any:
    """Return a list as a tuple, so that it can be in a set."""
    return (
        tuple(to_nested_tuples(each) for each in value)
        if isinstance(value, list)
        else value
    )


def are_same(given: Any, solution: Any, relative_tolerance: float) -> bool:
    """Whether two plain values agree, numbers within a relative tolerance."""
    if isinstance(solution, frozenset):
        if isinstance(given, list):
            given = frozenset(to_nested_tuples(each) for each in given)
        return given == solution
    if isinstance(solution, list):
        return are_parts_same(given, solution, relative_tolerance)
    if isinstance(given, list) and len(given) == 1 and not isinstance(solution, str):
        given = given[0]  # an array that holds one number
    return are_parts_same(given, solution, relative_tolerance)


def are_parts_same(given: Any, solution: Any, relative_tolerance: float) -> bool:
    """Compare two plain values part by part."""
    if isinstance(solution, list):
        return (
            isinstance(given, list)
            and len(given) == len(solution)
            and all(
                are_parts_same(a, b, relative_tolerance)
                for a, b in zip(given, solution)
            )
        )
    if describe_kind(given) != describe_kind(solution):
        return False
    if describe_kind(solution) != "a number":
        return bool(given == solution)
    if given == solution or (math.isnan(given) and math.isnan(solution)):
        return True
    if not (math.isfinite(given) and math.isfinite(solution)):
        return False
    # The parts of an answer may be of very different size, so each has a tolerance of its own.
    exact = EXACT_TOLERANCE * max(abs(solution), 1.0)
    return bool(abs(given - solution) <= max(relative_tolerance * abs(solution), exact))


def describe_kind(value: Any) -> str:
    """Return what a plain value is, in words."""
    if isinstance(value, bool):
        return "True or False"
    if isinstance(value, int | float):
        return "a number"
    if isinstance(value, str):
        return "a text"
    if isinstance(value, list):
        return "a sequence"
    if isinstance(value, frozenset):
        return "a set"
    return "None" if value is None else f"of type {type(value).__name__}"


def describe_difference(given: Any, solution: Any, relative_tolerance: float) -> str:
    """Say where two plain values differ, without saying what is right."""
    if isinstance(solution, frozenset):
        return describe_set_difference(given, solution)
    if isinstance(solution, list) and isinstance(given, list):
        return describe_list_difference(given, solution, relative_tolerance)
    if describe_kind(given) != describe_kind(solution):
        several = "a sequence of several values"
        wanted = several if isinstance(solution, list) else describe_kind(solution)
        return f"the answer is {describe_kind(given)}; expected {wanted}"
    return f"another {'number' if describe_kind(solution) == 'a number' else 'answer'} is expected"


def describe_set_difference(given: Any, solution: frozenset) -> str:
    """Say how many entries are too many, and how many are missing."""
    if not isinstance(given, list | frozenset):
        return f"the answer is {describe_kind(given)}; expected a set or a list"
    given = frozenset(to_nested_tuples(each) for each in given)
    extra, missing = len(given - solution), len(solution - given)
    return f"{count_with_noun(extra, 'entry', 'entries')} should not be there, and {missing} missing"


def describe_list_difference(
    given: list, solution: list, relative_tolerance: float
) -> str:
    """Say how two sequences differ in shape, or else which parts are wrong."""
    shapes = shape_if_table(given), shape_if_table(solution)
    if None not in shapes:
        if shapes[0] != shapes[1]:
            return f"the answer has the shape {shapes[0]}; expected {shapes[1]}"
        kind, expected = (describe_kind(first_entry(x)) for x in (given, solution))
        if kind != expected:
            return f"an entry is {kind}; expected {expected}"
    if len(given) != len(solution):
        return f"the answer has {count_with_noun(len(given), 'part', 'parts')}; expected {len(solution)}"
    off = [
        i
        for i, (a, b) in enumerate(zip(given, solution))
        if not are_parts_same(a, b, relative_tolerance)
    ]
    for i in off:
        kind, expected = describe_kind(given[i]), describe_kind(solution[i])
        if kind != expected:
            return f"part {i} (counted from 0) is {kind}; expected {expected}"
    if len(off) == len(solution):
        return (
            "none of its parts is right"
            if len(solution) > 1
            else "its one part is wrong"
        )
    which = (
        f"part {off[0]} is" if len(off) == 1 else f"parts {join_part_numbers(off)} are"
    )
    return f"{which} wrong (counted from 0), and the rest is right"


def first_entry(value: Any) -> Any:
    """Return the first entry of a plain array."""
    while isinstance(value, list) and value:
        value = value[0]
    return value


def shape_if_table(value: Any) -> tuple[int, ...] | None:
    """Return the shape of a plain value with at least two axes, or None."""
    try:
        array = np.asarray(value)
    except ValueError:
        return None
    return array.shape if array.dtype != object and array.ndim > 1 else None


def count_with_noun(number: int, singular: str, plural: str) -> str:
    """Return a number with its noun."""
    return f"{number} {singular if number == 1 else plural}"


def join_part_numbers(part_numbers: list[int]) -> str:
    """Return the numbers of some parts in words, at most six of them."""
    if len(part_numbers) > 6:
        return ", ".join(map(str, part_numbers[:6])) + " and others"
    return ", ".join(map(str, part_numbers[:-1])) + f" and {part_numbers[-1]}"


def format_arguments(arguments: tuple) -> str:
    """Return the arguments of a call as a short text."""
    torch = sys.modules.get("torch")
    texts = []
    for each in arguments:
        tensor = torch is not None and isinstance(each, torch.Tensor)
        if isinstance(each, np.ndarray) or tensor:
            texts.append(f"an array of shape {tuple(each.shape)}")
        else:
            texts.append(repr(each))
    return ", ".join(texts)
