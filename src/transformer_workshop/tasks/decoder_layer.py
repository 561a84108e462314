"""A layer of the decoder: masked self-attention, cross-attention, feed-forward network."""

from collections.abc import Iterator, Set

import numpy as np

from ..task import Property, Slip, Task
from . import layers
from .causal_mask import causal_mask
from .feed_forward import feed_forward
from .feed_forward import reference as network
from .layer_norm import layer_norm
from .layer_norm import reference as normalised
from .multi_head_attention import multi_head_attention
from .multi_head_attention import reference as attend

STUB = '''
def decoder_layer(x, memory, W, h, memory_mask=None):  # (batch, m, d_model) -> (batch, m, d_model)
    """Apply masked self-attention, then cross-attention to the memory, then the feed-forward network.

    x: (batch, m, d_model), the target. memory: (batch, n, d_model), what the encoder returned. This
    function makes the causal mask of self-attention. memory_mask: (batch, 1, n) or (batch, m, n), True
    where a target word may attend to the memory. Post-LN, as in encoder_layer: each of the three
    sub-layers is followed by Add & Norm. W["self"] and W["cross"] have W_Q, W_K, W_V, W_O;
    W["feed_forward"] has W_1, b_1, W_2, b_2; W["norm_1"], W["norm_2"] and W["norm_3"], in the order
    in which they are used, have gamma and beta. Return the vectors alone, not the weights of attention.
    """
'''

SLIPS = (
    Slip(
        "no causal",
        "let each word look at the later words, so the answer is in the input",
        "M26",
        "Self-attention needs the causal mask of the m target words.",
    ),
    Slip(
        "past",
        "hid the earlier words instead of the later ones",
        "M6",
        "A word may look at itself and at what is before it.",
    ),
    Slip(
        "ignored",
        "ignored memory_mask",
        repair="Pass memory_mask on to cross-attention.",
    ),
    Slip(
        "inverted",
        "hid the memory that memory_mask allows, and allowed what it hides",
        "M25",
        "True means that a query may attend. Pass the mask on as it is.",
    ),
    Slip(
        "from x",
        "took the keys and values of cross-attention from x instead of the memory",
        repair="In cross-attention, only the queries come from x.",
    ),
    Slip(
        "keys from x",
        "took the keys of cross-attention from x instead of the memory",
        repair="Keys and values both come from the memory.",
    ),
    Slip(
        "values from x",
        "took the values of cross-attention from x instead of the memory",
        repair="Keys and values both come from the memory.",
    ),
    Slip(
        "queries from memory",
        "took the queries of cross-attention from the memory, and keys and values from x",
        repair="The target asks the memory, so the queries come from x.",
    ),
    Slip(
        "cross first",
        "attended to the memory before self-attention",
        repair="Self-attention is the first sub-layer.",
    ),
    Slip(
        "no cross",
        "left out cross-attention, so the layer never reads the memory",
        repair="There are three sub-layers.",
    ),
    Slip(
        "one attention",
        "used the weights of self-attention for cross-attention, too",
        repair='Cross-attention has weights of its own, W["cross"].',
    ),
    Slip(
        "exchanged",
        "exchanged the weights of self-attention and cross-attention",
        repair='W["self"] is for the target, W["cross"] for the memory.',
    ),
    layers.PRE_LN_SLIP,
    layers.NORM_BEFORE_SUM_SLIP,
    *(
        Slip(
            f"no residual {i}",
            f"did not add the input of {what} to its output",
            "M10",
            "Each of the three norms gets the sum of a sub-layer's input and output.",
        )
        for i, what in enumerate(
            ("self-attention", "cross-attention", "the feed-forward network"), start=1
        )
    ),
    Slip(
        "no residuals",
        "left out all three sums",
        "M10",
        "Each of the three norms gets the sum of a sub-layer's input and output.",
    ),
    Slip(
        "old residual",
        "added the layer's input in every sum",
        repair="The second and the third sum add the output of the norm before them.",
    ),
    Slip(
        "old residual 2",
        "added the layer's input after cross-attention, instead of cross-attention's own input",
        repair="The second sum adds the output of the first norm.",
    ),
    Slip(
        "old residual 3",
        "added the layer's input after the feed-forward network, instead of the network's own input",
        repair="The third sum adds the output of the second norm.",
    ),
    Slip(
        "norms 2 and 3",
        "exchanged norm_2 and norm_3",
        repair="norm_2 comes after cross-attention, norm_3 after the network.",
    ),
    Slip(
        "norm_2 twice",
        "used norm_2 after the feed-forward network, too",
        repair="The third norm has weights of its own, norm_3.",
    ),
    Slip(
        "one norm",
        "used norm_1 in all places",
        repair="Each norm has weights of its own.",
    ),
    layers.EXTRA_NORM_SLIP,
)


def reference(x, memory, W, h, memory_mask=None, slips: Set[str] = frozenset()):
    m = x.shape[1]
    causal = np.arange(m) <= np.arange(m)[:, None]
    causal = causal.T if "past" in slips else causal
    causal = np.ones((m, m), bool) if "no causal" in slips else causal
    other = {"self": "cross", "cross": "self"} if "exchanged" in slips else {}
    if "one attention" in slips:
        other["cross"] = other.get("self", "self")
    order = ["self", "cross", "feed_forward"]
    if "cross first" in slips:
        order = ["cross", "self", "feed_forward"]
    if "no cross" in slips:
        order.remove("cross")
    norms = [W["norm_1"], W["norm_2"], W["norm_3"]]
    norms = [norms[0], norms[2], norms[1]] if "norms 2 and 3" in slips else norms
    norms = [norms[0]] * 3 if "one norm" in slips else norms
    norms = [*norms[:2], norms[1]] if "norm_2 twice" in slips else norms

    def apply_sublayer(sublayer_name: str, y) -> np.ndarray:
        if sublayer_name == "feed_forward":
            return network(y, **W[sublayer_name])
        matrices = W[other.get(sublayer_name, sublayer_name)]
        if sublayer_name == "self":
            return attend(y, y, y, **matrices, h=h, mask=causal)[0]
        turned = "queries from memory" in slips
        queries = memory if turned else y
        keys = y if turned or slips & {"from x", "keys from x"} else memory
        values = y if turned or slips & {"from x", "values from x"} else memory
        if keys.shape != values.shape:
            raise ValueError("as many keys as values")
        mask = None if memory_mask is None or "ignored" in slips else memory_mask
        mask = ~mask if mask is not None and "inverted" in slips else mask
        return attend(queries, keys, values, **matrices, h=h, mask=mask)[0]

    y = x
    for name in order:
        i = ["self", "cross", "feed_forward"].index(name) + 1
        norm = norms[order.index(name)] if name != "feed_forward" else norms[2]
        added = x if slips & {"old residual", f"old residual {i}"} else y
        added = 0 if slips & {f"no residual {i}", "no residuals"} else added
        if "pre" in slips:
            y = added + apply_sublayer(name, normalised(y, **norm))
        elif "inside" in slips:
            y = added + normalised(apply_sublayer(name, y), **norm)
        else:
            y = normalised(added + apply_sublayer(name, y), **norm)
    return normalised(y, **norms[2]) if "norm again" in slips else y


def decoder_layer(x, memory, W, h, memory_mask=None):
    mask = causal_mask(x.shape[1])
    found, _ = multi_head_attention(x, x, x, **W["self"], h=h, mask=mask)
    x = layer_norm(x + found, **W["norm_1"])
    found, _ = multi_head_attention(
        x, memory, memory, **W["cross"], h=h, mask=memory_mask
    )
    x = layer_norm(x + found, **W["norm_2"])
    return layer_norm(x + feed_forward(x, **W["feed_forward"]), **W["norm_3"])


def arguments_with_unequal_attention() -> tuple:
    """Return a small input in which a query does not give all keys the same weight."""
    below = [-1.0, -1.0]
    W = layers.weights_of_width_2(
        {"self": [[0.0, -1.0], [2.0, -1.0]], "cross": [[0.0, -1.0], [0.0, -1.0]]},
        ([[-1.0], [0.0]], [1.0], [[1.0, 1.0]], [0.0, 0.0]),
        *(([1.0, 1.0], beta) for beta in (below, below, [2.0, 1.0])),
    )
    for part in ("self", "cross"):
        W[part]["W_Q"] = np.eye(2)
    x = np.array([[[-1.0, 1.0], [2.0, 2.0]]])
    return x, np.array([[[3.0, 0.0], [-2.0, -1.0]]]), W, 1


def trial_arguments(rng) -> Iterator[tuple]:
    ones = [1.0, 1.0]
    W = layers.weights_of_width_2(
        {"self": [[0.0, 0.0], [-1.0, 0.0]], "cross": [[-1.0, 2.0], [2.0, -1.0]]},
        ([[1.0], [0.0]], [0.0], [[-1.0, 0.0]], [0.0, 0.0]),
        (ones, [-1.0, 2.0]),
        (ones, [0.0, 0.0]),
        (ones, [0.0, 2.0]),
    )
    x = np.array([[[1.0, 0.0], [3.0, 3.0]]])
    memory = np.array([[[2.0, 3.0], [1.0, -1.0]]])
    # The first word: [1, 0] + [0, 0] becomes [0, 1]; plus [4, 1] it becomes [1, -1]; plus [-1, 0]
    # it becomes [1, -1] + [0, 2].
    yield x, memory[:, [0, 0]], W, 1
    yield x, memory, W, 2, np.array([[[True, False]]])
    yield arguments_with_unequal_attention()
    for batch, m, n, d_model, h, d_ff, queries, dtype in (
        (1, 4, 4, 4, 2, 6, None, float),
        (2, 3, 5, 6, 3, 5, None, float),
        (2, 4, 4, 4, 1, 3, 1, float),
        (3, 5, 5, 6, 2, 7, 5, float),
        (2, 4, 2, 4, 4, 3, None, np.float32),
    ):
        x = rng.normal(size=(batch, m, d_model)).astype(dtype)
        memory = rng.normal(size=(batch, n, d_model)).astype(dtype)
        W = layers.random_weights(rng, d_model, d_ff, ("self", "cross"), 3, dtype)
        mask = layers.random_mask(rng, batch, queries, n) if queries else None
        yield x, memory, W, h, mask


def _ignores_later_words(function, arguments, returned_arrays) -> bool:
    x, *others = arguments
    other = x.copy()
    other[:, -1] += 1 + np.arange(x.shape[-1]) ** 2
    return np.allclose(
        function(other, *others)[0][:, :-1], returned_arrays[0][:, :-1], atol=1e-3
    )


def _ignores_memory_order(function, arguments, returned_arrays) -> bool:
    x, memory, W, h, mask = (*arguments, None)[:5]
    mask = None if mask is None else mask[..., ::-1].copy()
    after = function(x, memory[:, ::-1].copy(), W, h, mask)[0]
    return np.allclose(after, returned_arrays[0], atol=1e-3)


def _ignores_hidden_memory(function, arguments, returned_arrays) -> bool:
    x, memory, W, h, mask = (*arguments, None)[:5]
    if mask is None:
        return True
    hidden = ~mask.any(axis=1)[..., None]  # (batch, n, 1)
    return np.allclose(
        function(x, memory + 9 * hidden, W, h, mask)[0], returned_arrays[0], atol=1e-3
    )


TASK = Task(
    "decoder_layer",
    "transformer/stacks#a-decoder-layer-has-one-more-sub-layer-which-reads-the-memory",
    STUB,
    reference,
    decoder_layer,
    trial_arguments,
    SLIPS,
    properties=(
        Property(
            "a later target word changes the result for an earlier one",
            _ignores_later_words,
        ),
        Property(
            "changing the order of the memory's rows changes the result: in cross-attention, keys and values "
            "both have to come from the memory, and only the queries from x",
            _ignores_memory_order,
        ),
        Property(
            "memory that memory_mask hides changes the result", _ignores_hidden_memory
        ),
        layers.uses_parts_property(
            "self", "cross", "feed_forward", "norm_1", "norm_2", "norm_3"
        ),
        layers.ADD_AND_NORM_PROPERTY,
    ),
    hints=(
        "There are three sub-layers. After each, add its input to its output, and normalise the sum.",
        "Self-attention takes x three times and the causal mask of m words. Cross-attention takes its "
        "queries from x, and its keys and values from the memory, with memory_mask. The network comes last.",
        'The second sub-layer: found, _ = multi_head_attention(x, memory, memory, **W["cross"], h=h, '
        'mask=memory_mask), and then x = layer_norm(x + found, **W["norm_2"]).',
    ),
    differentiable=("x", "memory"),
)
