"""What the tasks of the two layers share: slips, weights, and what every layer does."""

import numpy as np

from ..task import Property, Slip
from ..trial import list_names
from .layer_norm import reference as normalised

PRE = Slip(
    "pre",
    "normalised the input of each sub-layer, which is Pre-LN, instead of the sum",
    "M22",
    "Post-LN adds first and then normalises.",
)
INSIDE = Slip(
    "inside",
    "normalised the output of each sub-layer before you added its input",
    repair="Add first, then normalise the sum.",
)
AGAIN = Slip(
    "norm again",
    "normalised once more at the end",
    "M24",
    "There are as many norms as sub-layers, one after each.",
)
ATTENTION, NETWORK = ("W_Q", "W_K", "W_V", "W_O"), ("W_1", "b_1", "W_2", "b_2")


def weights(random, d_model, d_ff, attentions=("attention",), norms=2, dtype=float):
    """Return random weights of a layer, a dict of dicts of arrays."""

    def draw(*shape):
        return random.normal(size=shape).astype(dtype)

    W = {part: {k: draw(d_model, d_model) for k in ATTENTION} for part in attentions}
    shapes = (d_model, d_ff), (d_ff,), (d_ff, d_model), (d_model,)
    W["feed_forward"] = {k: draw(*s) for k, s in zip(NETWORK, shapes, strict=True)}
    for i in range(1, norms + 1):
        W[f"norm_{i}"] = {"gamma": draw(d_model) + dtype(1), "beta": draw(d_model)}
    return W


def by_pencil(W_O, network, *norms):
    """Return small weights; W_Q is 0, so that every query gives all keys the same weight."""
    eye = np.eye(2)
    W = {
        part: dict(zip(ATTENTION, (0 * eye, eye, eye, np.array(each)), strict=True))
        for part, each in W_O.items()
    }
    W["feed_forward"] = dict(zip(NETWORK, map(np.array, network), strict=True))
    for i, norm in enumerate(norms, start=1):
        W[f"norm_{i}"] = dict(zip(("gamma", "beta"), map(np.array, norm), strict=True))
    return W


def draw_mask(random, *shape):
    """Return a mask in which every query may attend to the first key and not to the last."""
    mask = random.random(shape) < 0.5
    mask[..., 0], mask[..., -1] = True, False
    return mask


def with_parts(arguments, **parts):
    """Return the arguments with other arrays in some parts of W."""
    return tuple(
        {name: {**each, **parts.get(name, {})} for name, each in argument.items()}
        if isinstance(argument, dict)
        else argument
        for argument in arguments
    )


def weights_of(arguments):
    """Return W."""
    return next(argument for argument in arguments if isinstance(argument, dict))


def _sums(call, arguments, result):
    W, y = weights_of(arguments), arguments[0]
    silent = {
        part: {k: 0 * v for k, v in each.items() if k not in ("W_Q", "W_K")}
        for part, each in W.items()
        if not part.startswith("norm")
    }
    for part in sorted(part for part in W if part.startswith("norm")):
        y = normalised(y, **W[part])
    return np.allclose(call(*with_parts(arguments, **silent))[0], y, atol=1e-3)


SUMS = Property(
    "when all sub-layers return 0, the result is not the layer's input normalised by each norm in turn: "
    "look at the sums (mistake M10) and at the norms",
    _sums,
)


def uses(*parts):
    """Return the property that other arrays in each part of W give another result."""

    def holds(call, arguments, result):
        wide = wider(arguments)
        before = call(*wide)[0]
        unused = [
            f'W["{part}"]' for part in parts if not changes(call, wide, before, part)
        ]
        if not unused:
            return True
        return f"{list_names(unused)} {'are' if len(unused) > 1 else 'is'} not used"

    return Property("some part of W is not used", holds)


def wider(arguments):
    """Return random arguments for the same layer; of two numbers, a norm keeps too little."""
    random, W = np.random.default_rng(1), weights_of(arguments)
    attentions = [part for part in W if "W_Q" in W[part]]
    norms = sum(part.startswith("norm") for part in W)
    texts = [each for each in arguments if isinstance(each, np.ndarray)]
    texts = [random.normal(size=(1, 3, 4)) for each in texts if each.dtype != bool]
    return *texts, weights(random, 4, 6, attentions, norms), 2


def changes(call, arguments, before, part):
    """Whether random steps of the arrays in a part of W change the result."""
    random = np.random.default_rng(2)
    steps = {
        name: array + random.normal(size=array.shape)
        for name, array in weights_of(arguments)[part].items()
    }
    after = call(*with_parts(arguments, **{part: steps}))[0]
    return not np.allclose(after, before, atol=1e-5)
