"""Who may attend to whom. True means: may attend."""

import torch
from jaxtyping import Bool, Int
from torch import Tensor

from ..shapes import check_count, checked


def causal_mask(
    n: int, device: torch.device | str | None = None
) -> Bool[Tensor, "n n"]:
    """Let each position attend to itself and to what came before it.

    Parameters
    ----------
    n : int
        Length of the sequence.
    device : torch.device or str, optional
        Where the mask is made.

    Returns
    -------
    boolean tensor, (n, n)
        True at row ``i``, column ``j`` where ``j <= i``.

    Raises
    ------
    ShapeError
        If ``n`` is not a positive whole number.
    """
    check_count("causal_mask", "n", n, "a length")
    return torch.ones(n, n, dtype=torch.bool, device=device).tril()


@checked
def padding_mask(
    ids: Int[Tensor, "*batch n"], pad_id: int
) -> Bool[Tensor, "*batch 1 n"]:
    """Let every query attend to the words, none to the padding.

    Parameters
    ----------
    ids : integer tensor, (..., n)
        Token ids of the keys.
    pad_id : int
        The id that stands for padding.

    Returns
    -------
    boolean tensor, (..., 1, n)
        True where the key is a word. The axis of length 1 broadcasts over the queries.

    Raises
    ------
    ShapeError
        If ``ids`` is not a tensor of integers.
    """
    return (ids != pad_id)[..., None, :]
