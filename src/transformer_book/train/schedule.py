"""The learning rate: up for some steps, then down with the root of the step, section 5.3."""

from ..expect import expect_integer
from ..options import ConfigError


def learning_rate(step: int, d_model: int, warmup: int, factor: float = 1.0) -> float:
    r"""Return Adam's step size at a step of training.

    .. math:: \mathrm{factor} \cdot d_\mathrm{model}^{-0.5} \cdot
              \min(\mathrm{step}^{-0.5},\ \mathrm{step} \cdot \mathrm{warmup}^{-1.5})

    Equation (3) of Vaswani et al. (2017), times a factor, which there is 1.

    Parameters
    ----------
    step : int
        The number of the step; the first is 1.
    d_model : int
        Width of the model.
    warmup : int
        How many steps the rate rises, in a straight line; then it falls.
    factor : float
        Scales the whole curve. Its peak is factor / sqrt(d_model * warmup).

    Returns
    -------
    float

    Raises
    ------
    ConfigError
        If a number of steps or the width is not a whole number of at least 1.
    """
    for name, value, what, remedy in (
        ("step", step, "the number of a step", "Count the steps from 1."),
        ("d_model", d_model, "a width", "Give the width of the model."),
        ("warmup", warmup, "a number of steps", "Choose 1 for no warmup."),
    ):
        expect_integer(ConfigError, "learning_rate", name, value, what, remedy=remedy)
    return factor * d_model**-0.5 * min(step**-0.5, step * warmup**-1.5)
