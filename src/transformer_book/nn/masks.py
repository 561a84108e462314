"""Who may attend to whom. True means: may attend."""

import torch
from jaxtyping import Bool, Int
from torch import Tensor

from ..by_hand.masks import check_length
from ..shapes import checked


def causal_mask(
    n: int, device: torch.device | str | None = None
) -> Bool[Tensor, "n n"]:
    """As ``by_hand.causal_mask``, on a device.

    Parameters
    ----------
    device : torch.device or str, optional
        Where the mask is placed.
    """
    check_length("causal_mask", n)
    return torch.ones(n, n, dtype=torch.bool, device=device).tril()


@checked
def padding_mask(
    ids: Int[Tensor, "*batch n"], pad_id: int
) -> Bool[Tensor, "*batch 1 n"]:
    """As ``by_hand.padding_mask``, on the device of ``ids``."""
    return (ids != pad_id)[..., None, :]


def combine_masks(
    mask: Bool[Tensor, "*batch #m #n"] | None,
    other: Bool[Tensor, "*batch #m #n"] | None,
) -> Bool[Tensor, "*batch #m #n"] | None:
    """Return the mask that is True where both are; None is a mask that hides nothing."""
    if mask is None or other is None:
        return other if mask is None else mask
    return mask & other
