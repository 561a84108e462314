"""What a step holds, counted: against formulas, torch's profiler, and memory made by hand."""

import gc
from functools import partial

import pytest
import torch

from benchmarks.memory import measure_peak_bytes
from transformer_book import nn, train
from transformer_book.config import TransformerConfig
from transformer_lab.costs import memory


@pytest.mark.parametrize("norm", ["pre", "post"])
@pytest.mark.parametrize("p", [0.0, 0.1])
@pytest.mark.parametrize("sizes", [(32, 4, 64), (128, 2, 512)])
def test_a_layer_keeps_what_the_formula_says_to_the_byte(norm, p, sizes):
    d_model, h, d_ff = sizes
    layer = nn.EncoderLayer(d_model, h, d_ff, p, norm)
    for batch, n in ((1, 16), (4, 64)):
        x = torch.randn(batch, n, d_model, requires_grad=True)
        found = memory.saved_bytes(partial(layer, x, causal=True), layer)
        assert found == 4 * batch * n * memory.numbers_saved_per_token_and_layer(
            d_model, d_ff, h, dropout=p > 0
        )


def test_what_is_kept_has_the_name_of_the_part_that_keeps_it():
    layer = nn.EncoderLayer(32, 4, 64)
    x = torch.randn(2, 8, 32, requires_grad=True)
    found = memory.saved_tensors(lambda: layer(x), layer)
    assert [one for one in found if one.part == "feed_forward"] == [
        ("feed_forward", (16, 32), 2 * 8 * 32 * 4),
        ("feed_forward", (2, 8, 64), 2 * 8 * 64 * 4),
    ]
    assert not any(part._forward_hooks for part in layer.modules())


def test_each_piece_of_memory_counts_once_and_parameters_do_not():
    model = torch.nn.Linear(8, 8)
    x = torch.randn(4, 8, requires_grad=True)

    def call():
        y = model(x)  # keeps x, and W
        return y.exp() * y.exp()[:, :2].sum()  # keeps two exponentials, and a sum

    assert memory.saved_bytes(call, model) == (4 * 8 + 2 * 4 * 8 + 1) * 4


def test_the_most_that_was_held():
    def call():
        a = torch.ones(1000)
        b = a + a  # 8000 bytes
        del a
        b.view(10, 100).add_(1)  # nothing new
        return b + 1  # 8000

    assert memory.peak_bytes(call) == 8000
    assert memory.peak_bytes(lambda: [torch.ones(10) for _ in range(3)]) == 120
    kept = torch.ones(1000)
    assert memory.peak_bytes(lambda: kept.view(-1).add_(1)) == 0


def test_the_most_held_agrees_with_torch_s_profiler():
    torch.manual_seed(0)
    config = TransformerConfig(
        50, 50, d_model=32, d_ff=64, h=4, N=6, dropout=0.1, max_length=64
    )
    model, ids = nn.LanguageModel(config), torch.randint(50, (8, 32))

    def step():
        model.zero_grad()
        model(ids)[0].logsumexp(-1).mean().backward()

    found = {}
    for every in (None, 1, 3):
        if every is None:
            found[every] = memory.peak_bytes(step), measure_peak_bytes(step)
        else:
            with train.recomputing(model, every=every):
                found[every] = memory.peak_bytes(step), measure_peak_bytes(step)
    for ours, theirs in found.values():
        assert abs(ours - theirs) < 0.05 * theirs
    assert found[None][0] > found[3][0] > found[1][0]


def litter():
    """Leave a tensor of 1000 numbers that only the garbage collector can free."""
    ring = [torch.ones(1000)]
    ring.append(ring)
    gc.collect()  # it grows old, so that no small collection frees it


def test_the_profiler_counts_no_garbage_of_earlier():
    turns = iter([litter, gc.collect])  # as if the collector came by meanwhile

    def call():
        next(turns)()
        return torch.ones(500)

    assert measure_peak_bytes(call) == 2000


def test_when_the_collector_runs_changes_nothing():
    def call():
        ring = [torch.ones(1000)]
        ring.append(ring)
        del ring
        rings = [[] for _ in range(20_000)]  # enough for the collector to come by
        return torch.ones(500), rings

    assert measure_peak_bytes(call) == 4000 + 2000
    assert gc.isenabled()


def test_training_with_adam_holds_sixteen_bytes_for_each_parameter():
    model = nn.FeedForward(8, 32)
    adam = torch.optim.Adam(model.parameters(), fused=True)
    model(torch.randn(2, 8)).sum().backward()
    assert memory.training_state_bytes(model, adam)["moments"] == 0
    adam.step()
    P = sum(W.numel() for W in model.parameters())
    assert memory.training_state_bytes(model, adam) == {
        "weights": 4 * P,
        "gradients": 4 * P,
        "moments": 8 * P,
    }
