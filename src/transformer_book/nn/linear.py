"""The product of vectors and a matrix of weights: where nearly all time of a Transformer goes."""

from torch import Tensor
from torch.nn import functional as F

from . import onednn


def linear(x: Tensor, W: Tensor, b: Tensor | None = None) -> Tensor:
    """Return ``x @ W + b``, or ``x @ W`` where there is no bias.

    Parameters
    ----------
    x : tensor, (..., d_in)
    W : tensor, (d_in, d_out)
    b : tensor, (d_out,), optional

    Returns
    -------
    tensor, (..., d_out)
    """
    if onednn.is_onednn_faster(x, W):
        return onednn.linear(x, W, b)
    if b is None:
        return x @ W
    return F.linear(x, W.T, b)  # x @ W + b in one call; torch keeps W transposed
