"""From ids to the vectors that the first layer reads: section 3.4 of the paper."""

import math

import torch
from jaxtyping import Float, Int
from torch import Tensor

from ..shapes import ShapeError


def embedding(words: int, d_model: int) -> torch.nn.Parameter:
    """Return a fresh embedding, (words, d_model), whose rows have a length of about 1."""
    return torch.nn.Parameter(torch.randn(words, d_model) * d_model**-0.5)


def embed(
    who: str,
    what: str,
    ids: Int[Tensor, "batch n"],
    E: Float[Tensor, "words d_model"],
    PE: Float[Tensor, "max_length d_model"] | None,
    start: int | Int[Tensor, "batch"] = 0,
    *,
    scaled: bool = True,
) -> Float[Tensor, "batch n d_model"]:
    """Look up the ids, times the root of d_model, and add the positions from ``start`` on.

    Parameters
    ----------
    who, what : str
        The model and what the ids are of it, for errors.
    ids : integer tensor, (batch, n)
    E : tensor, (words, d_model)
    PE : tensor, (max_length, d_model), or None
        Without one nothing is added, and no text is too long.
    start : int or integer tensor, (batch,)
        The position of the first id, or of each text's first.
    scaled : bool
        Whether rows are multiplied by the root of d_model.

    Raises
    ------
    ShapeError
        For ids beyond the vocabulary and positions beyond the last.
    """
    end = int(start if isinstance(start, int) else start.max()) + ids.shape[-1]
    if PE is not None and end > len(PE):
        raise ShapeError(
            f"{who}: the {what} has {end} tokens; expected at most {len(PE)}. "
            "Cut it, or make the model with a larger max_length."
        )
    try:
        rows = torch.nn.functional.embedding(ids, E)
    except IndexError:
        raise ShapeError(
            f"{who}: the {what} has ids from {int(ids.min())} to {int(ids.max())}; "
            f"expected 0 to {len(E) - 1}. Use the vocabulary of this model."
        ) from None
    if scaled:
        rows = rows * math.sqrt(E.shape[-1])
    if PE is None:
        return rows
    if isinstance(start, int):
        positions = PE[start:end]
    else:
        positions = PE[
            start[:, None] + torch.arange(ids.shape[-1], device=start.device)
        ]
    return rows + positions.to(E.dtype)
