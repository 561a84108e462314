"""Layer normalisation, RMSNorm, and the residual connection: the paper's "Add & Norm"."""

import torch
from jaxtyping import Float
from torch import Tensor

from ..expect import expect_integer
from ..shapes import ShapeError, check_same_shape, checked
from .gradient import once_differentiable

EPSILON = 1e-5
RMS_EPSILON = 1e-6


@checked
def layer_norm(
    x: Float[Tensor, "*batch d_model"],
    gamma: Float[Tensor, "d_model"],
    beta: Float[Tensor, "d_model"] | None,
    epsilon: float = EPSILON,
) -> Float[Tensor, "*batch d_model"]:
    """As ``by_hand.layer_norm``, with gradients; where beta is None nothing is added."""
    return torch.nn.functional.layer_norm(x, gamma.shape, gamma, beta, epsilon)


@checked
def rms_norm(
    x: Float[Tensor, "*batch d_model"],
    gamma: Float[Tensor, "d_model"],
    epsilon: float = RMS_EPSILON,
) -> Float[Tensor, "*batch d_model"]:
    """As ``by_hand.rms_norm``, with gradients, which can be taken once on a CPU."""
    if x.device.type == "cpu" and x.dtype in (torch.float32, torch.float64):
        return _RMSNorm.apply(x, gamma, epsilon)
    return torch.nn.functional.rms_norm(x, gamma.shape, gamma, epsilon)


class _RMSNorm(torch.autograd.Function):
    # On a CPU torch differentiates step by step, with a large temporary for each.

    @staticmethod
    def forward(ctx, x, gamma, epsilon: float) -> Tensor:
        r = torch.linalg.vector_norm(x, dim=-1, keepdim=True)  # (..., 1)
        r = r.square_().div_(x.shape[-1]).add_(epsilon).rsqrt_()  # 1 / root mean square
        ctx.save_for_backward(x, gamma, r)
        return (x * r).mul_(gamma)

    @staticmethod
    @once_differentiable
    def backward(ctx, dy) -> tuple:
        x, gamma, r = ctx.saved_tensors
        product = dy * x
        along_x = (product @ gamma).unsqueeze(-1).mul_(r.pow(3)).div_(x.shape[-1])
        dx = (dy * gamma).mul_(r).addcmul_(x, along_x, value=-1)
        dgamma = r.flatten() @ product.flatten(0, -2) if x.ndim > 1 else r * product
        return dx, dgamma, None


class LayerNorm(torch.nn.Module):
    """Layer normalisation whose scale and shift are learned.

    Parameters
    ----------
    d_model : int
        Width of the vectors.
    epsilon : float
        As in :func:`layer_norm`.
    bias : bool
        Whether there is a shift, beta.
    """

    def __init__(self, d_model: int, epsilon: float = EPSILON, bias: bool = True):
        _check_width("LayerNorm", d_model)
        super().__init__()
        self.epsilon = epsilon
        self.gamma = torch.nn.Parameter(torch.ones(d_model))
        self.beta = torch.nn.Parameter(torch.zeros(d_model)) if bias else None

    def forward(self, x):
        """Normalise as ``layer_norm`` does, with this module's scale and shift."""
        return layer_norm(x, self.gamma, self.beta, self.epsilon)


class RMSNorm(torch.nn.Module):
    """Normalisation by the root of the mean square, whose scale is learned.

    Parameters
    ----------
    d_model : int
        Width of the vectors.
    epsilon : float
        As in :func:`rms_norm`.
    """

    def __init__(self, d_model: int, epsilon: float = RMS_EPSILON):
        _check_width("RMSNorm", d_model)
        super().__init__()
        self.epsilon = epsilon
        self.gamma = torch.nn.Parameter(torch.ones(d_model))

    def forward(self, x):
        """Normalise as ``rms_norm`` does, with this module's scale."""
        return rms_norm(x, self.gamma, self.epsilon)


def _check_width(class_name: str, d_model: int) -> None:
    remedy = "Give the width of the vectors, x.shape[-1]."
    expect_integer(ShapeError, class_name, "d_model", d_model, "a width", remedy=remedy)


class AddAndNorm(torch.nn.Module):
    """What stands around a sub-layer f: dropout, the residual connection, layer normalisation.

    Post-LN, as in the paper, is LayerNorm(x + f(x)); Pre-LN is x + f(LayerNorm(x)).

    Parameters
    ----------
    d_model : int
        Width of the vectors.
    dropout : float
        Probability with which an entry of f's output is set to 0 while training.
    norm : "post" or "pre"
        On which side of f the normalisation stands.
    """

    def __init__(self, d_model: int, dropout: float = 0.0, norm: str = "post"):
        super().__init__()
        self.layer_norm = LayerNorm(d_model)
        self.dropout = torch.nn.Dropout(dropout)
        self.norm = norm

    def sub_layer_input(self, x):
        """Return what the sub-layer reads: x, normalised first if this is Pre-LN."""
        return self.layer_norm(x) if self.norm == "pre" else x

    def add_output(self, x, y):
        """Add the sub-layer's output y to its input x; normalise the sum if this is Post-LN."""
        check_same_shape("AddAndNorm.add_output", "y", y, "x", x)
        x = x + self.dropout(y)
        return self.layer_norm(x) if self.norm == "post" else x
