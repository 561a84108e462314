"""Positions inside attention: what turns queries and keys, and what is added to their scores."""

import math

import torch
from jaxtyping import Float, Float64, Int
from torch import Tensor

from .. import by_hand
from ..by_hand.relative import check_buckets
from ..config import Rotation, TransformerConfig
from ..expect import expect_integer
from ..shapes import ShapeError, checked
from .rotary import rope_frequencies, rotate, rotation_frequencies


def alibi_slopes(h: int) -> Float64[Tensor, "h"]:
    """As ``by_hand.alibi_slopes``, as a tensor."""
    return torch.from_numpy(by_hand.alibi_slopes(h))


@checked
def t5_buckets(
    distance: Int[Tensor, "*shape"],
    buckets: int = 32,
    farthest: int = 128,
    bidirectional: bool = False,
) -> Int[Tensor, "*shape"]:
    """As ``by_hand.t5_buckets``, on the device of ``distance``."""
    side = torch.zeros_like(distance)
    if bidirectional:
        buckets //= 2
        side, distance = buckets * (distance < 0), distance.abs()
    near = buckets // 2
    check_buckets("t5_buckets", buckets, near, farthest)
    distance = distance.clamp(min=0)
    steps = torch.log(distance.clamp(min=1).float() / near)
    steps = steps / math.log(farthest / near) * (buckets - near)
    far = (near + steps.to(distance.dtype)).clamp(max=buckets - 1)
    return side + torch.where(distance < near, distance, far)


def new_positions(
    start: int | Int[Tensor, "batch"], m: int, device: torch.device
) -> Int[Tensor, "*batch m"]:
    """Return the positions of m new words, (m,), or (batch, m) where ``start`` differs by text."""
    steps = torch.arange(m, device=device)
    return steps + (start if isinstance(start, int) else start.unsqueeze(-1))


def query_key_distances(
    start: int | Int[Tensor, "batch"], m: int, n: int, device: torch.device
) -> Int[Tensor, "*batch m n"]:
    """Return how far each of n keys stands before each of m new words, (m, n) or (batch, m, n)."""
    # A window has let go of the first keys; where texts start at different places, none is let go.
    first = start + m - n if isinstance(start, int) else 0
    keys = torch.arange(first, first + n, device=device)
    return new_positions(start, m, device).unsqueeze(-1) - keys


class RelativePositions(torch.nn.Module):
    """What an attention does with positions: nothing, unless a subclass says so.

    ``attention.positions`` of a :class:`GeneralAttention` is one of these, or None.
    """

    has_bias = False  # whether ``bias`` returns anything

    def rotate(
        self, x: Float[Tensor, "*batch heads n d_k"], positions: Int[Tensor, "*batch n"]
    ) -> Float[Tensor, "*batch heads n d_k"]:
        """Return queries or keys, (..., heads, n, d_k), turned by their positions; here unchanged."""
        return x

    def bias(
        self,
        Q: Float[Tensor, "*batch h m d_k"],
        distance: Int[Tensor, "*batch 1 m n"],
    ) -> Float[Tensor, "*batch h m n"] | None:
        """Return what is added to the scores for the distances i - j; None for nothing."""
        return None


class RotaryPositions(RelativePositions):
    """RoPE: queries and keys are turned, and nothing is added to their scores.

    A cache keeps keys turned, each once, at its position.

    Parameters
    ----------
    d_k : int
        Width of a head.
    frequencies : tensor, (d_k / 2,), optional
        In float64; by default ``rope_frequencies(d_k)``.
    factor : float
        What queries and keys are multiplied by, as YaRN wants it.
    layout : str
        As in :func:`rotate`.
    """

    def __init__(
        self,
        d_k: int,
        frequencies: Float64[Tensor, "pairs"] | None = None,
        factor: float = 1.0,
        layout: str = "interleaved",
    ):
        super().__init__()
        # No buffer: model.to(torch.bfloat16) would round them, and turn far words by wrong angles.
        self.frequencies = rope_frequencies(d_k) if frequencies is None else frequencies
        self.factor, self.layout = factor, layout

    @classmethod
    def from_rotation(cls, rotation: Rotation, d_k: int) -> "RotaryPositions":
        """Return the positions of a head d_k wide that a configuration chooses."""
        return cls(d_k, rotation_frequencies(rotation, d_k), layout=rotation.layout)

    def rotate(
        self, x: Float[Tensor, "*batch heads n d_k"], positions: Int[Tensor, "*batch n"]
    ) -> Float[Tensor, "*batch heads n d_k"]:
        """Return x turned, each row by its position; dimensions without a frequency stay."""
        frequencies = self.frequencies.to(x.device)
        x, unrotated = x.tensor_split([2 * len(frequencies)], dim=-1)
        x = rotate(x, positions.unsqueeze(-2), frequencies, self.layout)
        x = torch.cat([x, unrotated], dim=-1) if unrotated.shape[-1] else x
        return x if self.factor == 1.0 else x * self.factor


class LinearBiases(RelativePositions):
    """ALiBi: each head's scores fall in a line with the distance, at a slope that is not learned.

    Parameters
    ----------
    h : int
        Number of heads.
    """

    has_bias = True

    def __init__(self, h: int):
        super().__init__()
        self.slopes = alibi_slopes(h)

    def bias(
        self,
        Q: Float[Tensor, "*batch h m d_k"],
        distance: Int[Tensor, "*batch 1 m n"],
    ) -> Float[Tensor, "*batch h m n"]:
        """Return minus slope times distance, (..., h, m, n)."""
        dtype = torch.promote_types(Q.dtype, torch.float32)  # bf16 counts to 256
        slopes = self.slopes.to(Q.device, dtype)[:, None, None]
        return -slopes * distance  # (..., h, m, n)


class BucketBiases(RelativePositions):
    """T5's: a learned number for each head and bucket of distances, one table for all layers.

    Parameters
    ----------
    h : int
        Number of heads.
    buckets, farthest, bidirectional
        As in :func:`t5_buckets`.
    """

    has_bias = True

    def __init__(
        self,
        h: int,
        buckets: int = 32,
        farthest: int = 128,
        bidirectional: bool = False,
    ):
        super().__init__()
        self.bucket_args = buckets, farthest, bidirectional
        self.table = torch.nn.Parameter(torch.zeros(buckets, h))

    def bias(
        self,
        Q: Float[Tensor, "*batch h m d_k"],
        distance: Int[Tensor, "*batch 1 m n"],
    ) -> Float[Tensor, "*batch h m n"]:
        """Return the table's row for each distance, (..., h, m, n)."""
        bucket = t5_buckets(distance.squeeze(-3), *self.bucket_args)  # (..., m, n)
        return self.table[bucket].movedim(-1, -3)


class RelativeKeys(RelativePositions):
    r"""Shaw's: a learned vector for each distance, which a query meets as it meets a key.

    .. math:: q_i \cdot (k_j + a_{i-j}) / \sqrt{d_k}

    Shaw et al. (2018), equation (4), with one table for all heads of a layer, and without the vectors that
    they add to the values, which by their table 3 changed little.

    Parameters
    ----------
    d_k : int
        Width of a head.
    farthest : int
        Distances beyond it, on either side, count as this one.
    """

    has_bias = True

    def __init__(self, d_k: int, farthest: int = 16):
        who, remedy = "RelativeKeys", "Choose the distance from which on all are alike."
        expect_integer(
            ShapeError, who, "farthest", farthest, "a distance", remedy=remedy
        )
        super().__init__()
        self.farthest = farthest
        self.table = torch.nn.Parameter(torch.empty(2 * farthest + 1, d_k))
        torch.nn.init.xavier_uniform_(self.table)

    def bias(
        self,
        Q: Float[Tensor, "*batch h m d_k"],
        distance: Int[Tensor, "*batch 1 m n"],
    ) -> Float[Tensor, "*batch h m n"]:
        """Return each query times the vector of each distance, (..., h, m, n)."""
        products = Q @ self.table.T / Q.shape[-1] ** 0.5  # (..., h, m, distances)
        row = distance.clamp(-self.farthest, self.farthest) + self.farthest
        return products.gather(-1, row.expand(*products.shape[:-1], row.shape[-1]))


def relative_positions_of_layers(
    config: TransformerConfig, N: int, bidirectional: bool = False
) -> list[RelativePositions | None]:
    """Return for each of N layers what its self-attention does with positions, or None for nothing."""
    c = config
    if c.positions == "t5":
        return [BucketBiases(c.h, c.buckets, c.farthest, bidirectional)] * N
    if c.positions == "rope":
        of_global = RotaryPositions.from_rotation(c.rotation, c.head_width)
        of_window = RotaryPositions.from_rotation(
            c.window_rotation or c.rotation, c.head_width
        )
        return [of_global if i in c.global_layers else of_window for i in range(N)]
    factories = {
        "alibi": lambda: LinearBiases(c.h),
        "shaw": lambda: RelativeKeys(c.head_width),
    }
    factory = factories.get(c.positions, lambda: None)
    return [factory() for _ in range(N)]
