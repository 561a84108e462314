"""The product of vectors and a matrix of weights: where nearly all time of a Transformer goes."""

import torch
from torch import Tensor
from torch.nn import functional as F
from torch.utils._python_dispatch import _get_current_dispatch_mode

# Of multiplications: below, calling oneDNN takes longer than it saves.
SMALL = 2**20
ONEDNN = torch.backends.mkldnn.is_available() and hasattr(
    torch.ops.mkldnn, "_linear_pointwise"
)


def linear(x: Tensor, W: Tensor, b: Tensor | None = None) -> Tensor:
    """Return ``x @ W + b``, as ``torch.nn.functional.linear(x, W.T, b)`` does, but faster.

    torch contains two libraries for products on a processor, and hands those of float32 to MKL
    where it has it. On the AMD processors that we measured this takes twice as long as the other
    one, oneDNN, which is asked here by the operator that torch's own compiler uses.

    Parameters
    ----------
    x : tensor, (..., d_in)
    W : tensor, (d_in, d_out)
    b : tensor, (d_out,), optional

    Returns
    -------
    tensor, (..., d_out)
    """
    if not _by_onednn(x, W):
        return F.linear(x, W.T, b)
    if (
        x.ndim == 2 and x.T.is_contiguous()
    ):  # the gradient of a matrix: a sum over vectors
        rows, W = _rounded(x.T).T, _rounded(W)
    else:
        rows = _rounded(x)
    if torch.is_grad_enabled() and any(
        t is not None and t.requires_grad for t in (x, W, b)
    ):
        y = _Linear.apply(rows, W, b)
    else:
        y = _onednn(rows, W, b)
    return y[: x.shape[:-1].numel()].view(*x.shape[:-1], -1)


def _by_onednn(x, W):
    return (
        ONEDNN
        and x.dtype == W.dtype == torch.float32
        and x.device.type == "cpu"
        and x.numel() * W.shape[-1] >= SMALL
        and not torch.is_autocast_enabled("cpu")
        # Whoever counts or traces operators knows torch's own alone.
        and _get_current_dispatch_mode() is None
    )


def _rounded(x):
    """Return the vectors as one matrix, with rows of zeros up to a rounder number of them."""
    # oneDNN writes and keeps a program of a megabyte for each shape; so there are few.
    rows = x.reshape(-1, x.shape[-1])
    step = 1 << max(0, len(rows).bit_length() - 4)
    more = -len(rows) % step
    return F.pad(rows, (0, 0, 0, more)) if more else rows


def _onednn(x, W, b=None):
    return torch.ops.mkldnn._linear_pointwise(_dense(x), _dense(W.T), b, "none", [], "")


def _dense(x):
    # For a part of a wider matrix oneDNN has only a very slow reference implementation.
    return x if x.is_contiguous() or x.T.is_contiguous() else x.contiguous()


class _Linear(torch.autograd.Function):
    # The operator has no gradient of its own.

    @staticmethod
    def forward(ctx, x, W, b):
        ctx.save_for_backward(x, W)
        return _onednn(x, W, b)

    @staticmethod
    def backward(ctx, pull):
        x, W = ctx.saved_tensors
        to_x, to_W, to_b = ctx.needs_input_grad
        return (
            linear(pull, W.T) if to_x else None,
            linear(x.T, pull) if to_W else None,
            pull.sum(dim=0) if to_b else None,
        )
