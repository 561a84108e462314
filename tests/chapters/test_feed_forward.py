"""What the chapter on the feed-forward network claims of the package's own."""

import numpy as np
import pytest
import torch
from torch.utils.flop_counter import FlopCounterMode

from transformer_book import by_hand, nn


def network(d_model=6, d_ff=10, seed=0):
    """A network in double precision whose biases are not 0."""
    torch.manual_seed(seed)
    ffn = nn.FeedForward(d_model, d_ff).double()
    for parameter in ffn.parameters():
        torch.nn.init.normal_(parameter)
    return ffn


def on_both_floors(ffn):
    weights = [p.detach().numpy() for p in (ffn.W_1, ffn.b_1, ffn.W_2, ffn.b_2)]
    return ffn, lambda x: torch.tensor(by_hand.feed_forward(x.numpy(), *weights))


def size(module):
    return sum(p.numel() for p in module.parameters())


def test_two_convolutions_with_kernel_size_1_are_the_network_forward_and_backward():
    ffn, x = network(), torch.randn(3, 7, 6).double()
    first, second = (
        torch.nn.Conv1d(6, 10, 1).double(),
        torch.nn.Conv1d(10, 6, 1).double(),
    )
    with torch.no_grad():
        first.weight.copy_(ffn.W_1.T[..., None])
        first.bias.copy_(ffn.b_1)
        second.weight.copy_(ffn.W_2.T[..., None])
        second.bias.copy_(ffn.b_2)
    inputs = [x.clone().requires_grad_() for _ in range(2)]
    ours, theirs = ffn(inputs[0]), second(first(inputs[1].mT).relu()).mT
    torch.testing.assert_close(ours, theirs)
    direction = torch.randn(ours.shape).double()
    for output in (ours, theirs):
        (output * direction).sum().backward()
    torch.testing.assert_close(inputs[0].grad, inputs[1].grad)
    for parameter, peer in ((ffn.W_1, first.weight), (ffn.W_2, second.weight)):
        torch.testing.assert_close(parameter.grad, peer.grad[..., 0].T)
    for parameter, peer in ((ffn.b_1, first.bias), (ffn.b_2, second.bias)):
        torch.testing.assert_close(parameter.grad, peer.grad)


@pytest.mark.parametrize("floor", [0, 1], ids=["nn", "by_hand"])
def test_one_changed_position_moves_its_own_output_and_not_a_bit_of_any_other(floor):
    f, x = on_both_floors(network())[floor], torch.randn(2, 9, 6).double()
    with torch.no_grad():
        for j in range(9):
            changed = x.clone()
            changed[:, j] += 1
            moved = (f(changed) != f(x)).any(dim=-1)
            assert torch.equal(moved, (torch.arange(9) == j).expand(2, -1))


@pytest.mark.parametrize("floor", [0, 1], ids=["nn", "by_hand"])
def test_every_position_meets_the_same_network(floor):
    f, x = on_both_floors(network())[floor], torch.randn(2, 9, 6).double()
    with torch.no_grad():
        torch.testing.assert_close(
            f(x), torch.stack([f(v) for v in x.unbind(1)], dim=1)
        )


def test_without_the_bend_it_is_one_linear_map():
    ffn, x = network(), torch.randn(4, 6).double()
    ffn.activation = lambda z: z
    W, b = ffn.W_1 @ ffn.W_2, ffn.b_1 @ ffn.W_2 + ffn.b_2
    torch.testing.assert_close(ffn(x), x @ W + b)
    ffn.activation = torch.relu
    assert not torch.allclose(ffn(x), x @ W + b)


def test_two_hidden_units_do_what_no_weighted_sum_can():
    x = np.array([[1.0, 1], [1, -1], [-1, 1], [-1, -1]])
    wanted = np.array([1.0, -1, -1, 1])
    with_1 = np.hstack([x, np.ones((4, 1))])
    best, *_ = np.linalg.lstsq(with_1, wanted, rcond=None)
    np.testing.assert_allclose(with_1 @ best, 0, atol=1e-12)
    W_1, W_2 = np.array([[1.0, -1], [1, -1]]), np.array([[1.0, 0], [1, 0]])
    arguments = (x, W_1, np.zeros(2), W_2, np.array([-1.0, 0]))
    np.testing.assert_array_equal(by_hand.feed_forward(*arguments)[:, 0], wanted)
    on_tensors = nn.feed_forward(*map(torch.tensor, arguments))
    np.testing.assert_array_equal(on_tensors[:, 0], wanted)


def test_it_holds_two_thirds_of_an_encoder_layer_and_half_of_a_decoder_layer():
    c = nn.TransformerConfig.base()
    for layer, share in ((nn.EncoderLayer, 2 / 3), (nn.DecoderLayer, 1 / 2)):
        with torch.device("meta"):
            one = layer(c.d_model, c.h, c.d_ff)
        assert size(one.feed_forward) / size(one) == pytest.approx(share, abs=1e-3)


@pytest.mark.parametrize("preset", ["base", "big"])
def test_attention_overtakes_it_at_d_ff_minus_twice_d_model(preset):
    c = getattr(nn.TransformerConfig, preset)()
    with torch.device("meta"):
        layer = nn.EncoderLayer(c.d_model, c.h, c.d_ff)

    def work(n):
        with FlopCounterMode(display=False) as counter, torch.no_grad():
            layer(torch.empty(1, n, c.d_model, device="meta"), need_weights=True)
        parts = counter.get_flop_counts()
        return [
            sum(parts[f"EncoderLayer.{name}"].values())
            for name in ("self_attention", "feed_forward")
        ]

    n = c.d_ff - 2 * c.d_model
    before, equal, after = work(n - 1), work(n), work(n + 1)
    assert before[0] < before[1] and equal[0] == equal[1] and after[0] > after[1]
