"""Low-rank adaptation: a trained model learns something new with a few of its parameters."""

import copy
from typing import TYPE_CHECKING

import torch
from jaxtyping import Float
from torch import Tensor
from torch.nn.utils import parametrize

from ..expect import expect, expect_integer, is_finite_number
from ..options import ConfigError

if TYPE_CHECKING:
    from collections.abc import Sequence


class LoRA(torch.nn.Module):
    r"""A product of two thin matrices, added to a matrix that is not trained.

    .. math:: W' = W + \frac{\alpha}{r}\,A B

    Hu et al. (2022), section 4.1, where vectors are columns, so that A and B have changed places. B
    begins at 0, and so W' as W. A is drawn, as with both at 0 neither would have a gradient.

    Parameters
    ----------
    d_in, d_out : int
        Rows and columns of W.
    r : int
        The rank of what is added: columns of A, rows of B.
    alpha : float, optional
        With ``alpha / r`` the sum is scaled; by default r, so that the scale is 1.

    Raises
    ------
    ConfigError
        If r is no integer of at least 1, or alpha no number.
    """

    A: Float[Tensor, "d_in r"]
    B: Float[Tensor, "r d_out"]

    def __init__(self, d_in: int, d_out: int, r: int, alpha: float | None = None):
        remedy = "Choose a small rank, such as 8."
        expect_integer(ConfigError, "LoRA", "r", r, "a rank", remedy=remedy)
        valid = alpha is None or is_finite_number(alpha)
        actual, expected = f"alpha is {alpha!r}", "a number, or None for r"
        expect(
            valid,
            ConfigError,
            "LoRA",
            actual,
            expected,
            "Leave it out for a scale of 1.",
        )
        super().__init__()
        self.scale = 1.0 if alpha is None else float(alpha / r)
        self.A = torch.nn.Parameter(torch.randn(d_in, r) * d_in**-0.5)
        self.B = torch.nn.Parameter(torch.zeros(r, d_out))

    def forward(self, W: Float[Tensor, "d_in d_out"]) -> Float[Tensor, "d_in d_out"]:
        """Return the adapted matrix, in the precision of W, whatever autocast says."""
        with torch.autocast(W.device.type, enabled=False):
            return W + self.scale * (self.A @ self.B)


def adapt(
    model: torch.nn.Module,
    r: int,
    names: "Sequence[str]" = ("W_QKV", "W_O"),
    alpha: float | None = None,
    seed: int = 0,
):
    """Return a copy of a model in which only :class:`LoRA` of chosen matrices can learn.

    Each pass adds up the adapted matrices anew and keeps the sums for the way back, where the gradient of
    each is computed and reduced to those of A and B. So a step is not faster than one of all weights. What
    is smaller are the gradients that are left for the optimiser, and what the optimiser keeps.

    Parameters
    ----------
    model : torch.nn.Module
        Is not changed.
    r : int
        Rank of what is added to each.
    names : sequence of str
        Which parameters: by the end of their names, such as ``W_QKV`` for that of each attention,
        or in full, such as ``layers.0.feed_forward.W_1``.
    alpha : float, optional
        As in :class:`LoRA`.
    seed : int
        Decides A.

    Returns
    -------
    torch.nn.Module
        It computes what ``model`` does, until it is trained.

    Raises
    ------
    ConfigError
        If r is no integer of at least 1, seed none of at least 0 or alpha no number; if a
        name is that of no matrix, or of one that stands in two places of the model; or if the model is
        already adapted.
    """
    if any(isinstance(module, LoRA) for module in model.modules()):
        raise ConfigError(
            "adapt: the model is already adapted; expected a plain one. "
            "Merge it first, or adapt the model that it was adapted from."
        )
    remedy = "Leave it out for 0."
    expect_integer(ConfigError, "adapt", "seed", seed, minimum=0, remedy=remedy)
    adapted = copy.deepcopy(model)
    chosen = [full for name in names for full in _matrix_names(adapted, name)]
    for W in adapted.parameters():
        W.requires_grad_(False)
    with torch.random.fork_rng(devices=[]):
        torch.default_generator.manual_seed(int(seed))
        for name in dict.fromkeys(chosen):
            owner, _, last = name.rpartition(".")
            W = adapted.get_parameter(name)
            d_in, d_out = W.shape
            lora = LoRA(d_in, d_out, r, alpha).to(W)
            parametrize.register_parametrization(
                adapted.get_submodule(owner), last, lora, unsafe=True
            )
    return adapted


def merge(model):
    """Return a plain model with the adapted matrices of an adapted one.

    Each is the sum that the adapted model adds up in every pass, rounded once, so the outputs are
    the same to the last bit.

    Parameters
    ----------
    model : torch.nn.Module
        Of :func:`adapt`; is not changed.

    Returns
    -------
    torch.nn.Module
        With the names and the number of parameters of the model that was adapted; all can learn.

    Raises
    ------
    ConfigError
        If the model is not adapted.
    """
    merged = copy.deepcopy(model)
    adapted = [
        module for module in merged.modules() if parametrize.is_parametrized(module)
    ]
    if not adapted:
        raise ConfigError("merge: the model is not adapted; expected one of adapt.")
    for module in adapted:
        # Not remove_parametrizations, which would take the matrix from the class that the copy has in
        # common with the model.
        sums = {
            name: getattr(module, name).detach() for name in module.parametrizations
        }
        plain = parametrize.type_before_parametrizations(module)
        del module.parametrizations
        module.__class__ = plain
        for name, W in sums.items():
            module.register_parameter(name, torch.nn.Parameter(W))
    for W in merged.parameters():
        W.requires_grad_(True)
    return merged


def _matrix_names(model: torch.nn.Module, name_ending: str) -> list[str]:
    """Return the full names of the matrices whose names end so."""
    parameters = dict(model.named_parameters(remove_duplicate=False))
    matrices = [full for full in parameters if f".{full}".endswith(f".{name_ending}")]
    if not matrices or any(parameters[full].ndim != 2 for full in matrices):
        adaptable = {
            full.rpartition(".")[2] for full, W in parameters.items() if W.ndim == 2
        }
        raise ConfigError(
            f"adapt: {name_ending!r} is the name of no matrix; expected some of "
            f"{', '.join(sorted(adaptable))}, or one with its place, as named_parameters gives it."
        )
    for full in matrices:
        if sum(W is parameters[full] for W in parameters.values()) > 1:
            raise ConfigError(
                f"adapt: {full} stands in two places of the model; expected a matrix that stands in "
                "one. To adapt it here alone would make two of it."
            )
    return matrices
