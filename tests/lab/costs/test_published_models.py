"""Sizes of published models give the published parameters, and the bytes of a cache."""

import pytest
import torch
import transformers as t

from transformer_book import nn
from transformer_book.nn import families
from transformer_lab.costs import published_models
from transformer_lab.language import masked_and_causal


def test_published_parameters():
    from transformers import GPT2Config, GPT2LMHeadModel

    with torch.device("meta"):
        gpt2 = GPT2LMHeadModel(GPT2Config())
    assert published_models.GPT2.parameters == sum(p.numel() for p in gpt2.parameters())


@pytest.mark.parametrize(
    "sizes", [published_models.LLAMA_2_70B, published_models.QWEN3_32B]
)
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

    sizes = published_models.MIXTRAL_8X7B
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
    assert published_models.LLAMA_2_70B.cache_bytes() == 2 * 80 * 8 * 128 * 2
    cache = nn.LanguageModelCache(2)
    for layer in cache.layers:
        layer.extend(*torch.randn(2, 1, 5, 4 * 32))
    assert cache.nbytes == 2 * 2 * 5 * 4 * 32 * 4


CLASSES = {
    "BERT": (t.BertForMaskedLM, t.BertConfig),
    "GPT-2": (t.GPT2LMHeadModel, t.GPT2Config),
    "T5": (t.T5ForConditionalGeneration, t.T5Config),
    "Llama 3": (t.LlamaForCausalLM, t.LlamaConfig),
    "Qwen3": (t.Qwen3ForCausalLM, t.Qwen3Config),
    "ViT": (t.ViTForImageClassification, t.ViTConfig),
}


@pytest.mark.parametrize("name", published_models.CONFIGS)
def test_published_models_have_the_weights_of_transformers(name):
    config = dict(published_models.CONFIGS[name])
    with torch.device("meta"):
        ours = nn.model_from_config(families.config_of(config))
        config.pop("model_type")
        kind, settings = CLASSES[name]
        peer = kind(settings(**config))
    assert masked_and_causal.parameter_millions([ours.config]) == [
        sum(W.numel() for W in ours.parameters()) / 1e6
    ]
    shapes = families.family_weights(
        ours, families.FAMILIES[published_models.CONFIGS[name]["model_type"]]
    )
    assert sum(W.numel() for W in ours.parameters()) == sum(
        W.numel() for W in peer.parameters()
    )
    assert sorted(tuple(W.shape) for W in shapes.values()) == sorted(
        tuple(W.shape) for W in peer.parameters()
    )
