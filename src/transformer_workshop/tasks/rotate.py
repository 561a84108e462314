"""Rotary positions: pairs of numbers rotated by angles that grow with the position."""

from collections.abc import Iterator, Set

import numpy as np

from ..task import Property, Slip, Task

STUB = '''
def rotate(x, positions, base=10_000.0):  # (..., n, d_k), (n,) -> (..., n, d_k)
    """Rotate queries or keys by their positions (RoPE).

    Row r of x is at positions[r], a whole number. Neighbouring numbers are a pair: columns 0 and 1,
    columns 2 and 3, and so on; d_k is even. Pair p = 0, 1, ... is rotated counterclockwise, from
    (1, 0) towards (0, 1), by position / base**(2 * p / d_k) radians. Each number keeps its column.
    """
'''

HALF_OF_PAIRS_SLIP_FIELDS = (
    "rotated only about half of the pairs",
    "M2",
    "A loop over the columns in steps of 2 runs to d_k, and a loop over the pairs to d_k // 2.",
)
SLIPS = (
    Slip(
        "halves",
        "paired each number of the first half with one of the second half",
        "M37",
        "In this task, neighbours are a pair: columns 0 and 1, columns 2 and 3, and so on.",
    ),
    Slip(
        "joined",
        "rotated the right pairs, but put all their first numbers before all their second numbers",
        repair="Put each rotated number back into the column that it came from.",
    ),
    Slip(
        "mixed",
        "rotated the two numbers of a pair by different angles, which mixes the two layouts of RoPE",
        "M37",
        "Neighbours share an angle: each angle comes twice in a row, not the whole list of angles twice.",
    ),
    Slip("half", *HALF_OF_PAIRS_SLIP_FIELDS),
    Slip("half unrotated", *HALF_OF_PAIRS_SLIP_FIELDS),
    Slip(
        "from 0",
        "counted the rows from 0 instead of using positions",
        "M32",
        "Row r is at positions[r]; with a cache, the first new row is not at position 0.",
    ),
    Slip(
        "from 1",
        "added 1 to every position",
        "M3",
        "Positions count from 0: a row at position 0 is not rotated at all.",
    ),
    Slip(
        "pairs from 1",
        "counted the pairs from 1",
        repair="The first pair is pair 0, whose angle is the position itself, in radians.",
    ),
    Slip(
        "clockwise",
        "rotated in the opposite direction",
        repair="(a, b) becomes (a cos − b sin, a sin + b cos).",
    ),
    Slip(
        "no minus",
        "left out the minus sign of the rotation",
        repair="(a, b) becomes (a cos − b sin, a sin + b cos), with one minus sign.",
    ),
    Slip(
        "two minus",
        "put a minus sign into both lines of the rotation",
        repair="(a, b) becomes (a cos − b sin, a sin + b cos), with one minus sign.",
    ),
    Slip(
        "overwritten",
        "computed the second number of a pair from the first number after it was rotated",
        repair="Compute both new numbers from the old a and the old b, before you store either.",
    ),
    Slip(
        "doubled",
        "doubled the exponent of the base",
        "M1",
        "If the loop counts 0, 2, 4, the counter is already 2p, so do not multiply it by 2.",
    ),
    Slip(
        "halved",
        "halved the exponent of the base",
        repair="The exponent of pair p is 2p / d_k, not p / d_k.",
    ),
    Slip(
        "growing",
        "multiplied the position by the power of the base instead of dividing",
        repair="Later pairs rotate more slowly: divide by the power, or give its exponent a minus sign.",
    ),
    Slip(
        "one speed",
        "rotated every pair by the same angle",
        "M14",
        "Each pair has a frequency of its own, base**(-2 * p / d_k).",
    ),
    Slip(
        "again",
        "rotated the earlier rows again with every later row",
        "M38",
        "Rotate each row once, by its own position.",
    ),
    Slip("base", "used 10,000 whatever the base is", repair="Use the argument base."),
)


def reference(x, positions, base=10_000.0, slips: Set[str] = frozenset()):
    n, d_k = x.shape[-2:]
    p = np.arange(d_k // 2) + ("pairs from 1" in slips)
    power = 2 * p / d_k
    power = power * (2 if "doubled" in slips else 1) / (2 if "halved" in slips else 1)
    power = 0 * power if "one speed" in slips else power
    power = -power if "growing" in slips else power
    base = 10_000.0 if "base" in slips else base
    place = np.arange(n) if "from 0" in slips else positions
    place = place + ("from 1" in slips)
    angle = place[:, None] * float(base) ** -power  # (n, pairs)
    angle = -angle if "clockwise" in slips else angle
    angle = angle * (n - np.arange(n))[:, None] if "again" in slips else angle
    half = (d_k // 2 + 1) // 2  # of the pairs
    if "half unrotated" in slips:
        angle = np.where(np.arange(d_k // 2) < half, angle, 0)
    one, two = np.arange(0, d_k, 2), np.arange(1, d_k, 2)
    if "halves" in slips:
        one, two = np.arange(d_k // 2), np.arange(d_k // 2, d_k)
    for_one = for_two = angle
    if "mixed" in slips:
        tiled = np.concatenate([angle, angle], axis=-1)
        tiled = np.repeat(angle, 2, axis=-1) if "halves" in slips else tiled
        for_one, for_two = tiled[:, one], tiled[:, two]
    a, b = x[..., one], x[..., two]
    sign = 1 if "no minus" in slips else -1
    new_a = a * np.cos(for_one) + sign * b * np.sin(for_one)
    a = new_a if "overwritten" in slips else a
    rise = -1 if "two minus" in slips else 1
    new_b = rise * a * np.sin(for_two) + b * np.cos(for_two)
    if "half" in slips:
        new_a, new_b = new_a.copy(), new_b.copy()
        new_a[..., half:] = new_b[..., half:] = 0
    if "joined" in slips:
        return np.concatenate([new_a, new_b], axis=-1)
    result = np.zeros((*new_a.shape[:-1], d_k))
    result[..., one], result[..., two] = new_a, new_b
    return result


def rotate(x, positions, base=10_000.0):
    d_k = x.shape[-1]
    frequencies = base ** (-np.arange(0, d_k, 2) / d_k)  # (d_k / 2,)
    angle = positions[:, None] * frequencies  # (n, d_k / 2)
    a, b = x[..., 0::2], x[..., 1::2]  # the two numbers of each pair
    result = np.empty_like(x)
    result[..., 0::2] = a * np.cos(angle) - b * np.sin(angle)
    result[..., 1::2] = a * np.sin(angle) + b * np.cos(angle)
    return result


def trial_arguments(rng) -> Iterator[tuple]:
    yield np.array([[1.0, 0.0], [1.0, 0.0]]), np.array([0, 1])
    yield np.array([[1.0, 0.0, 1.0, 0.0]]), np.array([2]), 4.0
    yield np.array([[1.0, 2.0, 3.0, 4.0]]), np.array([1])
    yield np.array([[1.0, 2.0, 3.0, 4.0]]), np.array([0])
    yield rng.normal(size=(3, 6)), np.array([5, 6, 7])
    yield rng.normal(size=(2, 5, 4)), np.arange(5), 100.0
    yield rng.normal(size=(2, 3, 4, 8)).astype(np.float32), np.array([0, 3, 9, 2])
    yield rng.normal(size=(4, 2, 8)), np.array([40, 41])


def scores_depend_on_distance_only(function, arguments, returned_arrays) -> bool:
    """Whether products of rows stay the same if all positions grow equally."""
    later = function(arguments[0], arguments[1] + 3, *arguments[2:])[0]
    now, then = (
        rows @ np.swapaxes(rows, -1, -2) for rows in (returned_arrays[0], later)
    )
    return np.allclose(now, then, atol=1e-3)


def has_right_far_angles(function, arguments, returned_arrays) -> bool:
    """Whether a position far away has its angles, where the first ones are right: they show the base."""
    if len(arguments) > 2 or not np.allclose(
        returned_arrays[0], reference(*arguments), atol=1e-3
    ):
        return True
    # Published tables may have no more rows. A base of 9,999 is off by 4e-3 here.
    far = np.tile([[1.0, 0.0]], 8), np.array([999])
    return np.allclose(function(*far)[0], reference(*far), atol=5e-4)


TASK = Task(
    "rotate",
    "beyond/positions_revisited#rope-rotates-each-pair-of-entries-at-a-speed-of-its-own",
    STUB,
    reference,
    rotate,
    trial_arguments,
    SLIPS,
    properties=(
        Property(
            "rows at position 0 are changed",
            lambda function, x, returned_arrays: np.allclose(
                function(x[0], 0 * x[1], *x[2:])[0], x[0], atol=1e-4
            ),
        ),
        Property(
            "the lengths of the rows change, although a rotation keeps every length",
            lambda function, x, returned_arrays: np.allclose(
                np.linalg.norm(returned_arrays[0], axis=-1),
                np.linalg.norm(x[0], axis=-1),
                atol=1e-3,
            ),
        ),
        Property(
            "the product of two rows depends on more than the distance of their positions",
            scores_depend_on_distance_only,
        ),
        Property(
            "the angles of position 999 are wrong, although those of the first positions seem right: is "
            "10,000 the default of the base?",
            has_right_far_angles,
        ),
    ),
    hints=(
        "Begin with d_k = 2: there is one pair, and it is rotated by position radians.",
        "With a = x[..., 0::2] and b = x[..., 1::2], (a, b) becomes (a cos − b sin, a sin + b cos).",
        "The angles are positions[:, None] * base ** (-np.arange(0, d_k, 2) / d_k), one for each row "
        "and pair. Write the new a into result[..., 0::2] and the new b into result[..., 1::2].",
    ),
    differentiable=("x",),
)
