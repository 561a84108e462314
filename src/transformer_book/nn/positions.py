"""Positional encoding, section 3.5 of the paper."""

import torch
from jaxtyping import Float
from torch import Tensor

from ..by_hand import positional_encoding as in_numpy


def positional_encoding(
    n: int,
    d_model: int,
    device: torch.device | str | None = None,
    dtype: torch.dtype | None = None,
) -> Float[Tensor, "n d_model"]:
    """As ``by_hand.positional_encoding``, computed there and made a tensor.

    Parameters
    ----------
    device : torch.device or str, optional
        Where the tensor is made.
    dtype : torch.dtype, optional
        torch's default if none is given.
    """
    encoding = torch.from_numpy(in_numpy(n, d_model))
    return encoding.to(device, dtype or torch.get_default_dtype())
