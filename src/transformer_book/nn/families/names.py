"""Where each family keeps its weights: our names, and theirs.

A map names for each of our weights the one or more of a checkpoint that stand in it side by side.
``{i}`` is the number of a layer. A name with ``[k/n]`` is the k-th of n equal parts of theirs.
"""


def norm_names(book_name: str, family_name: str, bias: bool = True) -> dict[str, str]:
    """Name the scale of a norm, and its shift if there is one."""
    names = {f"{book_name}.gamma": f"{family_name}.weight"}
    return names | ({f"{book_name}.beta": f"{family_name}.bias"} if bias else {})


def linear_names(
    book_prefix: str, family_names: str, matrix_suffix: str, bias: bool = True
) -> dict[str, str]:
    """Name a matrix, W_SUFFIX, and its bias; of more than one they stand side by side."""
    names = {
        f"{book_prefix}W_{matrix_suffix}": " ".join(
            f"{name}.weight" for name in family_names.split()
        )
    }
    biases = " ".join(f"{name}.bias" for name in family_names.split())
    return names | ({f"{book_prefix}b_{matrix_suffix}": biases} if bias else {})


_LAYER = "layers.{i}."
_ATTENTION = _LAYER + "self_attention."
_FEED_FORWARD = _LAYER + "feed_forward."
_NORM_1 = _LAYER + "add_and_norm_1.layer_norm"
_NORM_2 = _LAYER + "add_and_norm_2.layer_norm"
_AFTER_1 = _LAYER + "add_and_norm_1.output_norm"
_AFTER_2 = _LAYER + "add_and_norm_2.output_norm"


def with_prefix(prefix: str, names: str) -> str:
    """Put a prefix before each of the names."""
    return " ".join(prefix + name for name in names.split())


GPT2 = {
    "embedding": "wte.weight",
    "PE": "wpe.weight",
    **norm_names(_NORM_1, "h.{i}.ln_1"),
    **linear_names(_ATTENTION, "h.{i}.attn.c_attn", "QKV"),
    **linear_names(_ATTENTION, "h.{i}.attn.c_proj", "O"),
    **norm_names(_NORM_2, "h.{i}.ln_2"),
    **linear_names(_FEED_FORWARD, "h.{i}.mlp.c_fc", "1"),
    **linear_names(_FEED_FORWARD, "h.{i}.mlp.c_proj", "2"),
    **norm_names("norm", "ln_f"),
    "output": "lm_head.weight",
}

NEOX = {
    "embedding": "embed_in.weight",
    **norm_names(_NORM_1, "layers.{i}.input_layernorm"),
    **linear_names(_ATTENTION, "layers.{i}.attention.query_key_value", "QKV"),
    **linear_names(_ATTENTION, "layers.{i}.attention.dense", "O"),
    **norm_names(_NORM_2, "layers.{i}.post_attention_layernorm"),
    **linear_names(_FEED_FORWARD, "layers.{i}.mlp.dense_h_to_4h", "1"),
    **linear_names(_FEED_FORWARD, "layers.{i}.mlp.dense_4h_to_h", "2"),
    **norm_names("norm", "final_layer_norm"),
    "output": "embed_out.weight",
}

_BERT_LAYER = "encoder.layer.{i}."
_BERT_AND_VIT_MATRICES = {
    **linear_names(_ATTENTION, _BERT_LAYER + "attention.output.dense", "O"),
    **linear_names(_FEED_FORWARD, _BERT_LAYER + "intermediate.dense", "1"),
    **linear_names(_FEED_FORWARD, _BERT_LAYER + "output.dense", "2"),
}
_BERT_AND_ROBERTA = {
    "embedding": "embeddings.word_embeddings.weight",
    "PE": "embeddings.position_embeddings.weight",
    "types": "embeddings.token_type_embeddings.weight",
    **norm_names("embedding_norm", "embeddings.LayerNorm"),
    **linear_names(
        _ATTENTION,
        with_prefix(_BERT_LAYER + "attention.self.", "query key value"),
        "QKV",
    ),
    **norm_names(_NORM_1, _BERT_LAYER + "attention.output.LayerNorm"),
    **norm_names(_NORM_2, _BERT_LAYER + "output.LayerNorm"),
    **_BERT_AND_VIT_MATRICES,
}
BERT = {
    **_BERT_AND_ROBERTA,
    **linear_names("", "cls.predictions.transform.dense", "before"),
    **norm_names("norm_before", "cls.predictions.transform.LayerNorm"),
    "output": "cls.predictions.decoder.weight",
    "b_output": "cls.predictions.bias",
}
ROBERTA = {
    **_BERT_AND_ROBERTA,
    **linear_names("", "lm_head.dense", "before"),
    **norm_names("norm_before", "lm_head.layer_norm"),
    "output": "lm_head.decoder.weight",
    "b_output": "lm_head.bias",
}

_DISTILBERT_LAYER = "transformer.layer.{i}."
DISTILBERT = {
    "embedding": "embeddings.word_embeddings.weight",
    "PE": "embeddings.position_embeddings.weight",
    **norm_names("embedding_norm", "embeddings.LayerNorm"),
    **linear_names(
        _ATTENTION,
        with_prefix(_DISTILBERT_LAYER + "attention.", "q_lin k_lin v_lin"),
        "QKV",
    ),
    **linear_names(_ATTENTION, _DISTILBERT_LAYER + "attention.out_lin", "O"),
    **norm_names(_NORM_1, _DISTILBERT_LAYER + "sa_layer_norm"),
    **linear_names(_FEED_FORWARD, _DISTILBERT_LAYER + "ffn.lin1", "1"),
    **linear_names(_FEED_FORWARD, _DISTILBERT_LAYER + "ffn.lin2", "2"),
    **norm_names(_NORM_2, _DISTILBERT_LAYER + "output_layer_norm"),
    **linear_names("", "vocab_transform", "before"),
    **norm_names("norm_before", "vocab_layer_norm"),
    "output": "vocab_projector.weight",
    "b_output": "vocab_projector.bias",
}

VIT = {
    "first": "embeddings.cls_token",
    "PE": "embeddings.position_embeddings",
    **linear_names("", "embeddings.patch_embeddings.projection", "patch"),
    **norm_names(_NORM_1, _BERT_LAYER + "layernorm_before"),
    **linear_names(
        _ATTENTION,
        with_prefix(_BERT_LAYER + "attention.attention.", "query key value"),
        "QKV",
    ),
    **norm_names(_NORM_2, _BERT_LAYER + "layernorm_after"),
    **_BERT_AND_VIT_MATRICES,
    **norm_names("norm", "layernorm"),
    "output": "classifier.weight",
    "b_output": "classifier.bias",
}

# Of Llama and those after it, whichever of these parts a family has.
LLAMA = {
    "embedding": "embed_tokens.weight",
    **norm_names(_NORM_1, "layers.{i}.input_layernorm"),
    **linear_names(
        _ATTENTION, with_prefix("layers.{i}.self_attn.", "q_proj k_proj v_proj"), "QKV"
    ),
    **linear_names(_ATTENTION, "layers.{i}.self_attn.o_proj", "O"),
    # Of Qwen3, OLMo 2 and Gemma 3: the norms of queries and keys.
    **norm_names(_ATTENTION + "q_norm", "layers.{i}.self_attn.q_norm"),
    **norm_names(_ATTENTION + "k_norm", "layers.{i}.self_attn.k_norm"),
    **norm_names(_NORM_2, "layers.{i}.post_attention_layernorm"),
    **linear_names(_FEED_FORWARD, "layers.{i}.mlp.gate_proj", "gate"),
    **linear_names(_FEED_FORWARD, "layers.{i}.mlp.up_proj", "1"),
    **linear_names(_FEED_FORWARD, "layers.{i}.mlp.down_proj", "2"),
    **norm_names("norm", "norm"),
    "output": "lm_head.weight",
}

PHI3 = {
    **LLAMA,
    **linear_names(_ATTENTION, "layers.{i}.self_attn.qkv_proj", "QKV", bias=False),
    _FEED_FORWARD + "W_gate": "layers.{i}.mlp.gate_up_proj.weight[0/2]",
    _FEED_FORWARD + "W_1": "layers.{i}.mlp.gate_up_proj.weight[1/2]",
}

OLMO2 = {
    **LLAMA,
    **norm_names(_AFTER_1, "layers.{i}.post_attention_layernorm", bias=False),
    **norm_names(_AFTER_2, "layers.{i}.post_feedforward_layernorm", bias=False),
}

GEMMA2 = {
    **OLMO2,
    **norm_names(_NORM_2, "layers.{i}.pre_feedforward_layernorm", bias=False),
}


def _t5_stack_names(stack: str, sub_layers: list[str]) -> dict[str, str]:
    """Name the weights of one of T5's two stacks, whose sub-layers are counted, not named."""
    ours, theirs = stack + ".{i}.", stack + ".block.{i}.layer."
    attentions = {
        "self_attention": "SelfAttention",
        "cross_attention": "EncDecAttention",
    }
    names = {}
    for k, part in enumerate(sub_layers):
        our_norm = f"{ours}add_and_norm_{k + 1}.layer_norm"
        names |= norm_names(our_norm, f"{theirs}{k}.layer_norm", bias=False)
        if part == "feed_forward":
            inside = f"{theirs}{k}.DenseReluDense."
            our_network = ours + "feed_forward."
            for index, name in (("1", "wi"), ("gate", "wi_0"), ("2", "wo")):
                names |= linear_names(our_network, inside + name, index, bias=False)
            continue
        inside = f"{theirs}{k}.{attentions[part]}."
        names |= linear_names(
            f"{ours}{part}.", with_prefix(inside, "q k v"), "QKV", bias=False
        )
        names |= linear_names(f"{ours}{part}.", inside + "o", "O", bias=False)
    table = theirs + "0.SelfAttention.relative_attention_bias.weight"  # layer 0 has it
    names |= {f"{ours}self_attention.positions.table": table}
    return names | norm_names(f"{stack}_norm", f"{stack}.final_layer_norm", bias=False)


T5 = {
    "source_embedding": "shared.weight",
    **_t5_stack_names("encoder", ["self_attention", "feed_forward"]),
    **_t5_stack_names("decoder", ["self_attention", "cross_attention", "feed_forward"]),
    "output": "lm_head.weight",
}
