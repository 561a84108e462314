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


def gpt2(model: nn.LanguageModel) -> GPT2LMHeadModel | GPTBigCodeForCausalLM:
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
        _norm(peer.transformer.ln_f, model.norm)
        for block, layer in zip(peer.transformer.h, model.layers):
            _layer(block, layer)
    return peer.eval()


def _layer(block: Any, layer: Any):
    _norm(block.ln_1, layer.add_and_norm_1.layer_norm)
    _norm(block.ln_2, layer.add_and_norm_2.layer_norm)
    _linear(block.attn.c_attn, layer.self_attention.W_QKV)
    _linear(block.attn.c_proj, layer.self_attention.W_O)
    _linear(block.mlp.c_fc, layer.feed_forward.W_1, layer.feed_forward.b_1)
    _linear(block.mlp.c_proj, layer.feed_forward.W_2, layer.feed_forward.b_2)


def _norm(theirs, ours):
    theirs.weight.copy_(ours.gamma)
    theirs.bias.copy_(ours.beta)


def _linear(theirs, W, b=0.0):
    # GPT-2's too is (in, out); torch's own layer, in GPTBigCode, keeps it transposed.
    theirs.weight.copy_(W.T if isinstance(theirs, torch.nn.Linear) else W)
    theirs.bias.copy_(torch.as_tensor(b))
