"""The book's language model as a GPT-2 of ``transformers``, on the same weights: its peer."""

from typing import Any

import torch
from transformers.models.gpt2.configuration_gpt2 import GPT2Config
from transformers.models.gpt2.modeling_gpt2 import GPT2LMHeadModel
from transformers.models.gpt_bigcode.configuration_gpt_bigcode import GPTBigCodeConfig
from transformers.models.gpt_bigcode.modeling_gpt_bigcode import GPTBigCodeForCausalLM

from transformer_book import nn
from transformer_book.nn.norm import EPSILON
from transformer_book.special_ids import BOS, EOS, PAD


def make_gpt2(model: nn.LanguageModel) -> GPT2LMHeadModel | GPTBigCodeForCausalLM:
    """Return a GPT-2 with copies of the weights of a Pre-LN language model, in evaluation mode.

    With one head of keys it is a GPTBigCode, which is a GPT-2 with multi-query attention.

    GPT-2 has biases in its attention, which are 0 here, and adds a table of positions to rows that
    are not scaled: the rows are scaled beforehand, and the table is the paper's sinusoids.

    Parameters
    ----------
    model : nn.LanguageModel
        Of ``norm="pre"``, and of ``g`` None or 1; is not changed.
    """
    c = model.config
    kinds: Any = (GPT2LMHeadModel, GPT2Config)
    if c.g == 1:
        kinds = (GPTBigCodeForCausalLM, GPTBigCodeConfig)
    kind, config = kinds
    peer = kind(
        config(
            vocab_size=c.target_words,
            n_positions=c.max_length,
            n_embd=c.d_model,
            n_layer=c.N,
            n_head=c.h,
            n_inner=c.d_ff,
            activation_function="relu",
            layer_norm_epsilon=EPSILON,
            tie_word_embeddings=False,
            bos_token_id=BOS,
            eos_token_id=EOS,
            pad_token_id=PAD,
        )
    )
    peer.to(model.output.dtype)
    with torch.no_grad():
        peer.transformer.wte.weight.copy_(model.embedding * c.d_model**0.5)
        peer.transformer.wpe.weight.copy_(model.PE)
        peer.lm_head.weight.copy_(model.output)
        _copy_norm_weights(peer.transformer.ln_f, model.norm)
        for block, layer in zip(peer.transformer.h, model.layers):
            _copy_layer_weights(block, layer)
    return peer.eval()


def _copy_layer_weights(gpt2_block: Any, our_layer: Any):
    _copy_norm_weights(gpt2_block.ln_1, our_layer.add_and_norm_1.layer_norm)
    _copy_norm_weights(gpt2_block.ln_2, our_layer.add_and_norm_2.layer_norm)
    _copy_linear_weights(gpt2_block.attn.c_attn, our_layer.self_attention.W_QKV)
    _copy_linear_weights(gpt2_block.attn.c_proj, our_layer.self_attention.W_O)
    _copy_linear_weights(
        gpt2_block.mlp.c_fc, our_layer.feed_forward.W_1, our_layer.feed_forward.b_1
    )
    _copy_linear_weights(
        gpt2_block.mlp.c_proj, our_layer.feed_forward.W_2, our_layer.feed_forward.b_2
    )


def _copy_norm_weights(gpt2_norm, our_norm):
    gpt2_norm.weight.copy_(our_norm.gamma)
    gpt2_norm.bias.copy_(our_norm.beta)


def _copy_linear_weights(gpt2_linear, W, b=0.0):
    # GPT-2's too is (in, out); torch's own layer, in GPTBigCode, keeps it transposed.
    gpt2_linear.weight.copy_(W.T if isinstance(gpt2_linear, torch.nn.Linear) else W)
    gpt2_linear.bias.copy_(torch.as_tensor(b))
