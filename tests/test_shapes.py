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


@pytest.fixture(params=FLOORS, ids=["by_hand", "nn"])
def floor(request):
    return request.param


@pytest.fixture
def ones(floor):
    """``ones(3, 4)``: floats; ``ones(3, 4, kind=BOOL)``: another kind, each floor's own."""
    return lambda *shape, kind=SINGLE: FLOORS[floor](shape, dtype=kind[floor])


@pytest.mark.parametrize(
    "Q, K, V, mask, message",
    [
        (
            (3, 4),
            (3, 2),
            (3, 4),
            None,
            r"K has shape \(3, 2\); expected \(..., n, d_k=4\)",
        ),
        (
            (3, 4),
            (3, 4),
            (2, 4),
            None,
            r"V has shape \(2, 4\); expected \(..., n=3, d_v\)",
        ),
        ((4,), (3, 4), (3, 4), None, r"Q has shape \(4,\); expected \(..., m, d_k\)"),
        (
            (2, 3, 4),
            (5, 3, 4),
            (3, 4),
            None,
            r"K has shape \(5, 3, 4\); expected \(batch=\(2,\), n, d_k=4\)",
        ),
        (
            (2, 4),
            (3, 4),
            (3, 4),
            (3, 2),
            r"mask has shape \(3, 2\); expected \(m=2 or 1, n=3 or 1\)",
        ),
        (
            (5, 2, 4),
            (5, 3, 4),
            (5, 3, 4),
            (4, 2, 3),
            r"mask has shape \(4, 2, 3\); expected \(batch=\(5,\), m=2 or 1, n=3 or 1\)",
        ),
    ],
)
def test_a_wrong_shape_is_named(floor, ones, Q, K, V, mask, message):
    mask = None if mask is None else ones(*mask, kind=BOOL)
    with pytest.raises(ShapeError, match="scaled_dot_product_attention: " + message):
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
        with pytest.raises(
            ShapeError, match="mask holds float32; expected bool"
        ) as told:
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
    found = {
        "scaled_dot_product_attention": lambda x, mask: (
            floor.scaled_dot_product_attention(x, x, x, mask)
        ),
        "multi_head_attention": lambda x, mask: floor.multi_head_attention(
            x, x, x, *W, 2, mask
        ),
        "grouped_query_attention": lambda x, mask: floor.grouped_query_attention(
            x, x, x, *narrow, 2, 1, mask
        ),
    }
    if floor is by_hand:
        return found
    additive = nn.AdditiveAttention(8, 8, 4)
    modules = [
        nn.MultiHeadAttention(8, 2),
        nn.GeneralAttention(8, 2, g=1),
        nn.LatentAttention(8, 2, 4),
    ]
    for module in (additive, *modules):
        three = isinstance(module, nn.AdditiveAttention | nn.MultiHeadAttention)
        three = three and not isinstance(module, nn.GeneralAttention)
        name, times = type(module).__name__, 3 if three else 1
        found[name] = lambda x, mask, module=module, times=times: module(
            *[x] * times, mask=mask
        )
        if module is not additive:
            found[f"{name}'s kernel"] = lambda x, mask, module=module, times=times: (
                module(*[x] * times, mask=mask, need_weights=False)
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


@pytest.mark.parametrize("made", ["encoder_layer", "decoder_layer"])
def test_a_layer_says_which_axis_of_a_mask_is_too_many(made):
    x, mask = torch.randn(2, 5, 8), torch.ones(2, 1, 1, 5, dtype=torch.bool)
    layer = {"encoder_layer": nn.EncoderLayer, "decoder_layer": nn.DecoderLayer}[made]
    layer = layer(8, 2, 16)
    given = (x,) if made == "encoder_layer" else (x, x)
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
    with pytest.raises(
        ShapeError, match="K holds float64; expected float32, like Q. Convert"
    ):
        floor.scaled_dot_product_attention(X, ones(3, 4, kind=DOUBLE), X)
    with pytest.raises(
        ShapeError, match="W_V holds float64; expected float32, like queries"
    ):
        W = ones(4, 4)
        floor.multi_head_attention(X, X, X, W, W, ones(4, 4, kind=DOUBLE), W, h=2)


def test_a_list_is_not_an_array(floor, ones):
    with pytest.raises(
        ShapeError, match="Q is a list; expected an? (array|tensor) of shape"
    ):
        floor.scaled_dot_product_attention([[1.0]], ones(3, 4), ones(3, 4))


def test_the_other_floors_arrays_are_named():
    X, T = np.ones((3, 4)), torch.ones(3, 4)
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
    with pytest.raises(
        ShapeError, match=r"values has shape \(2, 4\); expected \(..., n=3, d_m"
    ):
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
    output, _ = floor.scaled_dot_product_attention(
        ones(5, 2, 4), ones(3, 4), ones(3, 4), mask
    )
    assert output.shape == (5, 2, 4)
    if floor is nn:
        fast, _ = nn.scaled_dot_product_attention(
            ones(5, 2, 4), ones(3, 4), ones(3, 4), mask, need_weights=False
        )
        assert fast.shape == output.shape


@pytest.mark.parametrize(
    "change, message",
    [
        (
            dict(queries=torch.ones(2, 5)),
            r"queries has shape \(2, 5\); expected \(..., m, d_model=4\)",
        ),
        (
            dict(values=torch.ones(2, 4)),
            r"values has shape \(2, 4\); expected \(..., n=3, d_model=4\)",
        ),
        (
            dict(keys=torch.ones(3, 4).double()),
            "keys holds float64; expected float32, like W_QKV",
        ),
        (
            dict(keys=torch.ones(3, 4, device="meta")),
            "keys is on meta; expected cpu, like W_QKV",
        ),
        (
            dict(mask=torch.ones(3, 3, dtype=torch.bool, device="meta")),
            "mask is on meta; expected cpu",
        ),
        (
            dict(mask=torch.ones(3, 3, dtype=torch.int64)),
            r"mask holds int64; .*mask.to\(torch.bool\)",
        ),
        (
            dict(mask=torch.ones(3, 2, dtype=torch.bool)),
            r"mask has shape \(3, 2\); expected",
        ),
    ],
)
@pytest.mark.parametrize("need_weights", [True, False])
def test_a_module_checks_against_its_weights(change, message, need_weights):
    X = torch.ones(3, 4)
    given = dict(queries=X, keys=X, values=X, mask=None) | change
    mha = nn.MultiHeadAttention(4, 2)
    with pytest.raises(ShapeError, match="MultiHeadAttention: " + message):
        mha(**given, need_weights=need_weights)
    assert mha(X, X, X)[0].shape == (
        3,
        4,
    )  # a refusal is not remembered against good arguments


class Named(nn.MultiHeadAttention):
    pass


class Longer(nn.LatentAttention):
    longest: int = 64


INHERITING = {  # and how many arrays each reads
    "subclass": lambda: (Named(4, 2), 3),
    "subclass with annotations": lambda: (Longer(4, 2, 3), 1),
    "LoRA": lambda: (nn.adapt(nn.MultiHeadAttention(4, 2), 1), 3),
    "LoRA of shared heads": lambda: (nn.adapt(nn.GeneralAttention(4, 2, g=1), 1), 1),
    "part of a model": lambda: (
        nn.adapt(
            nn.LanguageModel(TransformerConfig.tiny(9, d_model=4, d_ff=8, h=2, N=1)), 1
        )
        .layers[0]
        .self_attention,
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
    for lora in attention.modules():
        if isinstance(lora, nn.LoRA):
            lora.register_forward_hook(lambda *_: sums.append(1))
    plain(attention, X, X, X)
    alone = len(sums)
    attention(X, X, X)
    assert len(sums) == 2 * alone > 0


def test_a_module_that_changes_its_kind_is_looked_at_again():
    X, mha = torch.ones(3, 4), nn.MultiHeadAttention(4, 2)
    mha(X, X, X)
    mha.double()
    with pytest.raises(
        ShapeError, match="queries holds float32; expected float64, like W_QKV"
    ):
        mha(X, X, X)
