"""Small random models of ``transformers``, one of each family, and ours with their weights."""

import torch
import transformers as t

SIZES = dict(vocab_size=60, hidden_size=32, intermediate_size=48)
LAYERS = dict(num_hidden_layers=2, num_attention_heads=4)
ENDS = dict(bos_token_id=1, eos_token_id=2, pad_token_id=0)

MAKERS = {
    "gpt2": (
        t.GPT2LMHeadModel,
        t.GPT2Config,
        dict(vocab_size=60, n_positions=24, n_embd=32, n_layer=2, n_head=4, n_inner=40),
    ),
    "bert": (
        t.BertForMaskedLM,
        t.BertConfig,
        SIZES | LAYERS | dict(max_position_embeddings=24, type_vocab_size=3),
    ),
    "t5": (
        t.T5ForConditionalGeneration,
        t.T5Config,
        dict(
            vocab_size=60,
            d_model=32,
            d_kv=6,
            d_ff=48,
            num_layers=2,
            num_decoder_layers=3,
            num_heads=4,
            relative_attention_num_buckets=8,
            relative_attention_max_distance=16,
            decoder_start_token_id=0,
        ),
    ),
    "llama": (
        t.LlamaForCausalLM,
        t.LlamaConfig,
        SIZES | LAYERS | dict(num_key_value_heads=2, rope_theta=500.0),
    ),
    "qwen3": (
        t.Qwen3ForCausalLM,
        t.Qwen3Config,
        SIZES | LAYERS | dict(num_key_value_heads=2, head_dim=12),
    ),
    "mistral": (
        t.MistralForCausalLM,
        t.MistralConfig,
        SIZES | LAYERS | dict(num_key_value_heads=2, head_dim=12, sliding_window=7),
    ),
    "qwen2": (
        t.Qwen2ForCausalLM,
        t.Qwen2Config,
        SIZES
        | LAYERS
        | dict(num_key_value_heads=2, use_sliding_window=True, sliding_window=6)
        | dict(max_window_layers=1),
    ),
    "gemma": (
        t.GemmaForCausalLM,
        t.GemmaConfig,
        SIZES | LAYERS | dict(num_key_value_heads=1, head_dim=12),
    ),
    "gemma2": (
        t.Gemma2ForCausalLM,
        t.Gemma2Config,
        SIZES
        | LAYERS
        | dict(num_key_value_heads=2, head_dim=12, sliding_window=6)
        | dict(query_pre_attn_scalar=20, attn_logit_softcapping=3.0)
        | dict(final_logit_softcapping=4.0),
    ),
    "gemma3_text": (
        t.Gemma3ForCausalLM,
        t.Gemma3TextConfig,
        SIZES
        | dict(num_hidden_layers=4, num_attention_heads=4, num_key_value_heads=2)
        | dict(head_dim=12, sliding_window=6, query_pre_attn_scalar=20)
        | dict(layer_types=["sliding_attention", "full_attention"] * 2),
    ),
    "phi3": (
        t.Phi3ForCausalLM,
        t.Phi3Config,
        SIZES | LAYERS | dict(num_key_value_heads=2, sliding_window=9),
    ),
    "olmo2": (
        t.Olmo2ForCausalLM,
        t.Olmo2Config,
        SIZES | LAYERS | dict(num_key_value_heads=2),
    ),
    "gpt_neox": (
        t.GPTNeoXForCausalLM,
        t.GPTNeoXConfig,
        SIZES | LAYERS,
    ),
    "roberta": (
        t.RobertaForMaskedLM,
        t.RobertaConfig,
        SIZES | LAYERS | dict(max_position_embeddings=24, type_vocab_size=1),
    ),
    "distilbert": (
        t.DistilBertForMaskedLM,
        t.DistilBertConfig,
        dict(vocab_size=60, dim=32, hidden_dim=48, n_layers=2, n_heads=4)
        | dict(max_position_embeddings=24),
    ),
    "vit": (
        t.ViTForImageClassification,
        t.ViTConfig,
        dict(hidden_size=32, intermediate_size=48, image_size=12, patch_size=4)
        | LAYERS
        | dict(num_channels=3, num_labels=10),
    ),
}


def peer_of(family, kind=None, **changes):
    """Return a model of ``transformers`` whose weights are random, in evaluation mode.

    Fresh biases are 0 and fresh scales 1, so an error in where they go would not be seen.
    """
    torch.manual_seed(0)
    model, config, choices = MAKERS[family]
    ends = {} if family == "vit" else ENDS
    peer = (kind or model)(config(**ends | choices | changes)).eval()
    # T5 does not scale its scores: with larger weights rounding errors alone grow to 1e-4.
    size = 0.08 if family == "t5" else 0.2
    with torch.no_grad():
        for W in peer.parameters():
            W.add_(torch.randn_like(W) * size)
    return peer


def inputs_of(family, seed=0):
    """Return what both models are given: ours by our names, and theirs by theirs."""
    generator = torch.Generator().manual_seed(seed)
    ids = torch.randint(3, 60, (2, 20), generator=generator)
    if family == "vit":
        images = torch.randn(2, 3, 12, 12, generator=generator)
        return {"images": images}, {"pixel_values": images}
    if family == "t5":
        target = torch.randint(3, 60, (2, 19), generator=generator)
        return (
            {"source": ids, "target": target},
            {"input_ids": ids, "decoder_input_ids": target},
        )
    if family == "bert":
        types = torch.randint(0, 3, (2, 20), generator=generator)
        return (
            {"ids": ids, "types": types},
            {"input_ids": ids, "token_type_ids": types},
        )
    return {"ids": ids}, {"input_ids": ids}
