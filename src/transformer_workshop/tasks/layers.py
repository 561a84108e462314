"""What the tasks of the two layers share: slips, weights, and what every layer does."""

import numpy as np

from ..task import Property, Slip
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


def uses(part):
    """Return the property that other arrays in a part of W give another result."""

    def holds(call, arguments, result):
        if arguments[0].shape[-1] == 2:  # a norm of two numbers keeps little of them
            return True
        steps = np.random.default_rng(1)
        changed = {
            k: (v + steps.normal(size=v.shape)).astype(v.dtype)
            for k, v in weights_of(arguments)[part].items()
        }
        after = call(*with_parts(arguments, **{part: changed}))[0]
        return not np.allclose(after, result[0], atol=1e-5)

    return Property(f'W["{part}"] is not used', holds)
