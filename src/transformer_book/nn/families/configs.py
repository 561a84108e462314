"""The config.json of each family: the fields that its publishers fill in, as our choices."""

from .fields import NOT_READ, Fields

ACTIVATIONS = {
    "relu": "relu",
    "gelu": "gelu",
    "gelu_new": "gelu_tanh",
    "gelu_pytorch_tanh": "gelu_tanh",
    "silu": "silu",
    "swish": "silu",
}
# More names of the same functions, which differ by rounding alone.
_SYNONYMS = {
    "gelu_python": "gelu",
    "gelu_accurate": "gelu_tanh",
    "gelu_fast": "gelu_tanh",
    "gelu_python_tanh": "gelu_tanh",
}


def common(f, kind):
    """Refuse what the file of any family may ask for, and no reader knows.

    Parameters
    ----------
    f : Fields
    kind : str
        As of an Architecture.
    """
    quantised = "The weights are quantised; use the checkpoint that they were made of."
    f.only("quantization_config", None, advice=quantised)
    f.only("add_cross_attention", False)
    f.only("cross_attention_hidden_size", None)
    f.only("tie_encoder_decoder", False, advice=NOT_READ)
    f.only("pruned_heads", {}, None)
    f.only("is_encoder_decoder", kind == "encoder-decoder", advice=NOT_READ)
    # An encoder sees nothing that comes later if it is one; a decoder never does.
    causal = [False] if kind == "encoder-only" else [False, True]
    f.only("is_decoder", *causal, advice=NOT_READ)


def gpt2(f):
    """Return the choices of an Architecture that a GPT-2 has, from the fields of its config.json."""
    f.only("scale_attn_by_inverse_layer_idx", False)
    d_model = f.integer("n_embd")
    inner = f.integer("n_inner", None)
    return dict(
        kind="decoder-only",
        words=f.integer("vocab_size"),
        d_model=d_model,
        d_ff=4 * d_model if inner is None else inner,
        N=f.integer("n_layer"),
        h=f.integer("n_head"),
        epsilon=f.number("layer_norm_epsilon", 1e-5),
        scaled=f.flag("scale_attn_weights", True),
        activation=_activation(f, "activation_function", "gelu_new"),
        max_length=f.integer("n_positions"),
        output="embedding" if f.flag("tie_word_embeddings", True) else "own",
    )


def bert(f):
    """Return the choices of an Architecture that a BERT has, from the fields of its config.json."""
    f.only("position_embedding_type", "absolute")
    f.only("tie_word_embeddings", True, advice=NOT_READ)
    return dict(
        kind="encoder-only",
        words=f.integer("vocab_size"),
        d_model=f.integer("hidden_size"),
        d_ff=f.integer("intermediate_size"),
        N=f.integer("num_hidden_layers"),
        h=f.integer("num_attention_heads"),
        norm="post",
        epsilon=f.number("layer_norm_eps", 1e-12),
        activation=_activation(f, "hidden_act", "gelu"),
        max_length=f.integer("max_position_embeddings"),
        token_types=f.integer("type_vocab_size"),
        embedding_norm=True,
        head=True,
        output_bias=True,
    )


def vit(f):
    """Return the choices of an Architecture that a ViT has, from the fields of its config.json."""
    f.only("qkv_bias", True)
    image, patch = _side(f, "image_size"), _side(f, "patch_size")
    names = f.mapping("id2label", None)
    return dict(
        kind="encoder-only",
        d_model=f.integer("hidden_size"),
        d_ff=f.integer("intermediate_size"),
        N=f.integer("num_hidden_layers"),
        h=f.integer("num_attention_heads"),
        epsilon=f.number("layer_norm_eps", 1e-12),
        activation=_activation(f, "hidden_act", "gelu"),
        max_length=(image // patch) ** 2 + 1,
        image=image,
        patch=patch,
        channels=f.integer("num_channels", 3),
        output="classes",
        classes=f.integer("num_labels", 2 if names is None else len(names)),
        output_bias=True,
    )


def llama(f):
    """Return the choices of an Architecture that a Llama has, from the fields of its config.json."""
    f.only("use_sliding_window", False)
    f.only("sliding_window", None)
    return _decoder(f)


def qwen3(f):
    """Return the choices of an Architecture that a Qwen3 has, from the fields of its config.json."""
    choices = _decoder(f)
    _no_windows(f, choices["N"])
    return choices | dict(qk_norm=True, d_k=f.integer("head_dim", 128))


def t5(f):
    """Return the choices of an Architecture that a T5 has, from the fields of its config.json."""
    gated, activation = _t5_network(f)
    tied = f.flag("tie_word_embeddings", True)
    return dict(
        kind="encoder-decoder",
        words=f.integer("vocab_size"),
        d_model=f.integer("d_model"),
        d_ff=f.integer("d_ff"),
        N=f.integer("num_layers"),
        N_decoder=f.integer("num_decoder_layers", None),
        h=f.integer("num_heads"),
        d_k=f.integer("d_kv"),
        normalise="rms",
        epsilon=f.number("layer_norm_epsilon", 1e-6),
        scaled=False,
        attention_bias=False,
        activation=activation,
        gated=gated,
        feed_forward_bias=False,
        positions="buckets",
        buckets=f.integer("relative_attention_num_buckets", 32),
        max_distance=f.integer("relative_attention_max_distance", 128),
        output="embedding" if tied else "own",
        output_scaled=f.flag("scale_decoder_outputs", tied),
    )


def _decoder(f):
    """Return what Llama and the families after it have in common."""
    f.only("mlp_bias", False)
    f.only("rope_interleaved", False, advice=NOT_READ)
    return dict(
        kind="decoder-only",
        words=f.integer("vocab_size"),
        d_model=f.integer("hidden_size"),
        d_ff=f.integer("intermediate_size"),
        N=f.integer("num_hidden_layers"),
        h=f.integer("num_attention_heads"),
        g=f.integer("num_key_value_heads", None),
        d_k=f.integer("head_dim", None),
        normalise="rms",
        epsilon=f.number("rms_norm_eps", 1e-6),
        attention_bias=f.flag("attention_bias", False),
        activation=_activation(f, "hidden_act", "silu"),
        gated=True,
        feed_forward_bias=False,
        positions="rotary",
        **_angles(f),
        output="embedding" if f.flag("tie_word_embeddings", False) else "own",
    )


def _no_windows(f, N):
    """Refuse layers that see a window alone: as ``layer_types`` says, or from some layer on."""
    kinds, window = f("layer_types", None), f.integer("sliding_window", None)
    slides = f.flag("use_sliding_window", False)
    first = f.integer("max_window_layers", 28, least=0)
    if kinds is not None:
        full = isinstance(kinds, list) and kinds.count("full_attention") == N
        if not full or len(kinds) != N:
            raise f.error("layer_types", kinds, f"'full_attention', {N} times")
    elif slides and first < N and (window or "sliding_window" not in f.config):
        raise f.error(
            "use_sliding_window", True, f"False, or max_window_layers of at least {N}"
        )


def _angles(f):
    """Return the choices of rotary positions.

    Older files have ``rope_scaling`` and keep the base among the other fields. In a file that has
    both, ``transformers`` reads that one and nothing of ``rope_parameters``, so we do too.
    """
    rope = f.inside("rope_scaling", "rope_parameters")
    for fields in (f, rope):
        fields.only("partial_rotary_factor", 1.0, None)
    base = {"base": rope.number("rope_theta", f.number("rope_theta", 10_000.0))}
    longest = f.integer("max_position_embeddings", None)
    trained = f.integer("original_max_position_embeddings", None)
    kind = rope("rope_type", rope("type", "default"))
    if kind == "default":
        return base
    if kind == "linear":
        # In texts of one token every pair is slow, so the turns of all are divided.
        return base | {"stretch": rope.number("factor"), "trained": 1}
    if kind != "llama3":  # of Llama 3.1 and later
        raise rope.error("rope_type", kind, "'default', 'linear' or 'llama3'")
    name = "original_max_position_embeddings"
    inner = rope.integer(name, *[] if longest is None else [longest])
    return base | {
        "stretch": rope.number("factor"),
        "slow": rope.number("low_freq_factor"),
        "fast": rope.number("high_freq_factor"),
        "trained": inner if trained is None else trained,
    }


def _activation(f, name, default):
    return _ours(f, name, f(name, default))


def _ours(f, name, theirs):
    """Return our name of the activation that a field names."""
    known = ACTIVATIONS | _SYNONYMS
    if not isinstance(theirs, str) or theirs not in known:
        raise f.error(name, theirs, " or ".join(map(repr, ACTIVATIONS)))
    return known[theirs]


def _t5_network(f):
    """Return whether a T5 has a gate, and its activation.

    One field says both. ``transformers`` writes what follows from it in two more, which it believes.
    """
    name = "feed_forward_proj"
    kind = f.text(name, "relu")
    gate, _, theirs = kind.rpartition("-")
    if gate not in ("", "gated"):
        raise f.error(name, kind, "an activation, or one behind 'gated-'")
    # Their name for the gate of version 1.1 stands for the approximation by tanh.
    theirs = "gelu_new" if kind == "gated-gelu" else theirs
    if "dense_act_fn" in f.config:
        name, theirs = "dense_act_fn", f("dense_act_fn")
    return f.flag("is_gated_act", gate == "gated"), _ours(f, name, theirs)


def _side(f, name):
    """Return the side of a square, which may be written twice."""
    sides = f(name)
    if isinstance(sides, list | tuple) and len(sides) == 2:
        if sides[0] != sides[1]:
            raise f.error(name, sides, "one number, or two that are equal")
        sides = sides[0]
    return Fields(f.config | {name: sides}).integer(name)
