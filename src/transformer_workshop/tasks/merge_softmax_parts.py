"""The online softmax: what two parts of the keys gave, put together."""

from collections.abc import Iterator, Set

import numpy as np

from ..task import Property, Slip, Task

STUB = '''
def merge_softmax_parts(m_1, l_1, o_1, m_2, l_2, o_2):  # -> (m, l, o)
    """Merge what attention keeps for two parts of the keys into what it keeps for all keys.

    Attention keeps three things for each query. m: (..., n, 1), its largest score s; l: (..., n, 1), the sum
    of exp(s - m); o: (..., n, d_v), the sum of exp(s - m) times the value, not divided by l. Return
    these three for both parts together. Scores may be large, and exp must not overflow.
    Where a query has no key in one of the parts, that part has m = -inf, l = 0 and o = 0; it has one in
    the other part.
    """
'''

CORRECTION_REPAIR = (
    "Multiply l and o of each part by exp(its own m − the merged m), then add."
)
ONE_SIDED_CORRECTION_SLIP_FIELDS = (
    "corrected one part to the largest score of the other, but not where its own is larger",
    "M30",
)
KEPT_M_1_SLIP_FIELDS = (
    "kept m_1 even where m_2 is larger",
    "",
    "m is the larger of m_1 and m_2.",
)

SLIPS = (
    Slip(
        "first",
        "did not correct the first part when the second part has a larger score",
        "M30",
        CORRECTION_REPAIR,
    ),
    Slip(
        "second",
        "did not correct the second part when the first part has a larger score",
        "M30",
        CORRECTION_REPAIR,
    ),
    Slip(
        "neither",
        "added the two parts without correcting either",
        "M30",
        CORRECTION_REPAIR,
    ),
    Slip(
        "sum",
        "corrected the sums of values o, but not the sums l",
        "M30",
        CORRECTION_REPAIR,
    ),
    Slip(
        "values",
        "corrected the sums l, but not the sums of values o",
        "M30",
        CORRECTION_REPAIR,
    ),
    *(
        Slip(name, *ONE_SIDED_CORRECTION_SLIP_FIELDS, CORRECTION_REPAIR)
        for name in ("first by second", "second by first")
    ),
    Slip(
        "sign",
        "corrected with exp(merged m − old m), which is never below 1",
        repair="The sums must never grow, so the exponent is never above 0.",
    ),
    Slip(
        "crossed",
        "corrected each part with the factor of the other",
        repair="The factor of part 1 is exp(m_1 − m), and that of part 2 is exp(m_2 − m).",
    ),
    Slip(
        "smaller",
        "took the smaller of the two largest scores",
        repair="m is the larger of m_1 and m_2.",
    ),
    Slip("kept", *KEPT_M_1_SLIP_FIELDS),
    Slip("kept, no factor", *KEPT_M_1_SLIP_FIELDS),
    Slip(
        "whole",
        "took one largest score for all queries",
        repair="Each query has its own largest score: np.maximum(m_1, m_2).",
    ),
    Slip(
        "overflow",
        "took the exponential of m itself, which overflows when the scores are large",
        repair="Subtract first: exp(m_1 − m) is at most 1.",
    ),
    Slip(
        "divided",
        "divided o by l",
        repair="o stays a sum; it is divided once, after the last part.",
    ),
    Slip(
        "averages",
        "treated o_1 and o_2 as averages, and weighted them by l_1 and l_2",
        repair="o_1 and o_2 are sums already: multiply them by exp(m_1 − m) and exp(m_2 − m) only.",
    ),
    Slip("swapped", "returned o before l", repair="Return m, l, o in this order."),
)


def reference(m_1, l_1, o_1, m_2, l_2, o_2, slips: Set[str] = frozenset()):
    m = np.maximum(m_1, m_2)
    if "smaller" in slips:
        m = np.minimum(m_1, m_2)
    if slips & {"kept", "kept, no factor"}:
        m = m_1
    if "whole" in slips:
        m = m.max()
    exponents = [m_1 - m, m_2 - m]
    if "sign" in slips:
        exponents = [m - m_1, m - m_2]
    if "crossed" in slips:
        exponents = exponents[::-1]
    factors = [np.exp(exponent) for exponent in exponents]
    if "overflow" in slips:
        factors = [np.exp(m_1) / np.exp(m), np.exp(m_2) / np.exp(m)]
    if slips & {"first", "neither", "kept, no factor"}:
        factors[0] = np.ones_like(factors[0])
    if slips & {"second", "neither"}:
        factors[1] = np.ones_like(factors[1])
    if "first by second" in slips:
        factors = [np.exp(m_1 - m_2), np.ones_like(m)]
    if "second by first" in slips:
        factors = [np.ones_like(m), np.exp(m_2 - m_1)]
    f_1, f_2 = factors
    total = l_1 + l_2 if "sum" in slips else l_1 * f_1 + l_2 * f_2
    if "averages" in slips:
        o_1, o_2 = o_1 * l_1, o_2 * l_2
    o = o_1 + o_2 if "values" in slips else o_1 * f_1 + o_2 * f_2
    if "divided" in slips:
        o = o / total
    return (m, o, total) if "swapped" in slips else (m, total, o)


def merge_softmax_parts(m_1, l_1, o_1, m_2, l_2, o_2):
    m = np.maximum(m_1, m_2)
    shrink_1, shrink_2 = np.exp(m_1 - m), np.exp(m_2 - m)
    l = shrink_1 * l_1 + shrink_2 * l_2  # noqa: E741
    o = shrink_1 * o_1 + shrink_2 * o_2
    return m, l, o


def softmax_part(
    scores: np.ndarray, values: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return what attention keeps of some keys, of which a query may see none."""
    m = scores.max(axis=-1, keepdims=True)
    e = np.exp(scores - np.where(np.isneginf(m), 0, m))
    return m, e.sum(axis=-1, keepdims=True), e @ values


def trial_arguments(rng) -> Iterator[tuple]:
    column = np.array([[1.0]])
    yield column, 2 * column, np.array([[3.0]]), 2 * column, column, np.array([[5.0]])
    yield 2 * column, column, np.array([[5.0]]), column, 2 * column, np.array([[3.0]])
    same = (column, column, np.array([[1.0, 2.0]]))
    yield *same, column, 2 * column, np.array([[3.0, 0.0]])
    for batch, n, keys, d_v in (((), 3, (2, 4), 2), ((2,), 4, (3, 1), 5)):
        scores = 2 * rng.normal(size=(*batch, n, sum(keys)))
        values = rng.normal(size=(*batch, sum(keys), d_v))
        cut = keys[0]
        yield (
            *softmax_part(scores[..., :cut], values[..., :cut, :]),
            *softmax_part(scores[..., cut:], values[..., cut:, :]),
        )
    scores, values = rng.normal(size=(3, 5)), rng.normal(size=(5, 2))
    scores[:, 3:] += 900
    one, two = (
        softmax_part(scores[:, :3], values[:3]),
        softmax_part(scores[:, 3:], values[3:]),
    )
    yield *one, *two
    scores = rng.normal(size=(3, 5))
    scores[0, :3] = scores[2, 3:] = -np.inf
    one, two = (
        softmax_part(scores[:, :3], values[:3]),
        softmax_part(scores[:, 3:], values[3:]),
    )
    yield *one, *two
    scores, values = (
        rng.normal(size=s).astype(np.float32) for s in ((2, 2, 6), (6, 3))
    )
    yield (
        *softmax_part(scores[..., :2], values[:2]),
        *softmax_part(scores[..., 2:], values[2:]),
    )


TASK = Task(
    "merge_softmax_parts",
    "beyond/flash#the-output-is-corrected-in-the-same-way",
    STUB,
    reference,
    merge_softmax_parts,
    trial_arguments,
    SLIPS,
    properties=(
        Property(
            "m is not the larger of m_1 and m_2",
            lambda function, x, returned_arrays: np.allclose(
                returned_arrays[0], np.maximum(x[0], x[3])
            ),
        ),
        Property(
            "exchanging the two parts changes the result",
            lambda function, x, returned_arrays: all(
                np.allclose(a, b, atol=1e-4)
                for a, b in zip(function(*x[3:], *x[:3]), returned_arrays, strict=True)
            ),
        ),
    ),
    hints=(
        "m is the larger of m_1 and m_2. A part whose own m was smaller subtracted too little, so its "
        "terms are too large.",
        "All terms of a part are too large by the same factor, so one multiplication corrects its l, "
        "and the same multiplication corrects its o.",
        "The factor of part 1 is np.exp(m_1 - m), and that of part 2 is np.exp(m_2 - m). Multiply l "
        "and o of each part by its factor, and add.",
    ),
    results=("m", "l", "o"),
)
