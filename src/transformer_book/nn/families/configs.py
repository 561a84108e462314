"""The config.json of each family: the fields that its publishers fill in, as our choices."""

from ...rotation import Rotation
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
    """Return the choices that all families have in common; refuse what no reader knows.

    Parameters
    ----------
    f : Fields
    kind : str
        As of a TransformerConfig.
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
    pad = f("pad_token_id", None)
    return dict(
        kind=kind,
        dropout=0.0,
        embedding_scaled=False,
        pad_id=pad if isinstance(pad, int) and pad >= 0 else 0,
        end_ids=f.ids("eos_token_id"),
        never_ids=(),
    )


def gpt2(f):
    """Return the choices of a GPT-2, from the fields of its config.json."""
    f.only("scale_attn_by_inverse_layer_idx", False)
    d_model = f.integer("n_embd")
    inner = f.integer("n_inner", None)
    return common(f, "decoder-only") | dict(
        **_words(f.integer("vocab_size")),
        d_model=d_model,
        d_ff=4 * d_model if inner is None else inner,
        N=f.layers("n_layer"),
        h=f.integer("n_head"),
        norm="pre",
        epsilon=f.number("layer_norm_epsilon", 1e-5),
        score_scale=None if f.flag("scale_attn_weights", True) else 1.0,
        attention_bias="all",
        activation=activation(f, "activation_function", "gelu_new"),
        positions="learned",
        max_length=f.integer("n_positions"),
        share=shared(f, True),
    )


def gpt_neox(f):
    """Return the choices of a GPT-NeoX or Pythia, from the fields of its config.json."""
    older = dict(rope_theta="rotary_emb_base", partial_rotary_factor="rotary_pct")
    return (
        common(f, "decoder-only")
        | _sizes(f)
        | dict(
            norm="pre",
            epsilon=f.number("layer_norm_eps", 1e-5),
            attention_bias="all" if f.flag("attention_bias", True) else "none",
            activation=activation(f, "hidden_act", "gelu"),
            parallel=f.flag("use_parallel_residual", True),
            positions="rope",
            rotation=_rotation(f, _angles(f), part=0.25, older=older),
            share=shared(f, False),
        )
    )


def bert(f):
    """Return the choices of a BERT, from the fields of its config.json."""
    f.only("position_embedding_type", "absolute")
    f.only("tie_word_embeddings", True, advice=NOT_READ)
    return (
        common(f, "encoder-only")
        | _sizes(f)
        | _post_norm()
        | dict(
            epsilon=f.number("layer_norm_eps", 1e-12),
            activation=activation(f, "hidden_act", "gelu"),
            token_types=f.integer("type_vocab_size"),
        )
    )


def roberta(f):
    """Return the choices of a RoBERTa: a BERT whose positions begin behind that of padding."""
    f.only("hidden_act", "gelu", advice=NOT_READ)  # its last layer has no other
    choices = bert(f)
    first = f.integer("pad_token_id", 1, least=0) + 1
    longest = choices["max_length"] - first
    return choices | dict(first_position=first, max_length=longest)


def distilbert(f):
    """Return the choices of a DistilBERT, from the fields of its config.json."""
    # Sinusoids are drawn as weights, and read as such.
    f.flag("sinusoidal_pos_embds", False)
    f.only("tie_word_embeddings", True, advice=NOT_READ)
    return (
        common(f, "encoder-only")
        | _post_norm()
        | dict(
            **_words(f.integer("vocab_size")),
            d_model=f.integer("dim"),
            d_ff=f.integer("hidden_dim"),
            N=f.layers("n_layers"),
            h=f.integer("n_heads"),
            epsilon=1e-12,
            activation=activation(f, "activation", "gelu"),
            max_length=f.integer("max_position_embeddings"),
        )
    )


def vit(f):
    """Return the choices of a ViT, from the fields of its config.json."""
    f.only("qkv_bias", True)
    image, patch = _side(f, "image_size"), _side(f, "patch_size")
    names = f.mapping("id2label", None)
    classes = f.integer("num_labels", 2 if names is None else len(names))
    return common(f, "encoder-only") | dict(
        source_words=0,
        target_words=classes,
        d_model=f.integer("hidden_size"),
        d_ff=f.integer("intermediate_size"),
        N=f.layers("num_hidden_layers"),
        h=f.integer("num_attention_heads"),
        norm="pre",
        epsilon=f.number("layer_norm_eps", 1e-12),
        attention_bias="all",
        activation=activation(f, "hidden_act", "gelu"),
        positions="learned",
        max_length=(image // patch) ** 2 + 1,
        image=image,
        patch=patch,
        channels=f.integer("num_channels", 3),
        share="none",
        output="classes",
        output_bias=True,
        pad_id=0,
    )


def llama(f):
    """Return the choices of a Llama, from the fields of its config.json."""
    f.only("use_sliding_window", False)
    f.only("sliding_window", None)
    return _decoder(f)


def mistral(f):
    """Return the choices of a Mistral: a Llama each of whose words sees a window."""
    return _decoder(f) | dict(window=f.integer("sliding_window", 4096, null=True))


def qwen2(f):
    """Return the choices of a Qwen2: a Llama with biases of queries, keys and values."""
    choices = _decoder(f)
    return choices | _windows(f, choices["N"]) | dict(attention_bias="inputs")


def qwen3(f):
    """Return the choices of a Qwen3: a Llama that normalises queries and keys."""
    choices = _decoder(f)
    width = f.integer("head_dim", 128)
    return choices | _windows(f, choices["N"]) | dict(qk_norm=True, d_k=width)


def gemma(f):
    """Return the choices of a Gemma, from the fields of its config.json."""
    choices = _gemma(f, _rotation(f, _angles(f)), "hidden_act")
    # Its first files say "gelu", and were trained with the approximation by tanh.
    tanh = choices["activation"] == "gelu"
    return choices | (dict(activation="gelu_tanh") if tanh else {})


def gemma2(f):
    """Return the choices of a Gemma 2: norms on both sides, windows, bounds of scores and logits."""
    return _gemma2(f, _rotation(f, _angles(f)), every=2, caps=(50.0, 30.0))


def gemma3(f):
    """Return the choices of a Gemma 3 that reads words: Gemma 2's, and norms of queries and keys."""
    every = f.integer("_sliding_window_pattern", f.integer("sliding_window_pattern", 6))
    angles = f.inside("rope_parameters")
    far, near = angles.inside("full_attention"), angles.inside("sliding_attention")
    far = f.inside("rope_scaling") if f("rope_scaling", None) else far
    rotation = _rotation(f, far, base=1_000_000.0)
    older = dict(rope_theta="rope_local_base_freq")
    return _gemma2(f, rotation, every, caps=(None, None)) | dict(
        qk_norm=True, window_rotation=_rotation(f, near, older=older)
    )


def phi3(f):
    """Return the choices of a Phi-3, from the fields of its config.json."""
    rotation = _rotation(f, _angles(f), part=1.0)
    return _decoder(f, rotation) | dict(window=f.integer("sliding_window", None))


def olmo2(f):
    """Return the choices of an OLMo 2: outputs are normalised, and queries and keys as a whole."""
    return _decoder(f) | dict(norm="output", qk_norm=True, qk_norm_of_all=True)


def t5(f):
    """Return the choices of a T5, from the fields of its config.json."""
    gated, bend = _t5_network(f)
    tied = f.flag("tie_word_embeddings", True)
    return common(f, "encoder-decoder") | dict(
        **_words(f.integer("vocab_size")),
        d_model=f.integer("d_model"),
        d_ff=f.integer("d_ff"),
        N=f.layers("num_layers"),
        N_decoder=f.layers("num_decoder_layers", None),
        h=f.integer("num_heads"),
        d_k=f.integer("d_kv"),
        norm="pre",
        normalise="rms",
        epsilon=f.number("layer_norm_epsilon", 1e-6),
        score_scale=1.0,
        activation=bend,
        gated=gated,
        bias=False,
        positions="t5",
        buckets=f.integer("relative_attention_num_buckets", 32, least=2),
        farthest=f.integer("relative_attention_max_distance", 128, least=2),
        share="all" if tied else "embeddings",
        output_scaled=f.flag("scale_decoder_outputs", tied),
        begin_id=f.integer("decoder_start_token_id", 0, least=0),
    )


def _words(count):
    return dict(source_words=count, target_words=count)


def _sizes(f):
    return _words(f.integer("vocab_size")) | dict(
        d_model=f.integer("hidden_size"),
        d_ff=f.integer("intermediate_size"),
        N=f.layers("num_hidden_layers"),
        h=f.integer("num_attention_heads"),
        max_length=f.integer("max_position_embeddings", 2048),
    )


def _post_norm():
    """Return what BERT and its followers have in common."""
    return dict(
        norm="post",
        attention_bias="all",
        positions="learned",
        embedding_norm=True,
        output_layer=True,
        output_bias=True,
    )


def shared(f, default):
    """Return which matrices are one: embedding and output layer, or none."""
    return "all" if f.flag("tie_word_embeddings", default) else "none"


def _gemma(f, rotation, field):
    f.only("use_bidirectional_attention", None, False)
    return _decoder(f, rotation) | dict(
        d_k=f.integer("head_dim", 256),
        embedding_scaled=True,
        activation=activation(f, field, "gelu_pytorch_tanh"),
        share=shared(f, True),
    )


def _gemma2(f, rotation, every, caps):
    choices = _gemma(f, rotation, "hidden_activation")
    kinds = ["sliding_attention"] * (every - 1) + ["full_attention"]
    kinds = [kinds[i % every] for i in range(choices["N"])]
    return (
        choices
        | _layers(f, choices["N"], kinds, 4096)
        | dict(
            norm="both",
            score_scale=f.number("query_pre_attn_scalar", 256) ** -0.5,
            score_cap=f.number("attn_logit_softcapping", caps[0], null=True),
            logit_cap=f.number("final_logit_softcapping", caps[1], null=True),
        )
    )


def _decoder(f, rotation=None):
    """Return what Llama and the families after it have in common."""
    f.only("mlp_bias", False)
    f.only("rope_interleaved", False, advice=NOT_READ)
    sizes = _sizes(f)
    sizes |= dict(
        g=f.integer("num_key_value_heads", None), d_k=f.integer("head_dim", None)
    )
    return (
        common(f, "decoder-only")
        | sizes
        | dict(
            norm="pre",
            normalise="rms",
            epsilon=f.number("rms_norm_eps", 1e-6),
            attention_bias="all" if f.flag("attention_bias", False) else "none",
            activation=activation(f, "hidden_act", "silu"),
            gated=True,
            bias=False,
            positions="rope",
            rotation=rotation or _rotation(f, _angles(f)),
            share=shared(f, False),
        )
    )


def _windows(f, N):
    """Return which layers of a Qwen see a window alone: from some layer on, if any."""
    slides = f.flag("use_sliding_window", False)
    first = f.integer("max_window_layers", 28, least=0)
    kinds = [
        "sliding_attention" if slides and i >= first else "full_attention"
        for i in range(N)
    ]
    return _layers(f, N, kinds, 4096 if slides else None)


def _layers(f, N, kinds, window):
    """Return the window, and the layers that it does not limit, of what ``layer_types`` says."""
    names = "full_attention", "sliding_attention"
    written = f("layer_types", None)
    kinds = kinds if written is None else written
    if not isinstance(kinds, list) or len(kinds) != N or not {*kinds} <= {*names}:
        raise f.error(
            "layer_types", kinds, f"{N} times {' or '.join(map(repr, names))}"
        )
    window = f.integer("sliding_window", window, null=True)
    if window is None or names[1] not in kinds:
        return dict(window=None)
    everywhere = tuple(i for i, kind in enumerate(kinds) if kind == names[0])
    return dict(window=window, global_layers=everywhere)


def _angles(f):
    """Return the fields of rotary positions.

    Older files have ``rope_scaling`` and keep the base among the other fields. In a file that has
    both, ``transformers`` reads that one and nothing of ``rope_parameters``, so we do too.
    """
    return f.inside("rope_scaling", "rope_parameters")


def _rotation(f, angles, base=10_000.0, part=None, older=None):
    """Return how rotary positions turn.

    Parameters
    ----------
    f, angles : Fields
        Of the file, and those of the positions in it.
    base : float
        What stands for a field that is not there.
    part : float, optional
        Likewise; without it the family turns all of each head, whatever a file may say.
    older : dict of str to str, optional
        Fields of the file that older ones have in the place of those of the positions.
    """
    older = dict(
        rope_theta="rope_theta", partial_rotary_factor="partial_rotary_factor"
    ) | (older or {})

    def of(name, default):
        return angles.number(name, f.number(older[name], default))

    if part is None:
        part = 1.0
        for fields in (angles, f):
            fields.only("partial_rotary_factor", part, None)
    choices = dict(
        base=of("rope_theta", base),
        part=of("partial_rotary_factor", part),
        layout="half",
    )
    longest = f.integer("max_position_embeddings", None)
    trained = f.integer("original_max_position_embeddings", None)
    kind = angles("rope_type", angles("type", "default"))
    if kind == "default":
        return Rotation(**choices)
    if kind == "linear":
        return Rotation(**choices, scaling="linear", factor=angles.number("factor"))
    if kind != "llama3":  # of Llama 3.1 and later
        raise angles.error("rope_type", kind, "'default', 'linear' or 'llama3'")
    name = "original_max_position_embeddings"
    inner = angles.integer(name, *[] if longest is None else [longest])
    return Rotation(
        **choices,
        scaling="slow pairs",
        factor=angles.number("factor"),
        slow=angles.number("low_freq_factor"),
        fast=angles.number("high_freq_factor"),
        trained=inner if trained is None else trained,
    )


def activation(f, name, default):
    """Return our name of the activation that a field names."""
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
