"""The learning rate of the paper: up in a straight line, then down with the root of the step."""

import math
from collections.abc import Iterator, Set

from ..task import Property, Slip, Task

STUB = '''
def learning_rate(step, d_model, warmup):  # -> a number
    """Return the paper's learning rate at a step of the training. The first step has the number 1.

    The rate is 1 / √d_model times the smaller of two terms: 1 / √step and step / warmup^(3/2). So it rises
    in a straight line for `warmup` steps, and then falls. All three arguments are whole numbers.
    """
'''

SLIPS = (
    Slip(
        "larger",
        "took the larger of the two terms",
        repair="During the warm-up, step / warmup^(3/2) is the smaller term.",
    ),
    Slip("no width", "left out d_model", repair="The rate is divided by √d_model."),
    Slip(
        "width up",
        "multiplied by √d_model instead of dividing",
        repair="A wider model gets a smaller rate.",
    ),
    Slip(
        "width",
        "divided by d_model instead of its square root",
        repair="The power of d_model is -0.5.",
    ),
    Slip(
        "from 0",
        "counted the steps from 0, so the rate is that of the next step",
        repair="The first step already has the number 1. Do not add 1.",
    ),
    Slip(
        "late",
        "gave each step the rate of the step before, and the first step the rate 0",
        repair="The first step has the number 1. Do not subtract 1.",
    ),
    Slip(
        "only up",
        "let the rate rise forever",
        repair="After the warm-up, 1 / √step is the smaller term.",
    ),
    Slip(
        "no warm-up",
        "let the rate fall from the first step on",
        repair="The rate at step 1 has to be small: look at step / warmup^(3/2).",
    ),
    Slip(
        "level",
        "kept the rate level after the warm-up",
        repair="After the warm-up, the rate falls as 1 / √step does.",
    ),
    Slip(
        "1 / step",
        "let the rate fall as 1 / step",
        repair="Divide by the root of the step: the power is -0.5.",
    ),
    Slip(
        "√step",
        "multiplied by √step instead of dividing",
        repair="The power of the step is -0.5.",
    ),
    Slip(
        "to 1",
        "divided the step by warmup instead of warmup^(3/2)",
        repair="At step = warmup, both terms must be 1 / √warmup.",
    ),
    Slip(
        "root of warmup",
        "divided the step by √warmup instead of warmup^(3/2)",
        repair="At step = warmup, both terms must be 1 / √warmup.",
    ),
    Slip(
        "exchanged",
        "exchanged step and warmup",
        repair="The second term is step times a power of warmup.",
    ),
    Slip("sum", "added the two terms", repair="Take the smaller one alone."),
    Slip(
        "brackets",
        "divided both terms by warmup^(3/2)",
        repair="Only the step is divided by it, not 1 / √step: look at the brackets.",
    ),
    Slip(
        "first alone",
        "divided only 1 / √step by √d_model",
        repair="Divide the smaller of the two terms by √d_model, whichever term it is.",
    ),
    Slip(
        "halves",
        "wrote ** -1/2 and ** -3/2 without brackets",
        repair="x ** -1/2 is (x ** -1) / 2. Write -0.5 and -1.5.",
    ),
    Slip(
        "half width",
        "wrote d_model ** -1/2, which is (1 / d_model) / 2",
        repair="Write d_model ** -0.5.",
    ),
    Slip(
        "half warmup",
        "wrote warmup ** -3/2, which is (1 / warmup³) / 2",
        repair="Write warmup ** -1.5.",
    ),
)


def reference(step, d_model, warmup, slips: Set[str] = frozenset()):
    if "from 0" in slips:
        step = step + 1
    if "late" in slips:
        step = step - 1
        if step == 0:
            return 0.0
    if "exchanged" in slips:
        step, warmup = warmup, step
    fall = 1 / math.sqrt(step)
    if "1 / step" in slips:
        fall = 1 / step
    elif "√step" in slips:
        fall = math.sqrt(step)
    rise = step / (warmup * math.sqrt(warmup))
    if "to 1" in slips:
        rise = step / warmup
    elif "root of warmup" in slips:
        rise = step / math.sqrt(warmup)
    elif "half warmup" in slips:
        rise = step / warmup**3 / 2
    scale = 1 / math.sqrt(d_model)
    if "halves" in slips:
        fall, rise, scale = 1 / step / 2, step / warmup**3 / 2, 1 / d_model / 2
    if "half width" in slips:
        scale = 1 / d_model / 2
    elif "no width" in slips:
        scale = 1.0
    elif "width up" in slips:
        scale = math.sqrt(d_model)
    elif "width" in slips:
        scale = 1 / d_model
    if "brackets" in slips:
        fall = fall / warmup**1.5  # the smaller one, as step is at least 1
    if "first alone" in slips:
        rise = rise / scale
    if "level" in slips:
        fall = 1 / math.sqrt(warmup)
    if "only up" in slips:
        fall = rise
    if "no warm-up" in slips:
        rise = fall
    if "sum" in slips:
        return scale * (fall + rise)
    return scale * (max(fall, rise) if "larger" in slips else min(fall, rise))


def learning_rate(step, d_model, warmup):
    return d_model**-0.5 * min(step**-0.5, step * warmup**-1.5)


def trial_arguments(rng) -> Iterator[tuple]:
    yield from ((1, 4, 4), (4, 4, 4), (16, 4, 4), (2, 16, 4), (9, 25, 1), (1, 1, 9))
    yield from ((4000, 512, 4000), (100, 128, 200), (800, 128, 200), (16000, 512, 4000))


def is_right_at_step(step, function, arguments) -> bool:
    """Whether the rate is right at a step of a training with a warm-up of 50 steps."""
    right = reference(step, arguments[1], 50)
    return math.isclose(function(step, arguments[1], 50)[0], right, rel_tol=1e-3)


TASK = Task(
    "learning_rate",
    "transformer/training#the-learning-rate-rises-first-and-then-falls",
    STUB,
    reference,
    learning_rate,
    trial_arguments,
    SLIPS,
    properties=(
        Property(
            "it is right from step = warmup on, but before it, the rate is not step / warmup^(3/2), divided "
            "by √d_model",
            lambda function, x, returned_arrays: (
                is_right_at_step(5, function, x)
                or not is_right_at_step(500, function, x)
            ),
        ),
        Property(
            "it is right up to step = warmup, but after it, the rate is not 1 / √step, divided by √d_model",
            lambda function, x, returned_arrays: (
                is_right_at_step(500, function, x)
                or not is_right_at_step(5, function, x)
            ),
        ),
        Property(
            "the rate at step 2 of a long warm-up is not twice the rate at step 1",
            lambda function, x, returned_arrays: math.isclose(
                function(2, x[1], 50)[0], 2 * function(1, x[1], 50)[0], rel_tol=1e-3
            ),
        ),
        Property(
            "long after the warm-up, four times as many steps do not halve the rate",
            lambda function, x, returned_arrays: math.isclose(
                function(1600, x[1], 10)[0],
                function(400, x[1], 10)[0] / 2,
                rel_tol=1e-3,
            ),
        ),
        Property(
            "a model that is four times as wide does not get half the rate",
            lambda function, x, returned_arrays: math.isclose(
                function(x[0], 4 * x[1], x[2])[0], returned_arrays[0] / 2, rel_tol=1e-3
            ),
        ),
    ),
    hints=(
        "Compute each of the two terms, and look at which of them is smaller at step 1.",
        "1 / √step is step ** -0.5, and 1 / warmup^(3/2) is warmup ** -1.5.",
        "Return d_model ** -0.5 times the min of step ** -0.5 and step * warmup ** -1.5.",
    ),
    tolerance=1e-5,
)
