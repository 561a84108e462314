"""A trained model whose heads of keys and values become fewer: each the mean of a group."""

import copy

import torch

from ..by_hand.shared_heads import check_groups
from ..shapes import ShapeError
from .general_attention import GeneralAttention


def mean_pool(attention: GeneralAttention, g: int) -> GeneralAttention:
    """Make the mean of each group's key heads its one key head, and of its value heads likewise.

    Queries and output stay as they are. Ainslie et al. (2023), section 2.1: of the ways they tried, the
    one that loses least of what was learned.

    Parameters
    ----------
    attention : GeneralAttention
        Is not changed.
    g : int
        Number of heads of keys and values that are left; divides ``attention.h``.

    Returns
    -------
    GeneralAttention

    Raises
    ------
    ShapeError
        If ``g`` does not divide the heads of keys, or there are none, as in :class:`LatentAttention`.
    """
    if not isinstance(attention, GeneralAttention):
        raise ShapeError(
            f"mean_pool: attention is a {type(attention).__name__}; expected a "
            "GeneralAttention, whose heads have keys and values to be averaged."
        )
    check_groups("mean_pool", attention.g, g)
    pooled = copy.deepcopy(attention)
    pooled.positions = attention.positions  # layers may share them
    width = g * attention.d_k
    pooled.g, pooled.widths = g, [attention.widths[0], width, width]

    def group_means(W: torch.Tensor) -> torch.Tensor:
        heads = W.unflatten(-1, (g, -1, attention.d_k))  # (d_model, g, h / g, d_k)
        return heads.mean(dim=-2).flatten(-2)

    with torch.no_grad():
        W_K, W_V = group_means(attention.W_K), group_means(attention.W_V)
        W_QKV = torch.cat([attention.W_Q, W_K, W_V], dim=-1)
        pooled.W_QKV = torch.nn.Parameter(W_QKV)
    return pooled


def with_shared_heads(model, g: int):
    """Return a copy of a language model whose key and value heads are mean-pooled to ``g``.

    It begins close to the model, not equal to it: training it on for a while makes up for most of that.

    Parameters
    ----------
    model : LanguageModel
        With multi-head attention; is not changed.
    g : int
        Divides the model's ``h``.

    Returns
    -------
    LanguageModel
        Its configuration says ``g``.

    Raises
    ------
    ConfigError
        If ``g`` does not divide ``h``.
    """
    pooled = copy.deepcopy(model)
    pooled.config = model.config.changed(g=g)
    for layer in pooled.layers:
        layer.self_attention = mean_pool(layer.self_attention, g)
    return pooled
