"""One step of Adam."""

from collections.abc import Iterator, Set

import numpy as np

from ..task import Property, Slip, Task

STUB = '''
def adam_step(
    parameter, gradient, m, v, step, rate, beta_1=0.9, beta_2=0.98, eps=1e-9
):
    """Take one step of Adam; return (parameter, m, v), new arrays of the same shape, in this order.

    The new m is beta_1 · m + (1 - beta_1) · gradient; the new v is the same with beta_2 and gradient².
    With m̂ = m / (1 - beta_1^step) and v̂ = v / (1 - beta_2^step), both of the new averages, subtract
    rate · m̂ / (√v̂ + eps) from the parameter. Return m and v themselves, not m̂ and v̂. The first step has
    the number 1. There is no weight decay.
    """
'''

BFLOAT16_SLIP_FIELDS = (
    "kept the parameter in bfloat16, whose eight bits lose a small step",
    "M45",
    "The parameter and the averages keep the precision in which they come.",
)
SLIPS = (
    Slip(
        "uncorrected",
        "did not correct the averages, which begin at 0",
        repair="Divide m by 1 - beta_1^step, and v by 1 - beta_2^step.",
    ),
    Slip(
        "m uncorrected",
        "did not correct the average m, which begins at 0",
        repair="Divide m by 1 - beta_1^step.",
    ),
    Slip(
        "v uncorrected",
        "did not correct the average v, which begins at 0",
        repair="Divide v by 1 - beta_2^step.",
    ),
    Slip(
        "no power",
        "divided by 1 - beta at every step, which is right only at the first",
        repair="The correction fades: the divisor is 1 - beta ** step, which approaches 1.",
    ),
    Slip(
        "times",
        "multiplied beta by the step instead of raising beta to that power",
        repair="The divisor is 1 - beta ** step.",
    ),
    Slip(
        "step + 1",
        "corrected for one step too many, as if the steps were counted from 0",
        repair="The first step already has the number 1.",
    ),
    Slip(
        "step - 1",
        "corrected for one step too few; at the first step, that divides by 0",
        repair="The first step has the number 1: it divides m by 1 - beta_1, and v by 1 - beta_2.",
    ),
    Slip(
        "eps inside",
        "added eps inside the root",
        repair="Take the root of v̂ first, then add eps.",
    ),
    Slip(
        "eps early",
        "added eps to the root of v before v was corrected",
        repair="Correct v first; eps is added to the root of v̂.",
    ),
    Slip(
        "no square",
        "forgot the square of the gradient",
        repair="v is the average of gradient².",
    ),
    Slip("no root", "divided by v̂ instead of its root", repair="Divide by √v̂ + eps."),
    Slip(
        "betas",
        "exchanged beta_1 and beta_2",
        repair="beta_1 belongs to m, and beta_2 to v.",
    ),
    Slip(
        "one beta",
        "averaged the squares with beta_1 as well",
        repair="v has beta_2, in its average and in its correction.",
    ),
    Slip(
        "beta_1 in v",
        "averaged the squares with beta_1, and corrected them with beta_2",
        repair="The new v is beta_2 · v + (1 - beta_2) · gradient².",
    ),
    Slip(
        "old averages",
        "returned m and v as they were",
        repair="Return the new averages, which the next step needs.",
    ),
    Slip(
        "fresh",
        "began with new averages at step 1, as a new torch.optim.Adam does",
        repair="Use the m, the v and the step that are given: they are those of the steps before.",
    ),
    Slip(
        "shares",
        "gave the share beta to the gradient instead of to the old average",
        repair="The new m is beta_1 · m + (1 - beta_1) · gradient.",
    ),
    Slip(
        "corrected",
        "returned the corrected averages, which the next step would average again",
        repair="Keep m̂ and v̂ for this step alone; return m and v.",
    ),
    Slip(
        "up",
        "added the step instead of subtracting it",
        repair="The parameter moves against the gradient.",
    ),
    Slip(
        "decay",
        "added 0.01 times the parameter to the gradient, a weight decay",
        "M44",
        "This is Adam without a decay: take the gradient as it is.",
    ),
    Slip(
        "decay of AdamW",
        "let the parameter decay, as PyTorch's AdamW does",
        repair="This is Adam without a decay: subtract the step and nothing else.",
    ),
    Slip("bfloat16", *BFLOAT16_SLIP_FIELDS),
    Slip("all in bfloat16", *BFLOAT16_SLIP_FIELDS),
    Slip(
        "ignored",
        "took 0.9, 0.98 and 1e-9, whatever beta_1, beta_2 and eps are",
        repair="Use the arguments; these numbers are only their defaults.",
    ),
    Slip(
        "defaults",
        "gave beta_2 and eps the defaults 0.999 and 1e-8",
        repair="The paper's are 0.98 and 1e-9; keep the function's head.",
    ),
    Slip("order", "returned m and v first", repair="The parameter comes first."),
)


def reference(
    parameter, gradient, m, v, step, rate, *numbers, slips: Set[str] = frozenset()
):
    default: tuple = (0.9, 0.999, 1e-8) if "defaults" in slips else (0.9, 0.98, 1e-9)
    given: tuple = () if "ignored" in slips else numbers
    b1, b2, eps = given + default[len(given) :]
    if "betas" in slips:
        b1, b2 = b2, b1
    b2 = b1 if "one beta" in slips else b2
    old = m, v
    if "fresh" in slips:
        m, v, step = 0 * m, 0 * v, 1
    a1, a2 = (1 - b1, 1 - b2) if "shares" in slips else (b1, b2)
    a2 = a1 if "beta_1 in v" in slips else a2
    g = gradient + 0.01 * parameter if "decay" in slips else gradient
    m = a1 * m + (1 - a1) * g
    v = a2 * v + (1 - a2) * (g if "no square" in slips else np.square(g))
    t = step + 1 if "step + 1" in slips else step - ("step - 1" in slips)
    t = 1 if "no power" in slips else t
    powers = (b * t if "times" in slips else b**t for b in (b1, b2))
    c1, c2 = (np.float64(1 - power) for power in powers)
    if {"uncorrected", "m uncorrected"} & slips:
        c1 = np.float64(1)
    if {"uncorrected", "v uncorrected"} & slips:
        c2 = np.float64(1)
    m_hat, v_hat = m / c1, v / c2
    if "no root" in slips:
        below = v_hat + eps
    elif "eps inside" in slips:
        below = np.sqrt(v_hat + eps)
    elif "eps early" in slips:
        below = (np.sqrt(v) + eps) / np.sqrt(c2)
    else:
        below = np.sqrt(v_hat) + eps
    move = rate * m_hat / below
    new = parameter + move if "up" in slips else parameter - move
    new = new - 0.01 * rate * parameter if "decay of AdamW" in slips else new
    if "corrected" in slips:
        m, v = m_hat, v_hat
    m, v = old if "old averages" in slips else (m, v)
    if slips & {"bfloat16", "all in bfloat16"}:
        new = round_to_bfloat16(new)
    if "all in bfloat16" in slips:
        m, v = round_to_bfloat16(m), round_to_bfloat16(v)
    return (m, v, new) if "order" in slips else (new, m, v)


def round_to_bfloat16(x: np.ndarray) -> np.ndarray:
    """Round to the nearest number of bfloat16, to the even one of two."""
    bits = np.ascontiguousarray(x, np.float32).view(np.uint32)
    bits = bits + 0x7FFF + ((bits >> 16) & 1)
    return (bits & 0xFFFF0000).view(np.float32).astype(float)


def adam_step(parameter, gradient, m, v, step, rate, beta_1=0.9, beta_2=0.98, eps=1e-9):
    m = beta_1 * m + (1 - beta_1) * gradient
    v = beta_2 * v + (1 - beta_2) * gradient**2
    m_hat = m / (1 - beta_1**step)
    v_hat = v / (1 - beta_2**step)
    return parameter - rate * m_hat / (np.sqrt(v_hat) + eps), m, v


def trial_arguments(rng) -> Iterator[tuple]:
    m, v = np.zeros((2, 1))
    yield np.array([5.0]), np.array([2.0]), m, v, 1, 3.0, 0.5, 0.75, 1.0
    yield np.array([5.0]), np.array([-2.0]), np.ones(1), np.ones(1), 2, 3.0, 0.5, 0.75
    yield np.array([100.0, 0.0]), np.array([1.0, 4.0]), np.zeros(2), np.zeros(2), 1, 0.5
    yield np.array([1.0, 2.0]), np.array([0.0, 1e-6]), np.zeros(2), np.zeros(2), 1, 0.5
    for shape, step, kind in (((3,), 2, "d"), ((2, 3), 5, "d"), ((4, 2), 3, "f")):
        parameter, gradient, m, v = rng.normal(size=(4, *shape)).astype(kind)
        yield parameter, gradient, m, np.square(m) + v**2, step, 0.5
    parameter, gradient, m, v = rng.normal(size=(4, 2, 2, 3))
    yield parameter, gradient, m, np.square(m) + v**2, 300, 0.25, 0.8, 0.95, 0.1


def averages_ignore_parameter(function, arguments, returned_arrays) -> bool:
    """Whether the averages of a parameter far from 0 are those of a parameter at 0."""
    start = 0 * arguments[0]
    _, far, _ = function(start + 100, *arguments[1:])
    _, near, _ = function(start, *arguments[1:])
    return np.allclose(far, near, atol=1e-4)


def keeps_full_precision(function, arguments, returned_arrays) -> bool:
    """Whether the new parameter is not the right one with the digits of bfloat16 alone."""
    right, new = reference(*arguments)[0], returned_arrays[0]
    fits = np.allclose(round_to_bfloat16(right), right, rtol=1e-4)
    if fits or not np.allclose(right, new, rtol=0.03):
        return True
    return not np.array_equal(round_to_bfloat16(new), new)


def parameter_stays_without_gradient(function, arguments, returned_arrays) -> bool:
    """Whether a parameter stays where no gradient is, and never was."""
    zero = 0 * arguments[0]
    moved, _, _ = function(zero + 100, zero, zero, zero, 1, 1.0, *arguments[6:])
    return np.allclose(moved, 100, atol=1e-4)


TASK = Task(
    "adam_step",
    "words/learning#adam-adjusts-the-step-for-each-parameter",
    STUB,
    reference,
    adam_step,
    trial_arguments,
    SLIPS,
    properties=(
        Property(
            "the averages depend on the parameter, as if a weight decay were put into the gradient "
            "(mistake M44)",
            averages_ignore_parameter,
        ),
        Property(
            "the parameter is right to two or three digits alone, as if it were kept in bfloat16 "
            "(mistake M45)",
            keeps_full_precision,
        ),
        Property(
            "a parameter moves although its gradient has always been 0",
            parameter_stays_without_gradient,
        ),
    ),
    hints=(
        "Write five lines: the new m, the new v, both of them corrected, and the new parameter.",
        "m = beta_1 * m + (1 - beta_1) * gradient, and the same for v with gradient ** 2. Do not write +=, "
        "which would change the arguments.",
        "m_hat = m / (1 - beta_1 ** step), v_hat likewise, and the new parameter is parameter - rate * "
        "m_hat / (np.sqrt(v_hat) + eps).",
    ),
    results=("parameter", "m", "v"),
)
