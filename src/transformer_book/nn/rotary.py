"""Rotary positions, with gradients."""

import math

import torch
from jaxtyping import Float, Float64, Int
from torch import Tensor

from .. import by_hand
from ..by_hand.rotary import check_pairs_and_layout
from ..config import Rotation
from ..shapes import checked


def rope_frequencies(d_k: int, base: float = 10_000.0) -> Float64[Tensor, "pairs"]:
    """As ``by_hand.rope_frequencies``, as a tensor; float64 whatever the model computes in."""
    return torch.from_numpy(by_hand.rope_frequencies(d_k, base))


@checked
def rotate(
    x: Float[Tensor, "*batch n d_k"],
    positions: Int[Tensor, "*batch n"],
    frequencies: Float64[Tensor, "pairs"],
    layout: str = "interleaved",
) -> Float[Tensor, "*batch n d_k"]:
    """As ``by_hand.rotate``, with gradients; the angles are float64, as in bf16 they would be wrong."""
    check_pairs_and_layout(x.shape[-1], len(frequencies), layout)
    angle = positions[..., None] * frequencies  # (..., n, d_k / 2)
    cos, sin = angle.cos().to(x.dtype), angle.sin().to(x.dtype)
    if layout == "interleaved":
        a, b = x[..., 0::2], x[..., 1::2]  # (..., n, d_k / 2)
        return torch.stack([a * cos - b * sin, a * sin + b * cos], dim=-1).flatten(-2)
    a, b = x.chunk(2, dim=-1)
    return torch.cat([a * cos - b * sin, a * sin + b * cos], dim=-1)


def linear_frequencies(
    d_k: int, factor: float, base: float = 10_000.0
) -> Float64[Tensor, "pairs"]:
    """As ``by_hand.linear_frequencies``, as a tensor."""
    return torch.from_numpy(by_hand.linear_frequencies(d_k, factor, base))


def ntk_frequencies(
    d_k: int, factor: float, base: float = 10_000.0
) -> Float64[Tensor, "pairs"]:
    """As ``by_hand.ntk_frequencies``, as a tensor."""
    return torch.from_numpy(by_hand.ntk_frequencies(d_k, factor, base))


def yarn_frequencies(
    d_k: int,
    factor: float,
    trained: int,
    base: float = 10_000.0,
    fast: float = 32.0,
    slow: float = 1.0,
) -> tuple[Float64[Tensor, "pairs"], float]:
    """As ``by_hand.yarn_frequencies``, as a tensor."""
    frequencies, scale = by_hand.yarn_frequencies(
        d_k, factor, trained, base, fast, slow
    )
    return torch.from_numpy(frequencies), scale


def rotation_frequencies(rotation: Rotation, d_k: int) -> Float64[Tensor, "pairs"]:
    """Return the angle per word of each pair of a head that turns, fastest first."""
    width = rotation.turning_dimensions(d_k)
    if rotation.scaling == "linear":
        return linear_frequencies(width, rotation.factor, rotation.base)
    frequencies = rope_frequencies(width, rotation.base)
    if rotation.scaling == "none":
        return frequencies
    turns = rotation.trained * frequencies / (2 * math.pi)
    ramp = (turns - rotation.slow) / (rotation.fast - rotation.slow)
    ramp = ramp.clamp(0, 1)  # 1 for a fast pair
    return frequencies * (ramp + (1 - ramp) / rotation.factor)
