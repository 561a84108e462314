"""Positional encoding, section 3.5 of the paper."""

import torch
from jaxtyping import Float
from torch import Tensor

from ..by_hand import positional_encoding as in_numpy
from ..config import TransformerConfig
from .embedding import fresh_embedding


def positional_encoding(
    n: int,
    d_model: int,
    device: torch.device | str | None = None,
    dtype: torch.dtype | None = None,
) -> Float[Tensor, "n d_model"]:
    """As ``by_hand.positional_encoding``, computed there, as a tensor.

    Parameters
    ----------
    device : torch.device or str, optional
        Where the tensor is placed.
    dtype : torch.dtype, optional
        By default torch's default.
    """
    encoding = torch.from_numpy(in_numpy(n, d_model))
    return encoding.to(device, dtype or torch.get_default_dtype())


def add_position_table(model: torch.nn.Module, config: TransformerConfig) -> None:
    """Give a model what it adds to its words: PE, (max_length, d_model), sinusoids, learned rows or None."""
    c = config
    if c.positions == "learned":
        model.PE = fresh_embedding(c.first_position + c.max_length, c.d_model)
        return
    PE = None
    if c.positions == "sinusoidal":
        PE = positional_encoding(c.max_length, c.d_model, dtype=torch.float64)
    model.register_buffer("PE", PE, persistent=False)
