"""One way to refuse an argument: what was given, what was expected, and what to do."""

import math
from numbers import Integral, Real


def expect(
    condition,
    error_class: type[Exception],
    caller_name: str,
    actual: str,
    expected: str,
    remedy: str,
) -> None:
    """Raise an error unless a condition holds; other arguments as of :func:`refusal`."""
    if not condition:
        raise refusal(error_class, caller_name, actual, expected, remedy)


def refusal(
    error_class: type[Exception],
    caller_name: str,
    actual: str,
    expected: str,
    remedy: str,
) -> Exception:
    """Return the error that refuses an argument, where its words would cost too much if it is right.

    Parameters
    ----------
    error_class : type
        Of the error, which takes a message: ``ShapeError`` where an array, or the size of one, does
        not fit; ``ConfigError`` where a setting cannot be; the error of a package for its requests.
    caller_name : str
        The function or class that refuses.
    actual : str
        What was given, as in "h is 3 and x has shape (2, 8)".
    expected : str
        What was expected, as in "a number that divides 8".
    remedy : str
        What to do, a sentence.
    """
    return error_class(f"{caller_name}: {actual}; expected {expected}. {remedy}")


def expect_integer(
    error_class: type[Exception],
    caller_name: str,
    argument_name: str,
    value,
    description: str = "",
    minimum: int = 1,
    maximum: float = math.inf,
    *,
    remedy: str,
) -> None:
    """Raise an error unless a value is an integer from ``minimum`` to ``maximum``.

    Parameters
    ----------
    error_class, caller_name, remedy
        As of :func:`refusal`.
    argument_name : str
        What the error calls the argument.
    value
    description : str
        What the number is of, as in "a length".
    minimum : int
    maximum : int, optional
    """
    symbol = (
        type(value).__name__ == "SymInt"
    )  # of a model that is exported: no number yet
    bounded = maximum != math.inf
    integral = symbol or is_integer(value)
    if integral and value >= minimum and (not bounded or value <= maximum):
        return
    span = f"from {minimum} to {maximum}" if bounded else f"of at least {minimum}"
    expected = f"{description}, a whole number {span}".removeprefix(", ")
    raise refusal(
        error_class, caller_name, f"{argument_name} is {value!r}", expected, remedy
    )


def expect_number(
    error_class: type[Exception],
    caller_name: str,
    argument_name: str,
    value,
    is_valid,
    expected: str,
    remedy: str,
) -> None:
    """Raise an error unless a value is a finite number for which ``is_valid`` holds.

    Parameters
    ----------
    error_class, caller_name, expected, remedy
        As of :func:`refusal`.
    argument_name : str
        What the error calls the argument.
    value
    is_valid : callable
    """
    valid = is_finite_number(value) and is_valid(value)
    expect(
        valid,
        error_class,
        caller_name,
        f"{argument_name} is {value!r}",
        expected,
        remedy,
    )


def is_integer(value) -> bool:
    """Say whether a value is an integer of at most 64 bits: NumPy's too, but no bool."""
    integral = isinstance(value, Integral) and not isinstance(value, bool)
    return integral and abs(int(value)) < 2**64


def is_finite_number(value) -> bool:
    """Say whether a value is a finite real number: NumPy's too, but no bool."""
    if not isinstance(value, Real) or isinstance(value, bool):
        return False
    try:
        return math.isfinite(value)
    except OverflowError:  # too large an integer
        return False
