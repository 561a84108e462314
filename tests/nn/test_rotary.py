"""RoPE against ``transformers``' Llama, complex numbers, and the floor of NumPy."""

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from transformers import LlamaConfig
from transformers.modeling_rope_utils import ROPE_INIT_FUNCTIONS
from transformers.models.llama.modeling_llama import (
    LlamaRotaryEmbedding,
    apply_rotary_pos_emb,
)

from tests.nn.cases import close, gradients, tensors
from transformer_book import by_hand, nn
from transformer_book.options import ConfigError
from transformer_book.shapes import ShapeError

seeds = st.integers(0, 2**32 - 1)
layouts = st.sampled_from(["interleaved", "half"])


def llama(d_k, base=10_000.0, trained=2_048, **scaling):
    """A configuration of ``transformers`` with heads of this width."""
    kind = {"rope_type": "default", "rope_theta": base, **scaling}
    return LlamaConfig(
        hidden_size=4 * d_k,
        num_attention_heads=4,
        head_dim=d_k,
        max_position_embeddings=trained,
        rope_parameters=kind,
    )


@pytest.mark.parametrize("d_k, base", [(2, 10_000.0), (8, 10_000.0), (64, 500_000.0)])
def test_the_halves_are_turned_as_llama_turns_them(d_k, base):
    Q, K = tensors(0, (2, 4, 7, d_k), (2, 4, 7, d_k), dtype=torch.float32)
    at = torch.tensor([[0, 1, 2, 3, 4, 5, 6], [9, 10, 11, 12, 13, 200, 1000]])
    expected = apply_rotary_pos_emb(
        Q, K, *LlamaRotaryEmbedding(llama(d_k, base))(Q, at)
    )
    frequencies = nn.rope_frequencies(d_k, base)
    for x, wanted in zip((Q, K), expected):
        close(nn.rotate(x, at[:, None], frequencies, "half"), wanted, 3e-4)
        close(nn.rotate(x[..., :5, :], at[:, None, :5], frequencies, "half"),
              wanted[..., :5, :], 3e-6)  # fmt: skip


@given(seeds, st.integers(1, 4), st.integers(0, 10_000))
def test_interleaved_pairs_are_complex_numbers_that_turn(seed, pairs, start):
    (x,) = tensors(seed, (2, 3, 2 * pairs))
    at = torch.arange(start, start + 3)
    frequencies = 10_000.0 ** (-torch.arange(pairs).double() / pairs)
    turn = torch.polar(torch.ones(3, pairs).double(), at[:, None] * frequencies)
    expected = torch.view_as_real(
        torch.view_as_complex(x.unflatten(-1, (-1, 2))) * turn
    )
    close(nn.rope_frequencies(2 * pairs), frequencies, 1e-12)
    close(nn.rotate(x, at, nn.rope_frequencies(2 * pairs)), expected.flatten(-2), 1e-9)


@given(seeds, st.integers(1, 4), layouts, st.integers(0, 99))
def test_both_floors_agree_and_the_gradient_turns_back(seed, pairs, layout, start):
    (x,) = tensors(seed, (2, 3, 2 * pairs))
    at = torch.tensor([[start, start + 1, start + 2], [7, 8, 5]])
    turned = nn.rotate(x, at, nn.rope_frequencies(2 * pairs), layout)
    omega = by_hand.rope_frequencies(2 * pairs)
    close(turned, by_hand.rotate(x.detach().numpy(), at.numpy(), omega, layout), 1e-12)
    (pull,) = tensors(seed, turned.shape)
    back = nn.rotate(pull.detach(), -at, nn.rope_frequencies(2 * pairs), layout)
    close(gradients(turned, (x,), seed)[0], back, 1e-12)


@given(seeds, layouts, st.integers(0, 50), st.integers(0, 50), st.integers(0, 5_000))
def test_scores_depend_on_the_distance_alone(seed, layout, i, j, shift):
    q, k = (x.detach() for x in tensors(seed, (1, 8), (1, 8)))

    def score(i, j):
        at, omega = torch.tensor([[i], [j]]), nn.rope_frequencies(8)
        return nn.rotate(q, at[0], omega, layout) @ nn.rotate(k, at[1], omega, layout).T

    close(score(i, j), score(i + shift, j + shift), 1e-9)


@pytest.mark.parametrize("d_k", [8, 32, 64, 128])
@pytest.mark.parametrize("factor", [1.0, 2.0, 7.5, 32.0])
@pytest.mark.parametrize("base, trained", [(10_000.0, 4_096), (500_000.0, 64)])
def test_scaled_frequencies_are_those_of_transformers(d_k, factor, base, trained):
    def theirs(kind, factor, seq_len=None, **more):
        given = llama(d_k, base, trained, rope_type=kind, factor=factor, **more)
        return ROPE_INIT_FUNCTIONS[kind](given, "cpu", seq_len)

    def same(ours, wanted):
        np.testing.assert_allclose(ours, wanted, rtol=2e-5)

    same(nn.linear_frequencies(d_k, factor, base), theirs("linear", factor)[0])
    # "dynamic" takes the factor from the text's length; with factor 1 it is length / trained.
    wanted, _ = theirs("dynamic", 1.0, int(factor * trained))
    same(nn.ntk_frequencies(d_k, factor, base), wanted)
    more = {"original_max_position_embeddings": trained}
    wanted, sharper = theirs("yarn", factor, **more)
    ours, attention = nn.yarn_frequencies(d_k, factor, trained, base)
    same(ours, wanted)
    assert attention == pytest.approx(sharper)
    if factor > 1:
        assert not np.allclose(ours, nn.linear_frequencies(d_k, factor, base))


def test_the_slowest_is_divided_by_the_factor_and_the_fastest_kept():
    plain = by_hand.rope_frequencies(64)
    ntk, (yarn, _) = (
        by_hand.ntk_frequencies(64, 4.0),
        by_hand.yarn_frequencies(64, 4.0, 2_048),
    )
    for scaled in (ntk, yarn):
        np.testing.assert_allclose(scaled[[0, -1]] / plain[[0, -1]], [1, 1 / 4])
    np.testing.assert_allclose(by_hand.linear_frequencies(64, 4.0), plain / 4)


def test_angles_stay_exact_in_half_precision():
    positions, at = nn.RotaryPositions(8).to(torch.bfloat16), torch.tensor([4_097])
    x = torch.ones(1, 1, 8, dtype=torch.bfloat16)
    close(positions.rotate(x, at).float(),
          nn.rotate(x.float(), at, nn.rope_frequencies(8)), 1e-2)  # fmt: skip


@pytest.mark.parametrize("floor", [by_hand, nn])
@pytest.mark.parametrize(
    "call, error, said",
    [
        (
            lambda f, x, at: f.rope_frequencies(7),
            ShapeError,
            "d_k is 7; expected an even number",
        ),
        (
            lambda f, x, at: f.rope_frequencies(4.0),
            ShapeError,
            "d_k is 4.0; expected an even",
        ),
        (
            lambda f, x, at: f.rotate(x, at, f.rope_frequencies(6)),
            ShapeError,
            "x is 4 wide and there are 3 frequencies; expected one for every two",
        ),
        (
            lambda f, x, at: f.rotate(x, at, f.rope_frequencies(4), "halves"),
            ConfigError,
            "layout is 'halves'; expected one of",
        ),
        (
            lambda f, x, at: f.rotate(x, at[:1], f.rope_frequencies(4)),
            ShapeError,
            r"positions has shape \(1,\); expected \(..., n=2\)",
        ),
        (
            lambda f, x, at: f.linear_frequencies(4, 0.5),
            ConfigError,
            "factor is 0.5; expected",
        ),
        (
            lambda f, x, at: f.yarn_frequencies(4, 0, 9),
            ConfigError,
            "factor is 0; expected",
        ),
        (
            lambda f, x, at: f.ntk_frequencies(2, 2),
            ShapeError,
            "d_k is 2; expected at least 4",
        ),
    ],
)
def test_bad_input_is_one_clear_error(floor, call, error, said):
    x, at = np.ones((2, 4)), np.arange(2)
    if floor is nn:
        x, at = torch.from_numpy(x), torch.from_numpy(at)
    with pytest.raises(error, match=said):
        call(floor, x, at)
