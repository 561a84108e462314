"""What a task is: what the reader is to write, what is right, and how it is usually got wrong."""

import inspect
from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True)
class Slip:
    """A way to get a function wrong, which the reference can be made to show.

    Parameters
    ----------
    name : str
        By which the reference knows it.
    says : str
        What the reader did, behind "you": "normalised over the whole matrix".
    mistake : str
        Its number in the book's lists of mistakes, as in "M4"; empty where the lists do not have it.
    repair : str
        What to look at.
    """

    name: str
    says: str
    mistake: str = ""
    repair: str = ""


@dataclass(frozen=True)
class Task:
    """A function for the reader to write.

    Parameters
    ----------
    name : str
        Of the function.
    lesson : str
        The page that teaches it, with the heading: "attention/eight_steps#softmax".
    stub : str
        The function's head and docstring: signature, shapes, what it is for.
    reference : callable
        Takes the arguments, and as ``slips`` the names of the slips to make, and returns what the
        function returns: an array, or a tuple of them.
    solution : callable
        The function as one would write it. It is shown when the reader asks for it.
    trial_arguments : callable
        Takes a numpy.random.Generator and yields arguments, the smallest first.
    slips : tuple of Slip
    properties : tuple of Property
    hints : tuple of str
        Three, each saying more than the one before.
    differentiable : tuple of str
        The arguments that a gradient has to reach, where the function takes tensors.
    tolerance : float
        By how much a result may be wrong, relative to its largest number.
    may_change : tuple of str
        The arguments that the function may change in place.
    results : tuple of str
        What the function returns, where that is more than one value.
    """

    name: str
    lesson: str
    stub: str
    reference: Callable
    solution: Callable
    trial_arguments: Callable
    slips: tuple[Slip, ...] = ()
    properties: tuple["Property", ...] = ()
    hints: tuple[str, ...] = ()
    differentiable: tuple[str, ...] = ()
    tolerance: float = 1e-4
    may_change: tuple[str, ...] = ()
    results: tuple[str, ...] = ()

    @property
    def parameter_names(self) -> tuple[str, ...]:
        """The names of the function's arguments."""
        return tuple(inspect.signature(self.solution).parameters)

    @property
    def lesson_address(self) -> str:
        """The page of the lesson, as the reader would open it."""
        page, _, heading = self.lesson.partition("#")
        return f"{page}.html" + (f"#{heading}" if heading else "")


@dataclass(frozen=True)
class Property:
    """What every right result has, said where no slip is recognised.

    Parameters
    ----------
    says : str
        What is wrong where it does not hold: "the rows do not sum to 1".
    holds : callable
        Takes the function, the arguments and the parts of its result, and returns whether it holds, or
        what to say instead of ``says``. It may call the function again with other arguments.
    """

    says: str
    holds: Callable
