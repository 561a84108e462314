"""The products of ``linear`` by oneDNN, on the processors where that library is the faster one.

torch contains two libraries for products on a processor, and hands those of float32 to MKL where
it has it. On the AMD processors that we measured MKL takes twice as long as oneDNN, on the Intel
processors it is the faster one; no other maker's was measured. oneDNN is called by the operator that
torch's compiler uses. The operator is private: a release of torch without it gets MKL.
"""

import torch
from torch.nn import functional as F

AMD_NAME = "AuthenticAMD"
# With fewer multiplications calling oneDNN takes longer than it saves.
FEWEST_MULTIPLICATIONS = 2**20


def processor_maker() -> str | None:
    """Return the name that the processor gives its maker, or None where Linux does not tell."""
    try:
        with open("/proc/cpuinfo", encoding="utf-8") as lines:
            vendors = [line for line in lines if line.startswith("vendor_id")]
    except OSError:
        return None
    return vendors[0].split(":")[1].strip() if vendors else None


def prefers_onednn(vendor: str | None) -> bool:
    """Return whether products go to oneDNN on a processor of this maker."""
    if vendor != AMD_NAME or not torch.backends.mkldnn.is_available():
        return False
    try:
        _dispatch_mode()
        _onednn_linear(torch.ones(1, 1), torch.ones(1, 1))
    except (ImportError, AttributeError, TypeError, RuntimeError):
        return False
    return True


def is_onednn_faster(x, W) -> bool:
    """Return whether oneDNN takes this product, and less time for it."""
    return (
        ONEDNN_IS_USED
        # What traces or counts operators knows those of torch alone; a size may not be a number then.
        and not torch.compiler.is_compiling()
        and x.dtype == W.dtype == torch.float32
        and x.device.type == "cpu"
        and x.numel() * W.shape[-1] >= FEWEST_MULTIPLICATIONS
        # A single row waits for the reading of W, and MKL reads it twice as fast.
        and x.shape[:-1].numel() > 1
        and not torch.is_autocast_enabled("cpu")
        and _dispatch_mode() is None
    )


def linear(x, W, b=None) -> torch.Tensor:
    """Return ``x @ W + b`` by oneDNN."""
    if (
        x.ndim == 2 and x.T.is_contiguous()
    ):  # the gradient of a matrix: a sum over vectors
        rows, W = _padded_rows(x.T).T, _padded_rows(W)
    else:
        rows = _padded_rows(x)
    requires_grad = any(t is not None and t.requires_grad for t in (x, W, b))
    y = (
        _LinearFunction.apply(rows, W, b)
        if requires_grad and torch.is_grad_enabled()
        else _onednn_linear(rows, W, b)
    )
    return y[: x.shape[:-1].numel()].view(*x.shape[:-1], -1)


def _dispatch_mode():
    from torch.utils._python_dispatch import _get_current_dispatch_mode

    return _get_current_dispatch_mode()


def _padded_rows(x) -> torch.Tensor:
    """Return the vectors as one matrix, with rows of zeros up to a rounder number of them."""
    # oneDNN writes and keeps a program of a megabyte for each shape; so there are few.
    rows = x.reshape(-1, x.shape[-1])
    step = 1 << max(0, len(rows).bit_length() - 4)
    missing = -len(rows) % step
    return F.pad(rows, (0, 0, 0, missing)) if missing else rows


def _onednn_linear(x, W, b=None) -> torch.Tensor:
    return torch.ops.mkldnn._linear_pointwise(
        _make_contiguous(x), _make_contiguous(W.T), b, "none", [], ""
    )


def _make_contiguous(x) -> torch.Tensor:
    # For a part of a wider matrix oneDNN has only a very slow reference implementation.
    return x if x.is_contiguous() or x.T.is_contiguous() else x.contiguous()


class _LinearFunction(torch.autograd.Function):
    # torch has no gradient for the operator.

    @staticmethod
    def forward(ctx, x, W, b):
        ctx.save_for_backward(x, W)
        return _onednn_linear(x, W, b)

    @staticmethod
    def backward(ctx, dy) -> tuple:
        x, W = ctx.saved_tensors
        needs_dx, needs_dW, needs_db = ctx.needs_input_grad
        return (
            _faster_product(dy, W.T) if needs_dx else None,
            _faster_product(x.T, dy) if needs_dW else None,
            dy.sum(dim=0) if needs_db else None,
        )


def _faster_product(x, W) -> torch.Tensor:
    return linear(x, W) if is_onednn_faster(x, W) else x @ W


ONEDNN_IS_USED = prefers_onednn(processor_maker())
