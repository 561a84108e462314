"""The counted work of a pass is what torch counts; published sizes give the published parameters."""

import pytest
import torch
from torch.utils.flop_counter import FlopCounterMode

from transformer_book import nn
from transformer_lab import published
from transformer_lab.roofline import layer_work


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


def test_published_parameters():
    from transformers import GPT2Config, GPT2LMHeadModel

    with torch.device("meta"):
        gpt2 = GPT2LMHeadModel(GPT2Config())
    assert published.GPT2.parameters == sum(p.numel() for p in gpt2.parameters())


@pytest.mark.parametrize("sizes", [published.LLAMA_2_70B, published.QWEN3_32B])
def test_parameters_are_those_of_transformers_class(sizes):
    from transformers import LlamaConfig, LlamaForCausalLM

    with torch.device("meta"):
        model = LlamaForCausalLM(
            LlamaConfig(
                vocab_size=sizes.words,
                hidden_size=sizes.d_model,
                intermediate_size=sizes.d_ff,
                num_hidden_layers=sizes.N,
                num_attention_heads=sizes.h,
                num_key_value_heads=sizes.g,
                head_dim=sizes.d_k,
            )
        )
    assert sizes.parameters == sum(p.numel() for p in model.parameters())


def test_parameters_with_experts_are_those_of_transformers_class():
    from transformers import MixtralConfig, MixtralForCausalLM

    sizes = published.MIXTRAL_8X7B
    with torch.device("meta"):
        model = MixtralForCausalLM(
            MixtralConfig(
                vocab_size=sizes.words,
                hidden_size=sizes.d_model,
                intermediate_size=sizes.d_ff,
                num_hidden_layers=sizes.N,
                num_attention_heads=sizes.h,
                num_key_value_heads=sizes.g,
                num_local_experts=sizes.experts,
                num_experts_per_tok=sizes.active,
            )
        )
    assert sizes.parameters == sum(p.numel() for p in model.parameters())
    experts = model.model.layers[0].mlp.experts
    one = sum(p.numel() for p in experts.parameters()) // 8
    assert sizes.parameters - sizes.active_parameters == 32 * 6 * one
    # The figures of the paper's section 3, in billions.
    assert round(sizes.parameters / 1e9) == 47
    assert round(sizes.active_parameters / 1e9) == 13


def test_a_cache_has_the_bytes_of_the_formula():
    assert published.LLAMA_2_70B.cache_bytes() == 2 * 80 * 8 * 128 * 2
    cache = nn.LanguageModelCache(2)
    for layer in cache.layers:
        layer.extend(*torch.randn(2, 1, 5, 4 * 32))
    assert cache.nbytes == 2 * 2 * 5 * 4 * 32 * 4
