"""A mixture of experts against ``transformers``' Mixtral, and against the dense network it is made of."""

from functools import partial

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from transformers import MixtralConfig
from transformers.models.mixtral.modeling_mixtral import (
    MixtralSparseMoeBlock,
    load_balancing_loss_func,
)

from tests.nn.cases import close, tensors
from transformer_book import by_hand, nn
from transformer_book.config import ConfigError, TransformerConfig
from transformer_book.shapes import ShapeError

seeds = st.integers(0, 2**32 - 1)


class Gated(torch.nn.Module):
    """An expert as Mixtral has it: three matrices, no biases, silu of one product times the other."""

    def __init__(self, d_model, d_ff):
        super().__init__()
        shapes = (d_model, d_ff), (d_model, d_ff), (d_ff, d_model)
        self.W_gate, self.W_up, self.W_down = (
            torch.nn.Parameter(torch.randn(shape) / shape[0] ** 0.5) for shape in shapes
        )

    def forward(self, x):
        gate = torch.nn.functional.silu(x @ self.W_gate)
        return (gate * (x @ self.W_up)) @ self.W_down


def mixtral(ours):
    """Mixtral's own block with the weights of a mixture of gated experts."""
    d_model, d_ff = ours.experts[0].W_up.shape
    config = MixtralConfig(
        hidden_size=d_model,
        intermediate_size=d_ff,
        num_local_experts=len(ours.experts),
        num_experts_per_tok=ours.active,
    )
    config._experts_implementation = "eager"
    peer = MixtralSparseMoeBlock(config).to(ours.W_router.dtype)
    with torch.no_grad():
        peer.gate.weight.copy_(ours.W_router.T)
        for i, one in enumerate(ours.experts):
            both = torch.cat([one.W_gate, one.W_up], dim=1)
            peer.experts.gate_up_proj[i].copy_(both.T)
            peer.experts.down_proj[i].copy_(one.W_down.T)
    return peer


@pytest.mark.parametrize("experts, active", [(4, 2), (8, 2), (3, 3), (5, 4)])
def test_it_is_mixtral_s_block_forward_and_backward(experts, active):
    torch.manual_seed(experts)
    ours = nn.MixtureOfExperts(12, 20, experts, active, expert=Gated)
    peer, x = mixtral(ours), torch.randn(3, 7, 12)
    mine, theirs = x.clone().requires_grad_(), x.clone().requires_grad_()
    close(ours(mine), peer(theirs), 1e-6)
    pull = torch.randn(3, 7, 12)
    ours(mine).backward(pull)
    peer(theirs).backward(pull)
    close(mine.grad, theirs.grad, 1e-5)
    close(ours.W_router.grad.T, peer.gate.weight.grad, 1e-5)
    for i, one in enumerate(ours.experts):
        both = torch.cat([one.W_gate.grad, one.W_up.grad], dim=1)
        close(both.T, peer.experts.gate_up_proj.grad[i], 1e-5)
        close(one.W_down.grad.T, peer.experts.down_proj.grad[i], 1e-5)


@given(seeds, st.integers(2, 6), st.integers(1, 3), st.integers(1, 9))
@settings(max_examples=50)
def test_the_balancing_loss_is_transformers_divided_by_the_choices(
    seed, experts, active, words
):
    active = min(active, experts)
    (logits,) = tensors(seed, (words, experts), dtype=torch.float32)
    theirs = load_balancing_loss_func((logits,), experts, active)
    P = logits.softmax(-1)
    close(nn.balancing_loss(P, active) * active, theirs, 1e-5)
    by = by_hand.balancing_loss(P.detach().numpy(), active)
    assert by * active == pytest.approx(theirs.item(), rel=1e-5)


@st.composite
def routings(draw):
    experts = draw(st.integers(1, 6))
    words = draw(st.integers(1, 12))
    capacity = draw(st.none() | st.integers(1, words))
    x, W = tensors(draw(seeds), (words, 4), (4, experts))
    return x, W, draw(st.integers(1, experts)), capacity


@given(routings())
@settings(max_examples=150)
def test_weights_sum_to_at_most_1_and_no_expert_takes_more_than_its_capacity(routing):
    x, W, active, capacity = routing
    weights, P = (t.detach() for t in nn.route(x, W, active, capacity))
    assert (weights >= 0).all() and (weights.sum(-1) <= 1 + 1e-9).all()
    taken, whole = weights > 0, nn.route(x, W, active)[0]
    assert (taken.sum(-1) <= active).all()
    assert (taken.sum(0) <= (capacity or len(x))).all()
    close(weights, torch.where(taken, whole, 0), 1e-12)  # kept ones are as they were
    if capacity is None:
        assert (taken.sum(-1) == active).all()
        ones = torch.ones(len(x)) if active > 1 else P.max(-1).values
        close(weights.sum(-1), ones, 1e-9)


def queued(P, active, capacity):
    """Who gets in, one choice after the other, in loops: first choices first."""
    order = P.argsort(axis=-1)[:, ::-1]
    taken, room = np.zeros_like(P, dtype=bool), [capacity] * P.shape[-1]
    for rank in range(active):
        for word, experts in enumerate(order):
            i = experts[rank]
            if room[i]:
                room[i], taken[word, i] = room[i] - 1, True
    return taken


@given(routings(), st.integers(1, 12))
@settings(max_examples=150)
def test_both_floors_drop_the_same_words_as_a_queue_does(routing, capacity):
    x, W, active, _ = routing
    weights, P = nn.route(x, W, active, capacity)
    by = by_hand.route(x.detach().numpy(), W.detach().numpy(), active, capacity)
    for mine, other in zip((weights, P), by):
        close(mine, other, 1e-12)
    wanted = queued(P.detach().numpy(), active, capacity)
    assert np.array_equal(weights.detach().numpy() > 0, wanted)


@given(routings())
@settings(max_examples=80)
def test_both_floors_give_what_a_loop_over_words_and_experts_gives(routing):
    x, W, active, capacity = routing
    M = tensors(len(x), *[(4, 4)] * W.shape[-1])
    experts = [partial(torch.matmul, other=m) for m in M]
    output, weights = nn.mixture_of_experts(x, W, experts, active, capacity)
    wanted = sum(
        w.unsqueeze(-1) * expert(x)
        for w, expert in zip(nn.route(x, W, active, capacity)[0].T, experts)
    )
    close(output, wanted, 1e-10)
    x, W, *arrays = (m.detach().numpy() for m in (x, W, *M))
    multiply = [lambda rows, m=m: rows @ m for m in arrays]
    by, w = by_hand.mixture_of_experts(x, W, multiply, active, capacity)
    close(by, wanted, 1e-10)
    close(weights, w, 1e-12)


def sliced(dense, E):
    """The hidden units of a dense network in E parts, whose mean is the whole."""
    W_1, b_1, W_2, b_2 = dense
    return [
        partial(nn.feed_forward, W_1=a, b_1=b, W_2=E * c, b_2=b_2)
        for a, b, c in zip(W_1.chunk(E, 1), b_1.chunk(E), W_2.chunk(E))
    ]


@pytest.mark.parametrize("E", [1, 2, 3, 6])
def test_slices_of_a_dense_network_are_that_network_when_all_are_active(E):
    x, *dense = tensors(E, (2, 5, 4), (4, 12), (12,), (12, 4), (4,))
    router = torch.zeros(4, E).double()  # so all weights are 1/E
    output, _ = nn.mixture_of_experts(x, router, sliced(dense, E), E)
    wanted = nn.feed_forward(x, *dense)
    close(output, wanted, 1e-12)
    (pull,) = tensors(7, output.shape)
    both = (torch.autograd.grad(y, [x, *dense], pull) for y in (output, wanted))
    for mine, theirs in zip(*both):
        close(mine, theirs, 1e-12)
    x, *dense = (t.detach().numpy() for t in (x, *dense))
    parts = sliced([torch.tensor(array) for array in dense], E)
    experts = [
        partial(
            by_hand.feed_forward, **{k: v.numpy() for k, v in part.keywords.items()}
        )
        for part in parts
    ]
    by, _ = by_hand.mixture_of_experts(x, np.zeros((4, E)), experts, E)
    close(by, wanted, 1e-12)


@pytest.mark.parametrize("active", [2, 3, 4])
def test_equal_experts_are_one_network_whatever_the_router_says(active):
    x, W, *dense = tensors(0, (2, 5, 4), (4, 4), (4, 6), (6,), (6, 4), (4,))
    one = partial(nn.feed_forward, **dict(zip(("W_1", "b_1", "W_2", "b_2"), dense)))
    output, _ = nn.mixture_of_experts(x, W, [one] * 4, active)
    wanted = nn.feed_forward(x, *dense)
    close(output, wanted, 1e-12)
    (pull,) = tensors(7, output.shape)
    mine, of_router, *of_dense = torch.autograd.grad(output, [x, W, *dense], pull)
    expected = torch.autograd.grad(wanted, [x, *dense], pull)
    for given_, theirs in zip((mine, *of_dense), expected):
        close(given_, theirs, 1e-12)
    close(of_router, torch.zeros_like(W), 1e-12)


def test_a_single_expert_keeps_its_probability_so_that_the_router_learns():
    made = nn.MixtureOfExperts(6, 8, 4, 1).double()
    (x,) = tensors(1, (9, 6))
    made(x).square().sum().backward()
    assert made.W_router.grad.abs().max() > 1e-3
    weights, P = made.route(x)
    close(weights.sum(-1), P.max(-1).values, 1e-12)


def test_a_dropped_word_gets_0():
    made = nn.MixtureOfExperts(6, 8, 3, 1, capacity=1).double()
    x = torch.ones(4, 6).double()  # all want the same expert
    output = made(x)
    assert output[0].abs().max() > 0 and not output[1:].any()


def test_an_expert_without_words_is_not_called():
    def never(rows):
        raise AssertionError("called")

    W = torch.tensor([[5.0, -5.0]])
    experts = [lambda rows: 2 * rows, never]
    output, _ = nn.mixture_of_experts(torch.ones(3, 1), W, experts, 1)
    assert (output > 1.9).all()


def test_the_balancing_loss_is_1_where_all_get_as_many():
    P = np.eye(4)[[0, 1, 2, 3, 3, 2, 1, 0]] * 0.6 + 0.1
    assert by_hand.balancing_loss(P, 1) == pytest.approx(1)
    all_to_one = np.eye(4)[[0] * 8]
    assert by_hand.balancing_loss(all_to_one, 1) == pytest.approx(4)


@pytest.mark.parametrize("active", [0, 5, 2.0, "2"])
def test_active_must_be_among_the_experts(active):
    said = f"active is {active!r} and there are 4 experts; expected .* 1 to 4"
    with pytest.raises(ConfigError, match=said):
        nn.MixtureOfExperts(8, 8, 4, active)
    for floor, ones in ((nn, torch.ones), (by_hand, np.ones)):
        with pytest.raises(ConfigError, match=said):
            floor.route(ones((2, 8)), ones((8, 4)), active)
        with pytest.raises(ConfigError, match=said):
            floor.balancing_loss(ones((2, 4)), active)
    with pytest.raises(ConfigError, match=f"active is {active!r}; expected"):
        TransformerConfig.base(experts=4, active=active)


def test_bad_input_is_one_clear_error():
    for floor, ones in ((nn, torch.ones), (by_hand, np.ones)):
        x, W = ones((2, 8)), ones((8, 4))
        with pytest.raises(ShapeError, match="3 experts and a W_router of 4 columns"):
            floor.mixture_of_experts(x, W, [None] * 3, 1)
        with pytest.raises(ConfigError, match="capacity is 0; expected None, or a"):
            floor.route(x, W, 1, 0)
    with pytest.raises(ConfigError, match="experts is 0; expected a number of experts"):
        nn.MixtureOfExperts(8, 8, 0, 1)


def test_experts_and_active_come_together():
    with pytest.raises(ConfigError, match="active is 2; expected None, as experts is"):
        TransformerConfig.base(active=2)
    with pytest.raises(ConfigError, match="active is None; expected 1 to 4"):
        TransformerConfig.base(experts=4)
