"""From ids to the vectors that the first layer reads: section 3.4 of the paper."""

import math

import torch
from jaxtyping import Float, Int
from torch import Tensor

from ..shapes import ShapeError


def fresh_embedding(row_count: int, d_model: int) -> torch.nn.Parameter:
    """Return a fresh embedding, (row_count, d_model), whose rows have a length of about 1."""
    return torch.nn.Parameter(torch.randn(row_count, d_model) * d_model**-0.5)


def embed(
    caller_name: str,
    ids_name: str,
    ids: Int[Tensor, "batch n"],
    E: Float[Tensor, "words d_model"],
    PE: Float[Tensor, "max_length d_model"] | None,
    start: int | Int[Tensor, "batch"] = 0,
    longest_length: int | None = None,
    *,
    scaled: bool = True,
) -> Float[Tensor, "batch n d_model"]:
    """Look up the ids, times the root of d_model, and add the positions from ``start`` on.

    Parameters
    ----------
    caller_name, ids_name : str
        The model and what the ids are of it, for errors.
    ids : integer tensor, (batch, n)
    E : tensor, (words, d_model)
    PE : tensor, (max_length, d_model), or None
        Without one nothing is added, and no text is too long.
    start : int or integer tensor, (batch,)
        The position of the first id, or of each text's first.
    longest_length : int, optional
        The length of the longest text, up to its last id here; the ids beyond it are padding.
        By default there is none.
    scaled : bool
        Whether rows are multiplied by the root of d_model.

    Raises
    ------
    ShapeError
        For ids that are no integers or beyond the vocabulary, and positions beyond the last.
    """
    if ids.is_floating_point() or ids.dtype == torch.bool:
        raise ShapeError(
            f"{caller_name}: the {ids_name} holds {str(ids.dtype).removeprefix('torch.')}; expected "
            f"ids, whole numbers from 0 to {len(E) - 1}. Use the vocabulary of this model."
        )
    if longest_length is None:
        longest_length = (
            int(start if isinstance(start, int) else start.max()) + ids.shape[-1]
        )
    if PE is not None and longest_length > len(PE):
        raise ShapeError(
            f"{caller_name}: the {ids_name} has {longest_length} tokens; expected at most {len(PE)}. "
            "Cut it, or make the model with a larger max_length."
        )
    try:
        rows = torch.nn.functional.embedding(ids.long(), E)
    except IndexError:
        raise ShapeError(
            f"{caller_name}: the {ids_name} has ids from {int(ids.min())} to {int(ids.max())}; "
            f"expected 0 to {len(E) - 1}. Use the vocabulary of this model."
        ) from None
    if scaled:
        rows = rows * math.sqrt(E.shape[-1])
    if PE is None:
        return rows
    if isinstance(start, int):
        return rows + PE[start:longest_length].to(E.dtype)
    positions = start[:, None] + torch.arange(ids.shape[-1], device=start.device)
    return rows + PE[positions.clamp(max=longest_length - 1)].to(E.dtype)
