"""One layer of the encoder and one of the decoder, section 3.1 of the paper.

``W`` holds a layer's weights by the names that they have in the ``nn`` modules, for example
``self_attention.W_O`` or ``add_and_norm_1.layer_norm.gamma``.
"""

import numpy as np
from jaxtyping import Bool, Float

from ..shapes import checked
from .feed_forward import feed_forward
from .heads import multi_head_attention
from .masks import causal_mask
from .norm import layer_norm


def weights_under(W: dict, prefix: str) -> dict[str, np.ndarray]:
    """Return the weights whose names begin with ``prefix`` and a dot, without that beginning."""
    return {
        k.removeprefix(f"{prefix}."): v
        for k, v in W.items()
        if k.startswith(f"{prefix}.")
    }


@checked
def encoder_layer(
    x: Float[np.ndarray, "batch n d_model"],
    W: dict,
    h: int,
    mask: Bool[np.ndarray, "#batch #n #n"] | None = None,
    norm: str = "post",
) -> tuple[Float[np.ndarray, "batch n d_model"], dict]:
    """Self-attention, then the feed-forward network, each with "Add & Norm" around it.

    Parameters
    ----------
    x : array, (batch, n, d_model)
    W : dict of str to array
        The layer's weights by name.
    h : int
        Number of heads.
    mask : boolean array, broadcastable to (batch, n, n), optional
        True where a query may attend.
    norm : "post" or "pre"
        Post-LN is LayerNorm(x + f(x)) around each sub-layer f; Pre-LN is x + f(LayerNorm(x)).

    Returns
    -------
    x : array, (batch, n, d_model)
    weights : dict
        ``self_attention``: (batch, h, n, n).
    """
    y = _normalise_if_pre(x, W, 1, norm)
    Z, A = _attention(y, y, weights_under(W, "self_attention"), h, mask)
    x = _add_and_normalise_if_post(x, Z, W, 1, norm)
    y = _normalise_if_pre(x, W, 2, norm)
    x = _add_and_normalise_if_post(
        x, feed_forward(y, **weights_under(W, "feed_forward")), W, 2, norm
    )
    return x, {"self_attention": A}


@checked
def decoder_layer(
    x: Float[np.ndarray, "batch m d_model"],
    memory: Float[np.ndarray, "batch n d_model"],
    W: dict,
    h: int,
    memory_mask: Bool[np.ndarray, "#batch #m #n"] | None = None,
    norm: str = "post",
) -> tuple[Float[np.ndarray, "batch m d_model"], dict]:
    """Masked self-attention, cross-attention to the encoder's output, feed-forward network.

    Parameters
    ----------
    x : array, (batch, m, d_model)
    memory : array, (batch, n, d_model)
        The encoder's output for the source.
    W, h, norm
        As in :func:`encoder_layer`.
    memory_mask : boolean array, broadcastable to (batch, m, n), optional
        True where the source has a word.

    Returns
    -------
    x : array, (batch, m, d_model)
    weights : dict
        ``self_attention``: (batch, h, m, m) and ``cross_attention``: (batch, h, m, n).
    """
    y = _normalise_if_pre(x, W, 1, norm)
    Z, A = _attention(
        y, y, weights_under(W, "self_attention"), h, causal_mask(x.shape[1])[None]
    )
    x = _add_and_normalise_if_post(x, Z, W, 1, norm)
    y = _normalise_if_pre(x, W, 2, norm)
    Z, B = _attention(y, memory, weights_under(W, "cross_attention"), h, memory_mask)
    x = _add_and_normalise_if_post(x, Z, W, 2, norm)
    y = _normalise_if_pre(x, W, 3, norm)
    x = _add_and_normalise_if_post(
        x, feed_forward(y, **weights_under(W, "feed_forward")), W, 3, norm
    )
    return x, {"self_attention": A, "cross_attention": B}


def _attention(queries, keys_and_values, W: dict, h: int, mask) -> tuple:
    W_Q, W_K, W_V = np.split(W["W_QKV"], 3, axis=-1)  # three matrices side by side
    x = keys_and_values
    return multi_head_attention(queries, x, x, W_Q, W_K, W_V, W["W_O"], h, mask)


def _normalise_if_pre(x, W: dict, sub_layer_number: int, norm: str) -> np.ndarray:
    return (
        layer_norm(x, **weights_under(W, f"add_and_norm_{sub_layer_number}.layer_norm"))
        if norm == "pre"
        else x
    )


def _add_and_normalise_if_post(
    x, y, W: dict, sub_layer_number: int, norm: str
) -> np.ndarray:
    x = x + y
    return (
        layer_norm(x, **weights_under(W, f"add_and_norm_{sub_layer_number}.layer_norm"))
        if norm == "post"
        else x
    )
