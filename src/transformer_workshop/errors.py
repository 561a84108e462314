"""An exception in a sentence: the reader's line, what went wrong there, and what that usually means."""

import re
import sys
import traceback
from collections.abc import Callable

MEMORY_MESSAGE = (
    "it asks for more memory than there is; is an array larger than it has to be?"
)
PATTERN_AND_MEANING_PAIRS = (  # of an exception's text
    (
        r"inhomogeneous shape|'tuple'|\btuple indices|Tensor, not tuple",
        "A function with two results returns a tuple: take it apart first, as in H, weights = attend(x)",
    ),
    (
        r"^transpose\(\)",
        "In PyTorch, transpose exchanges two axes; the order of all axes is for permute.",
    ),
    (
        r"must be Tensor, not numpy|got numpy\.ndarray|not a Tensor|expected np\.ndarray",
        "A NumPy function and a PyTorch function that call each other do not mix: write both with "
        "one of the two.",
    ),
    (
        r"mixed dtype|have the same dtype|same dtype, but got|scalar type",
        "Modules of torch.nn have weights of their own, in float32: use the weights that you are given.",
    ),
    (
        r"matmul: Input operand 1 has a mismatch",
        "In A @ B, A must have as many columns as B has rows.",
    ),
    (
        r"mat1 and mat2 shapes",
        "In A @ B, A must have as many columns as B has rows. PyTorch's linear(x, W) is x @ W.T.",
    ),
    (
        r"return_types\.max",
        "In PyTorch, max along an axis returns the numbers and their places: use amax.",
    ),
    (
        r"(sqrt|exp|log|sin|cos)\(\).* must be Tensor, not (int|float)",
        "For a plain number, use the module math.",
    ),
    (
        r"Expected target size",
        "cross_entropy expects the logits of a position along axis 1: flatten the first two axes of "
        "logits and labels.",
    ),
    (
        r"Dimension out of range",
        "An input may have fewer axes: count them from the end, as in -1 and -2.",
    ),
)


class ResultError(TypeError):
    """What went wrong in the workshop's own words, told without the exception's name."""


def describe_error(error: Exception, function: Callable | None = None) -> str:
    """Return an exception in one line, with the reader's own line where there is one.

    Parameters
    ----------
    error : Exception
    function : callable, optional
        The reader's, whose file the line is to be in.
    """
    where, text = describe_error_place(error, function), " ".join(str(error).split())
    text = text.partition(", but expected one of")[0]  # PyTorch's list of signatures
    if isinstance(error, MemoryError) or "can't allocate memory" in text:
        name, text = "", MEMORY_MESSAGE
    else:
        name = "" if isinstance(error, ResultError) else type(error).__name__
    said = ": ".join(part for part in (where, name, text) if part)
    means = next(
        (means for of, means in PATTERN_AND_MEANING_PAIRS if re.search(of, text)), ""
    )
    return f"{said.rstrip('.')}. {means}" if means else said


def describe_error_place(error: Exception, function: Callable | None) -> str:
    """Return the reader's line, and from which line of the function it was reached."""
    frames = traceback.extract_tb(error.__traceback__)
    code = getattr(function, "__code__", None)
    file, own = getattr(code, "co_filename", None), getattr(code, "co_name", None)
    theirs = [f for f in frames if f.filename == file] or [
        f
        for f in frames
        if "transformer_workshop" not in f.filename
        and "site-packages" not in f.filename
        and sys.prefix not in f.filename
        and not f.filename.startswith("<frozen")
    ]
    if not theirs:
        return ""
    last = theirs[-1]
    first = next((frame for frame in theirs if frame.name == own), last)
    where = f"line {last.lineno}" + (f", `{last.line}`" if last.line else "")
    if first is not last and first.name != last.name and last.name[0] != "<":
        where += f", called from line {first.lineno}"
    return where
