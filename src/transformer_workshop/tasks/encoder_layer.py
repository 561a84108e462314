"""A layer of the encoder: attention and feed-forward network, each with Add & Norm."""

from collections.abc import Callable, Iterator, Set

import numpy as np

from ..task import Property, Slip, Task
from . import layers
from .feed_forward import feed_forward
from .feed_forward import reference as network
from .layer_norm import layer_norm
from .layer_norm import reference as normalised
from .multi_head_attention import multi_head_attention
from .multi_head_attention import reference as attend

STUB = '''
def encoder_layer(x, W, h, mask=None):  # (batch, n, d_model) -> (batch, n, d_model)
    """Apply self-attention with h heads, then the feed-forward network, each followed by Add & Norm.

    Post-LN: the input of a sub-layer is added to its output, and then the sum is normalised, with
    norm_1 after attention and norm_2 after the network. Return the vectors alone, not the weights.
    W is a dict of dicts of arrays, named like the arguments of the functions that take them:
    W["attention"] has W_Q, W_K, W_V, W_O; W["feed_forward"] has W_1, b_1, W_2, b_2; W["norm_1"] and
    W["norm_2"] have gamma and beta. mask: (batch, 1, n) or (batch, n, n), True where a query may attend.
    """
'''

SLIPS = (
    layers.PRE_LN_SLIP,
    layers.NORM_BEFORE_SUM_SLIP,
    Slip(
        "no residual 1",
        "did not add the input of attention to its output",
        "M10",
        "The first norm gets the sum of x and what attention returns.",
    ),
    Slip(
        "no residual 2",
        "did not add the input of the feed-forward network to its output",
        "M10",
        "The second norm gets the sum of what the network reads and what it returns.",
    ),
    Slip(
        "old residual",
        "added the layer's input after the feed-forward network, instead of the network's own input",
        repair="The second sum adds the output of the first norm.",
    ),
    Slip(
        "old input",
        "gave the feed-forward network the layer's input instead of the output of the first norm",
        repair="Attention and its Add & Norm come first; the network reads what they return.",
    ),
    Slip(
        "no norm 1",
        "left out the norm after attention",
        repair="There are two norms: one after each sum.",
    ),
    Slip(
        "no norm 2",
        "left out the norm after the feed-forward network",
        repair="There are two norms: one after each sum.",
    ),
    Slip(
        "exchanged",
        "exchanged the two norms",
        repair="norm_1 comes after attention, norm_2 after the network.",
    ),
    Slip(
        "norm_1 twice",
        "used norm_1 in both places",
        repair="The second norm has weights of its own, norm_2.",
    ),
    Slip(
        "norm_2 twice",
        "used norm_2 in both places",
        repair="The first norm has weights of its own, norm_1.",
    ),
    layers.EXTRA_NORM_SLIP,
    Slip("ignored", "ignored the mask", repair="Pass the mask on to attention."),
    Slip(
        "inverted",
        "hid what the mask allows, and allowed what it hides",
        "M25",
        "True means that a query may attend. Pass the mask on as it is.",
    ),
    Slip(
        "causal",
        "hid the later words, as in the decoder",
        repair="In the encoder, each word may look at all words, unless the mask forbids it.",
    ),
    Slip(
        "network first",
        "put the feed-forward network before attention",
        repair="Attention comes first.",
    ),
    Slip(
        "no network",
        "left out the feed-forward network",
        repair="The layer has two sub-layers.",
    ),
    Slip(
        "weights",
        "returned the weights of attention as well",
        repair="Return the vectors alone.",
    ),
)


def reference(x, W, h, mask=None, slips: Set[str] = frozenset()):
    n = x.shape[1]
    shown = np.ones((1, n, n), bool) if mask is None or "ignored" in slips else mask
    if "inverted" in slips and mask is not None:
        shown = ~shown
    if "causal" in slips:
        shown = shown & np.tri(n, dtype=bool)
    norms = (W["norm_1"], W["norm_2"])
    norms = norms[::-1] if "exchanged" in slips else norms
    norms = (norms[0],) * 2 if "norm_1 twice" in slips else norms
    norms = (norms[1],) * 2 if "norm_2 twice" in slips else norms

    def apply_norm(y: np.ndarray, i: int) -> np.ndarray:
        return y if f"no norm {i}" in slips else normalised(y, **norms[i - 1])

    found = []

    def apply_attention(y: np.ndarray) -> np.ndarray:
        H, A = attend(y, y, y, **W["attention"], h=h, mask=shown)
        found.append(A)
        return H

    def apply_network(y: np.ndarray) -> np.ndarray:
        return network(y, **W["feed_forward"])

    def add_and_norm(sublayer: Callable, y, i) -> np.ndarray:
        read = x if i == 2 and "old input" in slips else y
        added = x if i == 2 and "old residual" in slips else y
        added = 0 if f"no residual {i}" in slips else added
        if "pre" in slips:
            return added + sublayer(apply_norm(read, i))
        if "inside" in slips:
            return added + apply_norm(sublayer(read), i)
        return apply_norm(added + sublayer(read), i)

    sublayers = (
        [apply_attention] if "no network" in slips else [apply_attention, apply_network]
    )
    sublayers = sublayers[::-1] if "network first" in slips else sublayers
    y = x
    for i, f in enumerate(sublayers, start=1):
        y = add_and_norm(f, y, i)
    y = normalised(y, **norms[1]) if "norm again" in slips else y
    return (y, found[0]) if "weights" in slips else y


def encoder_layer(x, W, h, mask=None):
    attended, _ = multi_head_attention(x, x, x, **W["attention"], h=h, mask=mask)
    x = layer_norm(x + attended, **W["norm_1"])
    return layer_norm(x + feed_forward(x, **W["feed_forward"]), **W["norm_2"])


def trial_arguments(rng) -> Iterator[tuple]:
    ones = [1.0, 1.0]
    W = layers.weights_of_width_2(
        {"attention": [[0.0, -2.0], [1.0, 1.0]]},
        ([[1.0], [0.0]], [1.0], [[1.0, 0.0]], [1.0, 0.0]),
        (ones, [0.0, 0.0]),
        (ones, [2.0, 0.0]),
    )
    x = np.array([[[0.0, 1.0], [3.0, 0.0]]])
    # [0, 1] + [1, 1] becomes [-1, 1]; plus [1, 0] it is [0, 1] and becomes [-1, 1] + [2, 0].
    yield x[:, :1], W, 1
    yield x, W, 1
    yield x, W, 2, np.array([[[True, False]]])
    for batch, n, d_model, h, d_ff, queries, dtype in (
        (1, 3, 4, 2, 6, None, float),
        (2, 4, 6, 3, 5, 1, float),
        (3, 5, 4, 4, 7, 5, float),
        (2, 3, 6, 1, 8, None, float),
        (2, 4, 4, 2, 3, 1, np.float32),
    ):
        x = rng.normal(size=(batch, n, d_model)).astype(dtype)
        mask = layers.random_mask(rng, batch, queries, n) if queries else None
        yield x, layers.random_weights(rng, d_model, d_ff, dtype=dtype), h, mask


def _ignores_hidden_words(function, arguments, returned_arrays) -> bool:
    x, W, h, mask = (*arguments, None)[:4]
    if mask is None:
        return True
    hidden = ~mask.any(axis=1)  # (batch, n)
    other = np.where(hidden[..., None], x + 1 + np.arange(x.shape[-1]) ** 2, x)
    after = function(other.astype(x.dtype), W, h, mask)[0]
    return np.allclose(after[~hidden], returned_arrays[0][~hidden], atol=1e-3)


TASK = Task(
    "encoder_layer",
    "transformer/stacks#an-encoder-layer-has-two-sub-layers",
    STUB,
    reference,
    encoder_layer,
    trial_arguments,
    SLIPS,
    properties=(
        layers.uses_parts_property("attention", "feed_forward", "norm_1", "norm_2"),
        layers.ADD_AND_NORM_PROPERTY,
        Property(
            "a word that the mask hides changes other words", _ignores_hidden_words
        ),
    ),
    hints=(
        "There are two sub-layers. After each, add its input to its output, and normalise the sum.",
        "x becomes the layer_norm of x + attention of x, with norm_1. Then do the same with feed_forward and "
        "norm_2. In self-attention, queries, keys and values are all x.",
        'Take the first of the two results of multi_head_attention(x, x, x, **W["attention"], h=h, '
        'mask=mask), and write x = layer_norm(x + attended, **W["norm_1"]).',
    ),
    differentiable=("x",),
)
