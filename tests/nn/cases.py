"""Random tensors and masks, and how near two results are."""

import numpy as np
import torch
from hypothesis import strategies as st

from transformer_book import nn


def tensors(seed, *shapes, dtype=torch.float64):
    generator = torch.Generator().manual_seed(seed)
    return [
        torch.randn(*shape, generator=generator, dtype=torch.float64)
        .to(dtype)
        .requires_grad_()
        for shape in shapes
    ]


@st.composite
def masks(draw, batch, m, n):
    """None, causal, padding, or any; the last two may leave a query with nothing to attend to."""
    kind = draw(st.sampled_from(["none", "causal", "padding", "random", "nothing"]))
    if kind == "none":
        return None
    if kind == "causal" and m == n:
        return nn.causal_mask(n)
    generator = torch.Generator().manual_seed(draw(st.integers(0, 99)))
    mask = (
        torch.rand(*batch, 1 if kind == "padding" else m, n, generator=generator) < 0.5
    )
    if kind == "nothing":
        mask[..., 0, :] = False
    return mask


def gradients(output, inputs, seed):
    """Pull one random vector, the same for a seed, back from the output to the inputs."""
    (pull,) = tensors(seed, output.shape, dtype=output.dtype)
    return torch.autograd.grad(output, inputs, pull.detach(), retain_graph=True)


def close(given, expected, tolerance):
    """Every entry within ``tolerance`` of the expected one, measured in units of the largest."""
    given, expected = (
        x.detach().numpy() if isinstance(x, torch.Tensor) else np.asarray(x)
        for x in (given, expected)
    )
    assert given.shape == expected.shape
    unit = max(1.0, np.abs(expected).max(initial=0))
    np.testing.assert_allclose(given / unit, expected / unit, rtol=0, atol=tolerance)
