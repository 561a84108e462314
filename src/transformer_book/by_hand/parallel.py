"""What several workers do together, played by one: arrays in lists, a place for each worker."""

from collections.abc import Sequence

import numpy as np
from jaxtyping import Float

from ..expect import expect_integer, refusal
from ..options import ConfigError
from ..shapes import ShapeError, check_same_shape, checked
from .feed_forward import relu


def ring_all_reduce(
    parts: Sequence[np.ndarray],
) -> tuple[list[np.ndarray], list[int]]:
    r"""Add up what each of p workers has, so that each has the sum; each sends to its right only.

    In p - 1 rounds the chunks are added up on their way, until each worker has the full sum of one;
    in p - 1 more these go round. So each worker sends this many numbers, if p divides n:

    .. math:: 2\,\frac{p-1}{p}\,n

    Patarasuk and Yuan (2009).

    Parameters
    ----------
    parts : sequence of array, (n,)
        One for each worker; they are left as they are.

    Returns
    -------
    sums : list of array, (n,)
        What each worker has at the end.
    sent : list of int
        How many numbers each has sent.

    Raises
    ------
    ShapeError
        If there is no worker, or if two have arrays of different shapes.
    """
    p = _worker_count(parts)
    chunks_of = [np.array_split(part.copy(), p) for part in parts]  # p of each worker
    sent = [0] * p
    for turn in range(2 * (p - 1)):
        numbers = [(worker - turn) % p for worker in range(p)]
        # All send at once: what is sent is settled before anything arrives.
        in_transit = [
            chunks_of[worker][number].copy() for worker, number in enumerate(numbers)
        ]
        arriving = zip(numbers, in_transit, strict=True)
        for worker, (number, chunk) in enumerate(arriving):
            right = chunks_of[(worker + 1) % p]
            right[number] = right[number] + chunk if turn < p - 1 else chunk
            sent[worker] += chunk.size
    return [np.concatenate(chunks) for chunks in chunks_of], sent


def _worker_count(parts: Sequence[np.ndarray]) -> int:
    """Return how many workers there are, if each has an array of the same shape."""
    who, remedy = "ring_all_reduce", "Give an array for each worker."
    name, what = "the number of parts", "workers"
    expect_integer(ShapeError, who, name, len(parts), what, remedy=remedy)
    for i, part in enumerate(parts):
        check_same_shape(who, f"part {i}", part, "part 0", parts[0])
    return len(parts)


@checked
def feed_forward_in_parts(
    x: Float[np.ndarray, "*batch d_model"],
    W_1: Float[np.ndarray, "d_model d_ff"],
    b_1: Float[np.ndarray, "d_ff"],
    W_2: Float[np.ndarray, "d_ff d_model"],
    p: int,
    activation=relu,
) -> list[Float[np.ndarray, "*batch d_model"]]:
    r"""Return what each of p workers adds to the output of a feed-forward network.

    A worker has some of the columns of ``W_1``, and of ``W_2`` the rows that read them. An activation
    that looks at one number at a time needs no other worker's:

    .. math:: \mathrm{FFN}(x) = \sum_i \max(0, xW_{1,i} + b_{1,i})\,W_{2,i} + b_2

    Shoeybi et al. (2019).

    Parameters
    ----------
    x : array, (..., d_model)
        Each worker has all of it.
    W_1 : array, (d_model, d_ff)
    b_1 : array, (d_ff,)
    W_2 : array, (d_ff, d_model)
    p : int
        Workers; divides ``d_ff``.
    activation : callable
        Entry by entry.

    Returns
    -------
    list of array, (..., d_model)
        Their sum and ``b_2``, which is added once, is the output of ``feed_forward``.

    Raises
    ------
    ShapeError
        Also if ``p`` does not divide ``d_ff``.
    ConfigError
        If ``p`` is not a positive integer.
    """
    check_split("feed_forward_in_parts", "d_ff", W_1.shape[1], p)
    columns = np.split(W_1, p, axis=1)  # (d_model, d_ff / p) each
    rows = np.split(W_2, p, axis=0)  # (d_ff / p, d_model) each
    return [
        activation(x @ A + b) @ B
        for A, b, B in zip(columns, np.split(b_1, p), rows, strict=True)
    ]


def pipeline_timetable(
    stages: int, microbatches: int, early: bool = False
) -> list[list[str]]:
    r"""Return what each stage of a pipeline does in each slot of time, a pass being one slot.

    A stage goes forward with a part of the batch once the stage before it has, and back with it once
    the stage after it has. All of it together takes 2 (m + p - 1) slots, of which a stage works in
    2 m. The rest is the bubble, this share of the time:

    .. math:: \frac{p-1}{m+p-1}

    Huang et al. (2019); ``early`` is the order of Narayanan et al. (2021).

    Parameters
    ----------
    stages, microbatches : int
        p stages, and the m parts into which the batch is cut.
    early : bool
        Whether a stage goes back with a part as soon as it can, "one forward, one backward", and not
        only after it has gone forward with all.

    Returns
    -------
    list of list of str
        For each stage and slot "F1" for the first part forward, "B1" for it backward, "" for a rest.

    Raises
    ------
    ConfigError
        If a number is not a positive integer.
    """
    p, m = stages, microbatches
    for name, value in (("stages", p), ("microbatches", m)):
        remedy = f"Choose 1 for no division into {name}."
        expect_integer(ConfigError, "pipeline_timetable", name, value, remedy=remedy)
    orders = [_pass_order(min(m, p - stage) if early else m, m) for stage in range(p)]
    done: set[tuple[str, int]] = set()  # passes, each with its stage
    table: list[list[str]] = [[] for _ in range(p)]
    while any(orders):
        slot = []  # what each stage does
        for stage, order in enumerate(orders):
            ready = bool(order) and _is_ready(order[0], stage, p, done)
            slot.append(order.pop(0) if ready else "")
        for stage, task in enumerate(slot):
            table[stage].append(task)
            if task:
                done.add((task, stage))
    return table


def _is_ready(
    pass_name: str,
    stage: int,
    stage_count: int,
    finished_passes: set[tuple[str, int]],
) -> bool:
    """Return whether a stage can do a pass: its neighbour, if it waits for one, has done it."""
    neighbour = stage - 1 if pass_name[0] == "F" else stage + 1
    return not 0 <= neighbour < stage_count or (pass_name, neighbour) in finished_passes


def _pass_order(forward_count_ahead: int, microbatches: int) -> list[str]:
    """Return a stage's passes in their order: so many forward, then back and forward in turn."""
    forward = [f"F{i}" for i in range(1, microbatches + 1)]
    back = [f"B{i}" for i in range(1, microbatches + 1)]
    order, later = forward[:forward_count_ahead], forward[forward_count_ahead:]
    for i, task in enumerate(back):
        order.append(task)
        order += later[i : i + 1]
    return order


def check_split(function_name: str, size_name: str, size: int, p: int) -> None:
    """Raise ShapeError unless ``p`` workers can share a size, ConfigError if p is no number of them."""
    remedy = f"Choose a number that divides {size_name}, which is {size}."
    expect_integer(
        ConfigError, function_name, "p", p, "a number of workers", remedy=remedy
    )
    if size % p:
        actual = f"{size_name} is {size} and there are {p} workers"
        expected = f"a number of workers that divides {size}"
        remedy = "Choose another number of them."
        raise refusal(ShapeError, function_name, actual, expected, remedy)
