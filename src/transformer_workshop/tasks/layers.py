"""What the tasks of the two layers share: slips, weights, and what every layer does."""

import numpy as np

from ..task import Property, Slip
from ..trial import join_names
from .layer_norm import reference as normalised

PRE_LN_SLIP = Slip(
    "pre",
    "normalised the input of each sub-layer, which is Pre-LN, instead of the sum",
    "M22",
    "Post-LN adds first and then normalises.",
)
NORM_BEFORE_SUM_SLIP = Slip(
    "inside",
    "normalised the output of each sub-layer before you added its input",
    repair="Add first, then normalise the sum.",
)
EXTRA_NORM_SLIP = Slip(
    "norm again",
    "normalised once more at the end",
    "M24",
    "There are as many norms as sub-layers, one after each.",
)
ATTENTION_WEIGHT_NAMES, NETWORK_WEIGHT_NAMES = (
    ("W_Q", "W_K", "W_V", "W_O"),
    ("W_1", "b_1", "W_2", "b_2"),
)


def random_weights(
    rng, d_model, d_ff, attention_names=("attention",), norm_count=2, dtype=float
) -> dict[str, dict[str, np.ndarray]]:
    """Return random weights of a layer, a dict of dicts of arrays."""

    def draw_array(*shape: int) -> np.ndarray:
        return rng.normal(size=shape).astype(dtype)

    W = {
        part: {k: draw_array(d_model, d_model) for k in ATTENTION_WEIGHT_NAMES}
        for part in attention_names
    }
    shapes = (d_model, d_ff), (d_ff,), (d_ff, d_model), (d_model,)
    W["feed_forward"] = {
        k: draw_array(*s) for k, s in zip(NETWORK_WEIGHT_NAMES, shapes, strict=True)
    }
    for i in range(1, norm_count + 1):
        W[f"norm_{i}"] = {
            "gamma": draw_array(d_model) + dtype(1),
            "beta": draw_array(d_model),
        }
    return W


def weights_of_width_2(
    W_O_by_part: dict[str, list], network_weights, *norms
) -> dict[str, dict[str, np.ndarray]]:
    """Return small weights; W_Q is 0, so that every query gives all keys the same weight."""
    eye = np.eye(2)
    W = {
        part: dict(
            zip(
                ATTENTION_WEIGHT_NAMES, (0 * eye, eye, eye, np.array(each)), strict=True
            )
        )
        for part, each in W_O_by_part.items()
    }
    W["feed_forward"] = dict(
        zip(NETWORK_WEIGHT_NAMES, map(np.array, network_weights), strict=True)
    )
    for i, norm in enumerate(norms, start=1):
        W[f"norm_{i}"] = dict(zip(("gamma", "beta"), map(np.array, norm), strict=True))
    return W


def random_mask(rng, *shape: int) -> np.ndarray:
    """Return a mask in which every query may attend to the first key and not to the last."""
    mask = rng.random(shape) < 0.5
    mask[..., 0], mask[..., -1] = True, False
    return mask


def replace_weights(arguments: tuple, **arrays_by_part: dict) -> tuple:
    """Return the arguments with other arrays in some parts of W."""
    return tuple(
        {
            name: {**each, **arrays_by_part.get(name, {})}
            for name, each in argument.items()
        }
        if isinstance(argument, dict)
        else argument
        for argument in arguments
    )


def find_weights(arguments: tuple) -> dict[str, dict]:
    """Return W."""
    return next(argument for argument in arguments if isinstance(argument, dict))


def _only_normalises_if_sublayers_are_silent(
    function, arguments, returned_arrays
) -> bool:
    W, y = find_weights(arguments), arguments[0]
    silent = {
        part: {k: 0 * v for k, v in each.items() if k not in ("W_Q", "W_K")}
        for part, each in W.items()
        if not part.startswith("norm")
    }
    for part in sorted(part for part in W if part.startswith("norm")):
        y = normalised(y, **W[part])
    return np.allclose(function(*replace_weights(arguments, **silent))[0], y, atol=1e-3)


ADD_AND_NORM_PROPERTY = Property(
    "when all sub-layers return 0, the result is not the layer's input normalised by each norm in turn: "
    "look at the sums (mistake M10) and at the norms",
    _only_normalises_if_sublayers_are_silent,
)


def uses_parts_property(*part_names: str) -> Property:
    """Return the property that other arrays in each part of W give another result."""

    def uses_every_part(function, arguments, returned_arrays) -> bool | str:
        wide = larger_random_arguments(arguments)
        before = function(*wide)[0]
        unused = [
            f'W["{part}"]'
            for part in part_names
            if not part_changes_result(function, wide, before, part)
        ]
        if not unused:
            return True
        return f"{join_names(unused)} {'are' if len(unused) > 1 else 'is'} not used"

    return Property("some part of W is not used", uses_every_part)


def larger_random_arguments(arguments: tuple) -> tuple:
    """Return random arguments for the same layer; of two numbers, a norm keeps too little."""
    random, W = np.random.default_rng(1), find_weights(arguments)
    attentions = [part for part in W if "W_Q" in W[part]]
    norms = sum(part.startswith("norm") for part in W)
    texts = [each for each in arguments if isinstance(each, np.ndarray)]
    texts = [random.normal(size=(1, 3, 4)) for each in texts if each.dtype != bool]
    return *texts, random_weights(random, 4, 6, attentions, norms), 2


def part_changes_result(
    function, arguments, result_before: np.ndarray, part_name: str
) -> bool:
    """Whether random steps of the arrays in a part of W change the result."""
    random = np.random.default_rng(2)
    steps = {
        name: array + random.normal(size=array.shape)
        for name, array in find_weights(arguments)[part_name].items()
    }
    after = function(*replace_weights(arguments, **{part_name: steps}))[0]
    return not np.allclose(after, result_before, atol=1e-5)
