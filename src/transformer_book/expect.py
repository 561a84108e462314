"""One way to refuse an argument: what was given, what was expected, and what to do."""

import math
from numbers import Integral, Real

REMEDY = "Give such a value."


def expect(right, error, who, given, expected, remedy=REMEDY):
    """Raise an error unless something is right; arguments as of :func:`refusal`."""
    if not right:
        raise refusal(error, who, given, expected, remedy)


def refusal(error, who, given, expected, remedy=REMEDY):
    """Return the error that refuses an argument, where its words would cost too much if it is right.

    Parameters
    ----------
    error : type
        Of the error, which takes a message: ``ShapeError`` where an array, or the size of one, does
        not fit; ``ConfigError`` where a setting cannot be; the error of a package for its requests.
    who : str
        The function or class that refuses.
    given : str
        What was given, as in "h is 3 and x has shape (2, 8)".
    expected : str
        What was expected, as in "a number that divides 8".
    remedy : str
        What to do, a sentence.
    """
    return error(f"{who}: {given}; expected {expected}. {remedy}")


def expect_whole(
    error, who, name, value, what="", least=1, most=math.inf, remedy=REMEDY
):
    """Raise an error unless a value is a whole number from ``least`` to ``most``.

    Parameters
    ----------
    error, who, remedy
        As of :func:`refusal`.
    name : str
        Of the argument.
    value
    what : str
        What the number is of, as in "a length".
    least : int
    most : int, optional
    """
    symbol = (
        type(value).__name__ == "SymInt"
    )  # of a model that is exported: no number yet
    bounded = most != math.inf
    whole = symbol or is_whole(value)
    if whole and value >= least and (not bounded or value <= most):
        return
    span = f"from {least} to {most}" if bounded else f"of at least {least}"
    expected = f"{what}, a whole number {span}" if what else f"a whole number {span}"
    raise refusal(error, who, f"{name} is {value!r}", expected, remedy)


def expect_number(error, who, name, value, right, expected, remedy=REMEDY):
    """Raise an error unless a value is a finite number for which ``right`` holds.

    Parameters
    ----------
    error, who, expected, remedy
        As of :func:`refusal`.
    name : str
        Of the argument.
    value
    right : callable
    """
    fits = is_number(value) and right(value)
    expect(fits, error, who, f"{name} is {value!r}", expected, remedy)


def is_whole(value):
    """Say whether a value is a whole number of at most 64 bits: NumPy's too, but no bool."""
    integral = isinstance(value, Integral) and not isinstance(value, bool)
    return integral and abs(int(value)) < 2**64


def is_number(value):
    """Say whether a value is a finite real number: NumPy's too, but no bool."""
    if not isinstance(value, Real) or isinstance(value, bool):
        return False
    try:
        return math.isfinite(value)
    except OverflowError:  # too large a whole number
        return False
