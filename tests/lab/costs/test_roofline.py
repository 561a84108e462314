"""The counted work of a pass is what torch counts."""

import pytest
import torch
from torch.utils.flop_counter import FlopCounterMode

from transformer_book import nn
from transformer_lab.costs.roofline import layer_work


@pytest.mark.parametrize("m, n, batch", [(1, 1, 1), (7, 7, 1), (1, 9, 3), (4, 6, 2)])
def test_operations_are_those_that_torch_counts(m, n, batch):
    d_model, d_ff = 8, 24
    layer, cache = nn.EncoderLayer(d_model, 2, d_ff), nn.KeyValueCache()
    if n > m:
        cache.extend(*torch.randn(2, batch, 2, n - m, d_model // 2))
    with FlopCounterMode(display=False) as counter, torch.no_grad():
        layer(
            torch.randn(batch, m, d_model), causal=True, cache=cache, need_weights=True
        )
    work = layer_work(m, n, d_model, d_ff, batch)
    assert counter.get_total_flops() == work.flops
    matrices = [p for p in layer.parameters() if p.ndim == 2]
    assert work.bytes == sum(W.nbytes for W in matrices) + cache.nbytes
    assert work.intensity == work.flops / work.bytes
