"""The documented mistakes: what each section finds, against figures of another source."""

import functools

import numpy as np
import pytest
import scipy.special
import torch
from torch.utils.flop_counter import FlopCounterMode

from tests import worked_example as fact
from tests.chapters import mistakes
from transformer_book import by_hand, data, nn

SCORES_1 = np.array([[0, 4, 2], [4, 8, 8], [2, 8, 6]]) / np.sqrt(2)
SCORES_2 = np.array([[3, 4, 5], [2, 0, 2], [4, 4, 6]]) / np.sqrt(2)
ran = functools.partial(mistakes.ran, mistakes.PAPER)


def attend(X, mask=None):
    W = fact.W_Q, fact.W_K, fact.W_V, fact.W_O
    return by_hand.multi_head_attention(X, X, X, *W, h=2, mask=mask)


def close(given, expected, atol=1e-8):
    np.testing.assert_allclose(given, expected, rtol=0, atol=atol)


def differ(a, b):
    return not np.allclose(a, b, atol=1e-3)


def test_the_set_up_is_the_worked_example_and_its_maps_are_as_described():
    page = mistakes.set_up(mistakes.PAPER)
    close(page["S"], [SCORES_1, SCORES_2])
    close(page["A"], [fact.WEIGHTS_1, fact.WEIGHTS_2])
    close(page["H"], fact.H)
    maps = page["maps"]
    for right, mask in (
        ("decoder, right", np.tri(4)),
        ("encoder, right", np.arange(4) < 3),
    ):
        close(maps[right].sum(axis=1), 1)
        np.testing.assert_array_equal(maps[right] > 0, np.broadcast_to(mask, (4, 4)))
    assert not np.isclose(maps["M4, no axis"].sum(axis=1), 1).any()
    assert not np.tril(maps["M5, wrong sign"])[:3].any()
    np.testing.assert_array_equal(maps["M6, past masked"] > 0, np.tri(4).T)
    as_query = maps["M21, padding as a query"]
    assert as_query[:3].all() and not as_query[3].any()


def test_the_checks_of_the_set_up_tell_right_from_wrong():
    obeys, keep = mistakes.set_up(mistakes.PAPER)["obeys"], torch.tensor([True, False])
    for weights in ([1.0, 0], [0.0, 0], [1, 1e-30], [np.nan, 0], [1, np.nan]):
        good = weights in ([1, 0], [0, 0])
        assert (
            obeys(np.array(weights), keep.numpy())
            == obeys(torch.tensor(weights), keep)
            == good
        )
    with pytest.raises(AssertionError, match="did not fail"):
        mistakes.set_up(mistakes.PAPER)["error_of"](lambda: None)


@pytest.mark.parametrize(
    ("name", "second", "cosine"),
    [
        ("wrong", [0.8019618, 0.59737533], 0.86),
        ("right", [0.82185619, 0.56969501], 0.72252),
    ],
)
def test_m1_the_doubled_exponent(name, second, cosine):
    PE = ran(1)["tables"][name]
    close(PE[1, :4], [0.84147098, 0.54030231, *second], atol=5e-8)
    close(PE[1] @ PE[9] / 256, cosine, atol=5e-6)
    still = (np.ptp(PE, axis=0) < 0.01).mean()
    assert 0.45 < still < 0.55 if name == "wrong" else still < 0.2
    still = ((PE[50] - PE[0]).reshape(-1, 2) ** 2).sum(
        axis=1
    ) < 2e-3  # in pairs, 50 positions
    assert still.mean() > 0.6 if name == "wrong" else still.mean() < 0.4


@pytest.mark.parametrize(("d_model", "filled"), [(64, None), (1024, 512), (512, 512)])
def test_m2_a_bound_of_512(d_model, filled):
    encode_to, right = ran(2)["encode_to"], by_hand.positional_encoding(2, d_model)[1]
    assert np.count_nonzero(right) == d_model
    if filled is None:
        with pytest.raises(IndexError):
            encode_to(512, 1, d_model)
    else:
        close(encode_to(512, 1, d_model)[:filled], right[:filled])
        assert np.count_nonzero(encode_to(512, 1, d_model)) == filled


def test_m3_counted_from_1():
    PE = ran(3)["PE"]
    close(PE[1, 1], 0.54030231)
    with pytest.raises(IndexError):
        PE[1, 512]
    assert PE[0, 0] == 0 and PE[0, 511] == 1 and PE.shape[1] - 1 == 511


def test_m4_softmax_without_an_axis():
    page = ran(4)
    close(page["A2_wrong"].sum(axis=1), [0.346, 0.054, 0.601], atol=6e-4)
    H = [
        2.746,
        2.425,
        8.146,
        11.734,
        2.042,
        0.345,
        6.927,
        9.173,
        3.190,
        4.313,
        8.746,
        13.846,
    ]
    close(page["H_wrong"].ravel(), H, atol=6e-4)
    close(page["A2_right"], fact.WEIGHTS_2)
    close(attend(fact.X)[0], fact.H)


def test_m5_a_mask_of_the_wrong_sign():
    close(
        ran(5)["all_cells"], [[0, 0.0551, 0.0134], [0, 0, 0.9316], [0, 0, 0]], atol=6e-5
    )
    close(ran(5)["causal"], fact.CAUSAL_1)
    close(attend(fact.X, by_hand.causal_mask(3))[1], [fact.CAUSAL_1, fact.CAUSAL_2])


def test_m6_the_past_masked():
    close(ran(6)["past_hidden"], [fact.WEIGHTS_1[0], [0, 0.5, 0.5], [0, 0, 1]])
    close(ran(6)["future_hidden"], fact.CAUSAL_1)
    close(attend(fact.X, by_hand.causal_mask(3).T)[1][0], ran(6)["past_hidden"])
    assert by_hand.causal_mask(3).tolist() == [
        [j <= i for j in range(3)] for i in range(3)
    ]


def test_m7_scores_are_not_weights():
    (S, _), (A, _) = ran(7)["S"], ran(7)["A"]
    close(S.max(), 5.65685425)
    close(S.sum(axis=1), np.array([6, 20, 16]) / np.sqrt(2))
    close(by_hand.softmax(SCORES_1), A)
    assert A.max() < 1


def test_m8_word2vec_trains_cbow_unless_told():
    silent, cbow, skip_gram = (
        ran(8)[name][1] for name in ("said_nothing", "cbow", "skip_gram")
    )
    np.testing.assert_array_equal(silent, cbow)
    assert differ(silent, skip_gram)


@pytest.mark.parametrize(
    ("name", "largest", "norm"),
    [("k_dim ** 2", (0.1, 0.102), (0, 0.1)), ("k_dim ** 0.5", (0.2, 1), (5, 500))],
)
def test_m9_the_scale_decides_over_weights_and_gradient(name, largest, norm):
    page = ran(9)
    assert largest[0] < page["largest"][name] < largest[1]
    assert norm[0] < page["gradient"][name] < norm[1]
    Q, K, V = (page[name] for name in ("queries", "keys", "values"))
    assert torch.allclose(
        nn.scaled_dot_product_attention(Q, K, V)[1], page["weights"], atol=1e-6
    )


def test_m10_a_projection_is_no_residual_and_heads_must_be_mixed():
    page, Z = ran(10), np.hstack([fact.Z_1, fact.Z_2])
    assert differ(fact.X @ page["W_C"], fact.X)  # instead of the input
    wrong, scores = page["wrong"](fact.X, fact.W_V)
    close(wrong, Z + fact.X @ page["W_C"], atol=3e-8)
    assert differ(scores[0].sum(axis=1), 1)  # returned as attention
    heard = (Z - np.hstack([fact.Z_1, 0 * fact.Z_2])) @ fact.W_O
    assert heard.all()  # W_O: every column hears of head 2
    close(page["right"](fact.X, fact.W_V)[0] - fact.X, attend(fact.X)[0])


def test_m11_every_head_takes_the_same_slice():
    close(ran(11)["wrong"], np.hstack([fact.Z_1, fact.Z_1]))
    close(ran(11)["right"], np.hstack([fact.Z_1, fact.Z_2]))


@pytest.mark.parametrize(("divisor", "variance"), [(512, 1 / 8), (64, 1)])
def test_m12_the_variance_of_scores(divisor, variance):
    Q, K, scores = (ran(12)[name] for name in ("Q_h", "K_h", "products"))
    assert np.var(scores / np.sqrt(divisor)) == pytest.approx(variance, rel=0.1)
    _, weights = by_hand.scaled_dot_product_attention(Q, K, K)
    wanted = scipy.special.softmax(scores / np.sqrt(divisor), axis=-1)
    assert np.allclose(weights, wanted, rtol=0, atol=1e-8) == (variance == 1)


def test_m13_np_softmax_and_two_halves():
    assert not hasattr(np, "softmax")
    page = ran(13)
    assert page["first"].shape == page["second"].shape == (2, 4)
    close(np.vstack([page["first"], page["second"]]), attend(page["four"])[0])


def test_m14_one_clock():
    one_clock = ran(14)["one_clock"]
    np.testing.assert_array_equal(one_clock(5 - 8), one_clock(8 - 5))
    close(one_clock(44)[0], 0.0177, atol=5e-5)
    sines, cosines = by_hand.positional_encoding(4, 512)[3].reshape(-1, 2).T
    close(ran(14)["many_clocks"](3), [*sines, *cosines])


@pytest.mark.parametrize(
    ("layers", "d", "h", "total"),
    [(8, 768, 12, 81_130_752), (12, 768, 12, 109_482_240), (24, 1024, 16, 335_141_888)],
)
def test_m15_the_layers_of_bert(layers, d, h, total):
    with torch.device("meta"):  # counted by torch, not by a formula
        parts = [torch.nn.Embedding(size, d) for size in (30_522, 512, 2)]
        parts += [torch.nn.LayerNorm(d), torch.nn.Linear(d, d)]
        parts += [torch.nn.TransformerEncoderLayer(d, h, 4 * d) for _ in range(layers)]
    assert sum(p.numel() for part in parts for p in part.parameters()) == total
    assert ran(15)["parameters"](layers, d) == total
    assert (abs(total / {768: 110e6, 1024: 340e6}[d] - 1) < 0.02) == (layers != 8)


@pytest.mark.parametrize("h", [1, 8, 16])
def test_m17_heads_save_nothing(h):
    n, d = 10, 64
    attention = torch.nn.MultiheadAttention(d, h, bias=False, batch_first=True)
    x = torch.zeros(1, n, d)
    with FlopCounterMode(display=False) as counter:
        _, weights = attention(x, x, x, average_attn_weights=False)
    assert counter.get_total_flops() == 2 * (4 * n * d**2 + 2 * n**2 * d)
    assert sum(p.numel() for p in attention.parameters()) == 4 * d**2
    assert sum(p.numel() for p in nn.MultiHeadAttention(d, h).parameters()) == 4 * d**2
    assert weights.numel() == h * n**2


def test_m20_a_large_number_for_infinity():
    page = ran(20)
    assert torch.equal(page["empty"]["the package"], torch.zeros(3))
    overflow = page["error_of"](lambda: page["half"].masked_fill(page["hidden"], -1e9))
    assert overflow.startswith("RuntimeError") and "overflow" in overflow
    # Instead of the score, even -10,000 leaves a uniform row; added, it changes nothing (the page).
    assert torch.allclose(
        torch.softmax(torch.full((3,), -1e4), -1), torch.tensor(1 / 3)
    )


def test_m21_padding_masked_as_a_query():
    output, right = attend(ran(21)["padded"], ran(21)["keys_hidden"])
    close(right[0, :, :3, :3], [fact.WEIGHTS_1, fact.WEIGHTS_2])
    close(output[0, :3], fact.H)


def test_m25_true_keeps_in_one_and_hides_in_the_other():
    wrong, right, keep = ran(25)["wrong"][0], ran(25)["right"][0], ran(25)["keep"]
    assert wrong[2].isnan().all() and wrong[0, 0] == 0 and wrong[0, 1] > 0
    assert (
        right[0].tolist() == [1, 0, 0]
        and (right[keep] > 0).all()
        and not right[~keep].any()
    )
    x = torch.from_numpy(fact.X)[None]
    kept = torch.nn.functional.scaled_dot_product_attention(x, x, x, attn_mask=keep)
    close(kept[0], nn.scaled_dot_product_attention(x, x, x, keep)[0][0])


def test_m27_ids_of_another_tokeniser():
    tokens, ids, vocabulary = (
        ran(27)[name] for name in ("tokens", "printed_ids", "vocabulary")
    )
    assert len(tokens) == 13 and len(ids) == 15
    with pytest.raises(data.DataError, match="no id 1996"):
        vocabulary.tokens(ids)


def test_m28_matrices_of_different_heads():
    mixed = fact.X @ fact.W_Q1 @ (fact.X @ fact.W_K2).T / np.sqrt(2)
    close(ran(28)["mixed"], mixed)
    assert differ(mixed, SCORES_1) and differ(mixed, SCORES_2)
    close(fact.X @ fact.W_Q2 @ (fact.X @ fact.W_K2).T / np.sqrt(2), SCORES_2)
