"""Rotary positions: queries and keys turned by angles that grow with the position."""

import math

import numpy as np
from jaxtyping import Float, Float64, Int

from ..expect import refusal
from ..options import ConfigError
from ..shapes import ShapeError, checked

LAYOUTS = ("interleaved", "half")


def rope_frequencies(d_k: int, base: float = 10_000.0) -> Float64[np.ndarray, "pairs"]:
    r"""Return how far each pair of dimensions turns from one position to the next.

    .. math:: \omega_i = base^{-2i/d_k}

    Section 3.2.2 of Su et al. (2021); the frequencies of ``positional_encoding``.

    Parameters
    ----------
    d_k : int
        Width of queries and keys; even, because they turn in pairs.
    base : float
        The slowest pair needs up to 2 pi times as many positions for a turn.

    Returns
    -------
    array, (d_k / 2,)
        In radians, from 1 down.

    Raises
    ------
    ShapeError
        If ``d_k`` is odd or no positive integer.
    """
    if not isinstance(d_k, (int, np.integer)) or d_k < 2 or d_k % 2:
        actual, remedy = f"d_k is {d_k!r}", "Choose another width of a head."
        expected = "an even number of at least 2, because dimensions turn in pairs"
        raise refusal(ShapeError, "rope_frequencies", actual, expected, remedy)
    return base ** -(np.arange(0, d_k, 2) / d_k)


@checked
def rotate(
    x: Float[np.ndarray, "*batch n d_k"],
    positions: Int[np.ndarray, "*batch n"],
    frequencies: Float64[np.ndarray, "pairs"],
    layout: str = "interleaved",
) -> Float[np.ndarray, "*batch n d_k"]:
    r"""Turn each pair of numbers of a row by its frequency times the row's position.

    .. math::

        \begin{bmatrix} x_{2i} \\ x_{2i+1} \end{bmatrix} \mapsto
        \begin{bmatrix} \cos\theta & -\sin\theta \\ \sin\theta & \cos\theta \end{bmatrix}
        \begin{bmatrix} x_{2i} \\ x_{2i+1} \end{bmatrix}, \qquad \theta = \omega_i\, pos

    Equation (34) of Su et al. (2021). Of two rows turned so the dot product depends on the distance of
    their positions alone.

    Parameters
    ----------
    x : array, (..., n, d_k)
        Queries or keys, a row for each word.
    positions : integer array, (..., n)
        Where each row stands; leading axes broadcast against those of ``x``.
    frequencies : array, (d_k / 2,)
        In radians per position, such as ``rope_frequencies(d_k)``.
    layout : str
        Which numbers are a pair; "interleaved": 2i and 2i + 1, as in the paper; "half": i and
        i + d_k / 2, as in the weights of Llama that ``transformers`` loads.

    Returns
    -------
    array, (..., n, d_k)

    Raises
    ------
    ShapeError
        Also if there is not one frequency for each pair.
    ConfigError
        If there is no such layout.
    """
    check_pairs_and_layout(x.shape[-1], len(frequencies), layout)
    angle = positions[..., None] * frequencies  # (..., n, d_k / 2)
    cos, sin = np.cos(angle).astype(x.dtype), np.sin(angle).astype(x.dtype)
    if layout == "interleaved":
        a, b = x[..., 0::2], x[..., 1::2]  # (..., n, d_k / 2)
        turned = np.stack([a * cos - b * sin, a * sin + b * cos], axis=-1)
        return turned.reshape(*turned.shape[:-2], x.shape[-1])
    a, b = np.split(x, 2, axis=-1)
    return np.concatenate([a * cos - b * sin, a * sin + b * cos], axis=-1)


def check_pairs_and_layout(d_k: int, pair_count: int, layout: str) -> None:
    """Raise ShapeError unless there is a frequency for each pair, ConfigError for no such layout."""
    if d_k != 2 * pair_count:
        actual = f"x is {d_k} wide and there are {pair_count} frequencies"
        remedy = "Make them with rope_frequencies of that width."
        raise refusal(ShapeError, "rotate", actual, "one for every two columns", remedy)
    if layout not in LAYOUTS:
        actual, expected = f"layout is {layout!r}", f"one of {LAYOUTS}"
        remedy = "Choose the layout that the weights were trained with."
        raise refusal(ConfigError, "rotate", actual, expected, remedy)


def linear_frequencies(
    d_k: int, factor: float, base: float = 10_000.0
) -> Float64[np.ndarray, "pairs"]:
    r"""Return all frequencies divided by ``factor``: position interpolation.

    A position p of the longer text is turned as p / factor was in training. Chen, Wong et al. (2023).

    Parameters
    ----------
    d_k, base
        As in ``rope_frequencies``.
    factor : float
        How many times longer the text may be than those of the training.

    Returns
    -------
    array, (d_k / 2,)

    Raises
    ------
    ShapeError
        If ``d_k`` is odd.
    ConfigError
        If ``factor`` is below 1.
    """
    _check_factor("linear_frequencies", factor)
    return rope_frequencies(d_k, base) / factor


def ntk_frequencies(
    d_k: int, factor: float, base: float = 10_000.0
) -> Float64[np.ndarray, "pairs"]:
    r"""Return the frequencies of a larger base: the slowest divided by ``factor``, the fastest unchanged.

    .. math:: base' = base \cdot factor^{\,d_k/(d_k-2)}

    Section 3.1 of Peng et al. (2024), "NTK-aware".

    Parameters
    ----------
    d_k, base
        As in ``rope_frequencies``; ``d_k`` is at least 4.
    factor : float
        As in ``linear_frequencies``.

    Returns
    -------
    array, (d_k / 2,)

    Raises
    ------
    ShapeError
        If ``d_k`` is odd or 2.
    ConfigError
        If ``factor`` is below 1.
    """
    _check_factor("ntk_frequencies", factor)
    if d_k == 2:
        expected = "at least 4, as a single pair is the fastest and the slowest"
        remedy = "Use linear_frequencies."
        raise refusal(ShapeError, "ntk_frequencies", "d_k is 2", expected, remedy)
    return rope_frequencies(d_k, base * factor ** (d_k / (d_k - 2)))


def yarn_frequencies(
    d_k: int,
    factor: float,
    trained: int,
    base: float = 10_000.0,
    fast: float = 32.0,
    slow: float = 1.0,
) -> tuple[Float64[np.ndarray, "pairs"], float]:
    r"""Return frequencies divided by ``factor`` only where they are slow, and YaRN's factor.

    A pair that makes ``fast`` turns or more in a text of ``trained`` tokens stays. One that makes
    ``slow`` turns or fewer is divided by ``factor``. In between the share goes in a line with the number
    of the pair, as in the code and the models published with the paper; the paper itself says in a line
    with the turns.

    Section 3 of Peng et al. (2024).

    Parameters
    ----------
    d_k, base
        As in ``rope_frequencies``.
    factor : float
        As in ``linear_frequencies``.
    trained : int
        Tokens of the texts of the training.
    fast, slow : float
        Turns; beta and alpha of the paper.

    Returns
    -------
    frequencies : array, (d_k / 2,)
    factor : float
        What queries and keys are both multiplied by, 0.1 ln(factor) + 1: the longer the text, the sharper
        the weights.

    Raises
    ------
    ShapeError
        If ``d_k`` is odd.
    ConfigError
        If ``factor`` is below 1.
    """
    _check_factor("yarn_frequencies", factor)
    omega = rope_frequencies(d_k, base)

    def pair_with_turns(turn_count):
        # Which pair makes so many turns; it may lie between two.
        return (
            d_k * math.log(trained / (turn_count * 2 * math.pi)) / (2 * math.log(base))
        )

    first = max(math.floor(pair_with_turns(fast)), 0)
    last = min(math.ceil(pair_with_turns(slow)), d_k - 1)
    last += 0.001 * (last == first)
    ramp = np.clip((np.arange(d_k // 2) - first) / (last - first), 0.0, 1.0)
    frequencies = omega / factor * ramp + omega * (1 - ramp)
    return frequencies, 0.1 * math.log(factor) + 1.0


def _check_factor(function_name: str, factor: float) -> None:
    if not factor >= 1:
        actual, expected = f"factor is {factor!r}", "a number of at least 1"
        remedy = "Say with it how many times longer a text may be."
        raise refusal(ConfigError, function_name, actual, expected, remedy)
