"""One error for a wrong argument, the same on both floors; none for a right one."""

import re

import numpy as np
import pytest
import torch

from transformer_book import by_hand, nn
from transformer_book.config import TransformerConfig
from transformer_book.shapes import ShapeError

FLOORS = {by_hand: np.ones, nn: torch.ones}
BOOL = {by_hand: bool, nn: torch.bool}
INT = {by_hand: np.int64, nn: torch.int64}
DOUBLE = {by_hand: np.float64, nn: torch.float64}
SINGLE = {by_hand: np.float32, nn: torch.float32}
ONES, MASK = torch.ones(3, 4), torch.ones(3, 3, dtype=torch.bool)


@pytest.fixture(params=FLOORS, ids=["by_hand", "nn"])
def floor(request):
    return request.param


@pytest.fixture
def ones(floor):
    """``ones(3, 4)``: floats; ``ones(3, 4, kind=BOOL)``: another kind, each floor's own."""
    return lambda *shape, kind=SINGLE: FLOORS[floor](shape, dtype=kind[floor])


@pytest.mark.parametrize(
    "Q, K, V, mask, said",
    [
        ((3, 4), (3, 2), (3, 4), None, "K of (3, 2); (..., n, d_k=4)"),
        ((3, 4), (3, 4), (2, 4), None, "V of (2, 4); (..., n=3, d_v)"),
        ((4,), (3, 4), (3, 4), None, "Q of (4,); (..., m, d_k)"),
        ((2, 3, 4), (5, 3, 4), (3, 4), None, "K of (5, 3, 4); (batch=(2,), n, d_k=4)"),
        ((2, 4), (3, 4), (3, 4), (3, 2), "mask of (3, 2); (m=2 or 1, n=3 or 1)"),
        (
            *((5, 2, 4), (5, 3, 4), (5, 3, 4), (4, 2, 3)),
            "mask of (4, 2, 3); (batch=(5,), m=2 or 1, n=3 or 1)",
        ),
    ],
)
def test_a_wrong_shape_is_named(floor, ones, Q, K, V, mask, said):
    mask = None if mask is None else ones(*mask, kind=BOOL)
    said = said.replace(" of ", " has shape ").replace("; ", "; expected ")
    message = re.escape(f"scaled_dot_product_attention: {said}")
    with pytest.raises(ShapeError, match=message):
        floor.scaled_dot_product_attention(ones(*Q), ones(*K), ones(*V), mask)


@pytest.mark.parametrize("kind, given", [(INT, "int64"), (SINGLE, "float32")])
def test_a_mask_must_say_yes_or_no(floor, ones, kind, given):
    wanted = rf"mask holds {given}; expected bool \(True = may attend\), in shape .*Convert it"
    X = ones(3, 4)
    with pytest.raises(ShapeError, match=wanted):
        floor.scaled_dot_product_attention(X, X, X, ones(3, 3, kind=kind))


def test_a_mask_of_floats_gets_the_advice_that_means_the_same(floor, ones):
    """One that is added to scores, as torch makes it, and one of ones and zeros."""
    may = np.tri(3, dtype=bool)
    added = torch.nn.Transformer.generate_square_subsequent_mask(3)
    kinds = {"0 and -inf": added.numpy(), "1 and 0": may.astype(np.float32)}
    for holds, mask in kinds.items():
        mask = torch.tensor(mask) if floor is nn else mask
        X = ones(3, 2)
        said = "mask holds float32; expected bool"
        with pytest.raises(ShapeError, match=said) as told:
            floor.scaled_dot_product_attention(X, X, X, mask)
        advice = re.search(rf"(mask == \d) if it holds {holds}", str(told.value))[1]
        assert np.array_equal(eval(advice, {"mask": mask}), may)


def attentions(floor):
    """Every attention that takes a mask, each as a function of x, (..., 5, 8), and the mask."""
    torch.manual_seed(0)
    W = [torch.randn(8, 8) for _ in range(4)]
    narrow = [W[0], W[1][:, :4], W[2][:, :4], W[3]]
    if floor is by_hand:
        W, narrow = ([M.numpy() for M in some] for some in (W, narrow))
    functions = {
        "scaled_dot_product_attention": (),
        "multi_head_attention": (*W, 2),
        "grouped_query_attention": (*narrow, 2, 1),
    }
    found = {
        name: lambda x, mask, call=getattr(floor, name), more=more: call(
            x, x, x, *more, mask
        )
        for name, more in functions.items()
    }
    if floor is by_hand:
        return found
    modules = {  # and how many arrays each reads
        nn.AdditiveAttention(8, 8, 4): 3,
        nn.MultiHeadAttention(8, 2): 3,
        nn.GeneralAttention(8, 2, g=1): 1,
        nn.LatentAttention(8, 2, 4): 1,
    }
    for module, times in modules.items():
        kernel = {} if isinstance(module, nn.AdditiveAttention) else {"kernel": False}
        for way, need in ({"weights": True} | kernel).items():
            options = {} if need else {"need_weights": False}
            found[f"{type(module).__name__}, {way}"] = (
                lambda x, mask, module=module, times=times, options=options: module(
                    *[x] * times, mask=mask, **options
                )
            )
    return found


@pytest.mark.parametrize(
    "shape, mask_shape, advice",
    [
        ((2, 5, 8), (2, 1, 1, 5), r"mask.squeeze\(-3\)"),  # one for the heads
        ((2, 5, 8), (2, 1, 5, 5), r"mask.squeeze\(-3\)"),
        ((2, 5, 8), (2, 2, 5, 5), r"batch=\(2,\)"),
        ((2, 5, 8), (3, 1, 1, 5), r"batch=\(2,\)"),
        ((1, 5, 8), (2, 1, 5), r"batch=\(1,\)"),  # of another batch
        ((5, 8), (2, 1, 5), r"expected \((m|n)"),
        ((5, 8), (1, 1, 5), r"mask.squeeze\(-3\)"),
    ],
)
def test_no_attention_takes_a_mask_that_would_enlarge_the_batch(
    floor, shape, mask_shape, advice
):
    x, mask = torch.randn(shape), torch.ones(mask_shape, dtype=torch.bool)
    mask[..., 3:] = False
    if floor is by_hand:
        x, mask = x.numpy(), mask.numpy()
    for name, attend in attentions(floor).items():
        with pytest.raises(ShapeError, match="mask has shape") as told:
            attend(x, mask)
        assert re.search(advice, str(told.value)), name
        if "squeeze" in advice:
            output, weights = attend(x, mask.squeeze(-3))
            assert output.shape == x.shape
            assert weights is None or not weights[..., 3:].any()


@pytest.mark.parametrize("kind, times", [(nn.EncoderLayer, 1), (nn.DecoderLayer, 2)])
def test_a_layer_says_which_axis_of_a_mask_is_too_many(kind, times):
    x, mask = torch.randn(2, 5, 8), torch.ones(2, 1, 1, 5, dtype=torch.bool)
    layer, given = kind(8, 2, 16), [x] * times
    with pytest.raises(ShapeError, match=r"mask.squeeze\(-3\)"):
        layer(*given, mask)
    assert layer(*given, mask.squeeze(-3))[0].shape == (2, 5, 8)


def test_a_bias_adds_no_axis_either(floor, ones):
    X = ones(3, 4)
    with pytest.raises(ShapeError, match=r"bias has shape \(2, 3, 3\); expected \(m=3"):
        floor.scaled_dot_product_attention(X, X, X, None, ones(2, 3, 3))


def test_arrays_hold_floats(floor, ones):
    with pytest.raises(ShapeError, match="V holds int64; expected float"):
        floor.scaled_dot_product_attention(ones(3, 4), ones(3, 4), ones(3, 4, kind=INT))


def test_floats_are_of_one_kind(floor, ones):
    X = ones(3, 4)
    said = "holds float64; expected float32, like"
    with pytest.raises(ShapeError, match=f"K {said} Q. Convert"):
        floor.scaled_dot_product_attention(X, ones(3, 4, kind=DOUBLE), X)
    W = ones(4, 4)
    with pytest.raises(ShapeError, match=f"W_V {said} queries"):
        floor.multi_head_attention(X, X, X, W, W, ones(4, 4, kind=DOUBLE), W, h=2)


def test_a_list_is_not_an_array(floor, ones):
    said = "Q is a list; expected an? (array|tensor) of shape"
    with pytest.raises(ShapeError, match=said):
        floor.scaled_dot_product_attention([[1.0]], ones(3, 4), ones(3, 4))


def test_the_other_floors_arrays_are_named():
    X, T = np.ones((3, 4)), ONES
    with pytest.raises(ShapeError, match=r"K is a Tensor; .* np.array\(K"):
        by_hand.scaled_dot_product_attention(X, T, X)
    with pytest.raises(ShapeError, match=r"K is a ndarray; .* torch.tensor\(K"):
        nn.scaled_dot_product_attention(T, X, T)


def test_a_projection_of_the_wrong_height(floor, ones):
    X, W = ones(3, 4), ones(4, 4)
    message = r"W_K has shape \(5, 4\); expected \(d_model=4, h_d_k=4\)"
    with pytest.raises(ShapeError, match=message):
        floor.multi_head_attention(X, X, X, W, ones(5, 4), W, W, h=2)


def test_keys_and_values_of_different_lengths(floor, ones):
    X, W = ones(3, 4), ones(4, 4)
    said = r"values has shape \(2, 4\); expected \(..., n=3, d_m"
    with pytest.raises(ShapeError, match=said):
        floor.multi_head_attention(X, X, ones(2, 4), W, W, W, W, h=2)


def test_h_that_does_not_divide_the_width(floor, ones):
    X, W = ones(3, 4), ones(4, 4)
    with pytest.raises(ShapeError, match=r"h is 3 and .* divides the width 4"):
        floor.multi_head_attention(X, X, X, W, W, W, W, h=3)


def test_an_axis_that_is_not_there(floor, ones):
    with pytest.raises(ShapeError, match=r"axis is 2 and x has shape \(3, 4\)"):
        floor.softmax(ones(3, 4), axis=2)


@pytest.mark.parametrize(
    "mask_shape", [(1, 3), (2, 1), (1, 1), (2, 3), (1, 2, 3), (5, 1, 3), (5, 2, 3)]
)
def test_masks_that_broadcast_are_welcome(floor, ones, mask_shape):
    mask = ones(*mask_shape, kind=BOOL)
    arrays = ones(5, 2, 4), ones(3, 4), ones(3, 4), mask
    for options in ({}, {"need_weights": False}) if floor is nn else ({},):
        output, _ = floor.scaled_dot_product_attention(*arrays, **options)
        assert output.shape == (5, 2, 4)


@pytest.mark.parametrize(
    "name, other, message",
    [
        (
            "queries",
            torch.ones(2, 5),
            r"has shape \(2, 5\); expected \(..., m, d_model=4\)",
        ),
        ("values", torch.ones(2, 4), r"has shape \(2, 4\); .* \(..., n=3, d_model=4\)"),
        ("keys", ONES.double(), "holds float64; expected float32, like W_QKV"),
        ("keys", ONES.to("meta"), "is on meta; expected cpu, like W_QKV"),
        ("mask", MASK.to("meta"), "is on meta; expected cpu"),
        ("mask", MASK.long(), r"holds int64; .*mask.to\(torch.bool\)"),
        ("mask", MASK[:, :2], r"has shape \(3, 2\); expected"),
    ],
)
@pytest.mark.parametrize("need_weights", [True, False])
def test_a_module_checks_against_its_weights(name, other, message, need_weights):
    X = ONES
    given = dict(queries=X, keys=X, values=X, mask=None) | {name: other}
    mha = nn.MultiHeadAttention(4, 2)
    with pytest.raises(ShapeError, match=f"MultiHeadAttention: {name} {message}"):
        mha(**given, need_weights=need_weights)
    # A refusal is not remembered against good arguments.
    assert mha(X, X, X)[0].shape == (3, 4)


class Named(nn.MultiHeadAttention):
    pass


class Longer(nn.LatentAttention):
    longest: int = 64


SMALL = TransformerConfig.tiny(9, d_model=4, d_ff=8, h=2, N=1)
INHERITING = {  # and how many arrays each reads
    "subclass": lambda: (Named(4, 2), 3),
    "subclass with annotations": lambda: (Longer(4, 2, 3), 1),
    "LoRA": lambda: (nn.adapt(nn.MultiHeadAttention(4, 2), 1), 3),
    "LoRA of shared heads": lambda: (nn.adapt(nn.GeneralAttention(4, 2, g=1), 1), 1),
    "part of a model": lambda: (
        nn.adapt(nn.LanguageModel(SMALL), 1).layers[0].self_attention,
        1,
    ),
}


@pytest.mark.parametrize("kind", INHERITING)
def test_a_module_checks_against_weights_that_it_inherits(kind):
    (attention, count), X = INHERITING[kind](), torch.ones(3, 4)
    assert attention(*[X] * count)[0].shape == (3, 4)
    first = "queries" if count == 3 else "x"
    with pytest.raises(ShapeError, match=rf"{first} has shape \(3, 5\); .*d_model=4"):
        attention(*[torch.ones(3, 5)] * count)
    with pytest.raises(ShapeError, match=f"{first} holds float64; expected float32"):
        attention(*[X.double()] * count)


def test_a_check_adds_up_no_adapted_matrix():
    (attention, _), X = INHERITING["LoRA"](), torch.ones(3, 4)
    sums, plain = [], type(attention).forward.__wrapped__
    for lora in (part for part in attention.modules() if isinstance(part, nn.LoRA)):
        lora.register_forward_hook(lambda *_: sums.append(1))
    plain(attention, X, X, X)
    alone = len(sums)
    attention(X, X, X)
    assert len(sums) == 2 * alone > 0


def test_a_module_that_changes_its_kind_is_looked_at_again():
    X, mha = torch.ones(3, 4), nn.MultiHeadAttention(4, 2)
    mha(X, X, X)
    mha.double()
    said = "queries holds float32; expected float64, like W_QKV"
    with pytest.raises(ShapeError, match=said):
        mha(X, X, X)
