"""The right answers of the book's exercises, a module or two for each part of the book.

What an answer needs is imported and computed only when an answer is checked.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cache
from typing import Any

ROUNDING_TOLERANCE = 0.01  # relative, for an answer rounded to two or three digits


@dataclass(frozen=True)
class Answer:
    """What is right for one exercise.

    Parameters
    ----------
    asks : str
        What the reader stores in ``answer``: "the number of True cells for 16 tokens".
    right : callable
        Returns the right answer: a number, a text, True or False, an array, a sequence of these or,
        where the order does not matter, a set. With `inputs`, it is itself the function to be written.
    wrong : tuple of (object, str)
        Known wrong answers, each with what the reader did: "you counted without the diagonal". A
        callable returns the wrong answer; with `inputs`, it is a wrong function.
    tolerance : float
        Of each number, relative to the right one.
    inputs : callable, optional
        Returns the arguments of several calls, if the answer is a function.
    """

    asks: str
    right: Callable[..., Any]
    wrong: tuple[tuple[Any, str], ...] = ()
    tolerance: float = 0.0
    inputs: Callable[[], Iterable[tuple]] | None = None


@cache
def answers_by_label() -> dict[str, Answer]:
    """Return the answer for each exercise that has a check.

    Returns
    -------
    dict of str to Answer
        By the label of the exercise.
    """
    from . import (
        attention,
        beyond,
        costs,
        heads,
        layers,
        learning,
        positions,
        serving,
        tokens,
        transformer,
        variants,
        words,
    )

    parts = (
        *(words, tokens, positions, learning, attention, heads),
        *(layers, transformer, beyond, variants, costs, serving),
    )
    found: dict[str, Answer] = {}
    for part in parts:
        found |= part.ANSWERS
    return found
