"""Where each family keeps its weights: our names, and theirs.

A map names for each of our weights those of a checkpoint that it is made of, side by side in our
matrix. ``{i}`` is the number of a layer.
"""


def _norm(ours, theirs, bias=True):
    """Name the scale of a norm, and its shift if there is one."""
    names = {f"{ours}.gamma": f"{theirs}.weight"}
    return names | ({f"{ours}.beta": f"{theirs}.bias"} if bias else {})


def _linear(ours, theirs, part, bias=True):
    """Name a matrix, W_part, and its bias; of more than one they stand side by side."""
    names = {f"{ours}W_{part}": " ".join(f"{one}.weight" for one in theirs.split())}
    biases = " ".join(f"{one}.bias" for one in theirs.split())
    return names | ({f"{ours}b_{part}": biases} if bias else {})


_GPT2 = "decoder.layers.{i}."
GPT2 = {
    "embedding": "wte.weight",
    "positions": "wpe.weight",
    **_norm(_GPT2 + "norm_1", "h.{i}.ln_1"),
    **_linear(_GPT2 + "self_attention.", "h.{i}.attn.c_attn", "QKV"),
    **_linear(_GPT2 + "self_attention.", "h.{i}.attn.c_proj", "O"),
    **_norm(_GPT2 + "norm_3", "h.{i}.ln_2"),
    **_linear(_GPT2 + "feed_forward.", "h.{i}.mlp.c_fc", "1"),
    **_linear(_GPT2 + "feed_forward.", "h.{i}.mlp.c_proj", "2"),
    **_norm("decoder.norm", "ln_f"),
    "output": "lm_head.weight",
}

_BERT = "encoder.layers.{i}."
_ATTENTION = "encoder.layer.{i}.attention."
BERT = {
    "embedding": "embeddings.word_embeddings.weight",
    "positions": "embeddings.position_embeddings.weight",
    "types": "embeddings.token_type_embeddings.weight",
    **_norm("norm", "embeddings.LayerNorm"),
    **_linear(
        _BERT + "self_attention.",
        " ".join(f"{_ATTENTION}self.{one}" for one in ("query", "key", "value")),
        "QKV",
    ),
    **_linear(_BERT + "self_attention.", _ATTENTION + "output.dense", "O"),
    **_norm(_BERT + "norm_1", _ATTENTION + "output.LayerNorm"),
    **_linear(_BERT + "feed_forward.", "encoder.layer.{i}.intermediate.dense", "1"),
    **_linear(_BERT + "feed_forward.", "encoder.layer.{i}.output.dense", "2"),
    **_norm(_BERT + "norm_3", "encoder.layer.{i}.output.LayerNorm"),
    **_linear("", "cls.predictions.transform.dense", "head"),
    **_norm("norm_head", "cls.predictions.transform.LayerNorm"),
    "output": "cls.predictions.decoder.weight",
    "b_output": "cls.predictions.bias",
}

VIT = {
    "first": "embeddings.cls_token",
    "positions": "embeddings.position_embeddings",
    **_linear("", "embeddings.patch_embeddings.projection", "patch"),
    **_norm(_BERT + "norm_1", "encoder.layer.{i}.layernorm_before"),
    **_linear(
        _BERT + "self_attention.",
        " ".join(f"{_ATTENTION}attention.{one}" for one in ("query", "key", "value")),
        "QKV",
    ),
    **_linear(_BERT + "self_attention.", _ATTENTION + "output.dense", "O"),
    **_norm(_BERT + "norm_3", "encoder.layer.{i}.layernorm_after"),
    **_linear(_BERT + "feed_forward.", "encoder.layer.{i}.intermediate.dense", "1"),
    **_linear(_BERT + "feed_forward.", "encoder.layer.{i}.output.dense", "2"),
    **_norm("encoder.norm", "layernorm"),
    "output": "classifier.weight",
    "b_output": "classifier.bias",
}

_LLAMA = "decoder.layers.{i}."
_SELF = "layers.{i}.self_attn."
LLAMA = {
    "embedding": "embed_tokens.weight",
    **_norm(_LLAMA + "norm_1", "layers.{i}.input_layernorm", bias=False),
    **_linear(
        _LLAMA + "self_attention.",
        " ".join(f"{_SELF}{one}_proj" for one in "qkv"),
        "QKV",
    ),
    **_linear(_LLAMA + "self_attention.", _SELF + "o_proj", "O"),
    # Of Qwen3 alone: the norms of queries and keys.
    **_norm(_LLAMA + "self_attention.norm_Q", _SELF + "q_norm", bias=False),
    **_norm(_LLAMA + "self_attention.norm_K", _SELF + "k_norm", bias=False),
    **_norm(_LLAMA + "norm_3", "layers.{i}.post_attention_layernorm", bias=False),
    **_linear(_LLAMA + "feed_forward.", "layers.{i}.mlp.gate_proj", "gate", bias=False),
    **_linear(_LLAMA + "feed_forward.", "layers.{i}.mlp.up_proj", "1", bias=False),
    **_linear(_LLAMA + "feed_forward.", "layers.{i}.mlp.down_proj", "2", bias=False),
    **_norm("decoder.norm", "norm", bias=False),
    "output": "lm_head.weight",
}


def _t5(stack, sub_layers):
    """Name the weights of one of T5's two stacks, whose sub-layers are counted, not named."""
    ours, theirs = stack + ".layers.{i}.", stack + ".block.{i}.layer."
    attentions = {
        "self_attention": "SelfAttention",
        "cross_attention": "EncDecAttention",
    }
    names = {}
    for k, (norm, part) in enumerate(sub_layers):
        names |= _norm(ours + norm, f"{theirs}{k}.layer_norm", bias=False)
        if part == "feed_forward":
            inside = f"{theirs}{k}.DenseReluDense."
            for own, name in (("1", "wi"), ("gate", "wi_0"), ("2", "wo")):
                names |= _linear(ours + "feed_forward.", inside + name, own, bias=False)
            continue
        inside = f"{theirs}{k}.{attentions[part]}."
        three = " ".join(inside + one for one in "qkv")
        names |= _linear(f"{ours}{part}.", three, "QKV", bias=False)
        names |= _linear(f"{ours}{part}.", inside + "o", "O", bias=False)
    first = f"{stack}.block.0.layer.0.SelfAttention.relative_attention_bias.weight"
    names |= {f"{stack}.buckets": first}
    return names | _norm(f"{stack}.norm", f"{stack}.final_layer_norm", bias=False)


T5 = {
    "embedding": "shared.weight",
    **_t5("encoder", [("norm_1", "self_attention"), ("norm_3", "feed_forward")]),
    **_t5(
        "decoder",
        [
            ("norm_1", "self_attention"),
            ("norm_2", "cross_attention"),
            ("norm_3", "feed_forward"),
        ],
    ),
    "output": "lm_head.weight",
}
