"""Numbers that depend on the distance of two words, to be added to their score."""

import numpy as np
from jaxtyping import Float64, Int

from ..expect import expect_integer, refusal
from ..options import ConfigError
from ..shapes import ShapeError, checked


def alibi_slopes(h: int) -> Float64[np.ndarray, "h"]:
    r"""Return by how much each head's scores fall with every step of distance.

    .. math:: m_i = 2^{-8i/h}, \qquad i = 1, \ldots, h

    Where h is no power of 2, those of the next lower one come first, and then every second one of its
    double. Press et al. (2022), section 3, and the code published with it.

    Parameters
    ----------
    h : int
        Number of heads.

    Returns
    -------
    array, (h,)

    Raises
    ------
    ShapeError
        If ``h`` is not a positive integer.
    """
    what, remedy = "a number of heads", "Give the number of heads of the attention."
    expect_integer(ShapeError, "alibi_slopes", "h", h, what, remedy=remedy)
    power = 2 ** int(np.log2(h))
    slopes = 2.0 ** (-8 * np.arange(1, power + 1) / power)
    if power < h:
        slopes = np.concatenate([slopes, alibi_slopes(2 * power)[0::2][: h - power]])
    return slopes


@checked
def t5_buckets(
    distance: Int[np.ndarray, "*shape"],
    buckets: int = 32,
    farthest: int = 128,
    bidirectional: bool = False,
) -> Int[np.ndarray, "*shape"]:
    """Put distances into buckets: near ones have one each, far ones share, ever more of them.

    Half of the buckets are for the nearest distances, one each. The others widen in equal steps of the
    logarithm up to ``farthest``; all beyond share the last. Raffel et al. (2020), section 2.1, and the code
    published with it.

    Parameters
    ----------
    distance : integer array, any shape
        i - j: how many positions the key j lies behind the query i. A key before its time, of which the
        distance is negative, counts as distance 0.
    buckets : int
        How many there are in all.
    farthest : int
        From this distance on all are alike.
    bidirectional : bool
        For an encoder: the second half of the buckets is for keys that come later.

    Returns
    -------
    integer array, the shape of ``distance``
        From 0 to buckets - 1.

    Raises
    ------
    ConfigError
        If there are no buckets for far distances, or ``farthest`` is no far one.
    """
    side = np.zeros_like(distance)
    if bidirectional:
        buckets //= 2
        side, distance = buckets * (distance < 0), np.abs(distance)
    near = buckets // 2  # a bucket each
    check_buckets("t5_buckets", buckets, near, farthest)
    distance = np.maximum(distance, 0)
    # float32, as in the code of T5: at a border the rounding decides.
    steps = np.log(np.maximum(distance, 1).astype(np.float32) / near)
    steps = (steps / np.log(farthest / near) * (buckets - near)).astype(distance.dtype)
    far = np.minimum(near + steps, buckets - 1)
    return side + np.where(distance < near, distance, far)


def check_buckets(
    function_name: str, bucket_count: int, near_bucket_count: int, farthest: int
) -> None:
    """Raise ConfigError unless buckets are left for distances beyond the ``near_bucket_count`` ones."""
    if near_bucket_count < 1 or farthest <= near_bucket_count:
        actual = f"{bucket_count} buckets on a side and farthest {farthest}"
        expected = f"at least 2, and a distance beyond {near_bucket_count}"
        remedy = "Give more buckets, or a larger farthest."
        raise refusal(ConfigError, function_name, actual, expected, remedy)
