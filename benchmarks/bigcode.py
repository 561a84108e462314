"""The book's language model with g = 1 as a GPTBigCode of ``transformers``, on the same weights."""

from typing import Any

import torch
from transformers import GPTBigCodeConfig, GPTBigCodeForCausalLM

from transformer_book import nn
from transformer_book.data.parallel import BOS, EOS, PAD
from transformer_book.nn.norm import EPSILON


def bigcode(model: nn.LanguageModel) -> GPTBigCodeForCausalLM:
    """Return a GPTBigCode, a GPT-2 with multi-query attention, with copies of a model's weights.

    As in ``gpt2.gpt2`` its biases are 0 where ours has none, and its rows are scaled beforehand.

    Parameters
    ----------
    model : nn.LanguageModel
        Of ``norm="pre"``, with ``g=1``; is not changed.
    """
    c = model.config
    peer: Any = GPTBigCodeForCausalLM(
        GPTBigCodeConfig(
            vocab_size=c.target_words,
            n_positions=c.max_length,
            n_embd=c.d_model,
            n_layer=c.N,
            n_head=c.h,
            n_inner=c.d_ff,
            activation_function="relu",
            layer_norm_epsilon=EPSILON,
            multi_query=True,
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
    theirs.weight.copy_(W.T)  # torch.nn.Linear keeps it transposed
    theirs.bias.copy_(torch.as_tensor(b))
